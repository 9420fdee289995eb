package deliver_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/slots"
)

// holdLabel holds the posts with a label from now on, until an end or without one.
func (r *rig) holdLabel(label string, to time.Time, accounts ...schedctl.Account) schedctl.Blackout {
	r.Helper()
	return r.holdThat(func(b *schedctl.Blackout) { b.Label = label }, to, accounts...)
}

// labeled stores a post that is due in a while.
func (r *rig) labeled(in time.Duration, a schedctl.Account, labels ...string) schedctl.Post {
	r.Helper()
	return r.create(schedctl.NewPost{
		Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, PublishAt: time.Now().Add(in),
		Annotation: schedctl.Annotation{Labels: &labels},
	})
}

// TestHoldOfALabel guards that a hold of a label stops the posts that have it and no
// others of the account, also after a restart.
func TestHoldOfALabel(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprint("restarts ", restarts), func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("a", schedctl.Options{"pacing": "0s"})
				r.start()
				b, other := r.holdLabel("launch", time.Time{}), r.holdLabel("sale", time.Time{})
				var held, free []schedctl.Post
				for i := range 5 {
					in := time.Hour + time.Duration(i)*time.Second
					held = append(held, r.labeled(in, a, "spring", "launch"))
					free = append(free, r.labeled(in, a, "spring"))
				}
				both := r.labeled(time.Hour, a, "launch", "sale")
				r.after(2 * time.Hour)
				for i := range held {
					r.wantStatus(held[i], schedctl.Scheduled)
					if got := r.wantStatus(free[i], schedctl.Published); got.PublishedAt.Sub(got.PublishAt) > time.Second {
						t.Errorf("published at %s, due at %s", got.PublishedAt, got.PublishAt)
					}
				}
				if restarts {
					r.kill()
					r.start()
					r.after(time.Minute)
				}
				r.wantCalls(len(free))
				r.endHold(b)
				r.after(10 * time.Second)
				last := time.Time{}
				for _, p := range held {
					got := r.wantStatus(p, schedctl.Published).PublishedAt
					if got.Sub(last) < time.Second {
						t.Errorf("published %s after the one before", got.Sub(last))
					}
					last = got
				}
				r.wantStatus(both, schedctl.Scheduled)
				r.endHold(other)
				r.after(time.Second)
				r.wantStatus(both, schedctl.Published)
			})
		})
	}
}

// TestLabelsChangeDuringAHold guards posts that get or lose the label of a hold.
func TestLabelsChangeDuringAHold(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		r.start()
		r.holdLabel("launch", time.Time{})
		gets, loses := r.labeled(time.Hour, a), r.labeled(time.Hour, a, "launch")
		relabel := func(p schedctl.Post, labels ...string) {
			r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
				return p.Edit(schedctl.Edit{Annotation: schedctl.Annotation{Labels: &labels}}, time.Now())
			})
		}
		relabel(gets, "launch")
		r.after(2 * time.Hour)
		r.wantStatus(gets, schedctl.Scheduled)
		r.wantStatus(loses, schedctl.Scheduled)
		relabel(loses, "autumn")
		r.after(time.Minute) // the next sweep, also if no one stores the account
		r.wantStatus(loses, schedctl.Published)
		relabel(gets)
		r.putAccount(r.readAccount(a.ID))
		r.after(time.Second)
		r.wantStatus(gets, schedctl.Published)
	})
}

// TestLongHoldOfALabel guards that posts are not too late before the hold ends, and that
// their lateness counts then.
func TestLongHoldOfALabel(t *testing.T) {
	bubble(t, func(r *rig) {
		queue, a := r.everyMinute(30), r.account("a", nil)
		r.start()
		b := r.holdLabel("launch", time.Now().Add(100*time.Hour))
		late, recent, moved := r.labeled(time.Hour, a, "launch"), r.labeled(90*time.Hour, a, "launch"), r.labeled(time.Hour, a, "launch")
		slotted := r.slot(time.Now().Add(time.Hour), queue, a)
		r.change(slotted.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Edit(schedctl.Edit{Annotation: schedctl.Annotation{Labels: &[]string{"launch"}}}, time.Now())
		})
		r.after(99 * time.Hour)
		r.reschedule(moved.ID, 2*time.Hour)
		r.after(2 * time.Hour)
		for _, p := range []schedctl.Post{late, recent, slotted, moved} {
			r.wantStatus(p, schedctl.Scheduled)
		}
		if err := slots.Settle(r.Context(), r.store, r.workspace, b.ID, time.Now); err != nil {
			t.Fatal(err)
		}
		r.after(10 * time.Second)
		if e := r.wantStatus(late, schedctl.Failed).Error; e.Kind != schedctl.KindMissed {
			t.Errorf("the error is %+v", e)
		}
		r.wantStatus(recent, schedctl.Published)
		r.wantStatus(moved, schedctl.Published)
		if got := r.wantStatus(slotted, schedctl.Scheduled); !got.PublishAt.After(time.Now()) {
			t.Errorf("the new slot is %s", got.PublishAt)
		}
		r.after(time.Hour)
		r.wantStatus(slotted, schedctl.Published)
	})
}

// TestHoldOfALabelLeavesThreads guards that a thread that has begun is finished, because
// other posts of the account wait for it.
func TestHoldOfALabelLeavesThreads(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		r.start()
		p := r.create(schedctl.NewPost{
			Content:  schedctl.Content{Text: secret, Thread: []schedctl.Part{{Content: partText(1)}, {Content: partText(2)}}},
			Accounts: []schedctl.Account{a}, Now: true, Annotation: schedctl.Annotation{Labels: &[]string{"launch"}},
		})
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if q.Part == 0 {
				r.holdLabel("launch", time.Time{})
			}
			return publishtest.Response{}
		})
		r.after(time.Minute)
		if got := r.wantStatus(p, schedctl.Published); len(got.Done) != 3 {
			t.Errorf("%d parts are done", len(got.Done))
		}
	})
}

// TestHoldOfALabelOnSeveralNodes guards the hold when the node that serves the account is
// replaced.
func TestHoldOfALabelOnSeveralNodes(t *testing.T) {
	fleetBubble(t, 2, func(f *fleet) {
		f.acquaint()
		a := f.accountOf(f.nodes[0], "fake", nil)
		b := f.holdLabel("launch", time.Time{})
		held, free := f.labeled(time.Hour, a, "launch"), f.labeled(time.Hour, a)
		f.after(time.Hour + 10*time.Second)
		f.wantStatus(free, schedctl.Published)
		f.nodes[0].kill()
		f.after(time.Minute)
		f.wantStatus(held, schedctl.Scheduled)
		next := f.labeled(time.Second, a)
		f.after(time.Minute)
		f.wantStatus(next, schedctl.Published)
		f.endHold(b)
		f.after(30 * time.Second)
		f.wantStatus(held, schedctl.Published)
		f.wantCalls(3)
	})
}

// TestCanceledPostOfAHold guards that a parked post can be canceled.
func TestCanceledPostOfAHold(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		r.start()
		b := r.holdLabel("launch", time.Time{}, a)
		p := r.labeled(time.Minute, a, "launch")
		r.after(time.Hour)
		r.cancel(p.ID)
		r.endHold(b)
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Canceled)
		r.wantCalls(0)
	})
}
