package slots_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// holdUntil stores a hold of accounts that ends at a time, with its copies.
func (f *fixture) holdUntil(to time.Time, accounts ...string) schedctl.Blackout {
	f.Helper()
	b := schedctl.Blackout{
		ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: f.ws, Mode: schedctl.BlackoutHold, Timezone: "UTC", AccountIDs: accounts,
		StartsAt: now.Add(-48 * time.Hour), EndsAt: to, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	f.update(func(tx storage.Tx) error {
		release := slots.Release{WorkspaceID: f.ws}
		return errors.Join(release.Change(tx, nil, &b, now), tx.PutBlackout(b))
	})
	return b
}

// slotted stores a scheduled post with a slot of a queue.
func (f *fixture) slotted(at time.Time, queueID string, accounts ...string) schedctl.Post {
	f.Helper()
	p := f.post(at, accounts...)
	p.Booking = schedctl.Booking{QueueID: queueID, Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(at), Timezone: "UTC"}}
	f.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	return p
}

func (f *fixture) stored(id string) (p schedctl.Post) {
	f.Helper()
	err := f.store.View(f.Context(), func(r storage.Reader) (err error) {
		p, err = r.Post(f.ws, id)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return p
}

func (f *fixture) settle(b schedctl.Blackout, at time.Time) {
	f.Helper()
	if err := slots.Settle(f.Context(), f.store, f.ws, b.ID, func() time.Time { return at }); err != nil {
		f.Fatal(err)
	}
}

// The posts of a hold get the next free slots in their old order, in several transactions.
// Posts with a fixed time, and those of other accounts, stay.
func TestSettleMovesPostsInOrder(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "00:00", "06:00", "12:00", "18:00")
		b := f.holdUntil(now, f.accounts[0], f.accounts[1])
		var held []schedctl.Post
		for n := range 450 { // newest first, of one account, the other, and both
			at := now.Add(-time.Duration(n+1) * time.Minute)
			of := [][]string{{f.accounts[0]}, {f.accounts[1]}, {f.accounts[0], f.accounts[1]}}[n%3]
			held = append(held, f.slotted(at, q.ID, of...))
		}
		slices.Reverse(held)
		fixed := f.post(now.Add(-time.Hour-time.Second), f.accounts[0])
		other := f.slotted(now.Add(-time.Hour), q.ID, f.accounts[2])
		busy := f.post(day(26, 11, 0), f.accounts[0]) // 12:00 in Berlin
		f.settle(b, now.Add(time.Second))
		last := map[string]time.Time{}
		for _, p := range held {
			got := f.stored(p.ID)
			if !q.HasSlot(got.Slot) || got.QueueID != q.ID || got.PublishAt.Equal(busy.PublishAt) && slices.Contains(got.AccountIDs(), f.accounts[0]) {
				t.Fatalf("the new slot of %s is %s, %+v", p.ID, got.PublishAt, got.Booking)
			}
			for _, a := range got.AccountIDs() {
				if !got.PublishAt.After(last[a]) {
					t.Fatalf("%s is at %s, after a post at %s", p.ID, got.PublishAt, last[a])
				}
				last[a] = got.PublishAt
			}
		}
		for _, p := range []schedctl.Post{fixed, other, busy} {
			if got := f.stored(p.ID); got.Version != p.Version || !got.PublishAt.Equal(p.PublishAt) {
				t.Errorf("the post at %s moved to %s", p.PublishAt, got.PublishAt)
			}
		}
		for _, id := range f.accounts[:2] {
			if a := f.search(id).Accounts[0]; len(a.Blackouts) > 0 {
				t.Errorf("an account has still a copy: %+v", a.Blackouts)
			}
		}
		before := f.stored(held[0].ID)
		f.settle(b, now.Add(time.Minute))
		if got := f.stored(held[0].ID); got.Version != before.Version {
			t.Error("settling twice moves posts twice")
		}
	})
}

// errStop ends a process in the test.
var errStop = errors.New("stop")

// stopping is a store that commits a number of transactions.
type stopping struct {
	storage.Store
	left int
}

func (s *stopping) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if s.left--; s.left < 0 {
		return errStop
	}
	return s.Store.Update(ctx, fn)
}

// A hold whose settling was cut off is settled by the next one, and until then nothing
// leaves it.
func TestSettleAfterACrash(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "00:00", "12:00")
		b := f.holdUntil(now, f.accounts[0])
		var held []schedctl.Post
		for n := range 250 {
			held = append(held, f.slotted(now.Add(time.Duration(n-300)*time.Minute), q.ID, f.accounts[0]))
		}
		err := slots.Settle(t.Context(), &stopping{f.store, 1}, f.ws, b.ID, func() time.Time { return now.Add(time.Second) })
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		if a := f.search(f.accounts[0]).Accounts[0]; len(a.Blackouts) != 1 {
			t.Errorf("the copies are %+v", a.Blackouts)
		}
		f.settle(b, now.Add(time.Minute))
		taken := map[time.Time]bool{}
		var last time.Time
		for _, p := range held {
			got := f.stored(p.ID)
			if taken[got.PublishAt] || !got.PublishAt.After(last) {
				t.Fatalf("%s is at %s, after a post at %s", p.ID, got.PublishAt, last)
			}
			taken[got.PublishAt], last = true, got.PublishAt
		}
	})
}

// Posts whose queue is gone, full or lacks their account get times a second apart, which
// no other post of the account has.
func TestSettleWithoutAQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		other := f.queue(func(q *schedctl.Queue) { q.AccountIDs = f.accounts[1:2] }, "12:00")
		b := f.holdUntil(now, f.accounts[0])
		first := f.slotted(now.Add(-3*time.Minute), "", f.accounts[0])
		second := f.slotted(now.Add(-2*time.Minute), other.ID, f.accounts[0])
		third := f.slotted(now.Add(-time.Minute), schedctl.NewID(schedctl.QueuePrefix, now), f.accounts[0])
		f.post(now.Add(2500*time.Millisecond), f.accounts[0])
		f.settle(b, now)
		times := []time.Time{now}
		for _, p := range []schedctl.Post{first, second, third} {
			got := f.stored(p.ID)
			if got.Booking != (schedctl.Booking{}) || got.PublishAt.Sub(times[len(times)-1]) < time.Second || got.PublishAt.Sub(now.Add(2500*time.Millisecond)).Abs() < time.Second {
				t.Errorf("%s is at %s with %+v, after %s", p.ID, got.PublishAt, got.Booking, times)
			}
			times = append(times, got.PublishAt)
		}
		if times[3].After(now.Add(10 * time.Second)) {
			t.Errorf("the last one is at %s", times[3])
		}
	})
}

// An account that another hold still holds keeps its posts; a hold that is not over is not
// settled.
func TestSettleOneOfTwoHolds(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "12:00")
		first, second := f.holdUntil(now, f.accounts[0]), f.holdUntil(now.Add(time.Hour), f.accounts[0])
		p := f.slotted(now.Add(-time.Minute), q.ID, f.accounts[0])
		f.settle(second, now)
		f.settle(first, now)
		if got := f.stored(p.ID); got.Version != p.Version {
			t.Errorf("the post moved to %s", got.PublishAt)
		}
		if a := f.search(f.accounts[0]).Accounts[0]; len(a.Blackouts) != 1 || a.Blackouts[0].ID != second.ID {
			t.Errorf("the copies are %+v", a.Blackouts)
		}
		f.settle(second, now.Add(time.Hour))
		if got := f.stored(p.ID); !got.PublishAt.Equal(day(27, 11, 0)) {
			t.Errorf("the post moved to %s", got.PublishAt)
		}
	})
}

// The end of a hold of a label moves the posts that no other hold holds.
func TestSettleAHoldOfALabel(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "12:00")
		label := func(b schedctl.Blackout, label string) schedctl.Blackout {
			before := b.Clone()
			b.Label = label
			f.update(func(tx storage.Tx) error {
				release := slots.Release{WorkspaceID: f.ws}
				return errors.Join(release.Change(tx, &before, &b, now), tx.PutBlackout(b))
			})
			return b
		}
		launch, sale := label(f.holdUntil(now, f.accounts...), "launch"), label(f.holdUntil(now.Add(time.Hour), f.accounts[0]), "sale")
		all := f.holdUntil(now.Add(2*time.Hour), f.accounts[1])
		n := 0
		post := func(account string, labels ...string) schedctl.Post {
			n++
			p := f.slotted(now.Add(-time.Duration(n)*time.Minute), q.ID, account)
			p.Labels = labels
			f.update(func(tx storage.Tx) error { return tx.PutPost(p) })
			return p
		}
		one, both, other, none := post(f.accounts[0], "launch"), post(f.accounts[0], "sale", "launch"), post(f.accounts[1], "launch"), post(f.accounts[0])
		moved := func() (ids []string) {
			for _, p := range []schedctl.Post{one, both, other, none} {
				if f.stored(p.ID).Version != p.Version {
					ids = append(ids, p.ID)
				}
			}
			return ids
		}
		for _, step := range []struct {
			hold schedctl.Blackout
			at   time.Time
			want []string
		}{{launch, now, []string{one.ID}}, {sale, now.Add(time.Hour), []string{one.ID, both.ID}}, {all, now.Add(2 * time.Hour), []string{one.ID, both.ID, other.ID}}} {
			if f.settle(step.hold, step.at); !slices.Equal(moved(), step.want) {
				t.Errorf("after the hold of %q, %v moved, want %v", step.hold.Label, moved(), step.want)
			}
		}
	})
}

// A new slot is not in another blackout.
func TestSettleStepsAroundBlackouts(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "12:00")
		b := f.holdUntil(now, f.accounts[0])
		f.blackout(f.accounts[0], schedctl.BlackoutAvoid, now.Add(-time.Hour), day(28, 0, 0))
		p, none := f.slotted(now.Add(-2*time.Minute), q.ID, f.accounts[0]), f.slotted(now.Add(-time.Minute), "", f.accounts[0])
		f.settle(b, now)
		if got := f.stored(p.ID); !got.PublishAt.Equal(day(28, 10, 0)) { // summer time
			t.Errorf("the post moved to %s", got.PublishAt)
		}
		if got := f.stored(none.ID); !got.PublishAt.Equal(day(28, 0, 0)) {
			t.Errorf("the post without a queue moved to %s", got.PublishAt)
		}
	})
}
