package api_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestReplayDelivery(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := f.newWebhook().Webhook.ID
		for _, id := range f.addDeliveries(hook, delivered, failed, pending) {
			before := f.storedDelivery(hook, id)
			asked := time.Now()
			r := f.do(nil, "POST", "/webhooks/"+hook+"/deliveries/"+id+"/replay", nil).want(202)
			got := f.storedDelivery(hook, id)
			if wait := got.NextAttemptAt.Sub(asked); wait < -time.Second || wait > 30*time.Second {
				t.Errorf("%s is tried in %s", before.Status, wait)
			}
			want := before
			want.Status, want.NextAttemptAt, want.RetriesFrom = pending, got.NextAttemptAt, before.Attempt
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, -want +got:\n%s", before.Status, diff)
			}
			if diff := cmp.Diff(apiv1.NewDelivery(got), decodeAs[apiv1.DeliveryEnvelope](t, r).Delivery); diff != "" {
				t.Errorf("-stored +answered:\n%s", diff)
			}
		}
		f.do(nil, "POST", "/webhooks/"+hook+"/deliveries/whd_1/replay", nil).refused(schedctl.NotFound)
	})
}

func TestReplayWithoutTheEvent(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := f.newWebhook().Webhook.ID
		gone := f.addDeliveries(hook, failed)[0]
		f.update(func(tx storage.Tx) error {
			_, err := tx.Prune(storage.Retention{Events: time.Now().Add(time.Hour)}, 100)
			return err
		})
		kept := f.addDeliveries(hook, failed)[0]
		f.do(nil, "POST", "/webhooks/"+hook+"/deliveries/"+gone+"/replay", nil).refused(schedctl.NotFound)
		if n := f.replayAll(hook, time.Hour); n != 1 {
			t.Errorf("%d are queued again", n)
		}
		if d := f.storedDelivery(hook, gone); d.Status != failed {
			t.Errorf("without its event a delivery is %+v", d)
		}
		if d := f.storedDelivery(hook, kept); d.Status != pending {
			t.Errorf("with its event a delivery is %+v", d)
		}
	})
}

// replayAll queues the failed deliveries since a time again and returns their
// number.
func (f *fixture) replayAll(hook string, ago time.Duration) int {
	f.t.Helper()
	r := f.do(nil, "POST", "/webhooks/"+hook+"/replay", body{"since": in(-ago)}).want(202)
	return decodeAs[apiv1.WebhookReplay](f.t, r).Count
}

func TestReplayWebhook(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook, other := f.newWebhook().Webhook.ID, f.newWebhook().Webhook.ID
		old := f.addDeliveries(hook, failed)[0]
		f.update(func(tx storage.Tx) error {
			d, err := tx.Delivery(hook, old)
			if err != nil {
				return err
			}
			d.CreatedAt = d.CreatedAt.Add(-2 * time.Hour)
			return tx.PutDelivery(d)
		})
		ids := f.addDeliveries(hook, failed, delivered, pending, failed)
		elsewhere := f.addDeliveries(other, failed)[0]
		if n := f.replayAll(hook, -time.Hour); n != 0 {
			t.Errorf("of the future %d are queued again", n)
		}
		if n := f.replayAll(hook, time.Hour); n != 2 {
			t.Errorf("%d are queued again, want 2", n)
		}
		want := map[string]schedctl.DeliveryStatus{old: failed, ids[0]: pending, ids[1]: delivered, ids[2]: pending, ids[3]: pending}
		for id, status := range want {
			d := f.storedDelivery(hook, id)
			if d.Status != status || (id == ids[2]) != d.NextAttemptAt.After(time.Now().Add(30*time.Second)) {
				t.Errorf("%+v, want %s", d, status)
			}
		}
		if d := f.storedDelivery(other, elsewhere); d.Status != failed {
			t.Errorf("the delivery of a second webhook is queued: %+v", d)
		}
		if n := f.replayAll(hook, time.Hour); n != 0 {
			t.Errorf("the second time %d are queued again", n)
		}
	})
}

func TestReplayOfVeryMany(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := f.newWebhook().Webhook.ID
		for range 3 {
			f.addDeliveries(hook, slices.Repeat([]schedctl.DeliveryStatus{failed, delivered}, 250)...)
			f.addDeliveries(hook, slices.Repeat([]schedctl.DeliveryStatus{failed}, 250)...)
		}
		since := body{"since": in(-time.Hour)}
		path := "/webhooks/" + hook + "/replay"
		first := f.do(key("k"), "POST", path, since).want(202)
		if n := decodeAs[apiv1.WebhookReplay](t, first).Count; n != 1500 {
			t.Errorf("%d are queued again", n)
		}
		if left := f.deliveries(hook, "status=failed&limit=100"); len(left) != 0 {
			t.Errorf("%d are left", len(left))
		}
		late := f.addDeliveries(hook, failed)[0]
		replays(t, first, f.do(key("k"), "POST", path, since).want(202))
		if d := f.storedDelivery(hook, late); d.Status != failed {
			t.Errorf("a repeated call queues what failed since: %+v", d)
		}
	})
}

// TestReplayThatIsInterrupted fails in the second transaction. Repeating the
// request queues the remaining deliveries.
func TestReplayThatIsInterrupted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hook := f.newWebhook().Webhook.ID
	f.addDeliveries(hook, slices.Repeat([]schedctl.DeliveryStatus{failed}, 501)...)
	path, since := "/webhooks/"+hook+"/replay", body{"since": in(-time.Hour)}
	f.store.FailUpdates(1, storagetest.AfterCommit)
	f.do(key("k"), "POST", path, since).refused(schedctl.Unavailable)
	r := f.do(key("k"), "POST", path, since).want(202)
	if n := decodeAs[apiv1.WebhookReplay](t, r).Count; n != 1 {
		t.Errorf("%d were left", n)
	}
	if got := f.deliveries(hook, "status=pending&limit=100"); len(got) != 501 {
		t.Errorf("%d are pending", len(got))
	}
}

func TestReplayIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := "/webhooks/" + f.newWebhook().Webhook.ID + "/replay"
	for _, b := range []any{body{}, body{"since": "yesterday"}, body{"since": "2026-01-01"}, body{"since": "2026-01-01T00:00:00+02:00"}, body{"since": nil}, body{"until": in(0)}} {
		f.do(nil, "POST", path, b).refused(schedctl.ValidationFailed)
	}
	f.do(nil, "POST", path, nil).refused(schedctl.InvalidJSON)
}
