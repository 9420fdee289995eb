package deliver_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// While the disk is full, running attempts end and no attempt starts. When there is space
// again, the targets that became due are published at once.
func TestFullDisk(t *testing.T) {
	for name, full := range map[string]time.Duration{"short": time.Second, "long": 3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				faulty := r.faulty()
				busy, idle := r.account("busy", nil), r.account("idle", nil)
				release := r.fake.Hold()
				r.start()
				begun := r.publishNow(busy)
				next, other := r.schedule(100*time.Millisecond, busy), r.schedule(200*time.Millisecond, idle)
				synctest.Wait()
				faulty.SetFull()
				r.after(time.Second)
				release()
				r.after(full)
				r.wantCalls(1)
				r.wantStatus(begun, schedctl.Published)
				r.wantStatus(next, schedctl.Scheduled)
				faulty.SetWritable()
				r.after(time.Second)
				r.wantCalls(3)
				r.wantStatus(next, schedctl.Published)
				r.wantStatus(other, schedctl.Published)
				if log := r.logs.String(); strings.Contains(log, "store ") {
					t.Errorf("logs what the store logs itself:\n%s", log)
				}
			})
		})
	}
}

// An attempt of an earlier run is settled while the disk is full, but not repeated.
func TestFullDiskAtAStart(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		release := r.fake.Hold()
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		r.kill()
		release()
		faulty.SetFull()
		r.start()
		r.after(time.Hour)
		r.wantCalls(1)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{schedctl.OutcomeUnknown}) {
			t.Errorf("attempts %v, want one settled attempt", got)
		}
	})
}

// If the reserve of a full store is used up, the end of a call is still stored later.
func TestFullDiskWithoutReserve(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := r.faulty()
		release := r.fake.Hold()
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		faulty.SetFull()
		faulty.FailUpdates(20, storagetest.BeforeDisk)
		release()
		r.after(10 * time.Minute)
		r.wantCalls(1)
		r.wantStatus(p, schedctl.Published)
	})
}
