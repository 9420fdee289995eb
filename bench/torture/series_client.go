package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	seriesAhead = 2              // days
	liveSeries  = 3              // of each client
	untouched   = 24 * time.Hour // clients leave nearer occurrences alone, so that they are not published during a request
)

// seriesStory is what a client did with a series, as acknowledged.
type seriesStory struct {
	series    apiv1.Series
	daily     bool              // one occurrence a day; otherwise four
	gone      map[string]bool   // occurrences that were skipped, canceled or removed
	canceled  map[string]bool   // ids of posts
	edited    map[string]string // contents of the posts that were changed alone, by id
	early     map[string]bool   // ids of posts that were published before their time
	deleted   bool
	continued bool      // another series continues it
	since     time.Time // occurrences after it must have been made
	stopped   time.Time // when it was paused, ended or deleted
}

func newSeriesStory(s apiv1.Series, daily bool, now time.Time) *seriesStory {
	return &seriesStory{series: s, daily: daily, gone: map[string]bool{}, canceled: map[string]bool{}, edited: map[string]string{}, early: map[string]bool{}, since: now}
}

// isOver reports whether clients can no longer change the series.
func (s *seriesStory) isOver() bool {
	return s.deleted || s.continued || s.series.State == schedctl.SeriesEnded
}

// seriesClient creates and changes its own series. One goroutine owns it.
type seriesClient struct {
	*seriesWorld
	name    string
	random  *rand.Rand
	stories []*seriesStory

	requests, acknowledged, refused int
	last                            *write // the last acknowledged one
}

// step changes a series, or creates one, and pauses.
func (c *seriesClient) step(ctx context.Context) error {
	if err := c.changeOne(ctx); err != nil {
		return err
	}
	time.Sleep(time.Duration(c.random.IntN(10)) * time.Millisecond)
	return nil
}

func (c *seriesClient) changeOne(ctx context.Context) error {
	var live []*seriesStory
	for _, s := range c.stories {
		if !s.isOver() {
			live = append(live, s)
		}
	}
	if len(live) < liveSeries {
		return c.create(ctx)
	}
	s := live[c.random.IntN(len(live))]
	n := c.random.IntN(60)
	switch {
	case n == 0:
		return c.end(ctx, s)
	case n == 1:
		return c.delete(ctx, s)
	case s.series.State == schedctl.SeriesPaused:
		return c.resume(ctx, s)
	case n < 6:
		return c.pause(ctx, s)
	case n < 12:
		return c.editRule(ctx, s)
	case n < 20:
		return c.editContent(ctx, s)
	}
	return c.touch(ctx, s, n)
}

// touch changes one occurrence, or those from one on.
func (c *seriesClient) touch(ctx context.Context, s *seriesStory, n int) error {
	o, found, err := c.choose(ctx, s)
	if err != nil || !found {
		return err
	}
	switch {
	case n < 28 && !o.Detached:
		return c.skip(ctx, s, o)
	case n < 31 && !o.Detached: // the rule may no longer have it
		return c.editFrom(ctx, s, o)
	case o.State != apiv1.OccurrenceState(schedctl.Scheduled):
		return nil
	case n < 40:
		return c.cancel(ctx, s, o)
	case n < 45:
		return c.remove(ctx, s, o)
	case n < 50 && c.publishes:
		return c.publish(ctx, s, o)
	}
	return c.editOne(ctx, s, o)
}

// choose returns a future occurrence without a reason why it has no post.
func (c *seriesClient) choose(ctx context.Context, s *seriesStory) (o apiv1.Occurrence, found bool, err error) {
	query := url.Values{"after": {apiv1.Time{Time: c.now().Add(untouched)}.String()}, "limit": {"12"}}
	r := &write{Request: child.Request{Method: http.MethodGet, Path: "/series/" + s.series.ID + "/occurrences?" + query.Encode()}}
	if err := c.send(ctx, r); err != nil {
		return o, false, err
	}
	var page apiv1.OccurrenceList
	if err := json.Unmarshal(r.Response.Body, &page); err != nil || !r.acknowledged() {
		return o, false, fmt.Errorf("%s: %d %s %w", r.Path, r.Status, r.Response.Body, err)
	}
	var open []apiv1.Occurrence
	for _, o := range page.Results {
		if o.State == apiv1.OccurrencePlanned || o.State == apiv1.OccurrenceState(schedctl.Scheduled) {
			open = append(open, o)
		}
	}
	if len(open) == 0 {
		return o, false, nil
	}
	return open[c.random.IntN(len(open))], true, nil
}

func (c *seriesClient) create(ctx context.Context) error {
	daily, zone := c.random.IntN(2) == 0, []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata"}[c.random.IntN(3)]
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return err
	}
	start := c.now().In(loc).Add(-time.Duration(c.random.IntN(48*60)) * time.Minute)
	made, ok, err := c.write(ctx, "POST", "/series", map[string]any{
		"name": fmt.Sprintf("%s %d", c.name, len(c.stories)), "content": c.text(), "social_account_ids": oneOrTwo(c.random, c.chosen), "timezone": zone,
		"start": schedctl.LocalTimeOf(start), "rule": c.rule(daily), "ahead_days": seriesAhead,
	})
	if err != nil || !ok {
		return err
	}
	c.stories = append(c.stories, newSeriesStory(made.Series, daily, c.now()))
	return nil
}

// rule returns a rule with one or four occurrences a day.
func (c *seriesClient) rule(daily bool) string {
	n := c.random.IntN(6)
	if daily {
		return fmt.Sprintf("FREQ=DAILY;BYHOUR=%d", n*4)
	}
	return fmt.Sprintf("FREQ=DAILY;BYHOUR=%d,%d,%d,%d", n, n+6, n+12, n+18)
}

// text returns a text that no other request has.
func (c *seriesClient) text() string { return fmt.Sprintf("text %d of %s", c.requests, c.name) }

func (c *seriesClient) editContent(ctx context.Context, s *seriesStory) error {
	_, err := c.change(ctx, s, "PATCH", "", map[string]any{"content": c.text()})
	return err
}

func (c *seriesClient) editRule(ctx context.Context, s *seriesStory) error {
	ok, err := c.change(ctx, s, "PATCH", "", map[string]any{"rule": c.rule(s.daily)})
	if ok {
		s.since = c.now()
	}
	return err
}

func (c *seriesClient) editFrom(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	made, ok, err := c.write(ctx, "PATCH", "/series/"+s.series.ID+"?from="+url.QueryEscape(o.Occurrence), map[string]any{"content": c.text()})
	if err != nil || !ok {
		return err
	}
	if made.Previous == nil {
		return fmt.Errorf("an edit from %s on has no previous series", o.Occurrence)
	}
	next := newSeriesStory(made.Series, s.daily, c.now())
	for local := range s.gone {
		next.gone[local] = local >= o.Occurrence
	}
	s.series, s.continued = *made.Previous, true
	c.stories = append(c.stories, next)
	return nil
}

func (c *seriesClient) pause(ctx context.Context, s *seriesStory) error {
	ok, err := c.change(ctx, s, "POST", "/pause", nil)
	if ok {
		s.stopped = c.now()
	}
	return err
}

func (c *seriesClient) resume(ctx context.Context, s *seriesStory) error {
	ok, err := c.change(ctx, s, "POST", "/resume", nil)
	if ok {
		s.since, s.stopped = c.now(), time.Time{}
	}
	return err
}

func (c *seriesClient) end(ctx context.Context, s *seriesStory) error {
	ok, err := c.change(ctx, s, "POST", "/end", nil)
	if ok {
		s.stopped = c.now()
	}
	return err
}

func (c *seriesClient) delete(ctx context.Context, s *seriesStory) error {
	_, ok, err := c.write(ctx, "DELETE", "/series/"+s.series.ID, nil)
	if ok {
		s.deleted, s.stopped = true, c.now()
	}
	return err
}

func (c *seriesClient) skip(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	ok, err := c.change(ctx, s, "POST", "/skip", map[string]any{"occurrence": o.Occurrence})
	if ok {
		s.gone[o.Occurrence] = true
		if o.PostID != nil {
			delete(s.edited, *o.PostID)
		}
	}
	return err
}

func (c *seriesClient) cancel(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	_, ok, err := c.write(ctx, "POST", "/posts/"+*o.PostID+"/cancel", map[string]any{})
	if ok {
		s.gone[o.Occurrence], s.canceled[*o.PostID] = true, true
		delete(s.edited, *o.PostID)
	}
	return err
}

// remove makes the post of an occurrence a draft, and deletes it.
func (c *seriesClient) remove(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	_, ok, err := c.write(ctx, "POST", "/posts/"+*o.PostID+"/unschedule", map[string]any{})
	if err != nil || !ok {
		return err
	}
	delete(s.edited, *o.PostID)
	_, ok, err = c.write(ctx, "DELETE", "/posts/"+*o.PostID, nil)
	if ok {
		s.gone[o.Occurrence] = true
	}
	return err
}

func (c *seriesClient) editOne(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	text := c.text()
	_, ok, err := c.write(ctx, "PATCH", "/posts/"+*o.PostID, map[string]any{"content": text})
	if ok {
		s.edited[*o.PostID] = text
	}
	return err
}

// publish publishes an occurrence before its time. An edit no longer changes it.
func (c *seriesClient) publish(ctx context.Context, s *seriesStory, o apiv1.Occurrence) error {
	_, ok, err := c.write(ctx, "POST", "/posts/"+*o.PostID+"/publish-now", map[string]any{})
	if ok {
		s.early[*o.PostID] = true
		c.published.Add(1)
	}
	return err
}

// change sends a request about a series and keeps the series of the response.
func (c *seriesClient) change(ctx context.Context, s *seriesStory, method, path string, body any) (ok bool, err error) {
	made, ok, err := c.write(ctx, method, "/series/"+s.series.ID+path, body)
	if ok {
		s.series = made.Series
	}
	return ok, err
}

// write sends a request with a key until it gets a final response. A conflict is allowed:
// the occurrence may have been published since.
func (c *seriesClient) write(ctx context.Context, method, path string, body any) (made apiv1.SeriesEnvelope, ok bool, err error) {
	c.requests++
	r, err := newWrite(method, path, body, fmt.Sprintf("%s-%d", c.name, c.requests))
	if err != nil {
		return made, false, err
	}
	if err := c.send(ctx, r); err != nil {
		return made, false, err
	}
	switch {
	case r.Status == http.StatusConflict:
		c.refused++
		return made, false, nil
	case !r.acknowledged():
		return made, false, fmt.Errorf("%s %s: %d %s", method, path, r.Status, r.Response.Body)
	}
	c.acknowledged++
	c.last = r
	c.atPoint(clientAcknowledged, "")
	if r.Status == http.StatusNoContent {
		return made, true, nil
	}
	return made, true, json.Unmarshal(r.Response.Body, &made)
}
