package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/storage"
)

// The path of a calendar feed is calendarPath, its token and calendarExtension.
const (
	calendarPath      = "/calendar/"
	calendarExtension = ".ics"
)

const (
	calendarRefresh  = 15 * time.Minute // see icalendar.Header
	calendarPast     = 400 * 24 * time.Hour
	calendarCanceled = 30 * 24 * time.Hour // how long canceled posts are shown
	calendarLimit    = 5000                // events
	calendarPage     = 100                 // posts of one read
	calendarPages    = 200                 // reads for one account, or for all
	calendarTitle    = 60                  // characters of a summary
)

// serveCalendar serves GET /calendar/<token>.ics. The token takes the place of an API key:
// the feed shows what the key that made it may see. All reasons why there is no feed give
// the same response, and count against the limit of requests without a valid key.
func (s *Server) serveCalendar(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Robots-Tag", "noindex")
	token, ok := strings.CutSuffix(r.PathValue("file"), calendarExtension)
	hash, valid := schedctl.HashFeedToken(token)
	err := errNoCalendar
	var feed schedctl.CalendarFeed
	var key schedctl.APIKey
	if ok && valid {
		feed, key, err = s.findCalendar(r.Context(), hash, now)
	}
	if errors.Is(err, errNoCalendar) {
		if grant := s.limits.failures.take(addressBlock(r.RemoteAddr), now); !grant.granted {
			err = rateLimited(w, grant.wait, "too many requests for calendar feeds that do not exist came from your address; check the address of the feed and try again in %d s")
		}
	}
	if err == nil {
		err = s.limits.spend(w, key.ID, now)
	}
	var body []byte
	if err == nil {
		body, err = s.renderCalendar(r.Context(), &feed, key, now)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	sum := sha256.Sum256(body)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	h.Set("Cache-Control", "private, no-cache") // read it again each time, and compare the ETag
	h.Set("Content-Type", "text/calendar; charset=utf-8")
	h.Set("Content-Disposition", `inline; filename="posts.ics"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

var errNoCalendar error = schedctl.Errorf(schedctl.NotFound, "", "there is no calendar feed at this address; it may have been revoked, or the API key that made it has ended")

// findCalendar returns the calendar feed with a token and the key that made it.
func (s *Server) findCalendar(ctx context.Context, hash [32]byte, now time.Time) (feed schedctl.CalendarFeed, key schedctl.APIKey, err error) {
	err = s.view(ctx, func(r storage.Reader) error {
		feed, err = r.CalendarFeedByHash(hash)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return errNoCalendar
		}
		if err != nil {
			return err
		}
		keys, err := r.Keys(feed.WorkspaceID)
		if err != nil {
			return err
		}
		var valid bool
		if key, valid = feedKey(keys, &feed, now); !valid {
			return errNoCalendar
		}
		return nil
	})
	return feed, key, err
}

// feedKey returns the key that made a calendar feed, and whether both are valid.
func feedKey(keys []schedctl.APIKey, f *schedctl.CalendarFeed, now time.Time) (key schedctl.APIKey, valid bool) {
	i := slices.IndexFunc(keys, func(k schedctl.APIKey) bool { return k.ID == f.KeyID })
	if i < 0 || keys[i].Check(now) != nil || !f.ExpiresAt.IsZero() && !now.Before(f.ExpiresAt) {
		return key, false
	}
	return keys[i], true
}

// renderCalendar returns the calendar of a feed. The same posts give the same bytes.
func (s *Server) renderCalendar(ctx context.Context, feed *schedctl.CalendarFeed, key schedctl.APIKey, now time.Time) ([]byte, error) {
	c := &request{key: key, now: now}
	var body bytes.Buffer
	err := s.scan(ctx, c, func(r storage.Reader) error {
		posts, err := c.calendarPosts(r, feed)
		if err != nil {
			return err
		}
		accounts, err := r.Accounts(feed.WorkspaceID)
		if err != nil {
			return err
		}
		names := make(map[string]string, len(accounts))
		for i := range accounts {
			names[accounts[i].ID] = accounts[i].Platform + ":" + accounts[i].Name
		}
		body.Reset()
		calendar := icalendar.NewCalendar(&body, icalendar.Header{Product: "-//schedctl//schedctl//EN", Name: feed.Name, Refresh: calendarRefresh})
		for i := range posts {
			if err := calendar.Add(calendarEvent(&posts[i], names, feed.TitlesOnly)); err != nil {
				return err
			}
		}
		return calendar.Close()
	})
	return body.Bytes(), err
}

// calendarPosts returns the posts of a feed in order of time. If there are too many, it
// leaves out the oldest ones.
func (c *request) calendarPosts(r storage.Reader, feed *schedctl.CalendarFeed) (posts []schedctl.Post, err error) {
	accounts := feed.AccountIDs
	if len(accounts) == 0 {
		accounts = []string{""}
	}
	for _, account := range accounts {
		list, err := c.calendarPostsOf(r, feed.WorkspaceID, account)
		if err != nil {
			return nil, err
		}
		posts = append(posts, list...)
	}
	slices.SortFunc(posts, schedctl.CompareQueued)
	posts = slices.CompactFunc(posts, func(a, b schedctl.Post) bool { return a.ID == b.ID })
	return posts[max(0, len(posts)-calendarLimit):], nil
}

func (c *request) calendarPostsOf(r storage.Reader, workspaceID, accountID string) (posts []schedctl.Post, err error) {
	q := storage.PostQuery{
		WorkspaceID: workspaceID, AccountID: accountID, PublishAfter: schedctl.Millis(c.now.Add(-calendarPast)),
		Sort: storage.PublishDescending, Limit: calendarPage,
	}
	for range calendarPages {
		page, err := r.Posts(q)
		if err != nil {
			return nil, err
		}
		for i := range page.Posts {
			if p := &page.Posts[i]; !p.PublishAt.IsZero() && c.maySee(p) && (p.CanceledAt.IsZero() || c.now.Sub(p.CanceledAt) < calendarCanceled) {
				posts = append(posts, *p)
			}
		}
		if q.After = page.Next; q.After == nil || len(posts) >= calendarLimit {
			break
		}
	}
	return posts, nil
}

// calendarEvent returns the event of a post. A feed with titles only has the first words
// of its text.
func calendarEvent(p *schedctl.Post, names map[string]string, titleOnly bool) icalendar.Event {
	e := icalendar.Event{
		UID: p.ID, At: p.PublishAt, Created: p.CreatedAt, Modified: p.UpdatedAt, Revision: p.Version,
		Summary: calendarSummary(p), Description: string(p.Status()), Status: "CONFIRMED",
	}
	if !titleOnly {
		e.Description = p.Content + "\n\n" + string(p.Status()) + ": " + p.ID
	}
	if p.Status() == schedctl.Canceled {
		e.Status = "CANCELLED"
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		e.Categories = append(e.Categories, names[t.AccountID])
		if e.URL == "" {
			e.URL = t.PlatformPostURL
		}
	}
	return e
}

// calendarSummary returns the title of a post, or the first words of its text.
func calendarSummary(p *schedctl.Post) string {
	text := p.Title
	if text == "" {
		text = strings.Join(strings.Fields(p.Content), " ")
	}
	if text == "" {
		return "(media)"
	}
	if utf8.RuneCountInString(text) <= calendarTitle {
		return text
	}
	short := string([]rune(text)[:calendarTitle])
	if cut := strings.LastIndexByte(short, ' '); cut > 0 {
		short = short[:cut]
	}
	return short + "…"
}
