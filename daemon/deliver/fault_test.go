package deliver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// faulty puts a store that can fail on request in front of the memory store.
func (r *rig) faulty() *storagetest.Faulty {
	f := storagetest.NewFaulty(r.store)
	r.store = f
	return f
}

var moments = map[string]storagetest.FailurePoint{
	"before fn": storagetest.BeforeFn, "before disk": storagetest.BeforeDisk, "after commit": storagetest.AfterCommit,
}

func TestClaimIsRepeatedUntilItIsStored(t *testing.T) {
	for name, at := range moments {
		for _, times := range []int{1, 3, 20} {
			t.Run(fmt.Sprint(name, " ", times), func(t *testing.T) {
				bubble(t, func(r *rig) {
					faulty := r.faulty()
					p := r.publishNow(r.account("me", nil))
					faulty.FailUpdates(times, at)
					r.start()
					r.after(10 * time.Minute)
					if faulty.RemainingFailures() != 0 {
						t.Fatalf("%d failures did not happen", faulty.RemainingFailures())
					}
					r.wantCalls(1)
					r.wantStatus(p, schedctl.Published)
					if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{yes}) {
						t.Errorf("attempts %v", got)
					}
					if n := strings.Count(r.logs.String(), "store fails, trying again"); n != 1 {
						t.Errorf("logged %d times that the store fails:\n%s", n, r.logs.String())
					}
				})
			})
		}
	}
}

// The end of a call is kept while the disk is full, and its account publishes nothing
// else in that time.
func TestEndIsKeptUntilItIsStored(t *testing.T) {
	for name, at := range moments {
		for _, answer := range []schedctl.Outcome{yes, no} {
			t.Run(fmt.Sprint(name, " ", answer), func(t *testing.T) {
				bubble(t, func(r *rig) {
					faulty := r.faulty()
					a := r.account("me", nil)
					release := r.fake.Hold()
					if answer == no {
						r.fake.Then(failing(schedctl.KindContent, no))
					}
					x := r.start()
					p := r.publishNow(a)
					synctest.Wait()
					next := r.publishNow(a)
					synctest.Wait()
					faulty.FailUpdates(100, at)
					release()
					r.after(time.Minute)
					r.wantCalls(1)
					if got := x.Stats(); got.InFlight != 1 || got.Queued != 1 {
						t.Errorf("stats %+v, want the account busy", got)
					}
					r.after(time.Hour)
					r.wantCalls(2)
					r.wantStatus(next, schedctl.Published)
					if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{answer}) {
						t.Errorf("attempts %v", got)
					}
					want := map[schedctl.Outcome]schedctl.EventType{yes: schedctl.EventPostPublished, no: schedctl.EventPostFailed}[answer]
					if n := count(r.events(), want); n != 1+count([]schedctl.Outcome{answer}, yes) {
						t.Errorf("events %v", r.events())
					}
					log := r.logs.String()
					if strings.Count(log, "store fails, trying again") != 1 || strings.Count(log, "store works again") != 1 {
						t.Errorf("not one line for each change of the store's state:\n%s", log)
					}
				})
			})
		}
	}
}

// If the store commits a retry but reports a failure, the dispatcher neither forgets the
// retry nor stores it twice.
func TestDeferredEndThatWasStoredAllTheSame(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		release := r.fake.Hold()
		r.fake.Then(netDown)
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		faulty.FailUpdates(10, storagetest.AfterCommit)
		release()
		r.after(10 * time.Minute)
		r.wantCalls(2)
		r.wantStatus(p, schedctl.Published)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{no, yes}) {
			t.Errorf("attempts %v", got)
		}
	})
}

// A person sees the stored failure and retries before the deliverer knows that it was
// stored.
func TestRetriedWhileItsRecordingWasUncertain(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		release := r.fake.Hold()
		r.fake.Then(failing(schedctl.KindContent, no))
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		faulty.FailUpdates(1, storagetest.AfterCommit)
		release()
		synctest.Wait()
		r.wantStatus(p, schedctl.Failed)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(2)
		if n := count(r.events(), schedctl.EventPostFailed); n != 1 {
			t.Errorf("%d events of one failure", n)
		}
	})
}

func TestCanceledWhileItsClaimWasUncertain(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		p := r.publishNow(r.account("me", nil))
		faulty.FailUpdates(1, storagetest.AfterCommit)
		r.start()
		synctest.Wait()
		r.cancel(p.ID)
		r.after(time.Minute)
		r.wantCalls(0)
		r.wantStatus(p, schedctl.Canceled)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{no}) {
			t.Errorf("attempts %v", got)
		}
	})
}

func TestReadsAreRepeatedUntilTheyWork(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		a, other := r.account("me", nil), r.account("other", schedctl.Options{"idempotent": true})
		p, interrupted := r.publishNow(a), r.publishNow(other)
		r.interrupt(interrupted)
		faulty.FailViews(30)
		x := r.start()
		r.after(10 * time.Minute)
		if faulty.RemainingFailures() != 0 {
			t.Fatalf("%d failures did not happen", faulty.RemainingFailures())
		}
		r.wantStatus(p, schedctl.Published)
		r.wantStatus(interrupted, schedctl.Published)
		r.wantCalls(2)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
	})
}

// A record that cannot be read or written does not delay other accounts for long. It is
// retried, but not continuously.
func TestDamagedRecordsHoldUpNobodyElse(t *testing.T) {
	bubble(t, func(r *rig) {
		var accounts []schedctl.Account
		for i := range 40 {
			accounts = append(accounts, r.account(fmt.Sprint("account ", i), nil))
		}
		var posts []schedctl.Post
		for _, a := range accounts {
			posts = append(posts, r.publishNow(a))
		}
		damaged := &damagedStore{Store: r.store, account: accounts[7].ID, post: posts[13].ID}
		counted := &countingStore{Store: damaged}
		r.config = func(c *deliver.Config) { c.Store = counted }
		r.start()
		r.after(time.Minute)
		for i, p := range posts {
			if i != 7 && i != 13 {
				r.wantStatus(p, schedctl.Published)
			}
		}
		before := counted.updates.Load()
		r.after(time.Minute)
		if n := counted.updates.Load() - before; n < 4 || n > 40 {
			t.Errorf("%d transactions in a minute for two records", n)
		}
		damaged.repaired.Store(true)
		r.after(time.Minute)
		r.wantStatus(posts[7], schedctl.Published)
		r.wantStatus(posts[13], schedctl.Published)
		r.wantCalls(len(posts))
	})
}

// A failing store may work again within the grace period. A broken store does not.
func TestStopWhileTheStoreFails(t *testing.T) {
	for why, takes := range map[error]time.Duration{nil: deliver.StopGrace, fmt.Errorf("x: %w", storage.ErrBroken): 0} {
		t.Run(fmt.Sprint(why), func(t *testing.T) { testStopWhileTheStoreFails(t, why, takes) })
	}
}

func testStopWhileTheStoreFails(t *testing.T, why error, takes time.Duration) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		release := r.fake.Hold()
		r.start()
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		synctest.Wait()
		faulty.FailUpdates(1000, storagetest.BeforeDisk)
		release()
		synctest.Wait()
		began := time.Now()
		r.endFor(why)
		if took := time.Since(began); took != takes {
			t.Errorf("stopping took %s, want %s", took, takes)
		}
		for faulty.RemainingFailures() > 0 {
			_ = faulty.Update(r.Context(), func(storage.Tx) error { return nil })
		}
		r.start()
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
		if n := r.fake.Posts()[p.Targets[0].ID]; n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}
