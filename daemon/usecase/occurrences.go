package usecase

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// OccurrenceQuery selects a page of the occurrences of a series.
type OccurrenceQuery struct {
	After, Before time.Time          // Before is zero for no limit
	Position      schedctl.LocalTime // of the last one on the page before; empty on the first page
	Limit         int
}

// Occurrences returns one page of the occurrences of the series of the request: posts, also
// those that are not occurrences of the current rule, and occurrences that are not posts
// yet. last is the position of the next page, or empty.
func (c *Request) Occurrences(r storage.Reader, q OccurrenceQuery) (page []apiv1.Occurrence, last schedctl.LocalTime, err error) {
	one, err := c.Series(r)
	if err != nil {
		return nil, "", err
	}
	l := occurrenceLister{r: r, series: &one, query: q, now: c.Now, found: map[schedctl.LocalTime]apiv1.Occurrence{}}
	if err := l.read(); err != nil {
		return nil, "", err
	}
	locals := make([]schedctl.LocalTime, 0, len(l.found))
	for local := range l.found {
		locals = append(locals, local)
	}
	slices.Sort(locals)
	page = []apiv1.Occurrence{}
	for _, local := range locals[:min(len(locals), q.Limit)] {
		page = append(page, l.found[local])
	}
	switch {
	case len(page) == q.Limit && (len(locals) > q.Limit || l.more):
		last = locals[q.Limit-1]
	case l.more:
		last = l.last
	}
	return page, last, nil
}

// occurrenceLister finds the occurrences of a page.
type occurrenceLister struct {
	r        storage.Reader
	series   *schedctl.Series
	query    OccurrenceQuery
	now      time.Time
	accounts []schedctl.Account

	found map[schedctl.LocalTime]apiv1.Occurrence
	last  schedctl.LocalTime // the last occurrence of the rule that was read
	more  bool               // the rule has more of them
}

// maxOccurrenceReads limits the occurrences of the rule that are read for a page.
const maxOccurrenceReads = 1000

func (l *occurrenceLister) read() error {
	loc, rule, err := series.RuleOf(l.series)
	if err != nil {
		return err
	}
	if l.accounts, err = accountsOf(l.r, &l.series.Template); err != nil {
		return err
	}
	if err := l.readRule(rule, loc); err != nil {
		return err
	}
	return l.readOthers(loc)
}

// readRule reads the occurrences of the rule, at most one more than the page has.
func (l *occurrenceLister) readRule(rule recurrence.Rule, loc *time.Location) error {
	first := schedctl.LocalTimeOf(l.query.After.In(loc).Add(-2 * time.Hour)) // hours can be repeated
	reads := 0
	for local := range rule.From(max(first, l.query.Position)) {
		at, note := local.In(loc)
		if local <= l.query.Position || at.Before(l.query.After) {
			continue
		}
		if !l.query.Before.IsZero() && !at.Before(l.query.Before) {
			return nil
		}
		if reads++; reads > maxOccurrenceReads || len(l.found) > l.query.Limit {
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
		WorkspaceID: l.series.WorkspaceID, SeriesID: l.series.ID, Sort: storage.PublishAscending, Limit: l.query.Limit + 1,
		PublishAfter: l.query.After, PublishBefore: l.query.Before,
	}
	if l.query.Position != "" {
		at, _ := l.query.Position.In(loc)
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
		if known || p.Occurrence <= l.query.Position || l.more && p.Occurrence > l.last {
			continue
		}
		at, note := p.Occurrence.In(loc)
		l.found[p.Occurrence] = withPost(apiv1.Occurrence{Occurrence: string(p.Occurrence), At: *apiv1.NewTime(at), Note: note}, p)
	}
	return nil
}
