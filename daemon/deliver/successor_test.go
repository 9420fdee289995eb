package deliver_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// wantAttempts checks the outcomes of the attempts of a post's first target.
func (r *rig) wantAttempts(p schedctl.Post, want ...schedctl.Outcome) {
	r.Helper()
	if got := r.outcomes(p); !slices.Equal(got, want) {
		r.Errorf("attempts %v, want %v\n%s", got, want, r.logs.String())
	}
}

// An account with many due targets needs one transaction for each.
func TestSuccessorIsClaimedWithTheRecording(t *testing.T) {
	bubble(t, func(r *rig) {
		const posts = 40
		a := r.account("me", nil)
		for range posts {
			r.publishNow(a)
		}
		counted := &countingStore{Store: r.store}
		r.config = func(c *deliver.Config) { c.Store = counted }
		r.start()
		r.after(time.Second)
		r.wantCalls(posts)
		if n := counted.updates.Load(); n > posts+4 {
			t.Errorf("%d transactions for %d targets", n, posts)
		}
	})
}

// No target follows one whose end is not on disk.
func TestNothingSucceedsWhatIsNotRecorded(t *testing.T) {
	bubble(t, func(r *rig) {
		me, other := r.account("me", nil), r.account("other", nil)
		damaged := &damagedStore{Store: r.store}
		damaged.repaired.Store(true)
		r.config = func(c *deliver.Config) { c.Store = damaged }
		release := r.fake.Hold()
		r.start()
		p, fine := r.publishNow(me), r.publishNow(other)
		synctest.Wait()
		next, fineNext := r.publishNow(me), r.publishNow(other)
		synctest.Wait()
		damaged.unreadable = p.ID
		damaged.repaired.Store(false)
		release()
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Publishing)
		r.wantAttempts(next)
		r.wantStatus(fine, schedctl.Published)
		r.wantStatus(fineNext, schedctl.Published)
		r.wantCalls(3)
		damaged.repaired.Store(true)
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantStatus(next, schedctl.Published)
		r.wantCalls(4)
	})
}

// If it is uncertain whether a transaction was committed, the store is read before either
// its recording or its claim is repeated.
func TestSuccessorIsCalledOnceWhateverTheStoreSays(t *testing.T) {
	for name, at := range moments {
		for times := range 4 {
			t.Run(fmt.Sprint(name, " ", times), func(t *testing.T) {
				bubble(t, func(r *rig) {
					faulty := r.faulty()
					a := r.account("me", nil)
					release := r.fake.Hold()
					r.start()
					posts := []schedctl.Post{r.publishNow(a)}
					synctest.Wait()
					posts = append(posts, r.publishNow(a), r.publishNow(a))
					synctest.Wait()
					faulty.FailUpdates(times, at)
					release()
					r.after(time.Minute)
					r.wantCalls(len(posts))
					for _, p := range posts {
						r.wantStatus(p, schedctl.Published)
						r.wantAttempts(p, yes)
					}
				})
			})
		}
	}
}

// Accounts that wait for a worker are not starved.
func TestSuccessorsLeaveWorkersToOthers(t *testing.T) {
	bubble(t, func(r *rig) {
		r.config = func(c *deliver.Config) { c.Workers = 1 }
		accounts := []schedctl.Account{r.account("a", nil), r.account("b", nil)}
		for range 3 {
			for _, a := range accounts {
				r.publishNow(a)
			}
		}
		r.start()
		r.after(time.Second)
		var names []string
		for _, q := range r.wantCalls(6) {
			names = append(names, q.Account.Name)
		}
		if diff := cmp.Diff([]string{"a", "b", "a", "b", "a", "b"}, names); diff != "" {
			t.Errorf("accounts called (-want +got):\n%s", diff)
		}
	})
}

// The next target does not start if the daemon stops, the account is paused or the disk
// is full.
func TestSuccessorIsNotStarted(t *testing.T) {
	for name, meanwhile := range map[string]func(*rig, schedctl.Account){
		"when the daemon stops": func(r *rig, _ schedctl.Account) { go r.kill() },
		"of an account that is paused": func(r *rig, a schedctl.Account) {
			a.PausedUntil = time.Now().Add(time.Hour)
			r.putAccount(a)
		},
		"on a full disk": func(r *rig, _ schedctl.Account) { r.store.(*storagetest.Faulty).SetFull() },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.faulty()
				a := r.account("me", nil)
				release := r.fake.Hold()
				r.start()
				p := r.publishNow(a)
				synctest.Wait()
				next := r.publishNow(a)
				synctest.Wait()
				meanwhile(r, a)
				synctest.Wait()
				release()
				r.after(time.Minute)
				r.wantCalls(1)
				r.wantStatus(p, schedctl.Published)
				r.wantAttempts(next)
			})
		})
	}
}

// A target that cannot be written does not prevent the recording of the one before.
func TestDamagedSuccessorHoldsUpNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		damaged := &damagedStore{Store: r.store}
		r.config = func(c *deliver.Config) { c.Store = damaged }
		release := r.fake.Hold()
		r.start()
		p := r.publishNow(a)
		synctest.Wait()
		next := r.publishNow(a)
		synctest.Wait()
		damaged.post = next.ID
		release()
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
		damaged.repaired.Store(true)
		r.after(time.Minute)
		r.wantStatus(next, schedctl.Published)
		r.wantAttempts(next, yes)
		r.wantCalls(2)
	})
}
