package webhook_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// pass counts the commits while time passes.
func (f *fleet) pass(d time.Duration) (commits int) {
	f.rig.mu.Lock()
	before := f.commits
	f.rig.mu.Unlock()
	after(d)
	f.rig.mu.Lock()
	defer f.rig.mu.Unlock()
	return f.commits - before
}

// TestCallsAreRecordedTogether counts the transactions for a backlog on a shared store.
// Order and deliveries are the same as with a transaction per call.
func TestCallsAreRecordedTogether(t *testing.T) {
	inFleet(t, 1, func(f *fleet) {
		w := f.follow("host")
		after(2 * time.Second)
		want := f.publish(320)
		if commits := f.pass(5 * time.Second); commits > 320/10 {
			t.Errorf("%d commits recorded 320 calls", commits)
		}
		f.wantDelivered("host", want)
		all := f.deliveries(w)
		if len(all) != len(want) {
			t.Fatalf("%d deliveries, want %d", len(all), len(want))
		}
		for i, d := range all {
			if d.EventID != want[i] || d.Status != schedctl.DeliveryDelivered || d.Attempt != 1 {
				t.Errorf("delivery %d: %+v", i, d)
			}
		}
		if hook := f.readHook(w); hook.Cursor != want[len(want)-1] {
			t.Errorf("the cursor is %s, want that of the last event", hook.Cursor)
		}
	})
}

// TestFailureEndsGroup lets a call in the middle of a backlog fail: it is tried
// again later, once, and the others are delivered in order.
func TestFailureEndsGroup(t *testing.T) {
	inFleet(t, 1, func(f *fleet) {
		w := f.follow("host")
		after(2 * time.Second)
		ok := status(204)
		f.endpoints.at("host").then(ok, ok, ok, ok, status(500))
		want := f.publish(20)
		after(5 * time.Second)
		f.wantDelivered("host", want)
		for i, d := range f.deliveries(w) {
			expected := schedctl.DeliveryDelivered
			if i == 4 {
				expected = schedctl.DeliveryPending
			}
			if d.EventID != want[i] || d.Status != expected || d.Attempt != 1 {
				t.Errorf("delivery %d: %+v", i, d)
			}
		}
		after(time.Minute)
		f.wantDelivered("host", append(want, want[4]))
		if hook := f.readHook(w); !hook.FailingSince.IsZero() {
			t.Errorf("the webhook fails since %v", hook.FailingSince)
		}
	})
}

// TestDisabledInGroup disables a webhook while it is called, which takes effect
// with the next group.
func TestDisabledInGroup(t *testing.T) {
	inFleet(t, 1, func(f *fleet) {
		w := f.follow("host")
		after(2 * time.Second)
		f.endpoints.at("host").fromNow(slow(20*time.Millisecond, status(204)))
		want := f.publish(50)
		after(70 * time.Millisecond)
		f.edit(w, func(w *schedctl.Webhook) { w.Enabled = false })
		after(time.Minute)
		received := len(f.endpoints.at("host").all())
		if received == 0 || received > 8 {
			t.Errorf("received %d events, although it was disabled after 70 ms", received)
		}
		f.wantDelivered("host", want[:received])
		if recorded := len(f.deliveries(w)); recorded != received {
			t.Errorf("%d calls and %d deliveries", received, recorded)
		}
	})
}

// TestStopInGroup stops a node between two calls of a group: completed calls are recorded,
// and the next node continues after them.
func TestStopInGroup(t *testing.T) {
	inFleet(t, 1, func(f *fleet) {
		w := f.follow("host")
		after(2 * time.Second)
		f.endpoints.at("host").fromNow(slow(10*time.Millisecond, status(204)))
		want := f.publish(30)
		after(35 * time.Millisecond)
		first := f.nodes[0]
		first.stop()
		first.done <- <-first.done
		f.change(func() { first.alive = false })
		if received, recorded := len(f.endpoints.at("host").all()), len(f.deliveries(w)); received < 2 || recorded != received {
			t.Errorf("%d calls and %d deliveries when it had stopped", received, recorded)
		}
		f.join()
		after(30 * time.Second)
		f.wantDelivered("host", want)
	})
}
