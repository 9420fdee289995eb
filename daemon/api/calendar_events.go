package api

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/icalendar"
	"github.com/schedctl/schedctl/storage"
)

const (
	calendarPast     = 400 * 24 * time.Hour
	calendarCanceled = 30 * 24 * time.Hour // how long canceled posts are shown
)

// Limits of one calendar. The oldest posts are left out beyond them.
const (
	calendarLimit     = 5000
	calendarBytes     = 4 << 20  // of all events
	calendarPage      = 20       // posts of one read
	calendarReads     = 10_000   // posts that are read, shown or not
	calendarReadBytes = 16 << 20 // of these posts

	eventBytes = 400 // of an event, in addition to its texts
)

// calendarSmall is how many bytes of posts are read for a calendar that is rebuilt at every
// change.
const calendarSmall = 1 << 20

// calendarEvents are the events of a feed, latest first. A post is read once, and only what
// its event shows is kept.
type calendarEvents struct {
	*request
	feed     *schedctl.CalendarFeed
	accounts map[string]string // names by id

	events    []icalendar.Event
	size      int  // of the events, in bytes
	reads     int  // posts
	readBytes int  // of these posts
	cut       bool // older posts are left out
}

// read reads the events. The index of an account lists the posts of one account, and that
// of the workspace lists posts of several accounts, each of them once.
func (l *calendarEvents) read(ctx context.Context, r storage.Reader) error {
	accounts, err := r.Accounts(l.feed.WorkspaceID)
	if err != nil {
		return err
	}
	l.accounts = make(map[string]string, len(accounts))
	for i := range accounts {
		l.accounts[accounts[i].ID] = accounts[i].Platform + ":" + accounts[i].Name
	}
	q := storage.PostQuery{
		WorkspaceID: l.feed.WorkspaceID, PublishAfter: schedctl.Millis(l.Now.Add(-calendarPast)), Sort: storage.PublishDescending, Limit: calendarPage,
	}
	if len(l.feed.AccountIDs) == 1 {
		q.AccountID = l.feed.AccountIDs[0]
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, err := r.Posts(q)
		if err != nil {
			return err
		}
		for i := range page.Posts {
			if !l.add(&page.Posts[i]) {
				l.cut = true
				return nil
			}
		}
		if q.After = page.Next; q.After == nil {
			return nil
		}
		runtime.Gosched()
	}
}

// add adds the event of a post if the feed shows it. It returns false if the calendar has
// no room for further posts.
func (l *calendarEvents) add(p *schedctl.Post) bool {
	l.reads, l.readBytes = l.reads+1, l.readBytes+storage.RecordBytes(p)
	if l.reads > calendarReads || l.readBytes > calendarReadBytes {
		return false
	}
	if !l.shows(p) {
		return true
	}
	e := l.event(p)
	size := eventBytes + len(e.Description) + len(e.URL)
	for _, name := range e.Categories {
		size += len(name)
	}
	if len(l.events) == calendarLimit || l.size+size > calendarBytes {
		return false
	}
	l.events, l.size = append(l.events, e), l.size+size
	return true
}

// shows reports whether the feed shows a post.
func (l *calendarEvents) shows(p *schedctl.Post) bool {
	of := func(t schedctl.Target) bool { return slices.Contains(l.feed.AccountIDs, t.AccountID) }
	return !p.PublishAt.IsZero() && (p.CanceledAt.IsZero() || l.Now.Sub(p.CanceledAt) < calendarCanceled) &&
		(len(l.feed.AccountIDs) == 0 || slices.ContainsFunc(p.Targets, of)) && l.MaySee(p)
}

// event returns the event of a post. A feed with titles only has the first words of its
// text. The event refers to no memory of the post.
func (l *calendarEvents) event(p *schedctl.Post) icalendar.Event {
	status := p.Status()
	e := icalendar.Event{
		UID: strings.Clone(p.ID), At: p.PublishAt, Created: p.CreatedAt, Modified: p.UpdatedAt, Revision: p.Version,
		Summary: strings.Clone(calendarSummary(p)), Description: string(status), Status: "CONFIRMED",
	}
	if !l.feed.TitlesOnly {
		e.Description = p.Text + "\n\n" + string(status) + ": " + p.ID
	}
	switch status {
	case schedctl.Canceled:
		e.Status = "CANCELLED"
	case schedctl.Failed: // calendars show it, and its title says that nothing was published
		e.Status, e.Summary = "TENTATIVE", "Failed: "+e.Summary
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		e.Categories = append(e.Categories, l.accounts[t.AccountID])
		if e.URL == "" {
			e.URL = strings.Clone(t.PlatformPostURL)
		}
	}
	return e
}

// note returns a sentence for the description of a calendar that was cut.
func (l *calendarEvents) note() string {
	if !l.cut {
		return ""
	}
	return "This calendar is too long to show all posts: older ones are left out. Use feeds of fewer accounts."
}
