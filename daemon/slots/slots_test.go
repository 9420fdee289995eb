package slots_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// now is a Friday in Berlin, two days before the clocks skip an hour.
var now = time.Date(2027, 3, 26, 10, 0, 0, 0, time.UTC)

// fixture is a workspace with three accounts.
type fixture struct {
	*testing.T
	store    storage.Store
	ws       string
	accounts []string
	tx       storage.Tx // of together, or nil
}

func onEveryEngine(t *testing.T, test func(*fixture)) {
	t.Helper()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		f := &fixture{T: t, store: store, ws: schedctl.NewID(schedctl.WorkspacePrefix, now)}
		f.update(func(tx storage.Tx) error {
			return tx.PutWorkspace(schedctl.Workspace{ID: f.ws, Name: "mine", CreatedAt: now})
		})
		for n := range 3 {
			a := schedctl.Account{
				ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: f.ws, Platform: "fake", Name: fmt.Sprint("account ", n),
				Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
			}
			f.accounts = append(f.accounts, a.ID)
			f.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		}
		test(f)
	})
}

func (f *fixture) update(fn func(storage.Tx) error) {
	f.Helper()
	var err error
	if f.tx != nil {
		err = fn(f.tx)
	} else {
		err = f.store.Update(f.Context(), fn)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// together makes all updates of a function in one transaction.
func (f *fixture) together(updates func()) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		f.tx = tx
		defer func() { f.tx = nil }()
		updates()
		return nil
	})
}

// queue stores a queue with times of every day in Berlin.
func (f *fixture) queue(change func(*schedctl.Queue), clocks ...string) *schedctl.Queue {
	f.Helper()
	q := schedctl.Queue{
		ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: f.ws, Name: "daily", Timezone: "Europe/Berlin", CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	for _, c := range clocks {
		at, err := time.Parse("15:04", c)
		if err != nil {
			f.Fatal(err)
		}
		q.Times = append(q.Times, schedctl.QueueTime{Days: schedctl.EveryDay, Minute: at.Hour()*60 + at.Minute()})
	}
	if change != nil {
		change(&q)
	}
	f.update(func(tx storage.Tx) error { return tx.PutQueue(q) })
	return &q
}

// post stores a scheduled post with a fixed time.
func (f *fixture) post(at time.Time, accounts ...string) schedctl.Post {
	f.Helper()
	p := schedctl.Post{
		ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.ws, Content: schedctl.Content{Text: "text"}, PublishAt: at, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	for _, a := range accounts {
		p.Targets = append(p.Targets, schedctl.Target{
			ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: a, Platform: "fake", Status: schedctl.Scheduled, PublishAt: at,
		})
	}
	f.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	return p
}

// blackout stores the copy of a blackout in an account.
func (f *fixture) blackout(account string, mode schedctl.BlackoutMode, from, to time.Time) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.ws, account)
		if err != nil {
			return err
		}
		b := schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), Mode: mode, StartsAt: from, EndsAt: to}
		a.SetBlackout(&b)
		return tx.PutAccount(a)
	})
}

func (f *fixture) search(accounts ...string) (s slots.Search) {
	f.Helper()
	s.WorkspaceID = f.ws
	err := f.store.View(f.Context(), func(r storage.Reader) (err error) {
		s.Accounts, err = slots.Accounts(r, f.ws, accounts)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

func (f *fixture) find(q *schedctl.Queue, s slots.Search, at time.Time) (slot schedctl.QueueSlot, err error) {
	err = f.store.View(f.Context(), func(r storage.Reader) (err error) {
		slot, err = slots.Find(r, q, s, at)
		return err
	})
	return slot, err
}

func (f *fixture) wantSlot(q *schedctl.Queue, s slots.Search, local schedctl.LocalTime, utc string) {
	f.Helper()
	slot, err := f.find(q, s, now)
	if err != nil {
		f.Errorf("no slot: %v", err)
	}
	if got := slot.At.Format("01-02T15:04"); slot.Local != local || got != utc || slot.Timezone != q.Timezone {
		f.Errorf("the slot is %s (%s) %s, want %s (%s)", slot.Local, got, slot.Timezone, local, utc)
	}
}

func wantCode(t testing.TB, err error, code schedctl.Code) {
	t.Helper()
	if schedctl.CodeOf(err) != code {
		t.Errorf("the error is %v, want %s", err, code)
	}
}

func day(d, hour, minute int) time.Time { return time.Date(2027, 3, d, hour, minute, 0, 0, time.UTC) }

func TestFindTakesTheFirstFreeSlot(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(nil, "12:00", "18:00")
		f.wantSlot(q, f.search(a), "2027-03-26T12:00", "03-26T11:00")
		f.post(day(26, 11, 0), a)
		f.wantSlot(q, f.search(a), "2027-03-26T18:00", "03-26T17:00")
		f.wantSlot(q, f.search(b), "2027-03-26T12:00", "03-26T11:00")
		f.wantSlot(q, f.search(a, b), "2027-03-26T18:00", "03-26T17:00")
		f.post(day(26, 17, 0).Add(time.Millisecond), a) // without a gap, only the instant counts
		f.wantSlot(q, f.search(a, b), "2027-03-26T18:00", "03-26T17:00")
		f.post(day(26, 17, 0), b)
		f.post(day(27, 11, 0), a)
		f.wantSlot(q, f.search(a, b), "2027-03-27T18:00", "03-27T17:00")
	})
}

func TestFindKeepsTheGap(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(func(q *schedctl.Queue) { q.Gap = 30 * time.Minute }, "12:00", "18:00")
		f.post(day(26, 10, 30), a) // exactly the gap away
		f.wantSlot(q, f.search(a), "2027-03-26T12:00", "03-26T11:00")
		f.post(day(26, 11, 30), a)
		f.wantSlot(q, f.search(a), "2027-03-26T12:00", "03-26T11:00")
		f.post(day(26, 11, 30).Add(-time.Millisecond), a)
		f.wantSlot(q, f.search(a), "2027-03-26T18:00", "03-26T17:00")
		f.post(day(26, 16, 30).Add(time.Millisecond), a)
		f.wantSlot(q, f.search(a), "2027-03-27T12:00", "03-27T11:00")
	})
}

func TestFindStepsAroundBlackouts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(nil, "12:00", "18:00")
		f.blackout(a, schedctl.BlackoutHold, day(25, 0, 0), time.Time{}) // an open end blocks nothing
		f.wantSlot(q, f.search(a), "2027-03-26T12:00", "03-26T11:00")
		f.blackout(a, schedctl.BlackoutAvoid, day(26, 11, 0), day(26, 17, 0)) // the end is exclusive
		f.wantSlot(q, f.search(a), "2027-03-26T18:00", "03-26T17:00")
		f.blackout(b, schedctl.BlackoutHold, day(26, 11, 30), day(27, 11, 0).Add(time.Millisecond))
		f.wantSlot(q, f.search(b), "2027-03-26T12:00", "03-26T11:00")
		f.wantSlot(q, f.search(a, b), "2027-03-27T18:00", "03-27T17:00")
	})
}

func TestFindAtClockChanges(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "02:30", "09:00")
		s := f.search(a)
		s.From = day(28, 0, 0)
		f.wantSlot(q, s, "2027-03-28T02:30", "03-28T01:00") // the clocks skip 02:30
		f.post(day(28, 1, 0), a)
		f.wantSlot(q, s, "2027-03-28T09:00", "03-28T07:00") // an hour earlier in UTC than the day before
		s.From = time.Date(2027, 10, 31, 0, 0, 0, 0, time.UTC)
		f.wantSlot(q, s, "2027-10-31T02:30", "10-31T00:30") // the first of two
	})
}

func TestFindFromATime(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "12:00", "18:00")
		s := f.search(a)
		s.From = day(27, 17, 0)
		f.wantSlot(q, s, "2027-03-27T18:00", "03-27T17:00")
		s.From = day(27, 17, 0).Add(time.Microsecond)
		f.wantSlot(q, s, "2027-03-28T12:00", "03-28T10:00")
		s.From = day(1, 0, 0) // past
		f.wantSlot(q, s, "2027-03-26T12:00", "03-26T11:00")
		for _, tt := range []struct {
			before time.Duration
			want   schedctl.LocalTime
		}{{time.Second, "2027-03-26T18:00"}, {time.Second + time.Millisecond, "2027-03-26T12:00"}, {0, "2027-03-26T18:00"}} {
			if slot, err := f.find(q, f.search(a), day(26, 11, 0).Add(-tt.before)); err != nil || slot.Local != tt.want {
				t.Errorf("%s before a slot: %s, %v, want %s", tt.before, slot.Local, err, tt.want)
			}
		}
	})
}

func TestFindOnADay(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "00:30", "23:30")
		s := f.search(a)
		s.Day, s.From = "2027-03-27", day(26, 12, 0)
		f.wantSlot(q, s, "2027-03-27T00:30", "03-26T23:30")
		f.post(day(26, 23, 30), a)
		f.wantSlot(q, s, "2027-03-27T23:30", "03-27T22:30")
		f.post(day(27, 22, 30), a)
		_, err := f.find(q, s, now)
		wantCode(t, err, schedctl.QueueFull)
	})
}

func TestFindIgnoresThePostItself(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(func(q *schedctl.Queue) { q.Gap = time.Hour }, "12:00", "18:00")
		own := f.post(day(26, 11, 0), a, b)
		s := f.search(a, b)
		f.wantSlot(q, s, "2027-03-26T18:00", "03-26T17:00")
		s.PostID = own.ID
		f.wantSlot(q, s, "2027-03-26T12:00", "03-26T11:00")
		f.post(day(26, 11, 0), b)
		f.wantSlot(q, s, "2027-03-26T18:00", "03-26T17:00")
	})
}

// TestFindReadsInParts fills more slots than one read checks, some with more posts than
// one read returns.
func TestFindReadsInParts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		const full = 3*64 + 5
		a, b, c := f.accounts[0], f.accounts[1], f.accounts[2]
		q := f.queue(nil, "00:00", "06:00", "12:00", "18:00")
		loc, _ := time.LoadLocation(q.Timezone)
		var own schedctl.Post
		var last schedctl.QueueSlot
		f.together(func() {
			n := 0
			for slot := range q.Slots(slots.First(time.Time{}, now), now.Add(schedctl.QueueHorizon), loc) {
				if last = slot; n == full {
					break
				}
				switch {
				case n == 3:
					own = f.post(slot.At, a, b, c)
					fallthrough
				case n == 4:
					for range 150 { // three targets each: more than one page at one instant
						f.post(slot.At, a, b, c)
					}
				default:
					f.post(slot.At, a)
				}
				n++
			}
		})
		s := f.search(a, b, c)
		s.PostID = own.ID
		f.wantSlot(q, s, last.Local, last.At.Format("01-02T15:04"))
	})
}

func TestFindReportsAFullQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "12:00")
		loc, _ := time.LoadLocation(q.Timezone)
		var last schedctl.QueueSlot
		f.together(func() {
			for slot := range q.Slots(now, slots.First(now, now).Add(schedctl.QueueHorizon), loc) {
				f.post(slot.At, a)
				last = slot
			}
		})
		_, err := f.find(q, f.search(a), now)
		wantCode(t, err, schedctl.QueueFull)
		s := f.search(a)
		s.From = last.At
		if slot, err := f.find(q, s, now); err != nil || slot.At.Sub(last.At) > 25*time.Hour {
			t.Errorf("later: %v, %v", slot, err)
		}
	})
}

func TestIsFree(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(func(q *schedctl.Queue) { q.Gap = time.Hour }, "12:00")
		other := f.post(day(26, 11, 59), b)
		f.blackout(f.accounts[2], schedctl.BlackoutAvoid, day(26, 0, 0), day(27, 0, 0))
		check := func(s slots.Search, want schedctl.Code) {
			t.Helper()
			err := f.store.View(context.Background(), func(r storage.Reader) error { return slots.IsFree(r, q, s, day(26, 11, 0)) })
			wantCode(t, err, want)
		}
		check(f.search(a), "")
		check(f.search(a, b), schedctl.SlotTaken)
		check(f.search(f.accounts[2]), schedctl.SlotTaken)
		own := f.search(a, b)
		own.PostID = other.ID
		check(own, "")
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "09:00", "12:00", "18:00")
		past, taken := f.post(day(25, 8, 0), a), f.post(day(26, 17, 0), a)
		f.blackout(a, schedctl.BlackoutAvoid, day(27, 0, 0), day(27, 9, 0))
		list := func(limit int) (lines []string) {
			s := f.search(a)
			s.From = day(25, 0, 0)
			var states []slots.State
			err := f.store.View(f.Context(), func(r storage.Reader) (err error) {
				states, err = slots.List(r, q, s, day(27, 11, 0), limit, now)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range states {
				line := fmt.Sprint(s.Local, " ", s.Blocked, " ", s.Over)
				for _, o := range s.Taken {
					line += " " + o.PostID
				}
				lines = append(lines, line)
			}
			return lines
		}
		want := []string{
			"2027-03-25T09:00 false true " + past.ID, "2027-03-26T12:00 false false", "2027-03-26T18:00 false false " + taken.ID, "2027-03-27T09:00 true false",
		}
		if diff := cmp.Diff(want, list(100)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if diff := cmp.Diff(want[:2], list(2)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestTake(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(func(q *schedctl.Queue) { q.AccountIDs = []string{a} }, "12:00", "18:00")
		take := func(request slots.Request) (taken slots.Taken, err error) {
			request.WorkspaceID = f.ws
			err = f.store.Update(f.Context(), func(tx storage.Tx) error {
				taken, err = slots.Take(tx, request, now)
				return err
			})
			return taken, err
		}
		notBefore := day(26, 12, 0)
		got, err := take(slots.Request{QueueID: q.ID, AccountIDs: []string{a}, NotBefore: notBefore})
		want := slots.Taken{At: day(26, 17, 0), Booking: schedctl.Booking{
			QueueID: q.ID, Slot: schedctl.Slot{Local: "2027-03-26T18:00", Timezone: q.Timezone}, NotBefore: notBefore,
		}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		_, err = take(slots.Request{QueueID: q.ID, AccountIDs: []string{a, b}})
		wantCode(t, err, schedctl.ValidationFailed)
		if _, err = take(slots.Request{QueueID: schedctl.NewID(schedctl.QueuePrefix, now), AccountIDs: []string{a}}); !errors.Is(err, slots.ErrQueueGone) {
			t.Errorf("a missing queue: %v", err)
		}
	})
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := schedctl.Queue{ID: "all", Name: "all"}
	first, second := schedctl.Queue{ID: "first", AccountIDs: []string{"a", "b"}}, schedctl.Queue{ID: "second", AccountIDs: []string{"b", "c"}}
	fallback := schedctl.Queue{ID: "fallback", Default: true}
	narrow := schedctl.Queue{ID: "narrow", Default: true, AccountIDs: []string{"a"}}
	for name, tt := range map[string]struct {
		queues   []schedctl.Queue
		accounts []string
		want     string // the id of the queue, or the code
		says     string // the start of the message, with names of accounts
	}{
		"no queue":                     {nil, []string{"a"}, "NO_QUEUE", ""},
		"no default":                   {[]schedctl.Queue{all, first}, []string{"x"}, "NO_QUEUE", "no queue names X, "},
		"a default for others":         {[]schedctl.Queue{narrow}, []string{"x"}, "NO_QUEUE", "no queue names X, "},
		"the default":                  {[]schedctl.Queue{all, fallback, first}, []string{"x", "y"}, "fallback", ""},
		"the one that names":           {[]schedctl.Queue{fallback, first, second}, []string{"a"}, "first", ""},
		"a default that names":         {[]schedctl.Queue{narrow, second}, []string{"a"}, "narrow", ""},
		"two name the account":         {[]schedctl.Queue{fallback, first, second}, []string{"b"}, "VALIDATION_FAILED", "B has several queues ("},
		"accounts of different queues": {[]schedctl.Queue{fallback, first, second}, []string{"a", "c"}, "VALIDATION_FAILED", ""},
		"named and not named":          {[]schedctl.Queue{fallback, first}, []string{"a", "x"}, "VALIDATION_FAILED", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, err := slots.Choose(tt.queues, tt.accounts, strings.ToUpper)
			got := string(schedctl.CodeOf(err))
			if err == nil {
				got = q.ID
			}
			if got != tt.want || tt.says != "" && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s, want %s (%v)", got, tt.want, err)
			}
		})
	}
}

// countingReader counts the targets that are read.
type countingReader struct {
	storage.Reader
	read int
}

func (r *countingReader) Occupied(q storage.OccupiedQuery) ([]storage.OccupiedTime, error) {
	list, err := r.Reader.Occupied(q)
	r.read += len(list)
	return list, err
}

// TestFindSkipsTimesBetweenSlots guards that a search does not read all posts of a busy
// account between the slots of a queue.
func TestFindSkipsTimesBetweenSlots(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(func(q *schedctl.Queue) { q.Gap, q.Timezone = time.Minute, "UTC" }, "11:00")
		const days, posts = 3, 700
		for d := range days {
			f.update(func(tx storage.Tx) error {
				for n := range posts {
					at := day(26+d, 11, 0).Add(time.Duration(n) * time.Minute)
					p := schedctl.Post{
						ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.ws, Content: schedctl.Content{Text: "text"}, PublishAt: at, CreatedAt: now, UpdatedAt: now, Version: 1,
						Targets: []schedctl.Target{{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: a, Platform: "fake", Status: schedctl.Scheduled, PublishAt: at}},
					}
					if err := tx.PutPost(p); err != nil {
						return err
					}
				}
				return nil
			})
		}
		err := f.store.View(f.Context(), func(r storage.Reader) error {
			counting := &countingReader{Reader: r}
			slot, err := slots.Find(counting, q, f.search(a), now)
			if slot.Local != "2027-03-29T11:00" {
				t.Errorf("the slot is %s", slot.Local)
			}
			if counting.read > days*posts/2 {
				t.Errorf("%d of %d targets were read", counting.read, days*posts)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
