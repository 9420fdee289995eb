package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// hold holds accounts from now on, until an end or without one.
func (r *rig) hold(to time.Time, accounts ...schedctl.Account) schedctl.Blackout {
	r.Helper()
	return r.holdThat(func(*schedctl.Blackout) {}, to, accounts...)
}

// holdThat is hold for a hold with other fields.
func (r *rig) holdThat(set func(*schedctl.Blackout), to time.Time, accounts ...schedctl.Account) schedctl.Blackout {
	r.Helper()
	now := schedctl.Millis(time.Now())
	b := schedctl.Blackout{
		ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: r.workspace, Mode: schedctl.BlackoutHold,
		From: schedctl.LocalTimeOf(now), Timezone: "UTC", StartsAt: now, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if !to.IsZero() {
		b.To, b.EndsAt = schedctl.LocalTimeOf(to.UTC()), schedctl.Millis(to)
	}
	for _, a := range accounts {
		b.AccountIDs = append(b.AccountIDs, a.ID)
	}
	set(&b)
	r.update(func(tx storage.Tx) error {
		release := slots.Release{WorkspaceID: r.workspace}
		return errors.Join(release.Change(tx, nil, &b, now), tx.PutBlackout(b))
	})
	return b
}

// endHold deletes a hold, as the API does.
func (r *rig) endHold(b schedctl.Blackout) {
	r.Helper()
	release := slots.Release{WorkspaceID: r.workspace}
	for more := true; more; {
		r.update(func(tx storage.Tx) error {
			err := release.Change(tx, &b, nil, time.Now())
			if more = errors.Is(err, slots.ErrMoreHeld); more {
				return nil
			}
			return errors.Join(err, tx.DeleteBlackout(r.workspace, b.ID))
		})
		release.Committed()
	}
}

// slot stores a post with a slot at a time.
func (r *rig) slot(at time.Time, queue *schedctl.Queue, accounts ...schedctl.Account) schedctl.Post {
	r.Helper()
	at = schedctl.Millis(at).UTC()
	booking := schedctl.Booking{Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(at), Timezone: "UTC"}}
	if queue != nil {
		booking.QueueID = queue.ID
	}
	return r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: accounts, PublishAt: at, Booking: booking})
}

func (r *rig) everyMinute(minutes int) *schedctl.Queue {
	r.Helper()
	now := schedctl.Millis(time.Now())
	q := schedctl.Queue{ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: r.workspace, Name: "queue", Timezone: "UTC", CreatedAt: now, UpdatedAt: now, Version: 1}
	for m := 0; m < 24*60; m += minutes {
		q.Times = append(q.Times, schedctl.QueueTime{Days: schedctl.EveryDay, Minute: m})
	}
	r.update(func(tx storage.Tx) error { return tx.PutQueue(q) })
	return &q
}

// TestHoldStopsAnAccount guards that nothing of a held account is published until its end,
// that posts with slots get new ones, and that others follow one after the other.
func TestHoldStopsAnAccount(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprint("restarts ", restarts), func(t *testing.T) {
			bubble(t, func(r *rig) {
				queue := r.everyMinute(30)
				a, free := r.account("held", schedctl.Options{"pacing": "0s"}), r.account("free", nil)
				r.start()
				b := r.hold(time.Time{}, a)
				var fixed, slotted []schedctl.Post
				at := time.Now().Truncate(30 * time.Minute).Add(30 * time.Minute)
				for i := range 5 {
					fixed = append(fixed, r.schedule(time.Hour+time.Duration(i)*time.Second, a))
					slotted = append(slotted, r.slot(at.Add(time.Duration(i)*30*time.Minute), queue, a))
				}
				other := r.schedule(time.Minute, free)
				now := r.publishNow(a)
				r.after(3 * time.Hour)
				r.wantStatus(other, schedctl.Published)
				r.wantCalls(1)
				if restarts {
					r.kill()
					r.start()
					r.after(time.Minute)
					r.wantCalls(1)
				}
				end := time.Now()
				r.endHold(b)
				r.after(10 * time.Second)
				last := r.wantStatus(now, schedctl.Published).PublishedAt
				for _, p := range fixed {
					got := r.wantStatus(p, schedctl.Published).PublishedAt
					if got.Sub(last) < time.Second {
						t.Errorf("published %s after the one before", got.Sub(last))
					}
					last = got
				}
				wantAt := end.Truncate(30 * time.Minute).Add(30 * time.Minute)
				for _, p := range slotted {
					got := r.wantStatus(p, schedctl.Scheduled)
					if !got.PublishAt.Equal(wantAt) {
						t.Errorf("the new slot is %s, want %s", got.PublishAt, wantAt)
					}
					wantAt = wantAt.Add(30 * time.Minute)
				}
				r.after(3 * time.Hour)
				for _, p := range slotted {
					if got := r.wantStatus(p, schedctl.Published); got.PublishedAt.Sub(got.PublishAt) > time.Second {
						t.Errorf("published at %s, due at %s", got.PublishedAt, got.PublishAt)
					}
				}
			})
		})
	}
}

// TestLongHold guards that posts with slots are not too late while they are held, and that
// posts with a fixed time are.
func TestLongHold(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("held", nil)
		r.start()
		b := r.hold(time.Time{}, a)
		slotted, fixed := r.slot(time.Now().Add(time.Minute), nil, a), r.schedule(time.Minute, a)
		r.after(24 * time.Hour)
		r.wantStatus(fixed, schedctl.Scheduled)
		r.after(26 * time.Hour)
		if e := r.wantStatus(fixed, schedctl.Failed).Error; e.Kind != schedctl.KindMissed {
			t.Errorf("the error is %+v", e)
		}
		r.wantStatus(slotted, schedctl.Scheduled)
		r.endHold(b)
		r.after(10 * time.Second)
		r.wantStatus(slotted, schedctl.Published)
		if got := r.post(slotted.ID); got.Slot != (schedctl.Slot{}) {
			t.Errorf("the post without a queue has the slot %+v", got.Slot)
		}
		r.wantCalls(1)
	})
}

// TestHoldStopsAThread guards that a hold stops a thread between two parts, and that the
// thread continues after it.
func TestHoldStopsAThread(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("held", nil)
		r.start()
		p := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret, Thread: []schedctl.Part{{Content: partText(1)}, {Content: partText(2)}}}, Accounts: []schedctl.Account{a}, Now: true})
		var b schedctl.Blackout
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if q.Part == 0 {
				b = r.hold(time.Time{}, a)
			}
			return publishtest.Response{}
		})
		r.after(time.Hour)
		if got := r.wantStatus(p, schedctl.Publishing); len(got.Done) != 1 {
			t.Fatalf("%d parts are done", len(got.Done))
		}
		r.endHold(b)
		r.after(time.Minute)
		if got := r.wantStatus(p, schedctl.Published); len(got.Done) != 3 {
			t.Errorf("%d parts are done", len(got.Done))
		}
	})
}

// TestHoldUntilItIsSettled guards that nothing is published between the end of a hold and
// its settling.
func TestHoldUntilItIsSettled(t *testing.T) {
	bubble(t, func(r *rig) {
		queue, a := r.everyMinute(30), r.account("held", nil)
		r.start()
		b := r.hold(time.Now().Add(time.Hour), a)
		p := r.slot(time.Now().Add(time.Minute), queue, a)
		r.after(2 * time.Hour)
		r.wantStatus(p, schedctl.Scheduled)
		for range 2 { // the second one finds nothing to do
			if err := slots.Settle(r.Context(), r.store, r.workspace, b.ID, time.Now); err != nil {
				t.Fatal(err)
			}
		}
		want := time.Now().Truncate(30 * time.Minute).Add(30 * time.Minute)
		if got := r.wantStatus(p, schedctl.Scheduled); !got.PublishAt.Equal(want) {
			t.Errorf("the new slot is %s, want %s", got.PublishAt, want)
		}
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Published)
	})
}

// TestHoldOfSeveralNodes guards a hold on several daemons.
func TestHoldOfSeveralNodes(t *testing.T) {
	fleetBubble(t, 2, func(f *fleet) {
		f.acquaint()
		queue := f.everyMinute(10)
		a := f.accountOf(f.nodes[0], "fake", schedctl.Options{"pacing": "0s"})
		b := f.hold(time.Time{}, a)
		var fixed []schedctl.Post
		for i := range 5 {
			fixed = append(fixed, f.schedule(2*time.Hour+time.Duration(i)*time.Millisecond, a))
		}
		slotted := f.slot(time.Now().Truncate(10*time.Minute).Add(10*time.Minute), queue, a)
		f.after(2*time.Hour + 30*time.Second)
		f.wantCalls(0)
		f.nodes[0].kill()
		f.after(30 * time.Second)
		f.wantCalls(0)
		f.endHold(b)
		f.after(30 * time.Second)
		var last time.Time
		for _, p := range fixed {
			got := f.wantStatus(p, schedctl.Published).PublishedAt
			if got.Sub(last) < time.Second {
				t.Errorf("published %s after the one before", got.Sub(last))
			}
			last = got
		}
		f.wantStatus(slotted, schedctl.Scheduled)
		f.after(10 * time.Minute)
		f.wantStatus(slotted, schedctl.Published)
	})
}

// holds is a journal of the holds of a world.
type holds struct {
	running map[string]schedctl.Blackout // by account
	past    map[string][]period          // by account
}

type period struct{ from, to time.Time }

// toggleHold starts or ends the hold of a random account.
func (w *world) toggleHold() {
	if w.holds.running == nil {
		w.holds = holds{running: map[string]schedctl.Blackout{}, past: map[string][]period{}}
	}
	a := w.accounts[w.intN(len(w.accounts))]
	if _, held := w.holds.running[a.ID]; !held {
		w.holds.running[a.ID] = w.hold(time.Time{}, a)
		return
	}
	w.releaseHold(a.ID)
}

func (w *world) releaseHold(account string) {
	b := w.holds.running[account]
	delete(w.holds.running, account)
	w.holds.past[account] = append(w.holds.past[account], period{b.StartsAt, time.Now()})
	w.endHold(b)
}

// releaseAll ends all holds.
func (w *world) releaseAll() {
	for id := range w.holds.running {
		w.releaseHold(id)
	}
}

// checkHolds guards that no attempt of an account started during a hold.
func (w *world) checkHolds() {
	w.Helper()
	for _, p := range w.posts {
		for _, t := range w.post(p.ID).Targets {
			var attempts []schedctl.Attempt
			w.view(func(r storage.Reader) (err error) {
				attempts, err = r.Attempts(t.ID)
				return err
			})
			for _, a := range attempts {
				for _, h := range w.holds.past[a.AccountID] {
					if a.StartedAt.After(h.from) && a.StartedAt.Before(h.to.Truncate(time.Millisecond)) {
						w.Errorf("attempt %d of target %s started at %s, in the hold from %s to %s", a.Number, t.ID, a.StartedAt, h.from, h.to)
					}
				}
			}
		}
	}
}
