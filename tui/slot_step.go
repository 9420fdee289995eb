package tui

import (
	"context"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	stepWindow  = 15 * 24 * time.Hour // days around a post whose slots are read first
	stepFurther = 60 * 24 * time.Hour // days that are read next
	maxStepRead = 4                   // accounts whose slots are read one by one
)

// slotSteps is the state of moving a post through free slots.
type slotSteps struct {
	wanted      int                  // steps that wait for the slots
	list        []apiv1.QueueSlot    // free slots and that of the post
	from, until time.Time            // the period of list
	reading     bool                 // a stepSlotsMsg is on its way
	chosen      bool                 // the time of the nudge is that of a slot
	slots       map[int64]apiv1.Slot // of list, by time in milliseconds
}

// stepSlotsMsg is the slots of a period for the accounts of a post.
type stepSlotsMsg struct {
	postID      string
	seq         int
	from, until time.Time
	list        []apiv1.QueueSlot
	err         error
}

// slotStep returns in which direction a key moves a queued post through free slots.
func slotStep(k screen.KeyMap, msg tea.KeyMsg, p apiv1.Post) (by int, ok bool) {
	switch {
	case p.Slot == nil || p.QueueID == nil || p.Status != schedctl.Scheduled:
		return 0, false
	case key.Matches(msg, k.HourLater):
		return 1, true
	case key.Matches(msg, k.HourSooner):
		return -1, true
	}
	return 0, false
}

// stepPost moves a queued post to a later or earlier free slot. The change is sent when
// no more key presses follow.
func (m *Model) stepPost(p apiv1.Post, by int) tea.Cmd {
	before, ok := m.startNudge(p)
	if !ok {
		return before
	}
	m.nudge.steps.wanted += by
	return tea.Batch(before, m.takeSteps())
}

// takeSteps makes the wanted steps, or first reads the slots that they need.
func (m *Model) takeSteps() tea.Cmd {
	n, s := &m.nudge, &m.nudge.steps
	if s.reading {
		return nil
	}
	if s.list == nil && s.until.IsZero() {
		return m.readSteps(n.post.PublishAt.Add(-stepWindow), n.post.PublishAt.Add(stepWindow))
	}
	for s.wanted != 0 {
		at, ok := nextSlot(s.list, n.at, s.wanted > 0)
		switch {
		case ok:
			n.at, s.chosen = at, true
			s.wanted -= sign(s.wanted)
		case s.wanted > 0 && s.until.Before(m.Now.Add(schedctl.QueueHorizon)):
			return m.readSteps(s.until, s.until.Add(stepFurther))
		case s.wanted < 0 && s.from.After(m.Now):
			return m.readSteps(s.from.Add(-stepFurther), s.from)
		case s.wanted > 0:
			s.wanted = 0
			m.ShowNotice("no later slot of the queue is free")
		default:
			s.wanted = 0
			m.ShowNotice("no earlier slot of the queue is free")
		}
	}
	shown := n.post
	shown.PublishAt = apiv1.NewTime(n.at)
	if slot, known := s.slots[n.at.UnixMilli()]; known {
		shown.Slot = &slot
	}
	m.preview(shown)
	m.follow(shown)
	return m.nudgeLater()
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// nextSlot returns the slot after or before a time.
func nextSlot(list []apiv1.QueueSlot, at time.Time, later bool) (time.Time, bool) {
	if later {
		i := slices.IndexFunc(list, func(s apiv1.QueueSlot) bool { return s.At.After(at) })
		if i < 0 {
			return time.Time{}, false
		}
		return list[i].At.Time, true
	}
	for _, s := range slices.Backward(list) {
		if s.At.Before(at) {
			return s.At.Time, true
		}
	}
	return time.Time{}, false
}

// readSteps reads the slots of a period that the accounts of the post can take.
func (m *Model) readSteps(from, until time.Time) tea.Cmd {
	if from.Before(m.Now) {
		from = m.Now
	}
	n, c := &m.nudge, m.Client()
	n.steps.reading = true
	p, msg := n.post, stepSlotsMsg{postID: n.id, seq: n.started, from: from, until: until}
	return m.Call(func(ctx context.Context) tea.Msg {
		msg.list, msg.err = freeSlots(ctx, c, p, screen.SlotQuery{After: from, Before: until})
		return msg
	})
}

// freeSlots returns the slots that are free for a post, in order of time.
func freeSlots(ctx context.Context, c screen.Client, p apiv1.Post, q screen.SlotQuery) (list []apiv1.QueueSlot, err error) {
	accounts := p.SocialAccountIDs
	if len(accounts) == 0 || len(accounts) > maxStepRead {
		accounts = []string{""} // for all accounts of the queue
	}
	for i, account := range accounts {
		const pages = 30
		q.AccountID = account
		slots, _, err := postlist.ReadSlots(ctx, c, *p.QueueID, q, pages)
		if err != nil {
			return nil, err
		}
		slots = slices.DeleteFunc(slots, func(s apiv1.QueueSlot) bool {
			own := s.State == apiv1.SlotIsTaken && s.PostID != nil && *s.PostID == p.ID || slices.Contains(s.PostIDs, p.ID)
			return s.State != apiv1.SlotFree && !own
		})
		if i == 0 {
			list = slots
			continue
		}
		free := map[int64]bool{}
		for _, s := range slots {
			free[s.At.UnixMilli()] = true
		}
		list = slices.DeleteFunc(list, func(s apiv1.QueueSlot) bool { return !free[s.At.UnixMilli()] })
	}
	return list, nil
}

// takeStepSlots makes the steps that waited for slots.
func (m *Model) takeStepSlots(msg stepSlotsMsg) tea.Cmd {
	n := &m.nudge
	if n.id != msg.postID || n.started != msg.seq {
		return nil
	}
	s := &n.steps
	s.reading = false
	if msg.err != nil {
		cmd := m.dropNudge()
		m.ShowError("not moved: " + screen.Explain(msg.err))
		return cmd
	}
	zone := n.post.Slot.Timezone
	if s.slots == nil {
		s.from, s.until, s.slots = msg.from, msg.until, map[int64]apiv1.Slot{n.post.PublishAt.UnixMilli(): *n.post.Slot}
	}
	if msg.from.Before(s.from) {
		s.from, s.list = msg.from, append(msg.list, s.list...)
	} else {
		s.until, s.list = msg.until, append(s.list, msg.list...)
	}
	for _, slot := range msg.list {
		s.slots[slot.At.UnixMilli()] = apiv1.Slot{Local: slot.Local, Timezone: zone}
	}
	return m.takeSteps()
}
