package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// If a daemon loses its lease between its claim and its call, and no other daemon adopts
// the attempt, it records the attempt as not published and publishes under its new id.
func TestFleetOfOneLapsesBeforeTheCall(t *testing.T) {
	fleetBubble(t, 1, func(f *fleet) {
		f.acquaint()
		only := f.nodes[0]
		before := only.member.ID()
		var once sync.Once
		f.beforeCall(func(p *peer, _ publish.Request) {
			once.Do(func() {
				p.freeze()
				time.AfterFunc(20*time.Second, p.unfreeze)
			})
		})
		p := f.publishNow(f.account("me", nil))
		f.after(time.Minute)
		f.wantPublished(p, 25*time.Second)
		if got := f.outcomes(p); !slices.Equal(got, []schedctl.Outcome{no, yes}) {
			t.Errorf("attempts %v, want one that did not publish and one that did", got)
		}
		if attempts := f.attempts(p); attempts[0].Owner != before || attempts[1].Owner == before {
			t.Errorf("owners %s, %s; want the old id %s and then a new one", attempts[0].Owner, attempts[1].Owner, before)
		}
		f.wantNothingLeft()
	})
}

// If the lease lapses during a call and no other daemon adopts the attempt, the end of
// the call is recorded under the id that made it.
func TestFleetOfOneLapsesDuringTheCall(t *testing.T) {
	fleetBubble(t, 1, func(f *fleet) {
		f.acquaint()
		f.fake.Then(publishtest.Response{After: 25 * time.Second})
		p := f.publishNow(f.account("me", nil))
		f.after(time.Second)
		f.nodes[0].freeze()
		f.after(15 * time.Second)
		f.nodes[0].unfreeze()
		f.after(time.Minute)
		f.wantPublished(p, 30*time.Second)
		if got := f.outcomes(p); !slices.Equal(got, []schedctl.Outcome{yes}) {
			t.Errorf("attempts %v", got)
		}
		if strings.Contains(f.logs.String(), "adopted an unfinished attempt") {
			t.Errorf("it has adopted its own attempt:\n%s", f.logs.String())
		}
		f.wantNothingLeft()
	})
}

// The end of a call is dropped after another daemon has adopted the attempt.
func TestFleetEndOfALostAttempt(t *testing.T) {
	fleetBubble(t, 2, func(f *fleet) {
		f.acquaint()
		lost := f.nodes[0]
		f.networks["finding"].Then(publishtest.Response{After: 2 * time.Second})
		p := f.publishNow(f.accountOf(lost, "finding", nil))
		f.after(time.Second)
		lost.freeze()
		f.after(50 * time.Second)
		lost.unfreeze()
		f.after(time.Second)
		f.wantStatus(p, schedctl.Publishing)
		if !strings.Contains(f.logs.String(), "its result is dropped") {
			t.Errorf("the log does not report it:\n%s", f.logs.String())
		}
		f.after(time.Minute)
		f.wantPublished(p, 2*time.Minute)
		if got := f.outcomes(p); !slices.Equal(got, []schedctl.Outcome{yes}) {
			t.Errorf("attempts %v", got)
		}
		f.wantNothingLeft()
	})
}

// An account has one call in flight, however many daemons publish to it.
func TestFleetCallsAnAccountOnceAtATime(t *testing.T) {
	fleetBubble(t, 3, func(f *fleet) {
		f.acquaint()
		var mu sync.Mutex // mu guards the variables below
		busy, most := map[string]int{}, 0
		f.fake.OnCall(func(_ context.Context, r publish.Request) publishtest.Response {
			mu.Lock()
			defer mu.Unlock()
			busy[r.Account.ID]++
			most = max(most, busy[r.Account.ID])
			time.AfterFunc(3*time.Second-1, func() {
				mu.Lock()
				defer mu.Unlock()
				busy[r.Account.ID]--
			})
			return publishtest.Response{After: 3 * time.Second}
		})
		a, b := f.account("a", nil), f.account("b", nil)
		var posts []schedctl.Post
		for range 10 {
			posts = append(posts, f.publishNow(a, b))
		}
		f.after(10 * time.Minute)
		for _, p := range posts {
			f.wantStatus(p, schedctl.Published)
		}
		if most != 1 {
			t.Errorf("%d concurrent calls for one account", most)
		}
		f.wantNothingLeft()
	})
}

// Three daemons space the overdue targets of an account as one does, even if the daemon
// that spaces them dies.
func TestFleetSpacesOverdueTargets(t *testing.T) {
	fleetBubble(t, 0, func(f *fleet) {
		var mu sync.Mutex // mu guards calls
		var calls []time.Time
		f.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, time.Now())
			return publishtest.Response{}
		})
		a := f.account("me", schedctl.Options{"pacing": "20s"})
		var posts []schedctl.Post
		for range 20 {
			posts = append(posts, f.schedule(time.Second, a))
		}
		time.Sleep(time.Hour)
		for range 3 {
			f.join()
		}
		f.after(time.Minute)
		for _, n := range f.nodes {
			if n.member.Mine(a.ID) {
				n.kill()
				break
			}
		}
		f.after(20 * time.Minute)
		for _, p := range posts {
			f.wantStatus(p, schedctl.Published)
		}
		mu.Lock()
		defer mu.Unlock()
		for i := 1; i < len(calls); i++ {
			if apart := calls[i].Sub(calls[i-1]); apart < 19*time.Second {
				t.Errorf("calls %d and %d are %s apart", i-1, i, apart)
			}
		}
		f.wantNothingLeft()
	})
}

// A claim whose commit was reported as failed is resumed, even under a new id, unless
// another daemon has adopted it.
func TestFleetUncertainClaimOutlivesItsID(t *testing.T) {
	fleetBubble(t, 1, func(f *fleet) {
		f.acquaint()
		only := f.nodes[0]
		a := f.account("me", nil)
		p := f.schedule(5*time.Second, a)
		only.faulty.FailUpdates(1, storagetest.AfterCommit)
		f.after(5*time.Second - time.Nanosecond)
		time.AfterFunc(time.Nanosecond, only.freeze)
		f.after(30 * time.Second)
		only.unfreeze()
		f.after(5 * time.Minute)
		f.wantPublished(p, time.Minute)
		f.wantNothingLeft()
	})
}

// One daemon continues with a held account after it was reconnected. Targets that are
// too late by then fail once.
func TestFleetHeldAccount(t *testing.T) {
	fleetBubble(t, 0, func(f *fleet) {
		f.config = func(c *deliver.Config) { c.MaxLateness = time.Hour }
		for range 3 {
			f.join()
		}
		f.acquaint()
		a := f.account("me", nil)
		f.fake.Then(failing(schedctl.KindAuth, no))
		late := f.schedule(time.Second, a)
		f.after(time.Minute)
		if f.readAccount(a.ID).Status != schedctl.AccountError {
			t.Fatal("the account is not held")
		}
		f.after(50 * time.Minute)
		var posts []schedctl.Post
		for range 5 {
			posts = append(posts, f.schedule(time.Second, a))
		}
		f.after(20 * time.Minute)
		f.wantStatus(late, schedctl.Failed)
		f.reconnect(a.ID)
		f.after(time.Minute)
		for _, p := range posts {
			f.wantStatus(p, schedctl.Published)
		}
		if n := len(f.fake.Requests()); n != 6 {
			t.Errorf("%d calls, want the refused one and five", n)
		}
		failed := 0
		for _, e := range f.events() {
			if e == schedctl.EventPostFailed {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("%d events of a failure, want 1: %v", failed, fmt.Sprint(f.events()))
		}
		f.wantNothingLeft()
	})
}

// A daemon with its own store calls without a lease guard.
func TestNoGuardInAStoreOfOneProcess(t *testing.T) {
	bubble(t, func(r *rig) {
		guarded := false
		r.fake.OnCall(func(ctx context.Context, _ publish.Request) publishtest.Response {
			guarded = publish.Guard(ctx) != nil
			return publishtest.Response{}
		})
		p := r.publishNow(r.account("me", nil))
		r.start()
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		if guarded {
			t.Error("the call had a guard")
		}
	})
}

// A daemon does not resume an attempt that it has adopted as if it had started it and
// never called. Here its own claim was uncertain before, and the adoption was reported
// as failed.
func TestFleetAdoptedIsNotResumed(t *testing.T) {
	fleetBubble(t, 2, func(f *fleet) {
		f.acquaint()
		dies, adopts := f.nodes[0], f.nodes[1]
		a := f.accountOf(adopts, "fake", nil)
		f.fake.Then(publishtest.Response{After: 20 * time.Second, Accepted: true})
		p := f.schedule(time.Second, a)
		adopts.faulty.FailUpdates(5, storagetest.BeforeDisk) // until the other daemon tries
		adopts.faulty.FailUpdates(8, storagetest.AfterCommit)
		f.after(2 * time.Second)
		if n := len(f.fake.Requests()); n != 1 {
			t.Fatalf("%d calls, want one by the standby daemon", n)
		}
		dies.kill()
		f.after(2 * time.Minute)
		if n := adopts.faulty.RemainingFailures(); n > 0 {
			t.Errorf("%d failures did not happen", n)
		}
		f.wantStatus(p, schedctl.Failed)
		if n := f.fake.Posts()[p.Targets[0].ID]; n != 1 {
			t.Errorf("it is %d times on the network", n)
		}
		f.wantNothingLeft()
	})
}
