package post

import (
	"io"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/icalendar"
)

// exportWriter writes posts in one format.
type exportWriter struct {
	to       AccountRefs
	queues   func() ([]apiv1.Queue, error) // of the workspace
	rows     *bulk.Writer                  // or nil
	calendar *icalendar.Calendar           // or nil
}

func newExportWriter(w io.Writer, format string, to AccountRefs, queues func() ([]apiv1.Queue, error)) *exportWriter {
	if format == "ics" {
		return &exportWriter{to: to, calendar: icalendar.NewCalendar(w, icalendar.Header{Product: "-//schedctl//schedctl//EN", Name: "Posts"})}
	}
	return &exportWriter{to: to, queues: queues, rows: bulk.NewWriter(w, bulk.Format(format))}
}

// add writes a post. taken is false if the format cannot express the post.
func (e *exportWriter) add(p apiv1.Post) (taken bool, err error) {
	if e.rows != nil {
		row := bulk.Row{ID: p.ID, Content: p.Content, To: e.to.Names(p.SocialAccountIDs)}
		for _, m := range p.Media {
			row.Media, row.Alt = append(row.Media, m.ID), append(row.Alt, cli.Deref(m.AltText))
		}
		addParts(&row, p)
		for _, o := range p.TargetOverrides {
			row.Overrides = append(row.Overrides, e.override(o))
		}
		if err := e.addTime(&row, p); err != nil {
			return false, err
		}
		return true, e.rows.Write(row)
	}
	if p.PublishAt == nil {
		return false, nil
	}
	return true, e.calendar.Add(eventOf(p, e.to.Names(p.SocialAccountIDs)))
}

// addTime adds the time of a post. A scheduled post with a slot has its queue instead.
func (e *exportWriter) addTime(row *bulk.Row, p apiv1.Post) error {
	if p.Status == schedctl.Scheduled && p.Slot != nil && p.QueueID != nil && p.SeriesID == nil {
		queues, err := e.queues()
		if err != nil {
			return err
		}
		row.Queue = *p.QueueID
		if i := slices.IndexFunc(queues, func(q apiv1.Queue) bool { return q.ID == row.Queue }); i >= 0 {
			row.Queue = queues[i].Name
		}
		if p.NotBefore != nil {
			row.NotBefore = p.NotBefore.String()
		}
		return nil
	}
	if p.PublishAt != nil {
		row.At = p.PublishAt.String()
	}
	return nil
}

// override returns what one account gets.
func (e *exportWriter) override(o apiv1.Override) bulk.Override {
	row := bulk.Override{
		To: e.to.Names([]string{o.SocialAccountID})[0], Content: cli.Deref(o.Content), Options: o.Options,
		ContentWarning: cli.Deref(o.ContentWarning), Visibility: cli.Deref(o.Visibility), Language: cli.Deref(o.Language),
	}
	if o.Media != nil {
		part := rowPart(apiv1.Part{Media: *o.Media})
		row.Media, row.Alt = new(append([]string{}, part.Media...)), part.Alt
	}
	if o.Thread != nil {
		row.Thread = new(append([]bulk.Part{}, cli.Map(*o.Thread, rowPart)...))
	}
	if o.Poll != nil {
		row.Poll = new(append([]string{}, o.Poll.Options...))
	}
	if o.Poll != nil && len(o.Poll.Options) > 0 {
		row.PollFor, row.PollMultiple, row.PollHideTotals = fields.PollTime(*o.Poll), o.Poll.Multiple, o.Poll.HideTotals
	}
	return row
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
		Summary: cli.Clip(cli.OneLine(excerpt(p)), summaryWidth), Description: p.Content + "\n\n" + string(p.Status) + ": " + p.ID,
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
