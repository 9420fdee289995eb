package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

func (s *Server) calendarFeedRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/calendar-feeds", id: "listCalendarFeeds", tag: "Calendar feeds",
		summary:     "List calendar feeds",
		description: "All that have not ended, in order of creation, without their addresses. A key that is limited to accounts sees those that show only its accounts.",
		scopes:      readsPosts, codes: []schedctl.Code{schedctl.ValidationFailed},
		status: http.StatusOK, response: reflect.TypeFor[apiv1.CalendarFeedList](),
		handle: s.listCalendarFeeds,
	}, {
		method: http.MethodPost, path: "/calendar-feeds", id: "createCalendarFeed", tag: "Calendar feeds",
		summary: "Create a calendar feed",
		description: "Returns an address at which calendar programs read the posts without a further login, as iCalendar (RFC 5545). It is shown only once. " +
			"The feed shows what the API key may see, and ends with it: when the key is revoked or expires, the address is not found. The key also needs the scope posts:read. " +
			"The feed has the posts from 400 days ago on, and the canceled ones of the last 30 days: the latest 5,000 at most, and 4 MB. A calendar that leaves out older posts says so in its description. " +
			"A calendar is rebuilt after a change; one that takes more than a megabyte of posts at most once a minute.",
		scopes: writesPosts, codes: []schedctl.Code{schedctl.NameTaken, schedctl.ValidationFailed, schedctl.InvalidSocialAccounts, schedctl.AccountNotAllowed},
		request: reflect.TypeFor[apiv1.CreateCalendarFeed](), status: http.StatusCreated, response: reflect.TypeFor[apiv1.CalendarFeedAddress](),
		handle: withBody(read[apiv1.CreateCalendarFeed], s.createCalendarFeed),
	}, {
		method: http.MethodDelete, path: "/calendar-feeds/{id}", id: "deleteCalendarFeed", tag: "Calendar feeds",
		summary:     "Revoke the address of a calendar feed",
		description: "From then on, the address is not found.",
		scopes:      writesPosts, codes: []schedctl.Code{schedctl.NotFound},
		status: http.StatusNoContent,
		handle: withoutBody(s.deleteCalendarFeed),
	}}
}

// listCalendarFeeds handles GET /calendar-feeds.
func (s *Server) listCalendarFeeds(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	var feeds []schedctl.CalendarFeed
	err := s.scan(ctx, c, func(r storage.Reader) (err error) {
		feeds, err = c.runningFeeds(r)
		return err
	})
	if err != nil {
		return response{}, err
	}
	feeds = slices.DeleteFunc(feeds, func(f schedctl.CalendarFeed) bool { return !c.maySeeFeed(&f) })
	return newResponse(http.StatusOK, apiv1.CalendarFeedList{Results: convert(feeds, apiv1.NewCalendarFeed), Count: len(feeds)})
}

// maySeeFeed reports whether the key may see and revoke a calendar feed.
func (c *request) maySeeFeed(f *schedctl.CalendarFeed) bool {
	return !c.Limited() || len(f.AccountIDs) > 0 && c.MaySeeAll(f.AccountIDs)
}

// runningFeeds returns the calendar feeds of the workspace whose keys are valid.
func (c *request) runningFeeds(r storage.Reader) ([]schedctl.CalendarFeed, error) {
	feeds, err := r.CalendarFeeds(c.Key.WorkspaceID)
	if err != nil || len(feeds) == 0 {
		return nil, err
	}
	keys, err := r.Keys(c.Key.WorkspaceID)
	return slices.DeleteFunc(feeds, func(f schedctl.CalendarFeed) bool {
		_, valid := feedKey(keys, &f, c.arrived)
		return !valid
	}), err
}

// createCalendarFeed handles POST /calendar-feeds. The address exists only in the
// response.
func (s *Server) createCalendarFeed(ctx context.Context, c *request, b apiv1.CreateCalendarFeed) (response, error) {
	if !c.Key.Allows(schedctl.ScopePostsRead) {
		return response{}, insufficientScope("a calendar feed also needs the scope %s; use a key that has it", schedctl.ScopePostsRead)
	}
	now := schedctl.Millis(c.Now)
	f := schedctl.CalendarFeed{
		ID: schedctl.NewID(schedctl.CalendarFeedPrefix, now), WorkspaceID: c.Key.WorkspaceID, Name: b.Name, AccountIDs: b.SocialAccountIDs,
		TitlesOnly: b.TitlesOnly, KeyID: c.Key.ID, ExpiresAt: c.Key.ExpiresAt, CreatedAt: now,
	}
	if len(f.AccountIDs) == 0 {
		f.AccountIDs = slices.Clone(c.Key.AccountIDs)
	}
	var token string
	token, f.Hash = schedctl.NewFeedToken()
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		if err := c.checkAccounts(tx, f.AccountIDs); err != nil {
			return response{}, err
		}
		if err := c.roomForFeed(tx, f.Name); err != nil {
			return response{}, err
		}
		stored := f.Clone()
		slices.Sort(stored.AccountIDs)
		if err := tx.PutCalendarFeed(stored); err != nil {
			return response{}, err
		}
		a, err := sealedResponse(http.StatusCreated, apiv1.CalendarFeedAddress{
			CalendarFeed: apiv1.NewCalendarFeed(stored), URL: s.calendarBase(c) + calendarPath + token + calendarExtension,
		})
		a.created, a.location = f.ID, prefix+"/calendar-feeds/"+f.ID
		return a, err
	})
}

// roomForFeed deletes the calendar feeds that have ended. It returns an error if the name
// of a new feed is taken, or the workspace has as many feeds as it can have.
func (c *request) roomForFeed(tx storage.Tx, name string) error {
	all, err := tx.CalendarFeeds(c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	keys, err := tx.Keys(c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	running := 0
	for i := range all {
		f := &all[i]
		switch _, valid := feedKey(keys, f, c.Now); {
		case !valid:
			if err := tx.DeleteCalendarFeed(f.WorkspaceID, f.ID); err != nil {
				return err
			}
		case f.Name == name:
			return schedctl.Errorf(schedctl.NameTaken, "name", "the name %q is taken by another calendar feed; choose another one", name)
		default:
			running++
		}
	}
	if running >= schedctl.MaxCalendarFeeds {
		return schedctl.Errorf(schedctl.ValidationFailed, "",
			"this workspace has %d calendar feeds, which is the limit; revoke one with DELETE %s/calendar-feeds/{id}", running, prefix)
	}
	return nil
}

// deleteCalendarFeed handles DELETE /calendar-feeds/{id}.
func (s *Server) deleteCalendarFeed(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		feeds, err := tx.CalendarFeeds(c.Key.WorkspaceID)
		if err != nil {
			return response{}, err
		}
		i := slices.IndexFunc(feeds, func(f schedctl.CalendarFeed) bool { return f.ID == c.ID && c.maySeeFeed(&f) })
		if i < 0 {
			return response{}, schedctl.Errorf(schedctl.NotFound, "", "this workspace has no calendar feed with this id")
		}
		if err := c.MayRevokeFeed(&feeds[i]); err != nil {
			return response{}, err
		}
		return noContent, tx.DeleteCalendarFeed(c.Key.WorkspaceID, c.ID)
	})
}
