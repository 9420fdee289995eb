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

// While the disk is full, what has begun ends and nothing else begins; once there
// is room, what has become due goes out at once.
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
					t.Errorf("tells what the store tells itself:\n%s", log)
				}
			})
		})
	}
}

// An attempt that an earlier run has left is settled on a full disk, and not
// repeated there.
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
			t.Errorf("attempts %v, want one that was settled", got)
		}
	})
}

// A store that fails while it is full, because what is kept for records is used
// up, still gets the end of a call.
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
