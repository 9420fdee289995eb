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
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/storage"
)

// The path of a calendar feed is calendarPath, its token and calendarExtension.
const (
	calendarPath      = "/calendar/"
	calendarExtension = ".ics"
)

const (
	calendarRefresh = 15 * time.Minute // see icalendar.Header
	calendarTitle   = 60               // characters of a summary
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
	var doc document
	if err == nil {
		doc, err = s.documents.get(r.Context(), calendarKey(&feed, &key), func(ctx context.Context) (document, error) { return s.renderCalendar(ctx, &feed, key) })
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	doc.serve(w, r)
}

// calendarKey returns the key of the document of a calendar feed. It has all that the
// document depends on, except the posts and the names of accounts.
func calendarKey(f *schedctl.CalendarFeed, key *schedctl.APIKey) string {
	return calendarPath + f.ID + " " + strings.Join(key.AccountIDs, ",")
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
func (s *Server) renderCalendar(ctx context.Context, feed *schedctl.CalendarFeed, key schedctl.APIKey) (document, error) {
	c := &request{Request: usecase.Request{Key: key, Now: time.Now()}}
	var body bytes.Buffer
	var list calendarEvents
	err := s.scan(ctx, c, func(r storage.Reader) error {
		list = calendarEvents{request: c, feed: feed}
		if err := list.read(ctx, r); err != nil {
			return err
		}
		body.Reset()
		body.Grow(list.size)
		calendar := icalendar.NewCalendar(&body, icalendar.Header{
			Product: "-//schedctl//schedctl//EN", Name: feed.Name, Description: list.note(), Refresh: calendarRefresh,
		})
		for _, e := range slices.Backward(list.events) {
			if err := calendar.Add(e); err != nil {
				return err
			}
		}
		return calendar.Close()
	})
	sum := sha256.Sum256(body.Bytes())
	doc := document{body: body.Bytes(), header: http.Header{
		"Etag":                {`"` + hex.EncodeToString(sum[:16]) + `"`},
		"Cache-Control":       {"private, no-cache"}, // read it again each time, and compare the ETag
		"Content-Type":        {"text/calendar; charset=utf-8"},
		"Content-Disposition": {`inline; filename="posts.ics"`},
	}}
	if list.readBytes > calendarSmall {
		doc.keep = documentLife
	}
	return doc, err
}

// calendarSummary returns the title of a post, or the start of the first line of its text.
func calendarSummary(p *schedctl.Post) string {
	text := p.Title
	if text == "" {
		text, _, _ = strings.Cut(strings.TrimSpace(p.Text), "\n")
		text = strings.Join(strings.Fields(text), " ")
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
