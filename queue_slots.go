package schedctl

import (
	"iter"
	"slices"
	"time"
)

// QueueSlot is one slot of a queue.
type QueueSlot struct {
	Slot
	At   time.Time
	Note LocalNote // about At
}

// Slots returns the slots of the queue from from (inclusive) until until (exclusive),
// in order of time. loc is the zone of the queue. Two slots at one instant, as after
// skipped hours, are one; it keeps the local time that the clocks show, if there is one.
func (q *Queue) Slots(from, until time.Time, loc *time.Location) iter.Seq[QueueSlot] {
	return func(yield func(QueueSlot) bool) {
		var last QueueSlot
		for slot := range q.resolvedSlots(from, until, loc) {
			switch {
			case last.At.IsZero():
			case !slot.At.After(last.At):
				if last.Note == LocalSkipped && slot.Note == "" && slot.At.Equal(last.At) {
					last = slot
				}
				continue
			case !yield(last):
				return
			}
			last = slot
		}
		if !last.At.IsZero() {
			yield(last)
		}
	}
}

// resolvedSlots returns the slots between two instants. Several may have the same one.
func (q *Queue) resolvedSlots(from, until time.Time, loc *time.Location) iter.Seq[QueueSlot] {
	times := slices.Clone(q.Times)
	slices.SortFunc(times, func(a, b QueueTime) int { return a.Minute - b.Minute })
	return func(yield func(QueueSlot) bool) {
		// A zone that skips a day moves slots into the next one, so start two days earlier.
		year, month, day := from.In(loc).Date()
		date := time.Date(year, month, day-2, 0, 0, 0, 0, time.UTC)
		end := LocalTimeOf(until.In(loc).AddDate(0, 0, 2)).Civil()
		for ; date.Before(end); date = date.AddDate(0, 0, 1) {
			for _, t := range times {
				if !t.Days.Has(date.Weekday()) {
					continue
				}
				wall := date.Add(time.Duration(t.Minute) * time.Minute)
				at, note := ResolveLocal(wall, loc)
				if at.Before(from) || !at.Before(until) {
					continue
				}
				if !yield(QueueSlot{Slot: Slot{Local: LocalTimeOf(wall), Timezone: q.Timezone}, At: at.UTC(), Note: note}) {
					return
				}
			}
		}
	}
}

// HasSlot reports whether the queue has a slot at the local time in its zone.
func (q *Queue) HasSlot(s Slot) bool {
	wall := s.Local.Civil()
	minute := wall.Hour()*60 + wall.Minute()
	return s.Timezone == q.Timezone && slices.ContainsFunc(q.Times, func(t QueueTime) bool {
		return t.Minute == minute && t.Days.Has(wall.Weekday())
	})
}
