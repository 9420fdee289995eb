package webhook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// The next start sends the events that happened while no dispatcher ran, and continues
// after the last sent event.
func TestARestartGoesOn(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		want := r.publish(3)
		after(5 * time.Second)
		r.stop()
		stopped := time.Now()
		missed := r.publish(250)
		after(time.Hour)
		if n := len(r.endpoints.at("a.example").all()); n != 3 {
			t.Fatalf("%d calls, want 3", n)
		}
		r.start()
		after(time.Second)
		calls := r.endpoints.at("a.example").all()[3:]
		received := r.endpoints.at("a.example").eventIDs()[3:]
		if i := slices.Index(received, want[0]); i < 0 || !calls[i].at.After(stopped) {
			t.Error("the delivery that was pending is not retried")
		} else {
			received = slices.Delete(received, i, i+1)
		}
		if diff := cmp.Diff(missed, received); diff != "" {
			t.Errorf("first tries (-want +got):\n%s", diff)
		}
		for _, d := range r.deliveries(w) {
			if d.Status != schedctl.DeliveryDelivered {
				t.Errorf("delivery %+v", d)
			}
		}
	})
}

func TestTheScheduleGoesOnAfterARestart(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").fromNow(status(500))
		r.start()
		r.publish(1)
		for range 40 {
			after(30 * time.Minute)
			r.stop()
			r.start()
		}
		wantSchedule(t, r.endpoints.at("a.example").all())
	})
}

// A call that ends soon after the stop is recorded. Otherwise it is repeated.
func TestCallsInFlightAtAStop(t *testing.T) {
	bubble(t, func(r *rig) {
		quick, stuck := r.hook("quick.example"), r.hook("stuck.example")
		r.endpoints.at("quick.example").then(slow(1500*time.Millisecond, status(200)))
		r.endpoints.at("stuck.example").then(slow(9*time.Second, status(200)))
		r.start()
		ids := r.publish(2)
		after(time.Second)
		began := time.Now()
		r.stop()
		if took := time.Since(began); took < 500*time.Millisecond || took > webhook.StopGrace {
			t.Errorf("stopped after %v", took)
		}
		if d := r.delivery(quick); d.Status != schedctl.DeliveryDelivered || r.readHook(quick).Cursor != ids[0] {
			t.Errorf("the call that ended: %+v", d)
		}
		if got := r.deliveries(stuck); len(got) > 0 || r.readHook(stuck).Cursor != stuck.Cursor {
			t.Errorf("the call that did not: %+v", got)
		}
		if got := r.endpoints.at("quick.example").eventIDs(); len(got) != 1 {
			t.Errorf("%d calls started after the stop", len(got)-1)
		}
		r.start()
		after(time.Second)
		if diff := cmp.Diff(ids, r.endpoints.at("quick.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{ids[0], ids[0], ids[1]}, r.endpoints.at("stuck.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

func TestAStopWithNothingToDoIsImmediate(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").fromNow(refused)
		r.start()
		r.publish(5)
		after(10 * time.Second) // between spaced calls
		began := time.Now()
		r.stop()
		if took := time.Since(began); took > 0 {
			t.Errorf("took %v", took)
		}
	})
}

// faulty runs a test on a store that can fail.
func faulty(t *testing.T, test func(*rig, *storagetest.Faulty)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.NewFaulty(storagetest.NewMemory())
		r := newRig(t, store)
		defer r.stop()
		test(r, store)
	})
}

// A delivery is recorded once, no matter how long the store fails.
func TestRecordingIsTriedAgain(t *testing.T) {
	for name, moment := range map[string]storagetest.FailurePoint{
		"before": storagetest.BeforeFn, "rolled back": storagetest.BeforeDisk, "committed": storagetest.AfterCommit,
	} {
		t.Run(name, func(t *testing.T) {
			faulty(t, func(r *rig, store *storagetest.Faulty) {
				w := r.hook("a.example")
				r.endpoints.at("a.example").then(status(500), slow(time.Second, status(500)))
				r.start()
				ids := r.publish(1)
				after(9 * time.Second)
				for len(r.endpoints.at("a.example").all()) < 2 {
					after(100 * time.Millisecond)
				}
				store.FailUpdates(5, moment)
				after(5 * time.Second)
				if store.RemainingFailures() > 0 {
					t.Errorf("%d failures are left", store.RemainingFailures())
				}
				if d := r.delivery(w); d.Attempt != 2 || d.Status != schedctl.DeliveryPending {
					t.Errorf("delivery %+v", d)
				}
				store.FailUpdates(5, moment)
				ids = append(ids, r.publish(1)...)
				after(24 * time.Hour)
				received := r.endpoints.at("a.example").eventIDs()
				if diff := cmp.Diff([]string{ids[0], ids[0], ids[1], ids[0]}, received); diff != "" {
					t.Errorf("received (-want +got):\n%s", diff)
				}
				all := r.deliveries(w)
				if len(all) != 2 || all[0].Attempt != 3 || all[1].Attempt != 1 {
					t.Errorf("deliveries %+v", all)
				}
				for _, says := range []string{"store failed, retrying", "store works again"} {
					if n := strings.Count(r.logs.String(), says); n != 2 {
						t.Errorf("%q is logged %d times, want 2", says, n)
					}
				}
			})
		})
	}
}

// Reads of a failing store are spaced.
func TestReadingIsTriedAgain(t *testing.T) {
	faulty(t, func(r *rig, store *storagetest.Faulty) {
		r.hook("a.example")
		store.FailViews(1e6)
		r.start()
		want := r.publish(3)
		after(time.Minute)
		if n := 1_000_000 - store.RemainingFailures(); n < 5 || n > 30 {
			t.Errorf("%d tries in a minute", n)
		}
		store.FailViews(-store.RemainingFailures())
		after(10 * time.Second)
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		store.FailViews(30) // the lanes meet it too
		want = append(want, r.publish(3)...)
		after(10 * time.Minute)
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" || store.RemainingFailures() > 0 {
			t.Errorf("events, with %d failures left (-want +got):\n%s", store.RemainingFailures(), diff)
		}
	})
}

// Storing a cursor is retried.
func TestSavingCursorsIsTriedAgain(t *testing.T) {
	faulty(t, func(r *rig, store *storagetest.Faulty) {
		w := r.hook("a.example")
		r.start()
		synctest.Wait()
		store.FailUpdates(3, storagetest.BeforeDisk)
		ids := r.emit(slices.Repeat([]schedctl.EventType{schedctl.EventPostCreated}, 1000)...)
		synctest.Wait()
		if got := r.readHook(w).Cursor; got != w.Cursor {
			t.Errorf("saved in a store that fails: %s", got)
		}
		after(10 * time.Second)
		if got := r.readHook(w).Cursor; got != ids[len(ids)-1] {
			t.Errorf("cursor %s, want %s", got, ids[len(ids)-1])
		}
	})
}

// A stop waits 5 s for a failing store, but not for a broken one. Events whose calls were
// not recorded are sent again.
func TestAStopWhileTheStoreFails(t *testing.T) {
	for why, takes := range map[error]time.Duration{nil: webhook.StopGrace, fmt.Errorf("x: %w", storage.ErrBroken): 0} {
		t.Run(fmt.Sprint(why), func(t *testing.T) { testStopWhileTheStoreFails(t, why, takes) })
	}
}

func testStopWhileTheStoreFails(t *testing.T, why error, takes time.Duration) {
	faulty(t, func(r *rig, store *storagetest.Faulty) {
		w := r.hook("a.example")
		r.start()
		synctest.Wait()
		ids := r.publish(1)
		store.FailUpdates(1000, storagetest.BeforeFn)
		synctest.Wait()
		began := time.Now()
		r.endFor(why)
		if took := time.Since(began); took != takes {
			t.Errorf("stopped after %v, want %v", took, takes)
		}
		for store.RemainingFailures() > 0 {
			store.Update(t.Context(), func(storage.Tx) error { return nil })
		}
		r.start()
		after(time.Second)
		if diff := cmp.Diff([]string{ids[0], ids[0]}, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if d := r.delivery(w); d.Attempt != 1 || d.Status != schedctl.DeliveryDelivered {
			t.Errorf("delivery %+v", d)
		}
	})
}
