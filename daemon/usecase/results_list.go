package usecase

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// The bounds of a window in which results are sorted by a number, or summed.
const (
	MaxResultsDays    = 366
	MaxResultsTargets = 10_000
)

// ResultsFilter selects published targets. Zero fields do not filter.
type ResultsFilter struct {
	After, Before time.Time // when they were published; After is inclusive, Before is not
	AccountIDs    []string  // any of these
	Platform      string
	Labels        []string // all of these
	SeriesID      string
	Removed       *bool // whether the network no longer has them
}

// ResultsQuery selects a page of published targets.
type ResultsQuery struct {
	ResultsFilter
	Sort  apiv1.ResultsSort
	Limit int
	From  *ResultsPosition // the last target of the page before; nil for the first page
}

// ResultsPosition is the place of a target in a sorted list.
type ResultsPosition struct {
	Value    float64 // what the list is sorted by; 0 in the order of time
	Known    bool    // there is a value
	At       time.Time
	TargetID string
}

// compare compares two places in the order of a list. Targets without a value are the last.
func (p *ResultsPosition) compare(o *ResultsPosition, ascending bool) int {
	switch {
	case p.Known != o.Known && p.Known:
		return -1
	case p.Known != o.Known:
		return 1
	case p.Value != o.Value && (p.Value < o.Value) == ascending:
		return -1
	case p.Value != o.Value:
		return 1
	}
	return cmp.Or(o.At.Compare(p.At), cmp.Compare(o.TargetID, p.TargetID)) // the latest first
}

// ResultsPage is a page of published targets.
type ResultsPage struct {
	Rows []apiv1.AnalyticsRow
	Next *ResultsPosition // the last target of the page; nil at the end
}

// ListResults returns a page of the published targets that the key of a request may see. A
// page in the order of time reads at most [storage.ScanLimit] targets, and can be short.
// Errors: VALIDATION_FAILED if the order needs a smaller window.
func (s *Service) ListResults(ctx context.Context, r storage.Reader, c *Request, q ResultsQuery) (ResultsPage, error) {
	w, err := newResultsWalk(ctx, r, c, &q.ResultsFilter)
	if err != nil {
		return ResultsPage{}, err
	}
	var found []resultsOf
	var next *ResultsPosition
	if q.Sort == apiv1.ResultsByTime {
		found, next, err = w.latest(q)
	} else {
		found, next, err = w.sorted(q)
	}
	page := ResultsPage{Rows: make([]apiv1.AnalyticsRow, len(found)), Next: next}
	for i := range found {
		if err == nil {
			page.Rows[i], err = s.analyticsRow(r, &found[i], c.Now)
		}
	}
	return page, err
}

// resultsWalk reads the published targets that a filter selects.
type resultsWalk struct {
	ctx      context.Context //nolint:containedctx // of one call
	r        storage.Reader
	c        *Request
	filter   *ResultsFilter
	accounts map[string]*schedctl.Account // of the workspace
	last     *schedctl.Post               // that was read last; targets of a post are often neighbors
	list     *publishedList
}

func newResultsWalk(ctx context.Context, r storage.Reader, c *Request, f *ResultsFilter) (*resultsWalk, error) {
	accounts, err := accountsByID(r, c)
	if err != nil {
		return nil, err
	}
	w := &resultsWalk{ctx: ctx, r: r, c: c, filter: f, accounts: accounts}
	selected := map[string]*schedctl.Account{}
	for id, a := range accounts {
		if (len(f.AccountIDs) == 0 || slices.Contains(f.AccountIDs, id)) && (f.Platform == "" || f.Platform == a.Platform) {
			selected[id] = a
		}
	}
	w.list = newPublishedList(r, c, selected)
	if !f.Before.IsZero() {
		w.list.startBefore(storage.PublishedTarget{At: f.Before, TargetID: firstTarget})
	}
	return w, nil
}

// firstTarget comes before all targets.
var firstTarget = schedctl.ULID{}.ID(schedctl.TargetPrefix)

// next returns the next publications of the window, the latest first, at most n. It returns
// none at the end.
func (w *resultsWalk) next(n int) (chunk []storage.PublishedTarget, err error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	for len(chunk) < n {
		p, err := w.list.next()
		if err != nil {
			return nil, err
		}
		if p == nil || p.At.Before(w.filter.After) {
			break
		}
		chunk = append(chunk, *p)
	}
	return chunk, nil
}

// selected returns those of some publications that the filter selects, with their results.
func (w *resultsWalk) selected(chunk []storage.PublishedTarget) (found []resultsOf, err error) {
	ids := make([]string, len(chunk))
	for i := range chunk {
		ids[i] = chunk[i].TargetID
	}
	known, err := resultsByTarget(w.r, w.c.Key.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	for i := range chunk {
		v := known[chunk[i].TargetID]
		if f := w.filter.Removed; f != nil && *f == v.RemovedAt.IsZero() {
			continue
		}
		of := resultsOf{published: chunk[i], results: v}
		if len(w.filter.Labels) > 0 || w.filter.SeriesID != "" || w.c.Limited() {
			if has, err := w.read(&of); err != nil {
				return nil, err
			} else if !has || !w.hasPost(of.post) {
				continue
			}
		}
		found = append(found, of)
	}
	return found, nil
}

func (w *resultsWalk) hasPost(p *schedctl.Post) bool {
	f := w.filter
	return (f.SeriesID == "" || p.SeriesID == f.SeriesID) &&
		!slices.ContainsFunc(f.Labels, func(label string) bool { return !slices.Contains(p.Labels, label) })
}

// read adds the post and the account. It reports false if the key may not see the post.
func (w *resultsWalk) read(of *resultsOf) (bool, error) {
	if of.post != nil {
		return true, nil
	}
	if w.last == nil || w.last.ID != of.published.PostID {
		p, err := w.r.Post(of.published.WorkspaceID, of.published.PostID)
		if err != nil {
			return false, err
		}
		w.last = &p
	}
	t := w.last.Target(of.published.TargetID)
	if t == nil || !w.c.MaySee(w.last) {
		return false, nil
	}
	of.post, of.target, of.account = w.last, t, w.accounts[t.AccountID]
	return true, nil
}

// latest returns a page in the order of time.
func (w *resultsWalk) latest(q ResultsQuery) (rows []resultsOf, next *ResultsPosition, err error) {
	if q.From != nil {
		w.list.startBefore(storage.PublishedTarget{At: q.From.At, TargetID: q.From.TargetID})
	}
	for scanned := 0; ; {
		chunk, err := w.next(q.Limit)
		if err != nil || len(chunk) == 0 {
			return rows, nil, err
		}
		list, err := w.selected(chunk)
		if err != nil {
			return nil, nil, err
		}
		for i := range list {
			has, err := w.read(&list[i])
			if err != nil {
				return nil, nil, err
			}
			if !has {
				continue
			}
			if rows = append(rows, list[i]); len(rows) == q.Limit {
				next, err := w.more(&list[i], chunk)
				return rows, next, err
			}
		}
		if scanned += len(chunk); scanned >= storage.ScanLimit {
			last := &chunk[len(chunk)-1]
			return rows, &ResultsPosition{At: last.At, TargetID: last.TargetID}, nil
		}
	}
}

// more returns the position of the last row of a page, or nil if no publication follows it.
func (w *resultsWalk) more(last *resultsOf, chunk []storage.PublishedTarget) (*ResultsPosition, error) {
	if last.published == chunk[len(chunk)-1] {
		if rest, err := w.next(1); err != nil || len(rest) == 0 {
			return nil, err
		}
	}
	return &ResultsPosition{At: last.published.At, TargetID: last.published.TargetID}, nil
}

// each calls visit for all targets that the filter selects, the latest first. Their posts are
// read only if the filter needs them. Errors: VALIDATION_FAILED if the window is too large.
func (w *resultsWalk) each(visit func(*resultsOf) error) error {
	const atOnce = 100
	if err := w.filter.checkWindow(w.c.Now); err != nil {
		return err
	}
	list, err := w.next(MaxResultsTargets + 1)
	if err != nil {
		return err
	}
	if len(list) > MaxResultsTargets {
		return schedctl.Errorf(schedctl.ValidationFailed, "after",
			"more than %d targets were published in this window; use a later after (--after), or filter by social_account_id (--account)", MaxResultsTargets)
	}
	for chunk := range slices.Chunk(list, atOnce) {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		found, err := w.selected(chunk)
		if err != nil {
			return err
		}
		for i := range found {
			if err := visit(&found[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *ResultsFilter) checkWindow(now time.Time) error {
	until := f.Before
	if until.IsZero() {
		until = now
	}
	if f.After.IsZero() || until.Sub(f.After) > MaxResultsDays*24*time.Hour {
		return schedctl.Errorf(schedctl.ValidationFailed, "after",
			"this needs a window of at most %d days; give after (--after), and before (--before) if it does not end now", MaxResultsDays)
	}
	return nil
}

// sorted returns a page in the order of a value.
func (w *resultsWalk) sorted(q ResultsQuery) (rows []resultsOf, next *ResultsPosition, err error) {
	type place struct {
		ResultsPosition
		published storage.PublishedTarget
	}
	var places []place
	ascending := q.Sort == apiv1.ResultsByRemoval
	err = w.each(func(of *resultsOf) error {
		at := place{ResultsPosition{At: of.published.At, TargetID: of.published.TargetID}, of.published}
		at.Value, at.Known = sortValue(q.Sort, &of.results)
		if q.From == nil || q.From.compare(&at.ResultsPosition, ascending) < 0 {
			places = append(places, at)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(places, func(a, b place) int { return a.compare(&b.ResultsPosition, ascending) })
	if len(places) > q.Limit {
		places = places[:q.Limit]
		next = &places[q.Limit-1].ResultsPosition
	}
	chunk := make([]storage.PublishedTarget, len(places))
	for i := range places {
		chunk[i] = places[i].published
	}
	list, err := w.selected(chunk)
	for i := range list {
		has, err := w.read(&list[i])
		if err != nil {
			return nil, nil, err
		}
		if has {
			rows = append(rows, list[i])
		}
	}
	return rows, next, err
}

// sortValue returns what a target has in an order, and whether it has anything.
func sortValue(sort apiv1.ResultsSort, v *schedctl.Results) (float64, bool) {
	m := v.Known()
	var n *int64
	switch sort {
	case apiv1.ResultsByEngagements:
		n = m.Engagements()
	case apiv1.ResultsByViews:
		n = m.Views
	case apiv1.ResultsByReactions:
		n = m.Reactions
	case apiv1.ResultsByReplies:
		n = m.Replies
	case apiv1.ResultsByClicks:
		n = m.Clicks
	case apiv1.ResultsByRate:
		if rate := m.EngagementRate(); rate != nil {
			return *rate, true
		}
	case apiv1.ResultsByRemoval:
		if !v.RemovedAt.IsZero() {
			return float64(v.RemovedAt.UnixMilli()), true
		}
	}
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}
