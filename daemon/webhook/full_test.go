package webhook_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// While the disk is full, completed calls are recorded and no calls are started. After
// space is freed, all events are sent at once, without repeats.
func TestFullDisk(t *testing.T) {
	faulty(t, func(r *rig, store *storagetest.Faulty) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(slow(time.Second, status(200)))
		r.start()
		synctest.Wait()
		ids := r.publish(1)
		synctest.Wait()
		store.SetFull()
		after(2 * time.Second)
		if d := r.delivery(w); d.Status != schedctl.DeliveryDelivered {
			t.Errorf("the call in progress: %+v", d)
		}
		more := r.publish(3)
		r.ping(w)
		after(time.Hour)
		if diff := cmp.Diff(ids, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("events while the disk is full (-want +got):\n%s", diff)
		}
		store.SetWritable()
		after(time.Second)
		received := r.endpoints.at("a.example").eventIDs()
		if len(received) != 5 || len(r.deliveries(w)) != 5 {
			t.Errorf("%d calls and %d deliveries, want 5: %v, %v", len(received), len(r.deliveries(w)), received, more)
		}
		if log := r.logs.String(); strings.Contains(log, "store ") {
			t.Errorf("the log repeats messages of the store:\n%s", log)
		}
	})
}
