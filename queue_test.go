package schedctl_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func times(days schedctl.Weekdays, clocks ...string) (list []schedctl.QueueTime) {
	for _, c := range clocks {
		at, err := time.Parse("15:04", c)
		if err != nil {
			panic(err)
		}
		list = append(list, schedctl.QueueTime{Days: days, Minute: at.Hour()*60 + at.Minute()})
	}
	return list
}

func TestQueueSlots(t *testing.T) {
	t.Parallel()
	weekend := schedctl.WeekdaysOf(time.Saturday, time.Sunday)
	for name, tt := range map[string]struct {
		zone        string
		times       []schedctl.QueueTime
		from, until string   // UTC
		want        []string // local, UTC, note
	}{
		"from is inclusive, until is not": {"Europe/Berlin", times(schedctl.EveryDay, "09:00"), "2027-06-01T07:00", "2027-06-03T07:00",
			[]string{"2027-06-01T09:00 06-01T07:00 ", "2027-06-02T09:00 06-02T07:00 "}},
		"on some days": {"America/New_York", append(times(weekend, "20:00"), times(schedctl.WeekdaysOf(time.Monday), "08:15")...), "2027-06-05T00:00", "2027-06-08T00:00",
			[]string{"2027-06-05T20:00 06-06T00:00 ", "2027-06-06T20:00 06-07T00:00 ", "2027-06-07T08:15 06-07T12:15 "}},
		"the local time stays over a clock change": {"Europe/Berlin", times(schedctl.EveryDay, "09:00"), "2027-03-27T00:00", "2027-03-29T23:00",
			[]string{"2027-03-27T09:00 03-27T08:00 ", "2027-03-28T09:00 03-28T07:00 ", "2027-03-29T09:00 03-29T07:00 "}},
		"skipped times are one slot": {"Europe/Berlin", times(schedctl.EveryDay, "01:30", "02:00", "02:30", "03:30"), "2027-03-28T00:00", "2027-03-28T12:00",
			[]string{"2027-03-28T01:30 03-28T00:30 ", "2027-03-28T02:00 03-28T01:00 skipped", "2027-03-28T03:30 03-28T01:30 "}},
		"a time that the clocks show wins over skipped ones": {"Europe/Berlin", times(schedctl.EveryDay, "02:15", "02:45", "03:00"), "2027-03-28T00:00", "2027-03-28T12:00",
			[]string{"2027-03-28T03:00 03-28T01:00 "}},
		"repeated times are the first": {"America/New_York", times(schedctl.EveryDay, "01:30"), "2027-11-07T00:00", "2027-11-08T00:00",
			[]string{"2027-11-07T01:30 11-07T05:30 repeated"}},
		"half an hour": {"Australia/Lord_Howe", times(schedctl.EveryDay, "02:15", "02:30"), "2027-10-02T00:00", "2027-10-03T00:00",
			[]string{"2027-10-03T02:30 10-02T15:30 "}},
		"a skipped day": {"Pacific/Apia", times(schedctl.EveryDay, "09:00", "18:00"), "2011-12-29T12:00", "2012-01-01T00:00",
			[]string{"2011-12-29T09:00 12-29T19:00 ", "2011-12-29T18:00 12-30T04:00 ", "2011-12-30T09:00 12-30T10:00 skipped", "2011-12-31T09:00 12-30T19:00 ", "2011-12-31T18:00 12-31T04:00 ", "2012-01-01T09:00 12-31T19:00 "}},
		"Ramadan": {"Africa/Casablanca", times(schedctl.EveryDay, "02:30"), "2027-03-13T00:00", "2027-03-15T12:00",
			[]string{"2027-03-13T02:30 03-13T02:30 ", "2027-03-14T02:30 03-14T02:00 skipped", "2027-03-15T02:30 03-15T01:30 "}},
		"nothing between": {"UTC", times(schedctl.EveryDay, "09:00"), "2027-06-01T09:01", "2027-06-02T09:00", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := schedctl.Queue{Timezone: tt.zone, Times: tt.times}
			slices.Reverse(q.Times) // the order does not matter
			var got []string
			for s := range q.Slots(schedctl.LocalTime(tt.from).Civil(), schedctl.LocalTime(tt.until).Civil(), zone(t, tt.zone)) {
				got = append(got, fmt.Sprintf("%s %s %s", s.Local, s.At.Format("01-02T15:04"), s.Note))
				if s.Timezone != tt.zone || !q.HasSlot(s.Slot) {
					t.Errorf("the queue does not have its slot %v", s.Slot)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestQueueSlotsInParts guards that a search in parts finds the slots of one search.
func TestQueueSlotsInParts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"} {
		loc := zone(t, name)
		q := schedctl.Queue{Timezone: name, Times: times(schedctl.EveryDay, "00:00", "01:45", "02:15", "02:30", "09:00", "23:59")}
		from := time.Date(2027, 1, 1, 3, 0, 0, 0, time.UTC)
		until := from.AddDate(1, 0, 0)
		whole := slices.Collect(q.Slots(from, until, loc))
		var parts []schedctl.QueueSlot
		for at := from; at.Before(until); at = at.Add(7 * time.Hour) {
			parts = append(parts, slices.Collect(q.Slots(at, min2(at.Add(7*time.Hour), until), loc))...)
		}
		if diff := cmp.Diff(whole, parts); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if !slices.IsSortedFunc(whole, func(a, b schedctl.QueueSlot) int { return a.At.Compare(b.At) }) || len(whole) < 6*365-3 {
			t.Errorf("%s: %d slots, or not in order", name, len(whole))
		}
	}
}

func min2(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func TestQueueCheck(t *testing.T) {
	t.Parallel()
	good := schedctl.Queue{Name: "mornings", Timezone: "Europe/Berlin", Times: times(schedctl.EveryDay, "09:00")}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	many := make([]schedctl.QueueTime, schedctl.MaxSlotsPerDay+1)
	for i := range many {
		many[i] = schedctl.QueueTime{Days: schedctl.EveryDay, Minute: i}
	}
	for field, change := range map[string]func(*schedctl.Queue){
		"name":     func(q *schedctl.Queue) { q.Name = " " },
		"timezone": func(q *schedctl.Queue) { q.Timezone = "Local" },
		"times":    func(q *schedctl.Queue) { q.Times = nil },
		"times 2":  func(q *schedctl.Queue) { q.Times = many },
		"times 3":  func(q *schedctl.Queue) { q.Times = []schedctl.QueueTime{{Minute: 1}} },
		"times 4":  func(q *schedctl.Queue) { q.Times = []schedctl.QueueTime{{Days: 1, Minute: 1440}} },
		"gap":      func(q *schedctl.Queue) { q.Gap = -time.Second },
		"gap 2":    func(q *schedctl.Queue) { q.Gap = 25 * time.Hour },
	} {
		q := good.Clone()
		change(&q)
		if err := q.Check(); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("%s: %v", field, err)
		}
	}
	q := schedctl.Queue{AccountIDs: []string{"b", "a", "b"}, Times: append(times(schedctl.WeekdaysOf(time.Monday), "10:00", "09:00"), times(schedctl.WeekdaysOf(time.Sunday), "10:00")...)}
	q.Normalize()
	want := append(times(schedctl.WeekdaysOf(time.Monday), "09:00"), times(schedctl.WeekdaysOf(time.Monday, time.Sunday), "10:00")...)
	if !slices.Equal(q.Times, want) || !slices.Equal(q.AccountIDs, []string{"a", "b"}) {
		t.Errorf("normalized: %v", q)
	}
	if days := want[1].Days.Days(); !slices.Equal(days, []time.Weekday{time.Monday, time.Sunday}) {
		t.Errorf("days %v", days)
	}
}

func TestBlackoutResolve(t *testing.T) {
	t.Parallel()
	b := schedctl.Blackout{ID: "blk_1", From: "2027-03-28T02:30", To: "2027-03-29T00:00", Timezone: "Europe/Berlin", Mode: schedctl.BlackoutAvoid, AccountIDs: []string{"b", "a", "a"}}
	if err := b.Resolve(); err != nil || b.StartsAt.Format(time.RFC3339) != "2027-03-28T01:00:00Z" || b.EndsAt.Format(time.RFC3339) != "2027-03-28T22:00:00Z" {
		t.Errorf("%v: %v", b, err)
	}
	for name, change := range map[string]func(*schedctl.Blackout){
		"an open end":  func(b *schedctl.Blackout) { b.To = "" },
		"no mode":      func(b *schedctl.Blackout) { b.Mode = "" },
		"ends first":   func(b *schedctl.Blackout) { b.To = b.From },
		"not a time":   func(b *schedctl.Blackout) { b.From = "tomorrow" },
		"no zone":      func(b *schedctl.Blackout) { b.Timezone = "" },
		"a line break": func(b *schedctl.Blackout) { b.Reason = "a\nb" },
	} {
		bad := b.Clone()
		change(&bad)
		if err := bad.Resolve(); schedctl.CodeOf(err) != schedctl.ValidationFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := schedctl.Account{ID: "a"}
	a.SetBlackout(&b)
	at := b.StartsAt
	if _, blocked := a.BlackoutAt(at); !blocked {
		t.Error("an avoided time is not blocked")
	}
	if _, blocked := a.BlackoutAt(b.EndsAt); blocked {
		t.Error("the end is blocked")
	}
	hold := schedctl.Blackout{ID: "blk_0", From: b.From, Timezone: b.Timezone, Mode: schedctl.BlackoutHold}
	if err := hold.Resolve(); err != nil {
		t.Fatal(err)
	}
	a.RemoveBlackout("blk_1")
	a.SetBlackout(&hold)
	_, blocked := a.BlackoutAt(at)
	_, avoided := a.AvoidedAt(at)
	if held, ok := a.HeldAt(at); !ok || held.ID != "blk_0" || blocked || avoided {
		t.Errorf("an open hold: held %v, blocked %v, avoided %v", ok, blocked, avoided)
	}
	hold.EndsAt = at.Add(time.Hour)
	a.SetBlackout(&hold)
	if _, held := a.HeldAt(at.Add(2 * time.Hour)); !held || len(a.Blackouts) != 1 {
		t.Error("a hold that is not settled does not hold")
	}
	hold.SettledAt = at.Add(3 * time.Hour)
	if a.SetBlackout(&hold); len(a.Blackouts) != 0 {
		t.Error("a settled hold stays on its account")
	}
}
