package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// occurrenceQuery selects a page of the occurrences of a series.
type occurrenceQuery struct {
	after, before time.Time          // before is zero for no limit
	position      schedctl.LocalTime // of the last one on the page before; empty on the first page
	limit         int
}

// listOccurrences handles GET /series/{id}/occurrences.
func (s *Server) listOccurrences(ctx context.Context, c *request) (response, error) {
	query, err := c.occurrenceQuery(time.Now())
	if err != nil {
		return response{}, err
	}
	var page apiv1.OccurrenceList
	err = s.scan(ctx, c, func(r storage.Reader) error {
		one, err := c.series(r)
		if err != nil {
			return err
		}
		page, err = occurrencePage(r, &one, query, time.Now())
		return err
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, page)
}

func (c *request) occurrenceQuery(now time.Time) (occurrenceQuery, error) {
	q := parseQuery(c.query, []string{"after", "before", "limit", "cursor"}, nil)
	query := occurrenceQuery{after: q.time("after"), before: q.time("before"), limit: q.number("limit", 1, maxLimit, defaultLimit)}
	if query.after.IsZero() {
		query.after = now
	}
	if q.err == nil && q.has("cursor") {
		var err error
		if query.position, err = occurrencePosition(c.ID, q.values.Get("cursor")); err != nil {
			q.fail(err)
		}
	}
	return query, q.err
}

// The cursor of a list of occurrences is base64url of the local time of the last one and
// the first 8 bytes of a SHA-256 over the series and that time.
func occurrenceCursor(seriesID string, local schedctl.LocalTime) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte(local), occurrenceChecksum(seriesID, local)...))
}

func occurrencePosition(seriesID, text string) (schedctl.LocalTime, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if n := len(raw) - 8; err == nil && n > 0 {
		local, err := schedctl.ParseLocalTime("cursor", string(raw[:n]))
		if err == nil && bytes.Equal(raw[n:], occurrenceChecksum(seriesID, local)) {
			return local, nil
		}
	}
	return "", schedctl.Errorf(schedctl.InvalidCursor, "cursor",
		"this cursor does not belong to this list; use next_cursor of the previous page, or leave the cursor out")
}

func occurrenceChecksum(seriesID string, local schedctl.LocalTime) []byte {
	sum := sha256.Sum256([]byte("occurrences " + seriesID + " " + string(local)))
	return sum[:8]
}

// occurrencePage returns one page of occurrences. It has posts, also those that are not
// occurrences of the current rule, and occurrences that are not posts yet.
func occurrencePage(r storage.Reader, one *schedctl.Series, q occurrenceQuery, now time.Time) (page apiv1.OccurrenceList, err error) {
	l := occurrenceLister{r: r, series: one, query: q, now: now, found: map[schedctl.LocalTime]apiv1.Occurrence{}}
	if err := l.read(); err != nil {
		return page, err
	}
	locals := make([]schedctl.LocalTime, 0, len(l.found))
	for local := range l.found {
		locals = append(locals, local)
	}
	slices.Sort(locals)
	page.Results = []apiv1.Occurrence{}
	for i, local := range locals {
		if i == q.limit {
			break
		}
		page.Results = append(page.Results, l.found[local])
	}
	if len(locals) > q.limit || l.more {
		last := l.last
		if len(page.Results) == q.limit {
			last = locals[q.limit-1]
		}
		page.NextCursor = new(occurrenceCursor(one.ID, last))
	}
	page.Count = len(page.Results)
	return page, nil
}

// occurrenceLister finds the occurrences of a page.
type occurrenceLister struct {
	r        storage.Reader
	series   *schedctl.Series
	query    occurrenceQuery
	now      time.Time
	accounts []schedctl.Account

	found map[schedctl.LocalTime]apiv1.Occurrence
	last  schedctl.LocalTime // the last occurrence of the rule that was read
	more  bool               // the rule has more of them
}

// maxOccurrenceReads limits the occurrences of the rule that are read for a page.
const maxOccurrenceReads = 1000

func (l *occurrenceLister) read() error {
	loc, err := schedctl.LoadZone("timezone", l.series.Timezone)
	if err != nil {
		return err
	}
	rule, _, err := recurrence.Parse(l.series.Rule, l.series.Start, loc)
	if err != nil {
		return err
	}
	for _, id := range l.series.Template.AccountIDs() {
		a, err := l.r.Account(l.series.WorkspaceID, id)
		if err != nil {
			return err
		}
		l.accounts = append(l.accounts, a)
	}
	if err := l.readRule(rule, loc); err != nil {
		return err
	}
	return l.readOthers(loc)
}

// readRule reads the occurrences of the rule, at most one more than the page has.
func (l *occurrenceLister) readRule(rule recurrence.Rule, loc *time.Location) error {
	first := schedctl.LocalTimeOf(l.query.after.In(loc).Add(-2 * time.Hour)) // hours can be repeated
	reads := 0
	for local := range rule.From(max(first, l.query.position)) {
		at, note := local.In(loc)
		if local <= l.query.position || at.Before(l.query.after) {
			continue
		}
		if !l.query.before.IsZero() && !at.Before(l.query.before) {
			return nil
		}
		if reads++; reads > maxOccurrenceReads || len(l.found) > l.query.limit {
			l.more = true
			return nil
		}
		l.last = local
		if err := l.add(local, at, note); err != nil {
			return err
		}
	}
	return nil
}

// add adds an occurrence of the rule, unless it was missed.
func (l *occurrenceLister) add(local schedctl.LocalTime, at time.Time, note schedctl.LocalNote) error {
	o := apiv1.Occurrence{Occurrence: string(local), At: *apiv1.NewTime(at), Note: note}
	post, err := l.r.Post(l.series.WorkspaceID, schedctl.OccurrencePostID(l.series.ID, local))
	switch {
	case err == nil:
		l.found[local] = withPost(o, &post)
		return nil
	case schedctl.CodeOf(err) != schedctl.NotFound:
		return err
	}
	future := at.After(l.now)
	switch {
	case l.series.HasExdate(local):
		o.State = apiv1.OccurrenceSkipped
	case !future || l.series.State != schedctl.SeriesActive:
		return nil // nothing became of it, or nothing will
	case l.series.QueueID == "" && series.Blocked(l.accounts, at):
		o.State = apiv1.OccurrenceBlocked
	case local <= l.series.Cursor:
		o.State = apiv1.OccurrenceSkipped // by the duplicate guard, for example
	default:
		o.State = apiv1.OccurrencePlanned
	}
	l.found[local] = o
	return nil
}

// withPost returns an occurrence with its post.
func withPost(o apiv1.Occurrence, p *schedctl.Post) apiv1.Occurrence {
	o.PostID, o.State, o.Detached = &p.ID, apiv1.OccurrenceState(p.Status()), p.Detached
	if !p.PublishAt.IsZero() {
		o.At = *apiv1.NewTime(p.PublishAt)
	}
	return o
}

// readOthers reads posts that are not occurrences of the current rule, up to the last one
// of the page.
func (l *occurrenceLister) readOthers(loc *time.Location) error {
	query := storage.PostQuery{
		WorkspaceID: l.series.WorkspaceID, SeriesID: l.series.ID, Sort: storage.PublishAscending, Limit: l.query.limit + 1,
		PublishAfter: l.query.after, PublishBefore: l.query.before,
	}
	if l.query.position != "" {
		at, _ := l.query.position.In(loc)
		query.PublishAfter = at
	}
	if l.more {
		at, _ := l.last.In(loc)
		if end := at.Add(24 * time.Hour); query.PublishBefore.IsZero() || end.Before(query.PublishBefore) {
			query.PublishBefore = end
		}
	}
	page, err := l.r.Posts(query)
	if err != nil {
		return err
	}
	for i := range page.Posts {
		p := &page.Posts[i]
		_, known := l.found[p.Occurrence]
		if known || p.Occurrence <= l.query.position || l.more && p.Occurrence > l.last {
			continue
		}
		at, note := p.Occurrence.In(loc)
		l.found[p.Occurrence] = withPost(apiv1.Occurrence{Occurrence: string(p.Occurrence), At: *apiv1.NewTime(at), Note: note}, p)
	}
	return nil
}
