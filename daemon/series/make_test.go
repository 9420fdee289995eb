package series_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

func TestMakePostsDaysAhead(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=WEEKLY;BYDAY=TU,TH", func(s *schedctl.Series) { s.AheadDays = 9 })
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-04T09:00", "2027-03-09T09:00")
		p := f.post(id, "2027-03-02T09:00")
		if !p.PublishAt.Equal(at(2, 9, 0)) || p.Targets[0].ID != schedctl.OccurrenceTargetID(id, "2027-03-02T09:00", f.accounts[0].ID) || len(p.Targets) != 2 {
			f.Errorf("the post is %+v", p)
		}
		s := f.series(id)
		if s.Cursor != "2027-03-09T09:00" || !s.NextAt.Equal(at(2, 9, 0)) || !s.SweepAt.Equal(at(2, 9, 0)) {
			f.Errorf("cursor %s, next %s, sweep %s", s.Cursor, s.NextAt, s.SweepAt)
		}
		f.sweep(id, at(2, 9, 1))
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-04T09:00", "2027-03-09T09:00", "2027-03-11T09:00")
		f.wantEvents()
	})
}

// SweepAt is neither early nor late: a sweep before it makes no post, and one after it does.
func TestSweepAtIsWhenTheNextPostIsMade(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		for _, rule := range []string{"FREQ=DAILY", "FREQ=WEEKLY;BYDAY=TU,TH", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0,30"} {
			f.now = monday
			id := f.create(rule, nil)
			for range 4 {
				before, due := len(f.posts(id)), f.series(id).SweepAt
				if !due.After(f.now) {
					f.Fatalf("%s: the sweep at %s plans the next one at %s", rule, f.now, due)
				}
				f.sweep(id, due.Add(-time.Minute))
				if n := len(f.posts(id)); n != before {
					f.Errorf("%s: a sweep at %s makes %d posts, but it is planned for %s", rule, f.now, n-before, due)
				}
				f.sweep(id, due.Add(time.Minute))
				if n := len(f.posts(id)); n <= before {
					f.Errorf("%s: the planned sweep at %s makes no post", rule, due)
				}
			}
		}
	})
}

func TestMakeAtLeastOneFuturePost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=YEARLY", nil)
		f.wantPosts(id, "2028-03-01T09:00")
		f.sweep(id, time.Date(2028, 2, 1, 0, 0, 0, 0, time.UTC))
		f.wantPosts(id, "2028-03-01T09:00")
		f.sweep(id, f.series(id).SweepAt.Add(time.Minute))
		f.wantPosts(id, "2028-03-01T09:00", "2029-03-01T09:00")
	})
}

func TestMakeAtMost200Posts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;BYHOUR=6,10,14,18", func(s *schedctl.Series) { s.AheadDays = schedctl.MaxAheadDays })
		if n := len(f.posts(id)); n != schedctl.MaxAhead {
			f.Fatalf("%d posts, want %d", n, schedctl.MaxAhead)
		}
		s := f.series(id)
		if !s.SweepAt.Equal(s.NextAt) {
			f.Errorf("the next sweep is at %s, and the next post at %s", s.SweepAt, s.NextAt)
		}
		f.sweep(id, s.SweepAt.Add(time.Second))
		if n := len(f.posts(id)); n != schedctl.MaxAhead+1 {
			f.Errorf("%d posts after the first one was due, want one more", n)
		}
	})
}

// A sweep with many targets is split, so that its transaction stays short.
func TestLargeSweepsAreSplit(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		for n := range 98 {
			a := f.accounts[0]
			a.ID, a.Name = schedctl.NewID(schedctl.AccountPrefix, monday), "more "+string(rune('a'+n%26))+string(rune('a'+n/26))
			f.accounts = append(f.accounts, a)
			f.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		}
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 25 })
		if n := len(f.posts(id)); n != 20 {
			f.Errorf("the first sweep makes %d posts, want 20 with 100 targets each", n)
		}
		if s := f.series(id); s.SweepAt.After(f.now) {
			f.Errorf("the next sweep is at %s, want at once", s.SweepAt)
		}
		f.sweep(id, f.now)
		if n := len(f.posts(id)); n != 25 || !f.series(id).SweepAt.After(f.now) {
			f.Errorf("%d posts after the second sweep, want 25", n)
		}
	})
}

// A second sweep, and one after the cursor was moved back, change nothing.
func TestMakeTwice(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=20", func(s *schedctl.Series) { s.Exdates = []schedctl.LocalTime{"2027-03-03T09:00"}; s.AheadDays = 4 })
		f.cancel(id, "2027-03-04T09:00")
		f.changePost(id, "2027-03-05T09:00", func(p *schedctl.Post) error {
			_, err := p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: new("mine")}}, f.now)
			return err
		})
		want := []string{"2027-03-02T09:00", "2027-03-04T09:00 canceled", "2027-03-05T09:00 mine detached"}
		f.sweep(id, f.now)
		f.wantPosts(id, want...)
		f.change(id, func(tx storage.Tx, s *schedctl.Series) error {
			s.Cursor = "2027-03-01T12:00"
			return series.Make(tx, s, f.sweepAt())
		})
		f.wantPosts(id, want...)
		f.wantEvents()
	})
}

func TestSeriesEndsAfterItsLastOccurrence(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=3", nil)
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00")
		f.sweep(id, at(3, 8, 59))
		if s := f.series(id); s.State != schedctl.SeriesActive || !s.SweepAt.Equal(at(3, 9, 0)) {
			f.Errorf("state %s, sweep at %s", s.State, s.SweepAt)
		}
		f.wantEvents()
		f.sweep(id, at(3, 9, 1))
		if s := f.series(id); s.State != schedctl.SeriesEnded || !s.SweepAt.IsZero() || !s.NextAt.IsZero() {
			f.Errorf("after the last occurrence: %+v", s)
		}
		f.wantEvents("series.ended")
	})
}

// COUNT counts occurrences that are skipped, and variants continue after them.
func TestSkippedOccurrencesCount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;COUNT=6", func(s *schedctl.Series) {
			s.Variants, s.Exdates = []string{"a", "b", "c"}, []schedctl.LocalTime{"2027-03-03T09:00", "2027-03-06T09:00"}
		})
		f.wantPosts(id, "2027-03-02T09:00 b", "2027-03-04T09:00 a", "2027-03-05T09:00 b")
	})
}

// After an outage that is longer than the days ahead, the latest occurrence goes out if
// it is not too late. The others are one event.
func TestMakeAfterAnOutage(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00")
		f.sweep(id, at(10, 20, 0))
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00", "2027-03-10T09:00", "2027-03-11T09:00", "2027-03-12T09:00")
		f.wantEvents("skipped 6 missed 2027-03-04T09:00 2027-03-09T09:00")
		if late := f.post(id, "2027-03-10T09:00"); !late.PublishAt.Equal(at(10, 9, 0)) {
			f.Errorf("the late one is published at %s, want its own time", late.PublishAt)
		}

		weekly := f.create("FREQ=WEEKLY;BYDAY=TH", func(s *schedctl.Series) { s.AheadDays = 1 })
		f.wantEvents()
		f.sweep(weekly, at(22, 8, 0)) // the 18th is 4 days ago
		f.wantPosts(weekly, "2027-03-11T09:00", "2027-03-25T09:00")
		f.wantEvents("skipped 1 missed 2027-03-18T09:00 2027-03-18T09:00")
	})
}

// A clock that jumped ahead and back makes nothing twice, and brings nothing back.
func TestMakeAfterAClockThatJumped(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 2 })
		f.cancel(id, "2027-03-03T09:00")
		f.sweep(id, at(6, 10, 0))
		want := []string{"2027-03-02T09:00", "2027-03-03T09:00 canceled", "2027-03-06T09:00", "2027-03-07T09:00", "2027-03-08T09:00"}
		f.wantPosts(id, want...)
		f.sweep(id, monday.Add(time.Hour))
		f.wantPosts(id, want...)
	})
}

func TestDuplicatesAreSkipped(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		f.account(1, func(a *schedctl.Account) { a.Options = schedctl.Options{"duplicate_guard": "48h"} })
		id := f.create("FREQ=DAILY;COUNT=6", nil)
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-04T09:00", "2027-03-06T09:00")
		f.wantEvents("skipped 2 duplicate 2027-03-03T09:00 2027-03-05T09:00")
	})
}

func TestRefusedOccurrencesAreSkipped(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY", func(s *schedctl.Series) { s.AheadDays = 1 })
		f.account(0, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		f.sweep(id, at(2, 9, 1))
		if p := f.post(id, "2027-03-03T09:00"); len(p.Targets) != 1 || p.Targets[0].AccountID != f.accounts[1].ID {
			f.Errorf("targets %+v, want only the account that is left", p.Targets)
		}
		f.wantEvents()
		f.account(1, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		f.sweep(id, at(3, 9, 1))
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00")
		f.wantEvents("skipped 2 refused 2027-03-04T09:00 2027-03-05T09:00") // the next day, and one future post
		if s := f.series(id); !s.SweepAt.After(f.now) {
			f.Errorf("the next sweep is at %s: it would run again and again", s.SweepAt)
		}
	})
}

// Beyond the days ahead, one refusal is enough: the other occurrences wait for their time.
func TestRefusalsBeyondTheDaysAhead(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		for i := range f.accounts {
			f.account(i, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		}
		id := f.create("FREQ=MONTHLY", nil)
		f.wantPosts(id)
		f.wantEvents("skipped 1 refused 2027-04-01T09:00 2027-04-01T09:00")
		if s := f.series(id); !s.SweepAt.After(f.now) || s.State != schedctl.SeriesActive {
			f.Errorf("sweep at %s, %s", s.SweepAt, s.State)
		}
	})
}

func TestBlackoutsBlockOccurrences(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		hold := schedctl.AccountBlackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, monday), Mode: schedctl.BlackoutHold, From: at(1, 0, 0)}
		f.account(0, func(a *schedctl.Account) {
			a.Blackouts = []schedctl.AccountBlackout{{ID: schedctl.NewID(schedctl.BlackoutPrefix, monday), Mode: schedctl.BlackoutAvoid, From: at(3, 0, 0), To: at(5, 0, 0)}}
		})
		f.account(1, func(a *schedctl.Account) { a.Blackouts = []schedctl.AccountBlackout{hold} })
		id := f.create("FREQ=DAILY;COUNT=6", nil)
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-05T09:00", "2027-03-06T09:00")
		f.wantEvents()
		f.account(0, func(a *schedctl.Account) { a.Blackouts = nil })
		f.sweep(id, f.now)
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-05T09:00", "2027-03-06T09:00")
		f.update(func(tx storage.Tx) error { return series.Reconsider(tx, f.ws, []string{f.accounts[0].ID}, f.now) })
		if s := f.series(id); s.SweepAt.After(f.now) {
			f.Errorf("the sweep is at %s, want now", s.SweepAt)
		}
		f.sweep(id, f.now)
		f.wantPosts(id, "2027-03-02T09:00", "2027-03-03T09:00", "2027-03-04T09:00", "2027-03-05T09:00", "2027-03-06T09:00")
	})
}

// Occurrences of a series with a queue take the first free slot at or after their time on
// the same day.
func TestOccurrencesTakeSlots(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := schedctl.Queue{
			ID: schedctl.NewID(schedctl.QueuePrefix, monday), WorkspaceID: f.ws, Name: "daily", Timezone: "Europe/Berlin", CreatedAt: monday, UpdatedAt: monday, Version: 1,
			Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 8 * 60}, {Days: schedctl.EveryDay, Minute: 10 * 60}, {Days: schedctl.WeekdaysOf(time.Tuesday), Minute: 15 * 60}},
		}
		f.update(func(tx storage.Tx) error { return tx.PutQueue(q) })
		first := f.create("FREQ=DAILY;COUNT=4", func(s *schedctl.Series) { s.QueueID = q.ID })
		second := f.create("FREQ=DAILY;COUNT=4", func(s *schedctl.Series) { s.QueueID = q.ID })
		f.wantPosts(first, "2027-03-02T09:00", "2027-03-03T09:00", "2027-03-04T09:00")
		f.wantPosts(second, "2027-03-02T09:00")
		f.wantEvents("skipped 2 no_slot 2027-03-03T09:00 2027-03-04T09:00")
		if p := f.post(first, "2027-03-02T09:00"); !p.PublishAt.Equal(at(2, 10, 0)) || p.QueueID != q.ID || p.Slot.Local != "2027-03-02T10:00" {
			f.Errorf("the first has %s, %+v", p.PublishAt, p.Booking)
		}
		if p := f.post(second, "2027-03-02T09:00"); !p.PublishAt.Equal(at(2, 15, 0)) {
			f.Errorf("the second has %s, want the next slot", p.PublishAt)
		}
		f.update(func(tx storage.Tx) error { return tx.DeleteQueue(f.ws, q.ID) })
		third := f.create("FREQ=DAILY;COUNT=2", func(s *schedctl.Series) { s.QueueID = q.ID })
		if p := f.post(third, "2027-03-02T09:00"); !p.PublishAt.Equal(at(2, 9, 0)) || f.series(third).QueueID != "" {
			f.Errorf("without its queue, the series uses its own times; got %s", p.PublishAt)
		}
	})
}

// Local times keep their hour across a clock change.
func TestOccurrencesAcrossAClockChange(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=DAILY;BYHOUR=2;BYMINUTE=30", func(s *schedctl.Series) { s.AheadDays = 28; s.Start = "2027-03-27T02:30" })
		for local, want := range map[schedctl.LocalTime]string{
			"2027-03-27T02:30": "2027-03-27T01:30:00Z", "2027-03-28T02:30": "2027-03-28T01:00:00Z", "2027-03-29T02:30": "2027-03-29T00:30:00Z",
		} {
			if got := f.post(id, local).PublishAt.Format(time.RFC3339); got != want {
				f.Errorf("%s is published at %s, want %s", local, got, want)
			}
		}
	})
}

func TestOldExdatesAreDropped(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=WEEKLY", func(s *schedctl.Series) {
			s.Start, s.Exdates = "2025-12-01T09:00", []schedctl.LocalTime{"2025-12-01T09:00", "2026-12-07T09:00"}
		})
		if got := f.series(id).Exdates; len(got) != 1 || got[0] != "2026-12-07T09:00" {
			f.Errorf("exdates %v", got)
		}
	})
}

func TestUnknownZone(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		id := f.create("FREQ=WEEKLY", nil)
		err := f.try(id, func(tx storage.Tx, s *schedctl.Series) error {
			s.Timezone = "Europe/Nowhere"
			return series.Make(tx, s, f.sweepAt())
		})
		f.wantCode(err, schedctl.ValidationFailed)
	})
}
