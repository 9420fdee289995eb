// Package slots finds and takes the slots of queues. The API, the sweep of series and
// the end of a hold share it, so that all of them agree on which slot is free.
//
// A slot is free for some accounts if none of them has a live target at the instant of
// the slot, or nearer than the gap of the queue, and if no blackout of them blocks it.
// Callers search and store the post in one transaction: [storage.Reader.Occupied] makes
// transactions of the same account wait for each other. On a snapshot, a result is only
// a preview.
package slots

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// leadTime is the smallest time between a request and the slot that it takes. It covers
// the time of the commit.
const leadTime = time.Second

// chunk is the number of slots that are checked with one read of the database.
const chunk = 64

// Search says which slots of a queue are wanted.
type Search struct {
	WorkspaceID string
	Accounts    []schedctl.Account // with their blackouts; see [Accounts]

	// PostID is the post that is to take the slot. Its own targets take none. It may be
	// empty.
	PostID string

	From time.Time // no earlier slot is wanted; zero for now
	Day  string    // only slots of this local day, such as 2026-12-08; empty for any

	plan *plan // moves that are not stored yet, or nil
}

// Accounts reads accounts in order of their ids, which is the order in which
// transactions lock them. Errors: NOT_FOUND.
func Accounts(r storage.Reader, workspaceID string, ids []string) ([]schedctl.Account, error) {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	accounts := make([]schedctl.Account, 0, len(sorted))
	for _, id := range sorted {
		a, err := r.Account(workspaceID, id)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, a)
	}
	return accounts, nil
}

// First returns the first instant at which a search from the given time can find a
// slot: slots that are over, or about to be, are not taken.
func First(from, now time.Time) time.Time {
	earliest := schedctl.Millis(now).Add(leadTime + time.Millisecond)
	if from.After(earliest) {
		return schedctl.Millis(from)
	}
	return earliest
}

// Find returns the first free slot of a queue, searching at most
// [schedctl.QueueHorizon] ahead. Errors: QUEUE_FULL without a free slot;
// VALIDATION_FAILED for a zone that this machine does not know.
func Find(r storage.Reader, q *schedctl.Queue, s Search, now time.Time) (schedctl.QueueSlot, error) {
	loc, err := schedctl.LoadZone("timezone", q.Timezone)
	if err != nil {
		return schedctl.QueueSlot{}, err
	}
	from := First(s.From, now)
	batch := make([]schedctl.QueueSlot, 0, chunk)
	for slot := range q.Slots(from, from.Add(schedctl.QueueHorizon), loc) {
		if s.Day != "" && slot.Local.Day() < s.Day {
			continue
		}
		if s.Day != "" && slot.Local.Day() > s.Day {
			break
		}
		if batch = append(batch, slot); len(batch) < chunk {
			continue
		}
		if free, found, err := s.firstFree(r, q, batch); err != nil || found {
			return free, err
		}
		batch = batch[:0]
	}
	if free, found, err := s.firstFree(r, q, batch); err != nil || found {
		return free, err
	}
	return schedctl.QueueSlot{}, s.full(q, from)
}

func (s *Search) full(q *schedctl.Queue, from time.Time) error {
	if s.Day != "" {
		return schedctl.Errorf(schedctl.QueueFull, "queue_id", "queue %q has no free slot left on %s for these accounts", q.Name, s.Day)
	}
	return schedctl.Errorf(schedctl.QueueFull, "queue_id",
		"queue %q has no free slot for these accounts in the %d days after %s; see which slots are taken or in a blackout (GET /api/v1/queues/%s/slots, schedctl queue slots %[4]s), add times to the queue, or give the post a fixed time",
		q.Name, int(schedctl.QueueHorizon/(24*time.Hour)), from.UTC().Format(time.RFC3339), q.ID)
}

func (s *Search) firstFree(r storage.Reader, q *schedctl.Queue, batch []schedctl.QueueSlot) (slot schedctl.QueueSlot, found bool, err error) {
	if len(batch) == 0 {
		return slot, false, nil
	}
	busy, err := s.occupied(r, q.Gap, batch)
	if err != nil {
		return slot, false, err
	}
	for _, slot := range batch {
		if len(busy.near(slot.At, q.Gap)) == 0 && !blocked(s.Accounts, slot.At) {
			return slot, true, nil
		}
	}
	return slot, false, nil
}

// blocked reports whether a blackout of one of the accounts blocks slots at t.
func blocked(accounts []schedctl.Account, t time.Time) bool {
	return slices.ContainsFunc(accounts, func(a schedctl.Account) bool {
		_, blocked := a.BlackoutAt(t)
		return blocked
	})
}

// occupied is a list of live targets in order of time.
type occupied []storage.OccupiedTime

// near returns the targets that take a slot at t: those at t, and those nearer than gap.
func (o occupied) near(t time.Time, gap time.Duration) occupied {
	first, last := reach(t, t, gap)
	from, _ := slices.BinarySearchFunc(o, first, compareTime)
	until, _ := slices.BinarySearchFunc(o, last, compareTime)
	return o[from:until]
}

func compareTime(o storage.OccupiedTime, t time.Time) int { return o.At.Compare(t) }

// reach returns the period, inclusive and exclusive, in which a target takes a slot that
// is between first and last. All times are milliseconds.
func reach(first, last time.Time, gap time.Duration) (from, until time.Time) {
	near := max(0, gap-time.Millisecond)
	return first.Add(-near), last.Add(near + time.Millisecond)
}

// pageSize is the number of targets of one read. It exceeds the number of targets that
// occupied can ignore at one instant: those of the post itself, and one for each account
// that moves out of its slot.
const pageSize = 3 * schedctl.MaxAccounts

// occupied reads the live targets of other posts that are at or near the slots of a
// batch. Of the targets at one instant, it may leave out some if it has others.
func (s *Search) occupied(r storage.Reader, gap time.Duration, batch []schedctl.QueueSlot) (occupied, error) {
	ids := make([]string, len(s.Accounts))
	for i := range s.Accounts {
		ids[i] = s.Accounts[i].ID
	}
	from, until := reach(batch[0].At, batch[len(batch)-1].At, gap)
	var all occupied
	for {
		page, err := r.Occupied(storage.OccupiedQuery{WorkspaceID: s.WorkspaceID, AccountIDs: ids, From: from, Until: until, Limit: pageSize})
		if err != nil {
			return nil, err
		}
		others := slices.DeleteFunc(slices.Clone(page), func(o storage.OccupiedTime) bool { return o.PostID == s.PostID || s.plan.moves(o.PostID) })
		all = append(all, others...)
		if len(page) < pageSize {
			return s.plan.addTo(all, ids, s.PostID), nil
		}
		// The rest of the last instant matters only if no other post is known there. Own
		// targets, and posts that move out of their slots, have few targets at an instant,
		// so the next page ends with another post.
		from = page[len(page)-1].At
		if len(others) > 0 && others[len(others)-1].At.Equal(from) {
			from = from.Add(time.Millisecond)
		}
		from = skipTo(batch, gap, from)
	}
}

// skipTo returns the first time from which targets take one of the slots, at or after
// from. So a busy account with few slots costs one page for each slot.
func skipTo(slots []schedctl.QueueSlot, gap time.Duration, from time.Time) time.Time {
	for _, slot := range slots {
		first, until := reach(slot.At, slot.At, gap)
		if until.After(from) {
			return later(from, first)
		}
	}
	return from
}

// State is a slot of a queue with what is known about it.
type State struct {
	schedctl.QueueSlot
	Taken   []storage.OccupiedTime // by other posts; empty if no post takes it
	Blocked bool                   // by a blackout
	Over    bool                   // it can no longer be taken
}

// List returns up to limit slots between two instants. It leaves out slots that are over
// and that no post has.
func List(r storage.Reader, q *schedctl.Queue, s Search, until time.Time, limit int, now time.Time) ([]State, error) {
	loc, err := schedctl.LoadZone("timezone", q.Timezone)
	if err != nil {
		return nil, err
	}
	first := First(time.Time{}, now)
	var list []State
	batch := make([]schedctl.QueueSlot, 0, chunk)
	add := func() error {
		if len(batch) == 0 {
			return nil
		}
		busy, err := s.occupied(r, q.Gap, batch)
		for _, slot := range batch {
			state := State{QueueSlot: slot, Taken: busy.near(slot.At, q.Gap), Blocked: blocked(s.Accounts, slot.At), Over: slot.At.Before(first)}
			if !state.Over || len(state.Taken) > 0 {
				list = append(list, state)
			}
		}
		batch = batch[:0]
		return err
	}
	for slot := range q.Slots(s.From, until, loc) {
		if batch = append(batch, slot); len(batch) < chunk {
			continue
		}
		if err := add(); err != nil {
			return nil, err
		}
		if len(list) >= limit {
			break
		}
	}
	if err := add(); err != nil {
		return nil, err
	}
	return list[:min(limit, len(list))], nil
}

// Booking returns the booking of a post that takes the slot.
func Booking(q *schedctl.Queue, slot schedctl.QueueSlot, notBefore time.Time) schedctl.Booking {
	return schedctl.Booking{QueueID: q.ID, Slot: slot.Slot, NotBefore: notBefore}
}

// IsFree returns nil if the slot of a post is free for all accounts, apart from the
// post itself. Errors: SLOT_TAKEN for a slot that another post takes or that a blackout
// blocks.
func IsFree(r storage.Reader, q *schedctl.Queue, s Search, at time.Time) error {
	busy, err := s.occupied(r, q.Gap, []schedctl.QueueSlot{{At: at}})
	if err != nil {
		return err
	}
	if len(busy) > 0 {
		return storage.SlotTaken(busy[0].AccountID, at)
	}
	for i := range s.Accounts {
		if _, found := s.Accounts[i].BlackoutAt(at); found {
			return schedctl.Errorf(schedctl.SlotTaken, "publish_at", "a blackout of %s blocks the slot at %s; take the next one with publish_at: next-slot (--next-slot)",
				s.Accounts[i].ID, at.UTC().Format(time.RFC3339))
		}
	}
	return nil
}

// names returns the names of queues for a message.
func names(queues []schedctl.Queue) string {
	list := make([]string, len(queues))
	for i := range queues {
		list[i] = queues[i].Name
	}
	return strings.Join(list, ", ")
}
