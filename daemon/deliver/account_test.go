package deliver_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
)

var refused = failing(schedctl.KindAuth, no)

func TestRefusedAccountHoldsItsQueueUntilItWorksAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		a, other := r.account("me", nil), r.account("other", nil)
		r.fake.Then(refused)
		x := r.start()
		first := r.publishNow(a)
		synctest.Wait()
		second, elsewhere := r.publishNow(a), r.publishNow(other)
		r.after(12 * time.Hour)
		r.wantCalls(2)
		r.wantStatus(elsewhere, schedctl.Published)
		if e := r.wantStatus(first, schedctl.Publishing).Error; e == nil || e.Kind != schedctl.KindAuth || !e.Retryable {
			t.Errorf("error of the refused target: %+v", e)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || got.Error == nil || got.Error.Kind != schedctl.KindAuth {
			t.Errorf("account %s, error %+v", got.Status, got.Error)
		}
		if got, want := x.Stats(), (deliver.Stats{Queued: 2, Held: 2}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		if n := count(r.events(), schedctl.EventAccountError); n != 1 {
			t.Errorf("%d account events, want 1", n)
		}
		r.reconnect(a.ID)
		synctest.Wait()
		r.wantStatus(first, schedctl.Published)
		r.after(time.Second) // both are overdue and spaced
		r.wantStatus(second, schedctl.Published)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
	})
}

// The target whose call was refused stays the oldest of its queue, before and after a
// restart.
func TestRefusedAccountContinuesInOrder(t *testing.T) {
	for name, restart := range map[string]bool{"same run": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", nil)
				late := refused
				late.After = 10 * time.Second // others become due in that time
				r.fake.Then(late)
				r.start()
				var want []string
				for i := range 3 {
					want = append(want, r.schedule(time.Hour+time.Duration(i)*time.Millisecond, a).ID)
				}
				want = append(want[:1:1], want...) // the first is called twice
				r.after(2 * time.Hour)
				r.wantCalls(1)
				if restart {
					r.kill()
					r.start()
					synctest.Wait()
				}
				r.reconnect(a.ID)
				r.after(time.Minute)
				var got []string
				for _, q := range r.wantCalls(4) {
					got = append(got, q.PostID)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("order (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func count[T comparable](list []T, item T) (n int) {
	for i := range list {
		if list[i] == item {
			n++
		}
	}
	return n
}

func TestHeldTargetsEndAsMissed(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(refused)
		x := r.start()
		first := r.schedule(time.Hour, a)
		second := r.schedule(2*time.Hour, a)
		r.after(25*time.Hour - time.Second)
		r.wantStatus(first, schedctl.Publishing)
		r.wantStatus(second, schedctl.Scheduled)
		r.after(time.Minute)
		r.wantStatus(second, schedctl.Scheduled)
		if e := r.wantStatus(first, schedctl.Failed).Error; e.Kind != schedctl.KindMissed || e.Outcome != no {
			t.Errorf("error %+v", e)
		}
		r.after(time.Hour)
		r.wantStatus(second, schedctl.Failed)
		r.wantCalls(1)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
	})
}

// The lateness of a target that a person retried counts from the retry.
func TestRetriedTargetIsHeldAnew(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(refused)
		r.start()
		p := r.publishNow(a)
		r.after(25 * time.Hour)
		r.wantStatus(p, schedctl.Failed)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(23 * time.Hour)
		r.wantStatus(p, schedctl.Publishing)
		r.after(2 * time.Hour)
		r.wantStatus(p, schedctl.Failed)
		r.wantCalls(1)
	})
}

func TestHeldTargetsCanBeCanceledAndMoved(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(refused)
		x := r.start()
		met := r.publishNow(a)
		synctest.Wait()
		canceled, moved := r.schedule(time.Minute, a), r.schedule(time.Minute, a)
		r.after(time.Hour)
		r.cancel(met.ID)
		r.cancel(canceled.ID)
		r.reschedule(moved.ID, time.Hour)
		r.reconnect(a.ID)
		r.after(time.Minute)
		r.wantCalls(1)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
		r.after(time.Hour)
		r.wantCalls(2)
		r.wantStatus(moved, schedctl.Published)
	})
}

func TestHeldThroughARestart(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(refused)
		r.start()
		p := r.publishNow(a)
		r.after(time.Hour)
		r.kill()
		x := r.start()
		r.after(time.Hour)
		r.wantCalls(1)
		if got := x.Stats(); got.Held != 1 {
			t.Errorf("stats %+v", got)
		}
		r.reconnect(a.ID)
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

func TestCredentialsThatDoNotOpen(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.Credentials = r.seal("another account", token)
		r.putAccount(a)
		r.start()
		p := r.publishNow(a)
		r.after(time.Hour)
		r.wantCalls(0)
		if e := r.wantStatus(p, schedctl.Publishing).Error; e.Kind != schedctl.KindAuth || e.Code != "credentials_unreadable" || e.Outcome != no {
			t.Errorf("error %+v", e)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError {
			t.Errorf("account is %s", got.Status)
		}
		a.Credentials = r.seal(a.ID, token)
		r.putAccount(a) // as a new login does
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

// The refusal of old credentials does not apply to credentials that were stored during
// the call.
func TestReconnectedDuringTheCall(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		slow := refused
		slow.After = 10 * time.Second
		r.fake.Then(slow)
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		a.Credentials = r.seal(a.ID, "another-token")
		r.putAccount(a)
		r.after(10 * time.Second)
		r.wantStatus(p, schedctl.Published)
		if got := r.wantCalls(2)[1].Credentials["token"]; got != "another-token" {
			t.Errorf("second call with %q", got)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			t.Errorf("account is %s", got.Status)
		}
		if slices.Contains(r.events(), schedctl.EventAccountError) {
			t.Error("an event reports a refusal")
		}
	})
}

func TestAccountWithoutCredentials(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.Credentials = nil
		r.putAccount(a)
		r.start()
		p := r.publishNow(a)
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

// The account is reconnected after a claim has found it refused, and before the
// dispatcher handles that claim.
func TestReconnectedDuringTheClaim(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.Status = schedctl.AccountError
		r.putAccount(a)
		hooked := &hookedStore{Store: r.store}
		hooked.after = func() { r.reconnect(a.ID) }
		r.config = func(c *deliver.Config) { c.Store = hooked }
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
	})
}

// A post that is moved while its account is paused is published in its new order.
func TestPostMovedWhileItsAccountIsPaused(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.PausedUntil = time.Now().Add(time.Hour).UTC()
		r.putAccount(a)
		r.start()
		r.publishNow(a) // it finds the pause
		moved, other := r.schedule(time.Second, a), r.schedule(10*time.Second, a)
		r.reschedule(moved.ID, 5*time.Minute)
		r.after(2 * time.Hour)
		r.wantStatus(moved, schedctl.Published)
		if calls := r.wantCalls(3); calls[1].PostID != other.ID {
			t.Error("the moved post was published in its old order")
		}
	})
}
