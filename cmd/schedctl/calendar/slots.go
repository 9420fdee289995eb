package calendar

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// freeSlot is a slot of a queue that an account can take.
type freeSlot struct {
	At      apiv1.Time `json:"at"`
	QueueID string     `json:"queue_id"`
	Queue   string     `json:"queue"` // its name
}

// dayBlackout is a blackout of an account on a day.
type dayBlackout struct {
	ID     string                `json:"id"`
	Mode   schedctl.BlackoutMode `json:"mode"`
	Reason string                `json:"reason"`
}

// timetable is what queues and blackouts add to a calendar.
type timetable struct {
	queues    []apiv1.Queue
	slots     map[string][]apiv1.QueueSlot // by the id of the queue
	blackouts []apiv1.Blackout
}

// readTimetable reads the slots of a range from now on, and the blackouts. Earlier
// versions of the daemon have none.
func readTimetable(ctx context.Context, c *client.Client, span dateRange, shown []apiv1.Account, now time.Time) (t timetable, err error) {
	if t.blackouts, err = c.Blackouts(ctx); err != nil {
		return timetable{}, unlessMissing(err)
	}
	after := span.first
	if now.After(after) {
		after = now
	}
	if !after.Before(span.end()) {
		return t, nil
	}
	if t.queues, err = c.Queues(ctx); err != nil {
		return t, unlessMissing(err)
	}
	t.slots = map[string][]apiv1.QueueSlot{}
	for _, q := range t.queues {
		uses := func(a apiv1.Account) bool { return t.queueOf(a.ID) != nil && t.queueOf(a.ID).ID == q.ID }
		if !slices.ContainsFunc(shown, uses) {
			continue
		}
		if t.slots[q.ID], err = c.QueueSlots(ctx, q.ID, client.SlotQuery{After: after, Before: span.end(), Limit: maxSlots}); err != nil {
			return t, unlessMissing(err)
		}
	}
	return t, nil
}

// maxSlots is the maximum number of slots of one queue in a calendar.
const maxSlots = 500

// unlessMissing returns nil for a route that the daemon does not have.
func unlessMissing(err error) error {
	if code := schedctl.CodeOf(err); code == schedctl.NotFound || code == schedctl.MethodNotAllowed {
		return nil
	}
	return err
}

// queueOf returns the queue that posts of an account use, or nil.
func (t *timetable) queueOf(accountID string) *apiv1.Queue {
	for _, fits := range []func(apiv1.Queue) bool{
		func(q apiv1.Queue) bool { return slices.Contains(q.SocialAccountIDs, accountID) },
		func(q apiv1.Queue) bool {
			return q.Default && (len(q.SocialAccountIDs) == 0 || slices.Contains(q.SocialAccountIDs, accountID))
		},
	} {
		if i := slices.IndexFunc(t.queues, fits); i >= 0 {
			return &t.queues[i]
		}
	}
	return nil
}

// freeSlots returns the slots that an account with these posts can take. A slot that is
// not free for all accounts of its queue may be free for this one.
func (t *timetable) freeSlots(accountID string, posts []entry) (free []freeSlot) {
	q := t.queueOf(accountID)
	if q == nil {
		return nil
	}
	gap, _ := time.ParseDuration(q.Gap)
	for _, s := range t.slots[q.ID] {
		taken := s.State != apiv1.SlotFree && slices.ContainsFunc(posts, func(e entry) bool {
			return holdsSlots(e.Status) && (e.At.Equal(s.At.Time) || e.At.Sub(s.At.Time).Abs() < gap)
		})
		if !taken && t.blackoutAt(accountID, s.At.Time) == nil {
			free = append(free, freeSlot{At: s.At, QueueID: q.ID, Queue: q.Name})
		}
	}
	return free
}

// holdsSlots reports whether a post in this status takes its slot, or asks for it.
func holdsSlots(s schedctl.Status) bool {
	return s == proposed || s == schedctl.Scheduled || s == schedctl.Publishing || s == schedctl.Published
}

// blackoutAt returns the blackout that blocks slots of an account at a time, or nil. A hold
// without an end blocks none.
func (t *timetable) blackoutAt(accountID string, at time.Time) *apiv1.Blackout {
	for i, b := range t.blackouts {
		if b.SettledAt == nil && b.EndsAt != nil && concerns(b, accountID) && !at.Before(b.StartsAt.Time) && at.Before(b.EndsAt.Time) {
			return &t.blackouts[i]
		}
	}
	return nil
}

func concerns(b apiv1.Blackout, accountID string) bool {
	return len(b.SocialAccountIDs) == 0 || slices.Contains(b.SocialAccountIDs, accountID)
}

// blackoutsOn returns the blackouts of an account in a part of a day. A hold without an
// end is shown up to today.
func (t *timetable) blackoutsOn(accountID string, from, until, now time.Time) []dayBlackout {
	list := []dayBlackout{}
	for _, b := range t.blackouts {
		end := now
		if b.EndsAt != nil {
			end = b.EndsAt.Time
		}
		open := b.EndsAt == nil && !from.After(now)
		if concerns(b, accountID) && b.StartsAt.Before(until) && (end.After(from) || open) {
			reason := ""
			if b.Reason != nil {
				reason = *b.Reason
			}
			list = append(list, dayBlackout{ID: b.ID, Mode: b.Mode, Reason: reason})
		}
	}
	return list
}
