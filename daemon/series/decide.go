package series

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/daemon/slots"
)

// readAccounts reads the accounts and the queue of the series. Disconnected accounts get
// no posts. A series whose queue was deleted uses its own times from now on.
func (m *maker) readAccounts() error {
	m.made = m.s.Clone()
	m.made.Template.Targets = nil
	for _, t := range m.s.Template.Targets {
		a, err := m.tx.Account(m.s.WorkspaceID, t.AccountID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && a.Status == schedctl.AccountDisconnected {
			continue
		}
		if err != nil {
			return err
		}
		m.accounts, m.made.Template.Targets = append(m.accounts, a), append(m.made.Template.Targets, t)
	}
	if m.s.Approved() { // for all accounts, and so for the connected ones
		m.made.Template.Approval.Digest = m.made.ReviewDigest()
	}
	if m.s.QueueID == "" {
		return nil
	}
	q, err := m.tx.Queue(m.s.WorkspaceID, m.s.QueueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		m.s.QueueID, m.made.QueueID = "", ""
		return nil
	}
	m.queue = &q
	return err
}

// decide makes the post of an occurrence, unless it exists, is skipped or is blocked.
func (m *maker) decide(o schedctl.Occurrence) error {
	if open, err := m.open(o); err != nil || !open {
		return err
	}
	if len(m.accounts) == 0 {
		m.skip(schedctl.SkipRefused, o.Local)
		return nil
	}
	if m.queue != nil {
		slot, err := slots.Find(m.tx, m.queue, slots.Search{
			WorkspaceID: m.s.WorkspaceID, Accounts: m.sortedAccounts(), PostID: schedctl.OccurrencePostID(m.s.ID, o.Local),
			From: o.At, Day: o.Local.Day(),
		}, m.sweep.Now)
		if schedctl.CodeOf(err) == schedctl.QueueFull {
			m.skip(schedctl.SkipNoSlot, o.Local)
			return nil
		}
		if err != nil {
			return err
		}
		o.At, o.Booking = slot.At, slots.Booking(m.queue, slot, time.Time{})
	}
	return m.make(o)
}

// open reports whether an occurrence can have a post that it does not have yet.
func (m *maker) open(o schedctl.Occurrence) (bool, error) {
	if m.s.HasExdate(o.Local) || m.queue == nil && m.blocked(o.At) {
		return false, nil
	}
	_, err := m.tx.Post(m.s.WorkspaceID, schedctl.OccurrencePostID(m.s.ID, o.Local))
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return true, nil
	}
	return false, err
}

// blocked reports whether a blackout of an account blocks the time.
func (m *maker) blocked(at time.Time) bool { return Blocked(m.accounts, at) }

// Blocked reports whether a blackout of one of the accounts blocks occurrences at a time.
func Blocked(accounts []schedctl.Account, at time.Time) bool {
	return slices.ContainsFunc(accounts, func(a schedctl.Account) bool {
		_, blocked := a.BlackoutAt(at)
		return blocked
	})
}

// sortedAccounts returns the accounts in the order in which transactions lock them.
func (m *maker) sortedAccounts() []schedctl.Account {
	return slices.SortedFunc(slices.Values(m.accounts), func(a, b schedctl.Account) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}

// make stores the post of an occurrence, unless a rule of posts or a duplicate guard
// refuses it.
func (m *maker) make(o schedctl.Occurrence) error {
	post, events, err := schedctl.NewOccurrence(&m.made, o, m.sweep.Now)
	switch schedctl.CodeOf(err) {
	case "":
	case schedctl.Internal:
		return err
	default:
		m.skip(schedctl.SkipRefused, o.Local)
		return nil
	}
	err = duplicate.Refuse(m.tx, &post, m.accounts)
	if schedctl.CodeOf(err) == schedctl.DuplicateContent {
		m.skip(schedctl.SkipDuplicate, o.Local)
		return nil
	}
	if err != nil {
		return err
	}
	if err := m.tx.PutPost(post); err != nil {
		return err
	}
	m.targets += len(post.Targets)
	if post.PublishAt.After(m.sweep.Now) {
		m.lastAt = later(m.lastAt, post.PublishAt)
	}
	return m.tx.AddEvents(events...)
}

// skip counts an occurrence that gets no post.
func (m *maker) skip(reason schedctl.SkipReason, local schedctl.LocalTime) {
	i := slices.IndexFunc(m.skipped, func(s schedctl.SkippedOccurrences) bool { return s.Reason == reason })
	if i < 0 {
		m.skipped = append(m.skipped, schedctl.SkippedOccurrences{Reason: reason, First: local})
		i = len(m.skipped) - 1
	}
	m.skipped[i].Count++
	m.skipped[i].Last = local
}

// miss keeps the latest occurrence that has passed, and counts those before it.
func (m *maker) miss(o schedctl.Occurrence) error {
	open, err := m.open(o)
	if err != nil || !open {
		return err
	}
	if m.latest != nil {
		m.skip(schedctl.SkipMissed, m.latest.Local)
	}
	m.latest = &o
	return nil
}

// catchUp makes the latest occurrence that has passed, if it is not too late. The others
// are one event.
func (m *maker) catchUp() error {
	o := m.latest
	if o == nil {
		return nil
	}
	if !m.mayStillGoOut(o) {
		m.skip(schedctl.SkipMissed, o.Local)
		return nil
	}
	return m.decide(*o)
}

// mayStillGoOut reports whether an occurrence that has passed can still be published. In
// a queue it can take a later slot of its day.
func (m *maker) mayStillGoOut(o *schedctl.Occurrence) bool {
	if m.queue == nil {
		return m.sweep.Now.Sub(o.At) <= m.sweep.MaxLateness
	}
	return o.Local.Day() >= m.passed.Day()
}
