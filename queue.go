package schedctl

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Limits of queues.
const (
	MaxQueues      = 100            // queues of a workspace
	MaxQueueTimes  = 100            // entries of [Queue.Times]
	MaxSlotsPerDay = 48             // different times of day on one weekday
	MaxQueueGap    = 24 * time.Hour // the largest [Queue.Gap]

	// QueueHorizon is how far ahead a free slot is searched for.
	QueueHorizon = 180 * 24 * time.Hour
)

// Queue is a weekly timetable of slots. A post that takes a slot gets its time.
type Queue struct {
	ID          string
	WorkspaceID string
	Name        string // unique in the workspace; 1–80 characters
	Timezone    string // IANA name of the zone of Times
	Times       []QueueTime
	AccountIDs  []string // sorted; empty for all accounts of the workspace

	// Gap is the smallest distance between a slot and another post of the same account.
	// 0 excludes only posts at the instant of the slot.
	Gap time.Duration

	Default   bool     // used if no queue names the accounts; at most one in a workspace
	Managed   *Managed // the collection of files that the queue belongs to, or nil
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // 1 when created, +1 with every change
}

// QueueTime is a time of day on some weekdays.
type QueueTime struct {
	Days   Weekdays // at least one
	Minute int      // of the day on the clocks of the zone: 0–1439
}

// Weekdays is a set of weekdays: bit n is set for the [time.Weekday] n.
type Weekdays uint8

// EveryDay has all weekdays.
const EveryDay Weekdays = 1<<7 - 1

// WeekdaysOf returns the set of the given days.
func WeekdaysOf(days ...time.Weekday) (set Weekdays) {
	for _, d := range days {
		set |= 1 << d
	}
	return set
}

// Has reports whether the set has the day.
func (w Weekdays) Has(d time.Weekday) bool { return w&(1<<d) != 0 }

// Days returns the days of the set, from Monday to Sunday.
func (w Weekdays) Days() (days []time.Weekday) {
	for i := range 7 {
		if d := time.Weekday((i + 1) % 7); w.Has(d) {
			days = append(days, d)
		}
	}
	return days
}

// Serves reports whether posts for the account can take slots of the queue.
func (q *Queue) Serves(accountID string) bool {
	return len(q.AccountIDs) == 0 || slices.Contains(q.AccountIDs, accountID)
}

// Clone returns a copy that shares nothing with q.
func (q *Queue) Clone() Queue {
	c := *q
	c.Times, c.AccountIDs, c.Managed = slices.Clone(q.Times), slices.Clone(q.AccountIDs), q.Managed.clone()
	return c
}

// Normalize sorts Times and AccountIDs, and merges entries with the same time of day,
// so that queues with the same slots are equal.
func (q *Queue) Normalize() {
	byMinute := map[int]Weekdays{}
	for _, t := range q.Times {
		byMinute[t.Minute] |= t.Days
	}
	q.Times = q.Times[:0]
	for minute, days := range byMinute {
		q.Times = append(q.Times, QueueTime{Days: days, Minute: minute})
	}
	slices.SortFunc(q.Times, func(a, b QueueTime) int { return cmp.Compare(a.Minute, b.Minute) })
	slices.Sort(q.AccountIDs)
	q.AccountIDs = slices.Compact(q.AccountIDs)
}

// Check returns nil if the fields are valid, else an error with code
// [ValidationFailed]. It does not know the accounts of the workspace.
func (q *Queue) Check() error {
	if err := CheckAccountName(q.Name); err != nil {
		return err
	}
	if _, err := LoadZone("timezone", q.Timezone); err != nil {
		return err
	}
	if n := len(q.Times); n == 0 || n > MaxQueueTimes {
		return Errorf(ValidationFailed, "times", "a queue has 1 to %d times; this one has %d", MaxQueueTimes, n)
	}
	perDay := [7]int{}
	for _, t := range q.Times {
		if t.Days == 0 || t.Days > EveryDay {
			return Errorf(ValidationFailed, "times", "each time needs at least one weekday")
		}
		if t.Minute < 0 || t.Minute >= 24*60 {
			return Errorf(ValidationFailed, "times", "times of day go from 00:00 to 23:59")
		}
		for _, d := range t.Days.Days() {
			perDay[d]++
		}
	}
	if n := slices.Max(perDay[:]); n > MaxSlotsPerDay {
		return Errorf(ValidationFailed, "times", "a weekday has %d times; the limit is %d", n, MaxSlotsPerDay)
	}
	if q.Gap < 0 || q.Gap > MaxQueueGap {
		return Errorf(ValidationFailed, "gap", "the gap is between 0s and %s", MaxQueueGap)
	}
	if n := len(q.AccountIDs); n > MaxAccounts {
		return Errorf(InvalidSocialAccounts, "social_account_ids", "%d accounts are too many; a queue names at most %d", n, MaxAccounts)
	}
	return nil
}

// Slot is the local time of a slot that a post has. The zero Slot means that the post
// has none.
type Slot struct {
	Local    LocalTime // the nominal time, also if the clocks skip it
	Timezone string
}

// Booking is the slot of a post, with its queue. While Slot is set, the publish
// time of the post is the instant of the slot.
type Booking struct {
	QueueID   string    // empty after the queue was deleted
	Slot      Slot      // zero for a post with a fixed time
	NotBefore time.Time // the post takes no slot before this time; zero for no limit
}

func (b Booking) equal(o Booking) bool {
	return b.QueueID == o.QueueID && b.Slot == o.Slot && b.NotBefore.Equal(o.NotBefore)
}

// HoldsSlot reports whether no other post may take the slot of the post on the account
// of the target. Stores derive the index of slots from it. Only an operation that gives
// the post a slot can make it true.
func (t *Target) HoldsSlot(p *Post) bool {
	return p.Slot != Slot{} && p.CanceledAt.IsZero() && t.RetriedAt.IsZero() && t.Live()
}

// Live reports whether the target is or will be published: whether it is scheduled,
// publishing or published. A live target occupies its time for queues.
func (t *Target) Live() bool {
	return t.Status == Scheduled || t.Status == Publishing || t.Status == Published
}

// ReleaseSlot removes the slot of the post and keeps its time. Code that exchanges the
// slots of several posts in one transaction puts the released posts first.
func (p *Post) ReleaseSlot() { p.Booking = Booking{} }

// LeaveQueue removes the queue from the booking of a post, because the queue was deleted.
// The post keeps its slot and its time, whatever its status. There are no events.
func (p *Post) LeaveQueue(now time.Time) {
	p.QueueID = ""
	p.changed(Millis(now))
}

// CompareQueued orders posts as a queue does: by publish time, then by id.
func CompareQueued(a, b Post) int {
	return cmp.Or(a.PublishAt.Compare(b.PublishAt), strings.Compare(a.ID, b.ID))
}
