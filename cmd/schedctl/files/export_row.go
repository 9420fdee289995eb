package files

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/icalendar"
)

// exportWriter writes posts in one format.
type exportWriter struct {
	ctx      context.Context // of the export
	client   *client.Client
	to       AccountRefs
	queues   func() ([]apiv1.Queue, error) // of the workspace
	rows     *postfile.Writer              // or nil
	calendar *icalendar.Calendar           // or nil
	done     map[string]bool               // ids of series: whether they have a line
	posts    int                           // that are written
	count    exportCount
}

// exportCount counts the series, and posts and fields of posts that an export does not
// contain.
type exportCount struct{ series, overridden, parts, timeless, recurring int }

func newExportWriter(ctx context.Context, c *client.Client, w io.Writer, format string, to AccountRefs) *exportWriter {
	e := &exportWriter{ctx: ctx, client: c, to: to, done: map[string]bool{}}
	if format == "ics" {
		e.calendar = icalendar.NewCalendar(w, icalendar.Header{Product: "-//schedctl//schedctl//EN", Name: "Posts"})
		return e
	}
	e.queues = sync.OnceValues(func() ([]apiv1.Queue, error) { return c.Queues(ctx) })
	e.rows = postfile.NewWriter(w, postfile.Format(format))
	return e
}

// add writes a post, or counts it if the format cannot express it. The scheduled posts of a
// series are the line of their series.
func (e *exportWriter) add(p apiv1.Post) error {
	switch {
	case e.rows == nil && p.PublishAt == nil:
		e.count.timeless++
		return nil
	case e.rows == nil:
		e.posts++
		e.count.lose(p, false, len(p.TargetOverrides) > 0)
		return e.calendar.Add(eventOf(p, e.to.Names(p.SocialAccountIDs)))
	case p.SeriesID != nil && p.Status == schedctl.Scheduled && !p.Detached:
		if written, err := e.addSeriesOf(p); err != nil || written {
			return err
		}
	}
	if p.SeriesID != nil {
		e.count.recurring++
	}
	d := newDocument(requestOf(p), e.to)
	d.ID = p.ID
	if err := e.addTime(&d, p); err != nil {
		return err
	}
	e.posts++
	return e.write(d, p)
}

func (e *exportWriter) write(d postfile.Document, p apiv1.Post) error {
	csv := e.rows.Format() == postfile.CSV // which has no media of parts, and only the texts of overrides
	e.count.lose(p, csv, csv && slices.ContainsFunc(p.TargetOverrides, hasMoreThanText))
	return e.rows.Write(d)
}

// hasMoreThanText reports whether an override has more than a text.
func hasMoreThanText(o apiv1.Override) bool {
	o.Content = nil
	return !fields.IsEmpty(o)
}

// lose counts what a format loses of a post: the media of its parts, and its overrides or a
// part of them.
func (c *exportCount) lose(p apiv1.Post, parts, overrides bool) {
	hasMedia := func(part apiv1.Part) bool { return len(part.Media) > 0 }
	if overrides {
		c.overridden++
	}
	if parts && (slices.ContainsFunc(p.Thread, hasMedia) || p.FirstComment != nil && hasMedia(*p.FirstComment) || p.LinkPreview.Card != nil) {
		c.parts++
	}
}

// lostTexts returns how many lines of a spreadsheet lack a text for an account.
func (e *exportWriter) lostTexts() int {
	if e.rows == nil {
		return 0
	}
	return e.rows.Lost()
}

// addSeriesOf writes the series of a post, once. It returns false if the series has ended or
// was deleted.
func (e *exportWriter) addSeriesOf(p apiv1.Post) (written bool, err error) {
	if written, known := e.done[*p.SeriesID]; known {
		return written, nil
	}
	s, err := e.client.Series(e.ctx, *p.SeriesID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && s.State == schedctl.SeriesEnded {
		e.done[*p.SeriesID] = false
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, e.writeSeries(&s)
}

// addSeries writes the series that have not ended and have no line yet.
func (e *exportWriter) addSeries() error {
	for s, err := range e.client.EachSeries(e.ctx, client.SeriesQuery{Limit: post.PageSize}) {
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil // a daemon without series
		}
		if err == nil && s.State != schedctl.SeriesEnded && !e.done[s.ID] {
			err = e.writeSeries(&s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exportWriter) writeSeries(s *apiv1.Series) error {
	p := postOf(s, nil)
	d := newDocument(requestOf(p), e.to)
	var failed error
	addSeries(&d, s, func(id string) string {
		name, err := e.queueName(id)
		failed = err
		return name
	})
	if failed != nil {
		return failed
	}
	d.ID, e.done[s.ID] = s.ID, true
	e.count.series++
	return e.write(d, p)
}

// queueName returns the name of a queue, or its id.
func (e *exportWriter) queueName(id string) (string, error) {
	queues, err := e.queues()
	if i := slices.IndexFunc(queues, func(q apiv1.Queue) bool { return q.ID == id }); i >= 0 {
		return queues[i].Name, nil
	}
	return id, err
}

// addTime adds the time of a post. A scheduled post with a slot has its queue instead, and a
// draft the time that it shall have.
func (e *exportWriter) addTime(d *postfile.Document, p apiv1.Post) (err error) {
	switch {
	case p.Status == schedctl.Scheduled && p.Slot != nil && p.QueueID != nil && p.SeriesID == nil:
		if p.NotBefore != nil {
			d.NotBefore = p.NotBefore.String()
		}
		d.Queue, err = e.queueName(*p.QueueID)
	case p.PublishAt != nil:
		d.At = p.PublishAt.String()
	case p.ProposedAt != nil && p.ProposedAt.NextSlot:
		d.ProposedAt = apiv1.PublishNextSlot
	case p.ProposedAt != nil:
		d.ProposedAt = formatTime(p.ProposedAt.Time)
	}
	return err
}

// end writes what is left.
func (e *exportWriter) end() error {
	if e.rows != nil {
		return e.rows.Flush()
	}
	return e.calendar.Close()
}

// summaryWidth is the approximate maximum length of the summary of a calendar event,
// in columns.
const summaryWidth = 60

// eventOf returns a post as a calendar event. The event does not depend on the time of
// the export.
func eventOf(p apiv1.Post, to []string) icalendar.Event {
	e := icalendar.Event{
		UID: p.ID + "@schedctl", At: p.PublishAt.Time, Revision: p.Version,
		Summary: cli.Clip(cli.OneLine(cli.FirstNonEmpty(cli.Deref(p.Title), post.Excerpt(p))), summaryWidth), Description: p.Content + "\n\n" + string(p.Status) + ": " + p.ID,
		Status: "CONFIRMED", Categories: to,
	}
	if p.CreatedAt != nil {
		e.Created, e.Modified = p.CreatedAt.Time, p.CreatedAt.Time
	}
	if p.UpdatedAt != nil {
		e.Modified = p.UpdatedAt.Time
	}
	switch p.Status {
	case schedctl.Canceled:
		e.Status = "CANCELLED"
	case schedctl.Draft:
		e.Status = "TENTATIVE"
	}
	for _, t := range p.Targets {
		if t.PlatformPostURL != nil && e.URL == "" {
			e.URL = *t.PlatformPostURL
		}
	}
	return e
}

// AccountRefs has the texts that name accounts in files, by id.
type AccountRefs map[string]string

// AccountRefsOf returns platform:name for each account, or the id if that is not
// unique or cannot be written in all formats.
func AccountRefsOf(connected []apiv1.Account) AccountRefs {
	out := AccountRefs{}
	for _, acct := range connected {
		ref := acct.Platform + ":" + acct.Name
		found, err := account.Pick(connected, ref, cli.ExitInvalid)
		if err == nil && found.ID == acct.ID && ref == strings.TrimSpace(ref) && !strings.Contains(ref, ";") {
			out[acct.ID] = ref
		}
	}
	return out
}

// Names returns the texts for accounts.
func (r AccountRefs) Names(ids []string) []string {
	return cli.Map(ids, func(id string) string { return cli.FirstNonEmpty(r[id], id) })
}
