package deliver_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// observations collects the calls of a deliverer's observer.
type observations struct {
	mu  sync.Mutex // mu guards all
	all []deliver.Observation
}

func (o *observations) observe(one deliver.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, one)
}

func (o *observations) taken() []deliver.Observation {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.all
	o.all = nil
	return all
}

func TestAttemptsAreObserved(t *testing.T) {
	bubble(t, func(r *rig) {
		var seen observations
		r.config = func(c *deliver.Config) { c.Observe = seen.observe }
		a := r.account("me", nil)
		r.fake.Then(failing(schedctl.KindNetwork, no), publishtest.Response{After: 2 * time.Second}, failing(schedctl.KindContent, no))
		r.start()
		r.schedule(time.Hour, a)
		r.after(time.Hour)
		got := seen.taken()
		want := []deliver.Observation{{Platform: "fake", Attempt: true, Outcome: no, Kind: schedctl.KindNetwork}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("after a failure (-want +got):\n%s", diff)
		}
		r.after(time.Minute)
		got = seen.taken()
		if len(got) != 1 || got[0].Lateness < 9*time.Second || got[0].Lateness > 20*time.Second {
			t.Fatalf("published with the second attempt: %+v; lateness counts from the time of the target", got)
		}
		got[0].Lateness = 0
		if diff := cmp.Diff([]deliver.Observation{{Platform: "fake", Attempt: true, Outcome: yes}}, got); diff != "" {
			t.Errorf("published (-want +got):\n%s", diff)
		}

		r.publishNow(a)
		r.after(time.Minute)
		want = []deliver.Observation{{Platform: "fake", Attempt: true, Outcome: no, Kind: schedctl.KindContent}}
		if diff := cmp.Diff(want, seen.taken()); diff != "" {
			t.Errorf("failed (-want +got):\n%s", diff)
		}
	})
}

// After a person's retry, lateness counts from the retry: how long the person waited is
// not the daemon's lateness.
func TestLatenessOfARetryCountsFromIt(t *testing.T) {
	bubble(t, func(r *rig) {
		var seen observations
		r.config = func(c *deliver.Config) { c.Observe = seen.observe }
		a := r.account("me", nil)
		r.fake.Then(failing(schedctl.KindContent, no))
		r.start()
		p := r.publishNow(a)
		r.after(48 * time.Hour)
		seen.taken()
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		if got := seen.taken(); len(got) != 1 || got[0].Outcome != yes || got[0].Lateness > time.Second {
			t.Errorf("observed %+v", got)
		}
	})
}

func TestTargetsWithoutAnAttemptAreObserved(t *testing.T) {
	bubble(t, func(r *rig) {
		var seen observations
		r.config = func(c *deliver.Config) { c.Observe = seen.observe }
		r.schedule(time.Hour, r.account("me", nil))
		r.after(48 * time.Hour)
		r.start()
		r.after(time.Minute)
		want := []deliver.Observation{{Platform: "fake", Outcome: no, Kind: schedctl.KindMissed}}
		if diff := cmp.Diff(want, seen.taken()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// An end is observed once, and only after it is on disk.
func TestObservedOnceWhileTheStoreFails(t *testing.T) {
	for _, moment := range []storagetest.FailurePoint{storagetest.BeforeDisk, storagetest.AfterCommit} {
		t.Run("", func(t *testing.T) {
			bubble(t, func(r *rig) {
				var seen observations
				r.config = func(c *deliver.Config) { c.Observe = seen.observe }
				faulty := storagetest.NewFaulty(r.store)
				r.store = faulty
				a := r.account("me", nil)
				release := r.fake.Hold()
				r.start()
				r.publishNow(a)
				r.after(time.Second)
				r.wantCalls(1)
				faulty.FailUpdates(3, moment)
				release()
				r.after(time.Minute)
				if got := seen.taken(); len(got) != 1 || got[0].Outcome != yes {
					t.Errorf("observed %+v", got)
				}
			})
		})
	}
}
