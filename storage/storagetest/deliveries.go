package storagetest

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var deliveryParts = []part{
	{"DeliveryKeepsEveryField", testDeliveryKeepsEveryField},
	{"DeliveriesAreInOrder", testDeliveriesAreInOrder},
	{"PendingDeliveriesAreInOrder", testPendingDeliveriesAreInOrder},
	{"PendingDeliveriesFollowTheDelivery", testPendingDeliveriesFollowTheDelivery},
	{"PendingDeliveriesAsInAModel", testPendingDeliveriesAsInAModel},
}

func deliveryByID(webhookID, id string) func(storage.Reader) (schedctl.Delivery, error) {
	return func(r storage.Reader) (schedctl.Delivery, error) { return r.Delivery(webhookID, id) }
}

func deliveriesOf(webhookID string) func(storage.Reader) ([]schedctl.Delivery, error) {
	return func(r storage.Reader) ([]schedctl.Delivery, error) { return r.Deliveries(webhookID, "", manyRecords) }
}

func pendingDeliveriesOf(webhookID string) func(storage.Reader) ([]schedctl.Delivery, error) {
	return func(r storage.Reader) ([]schedctl.Delivery, error) {
		return r.PendingDeliveries(webhookID, manyRecords)
	}
}

func (f *fixture) putDeliveries(deliveries ...schedctl.Delivery) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, d := range deliveries {
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
}

// newDeliveries returns n deliveries, a millisecond apart, in order. The first and
// every second one after it are pending; newer ones have earlier next attempts.
func newDeliveries(w schedctl.Webhook, n int, from time.Time) []schedctl.Delivery {
	deliveries := make([]schedctl.Delivery, n)
	for i := range deliveries {
		at := from.Add(time.Duration(i) * time.Millisecond)
		d := schedctl.Delivery{
			ID: newID(schedctl.DeliveryPrefix, at), WebhookID: w.ID, EventID: newID(schedctl.EventPrefix, at),
			EventType: schedctl.EventPostCreated, Status: schedctl.DeliveryDelivered, Attempt: i, CreatedAt: at,
		}
		if i%2 == 0 {
			d.Status, d.NextAttemptAt = schedctl.DeliveryPending, from.Add(time.Hour-time.Duration(i)*time.Minute)
		}
		deliveries[i] = d
	}
	return deliveries
}

// pendingOf returns the pending deliveries in order of their next attempts.
func pendingOf(deliveries []schedctl.Delivery) []schedctl.Delivery {
	pending := slices.DeleteFunc(slices.Clone(deliveries), func(d schedctl.Delivery) bool {
		return d.Status != schedctl.DeliveryPending
	})
	slices.SortFunc(pending, func(a, b schedctl.Delivery) int {
		return cmp.Or(a.NextAttemptAt.Compare(b.NextAttemptAt), strings.Compare(a.ID, b.ID))
	})
	return pending
}

func testDeliveryKeepsEveryField(f *fixture) {
	for _, status := range schedctl.DeliveryStatuses() {
		w := f.newWebhooks(1)[0]
		f.putWebhooks(w)
		want := newFilled[schedctl.Delivery](f)
		want.WebhookID, want.Status = w.ID, status
		f.putDeliveries(want)
		wantSame(f, "delivery", want, mustRead(f, deliveryByID(w.ID, want.ID)))
		wantSame(f, "listed deliveries", []schedctl.Delivery{want}, mustRead(f, deliveriesOf(w.ID)))
		bare := schedctl.Delivery{ID: want.ID, WebhookID: w.ID, EventID: want.EventID}
		f.putDeliveries(bare)
		wantSame(f, "replaced delivery", bare, mustRead(f, deliveryByID(w.ID, want.ID)))
	}
	webhooks := f.newWebhooks(2)
	f.putWebhooks(webhooks[0])
	d, orphan := newDeliveries(webhooks[0], 1, epoch)[0], newDeliveries(webhooks[1], 1, epoch)[0]
	wantNotFound(f, "no delivery", deliveryByID(d.WebhookID, d.ID))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutDelivery(orphan) })
	testMalformedDeliveries(f, d)
}

// testMalformedDeliveries puts and reads deliveries with malformed ids.
func testMalformedDeliveries(f *fixture, d schedctl.Delivery) {
	refuse := func(spoil func(*schedctl.Delivery)) {
		f.Helper()
		bad := d
		spoil(&bad)
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutDelivery(bad) })
	}
	for _, id := range malformedIDs(schedctl.DeliveryPrefix) {
		refuse(func(d *schedctl.Delivery) { d.ID = id })
		wantNotFound(f, "delivery "+id, deliveryByID(d.WebhookID, id))
		if id != "" {
			wantNotFound(f, "deliveries after "+id, func(r storage.Reader) ([]schedctl.Delivery, error) { return r.Deliveries(d.WebhookID, id, 1) })
		}
	}
	for _, id := range malformedIDs(schedctl.WebhookPrefix) {
		refuse(func(d *schedctl.Delivery) { d.WebhookID = id })
		wantNotFound(f, "delivery of "+id, deliveryByID(id, d.ID))
		wantNotFound(f, "deliveries of "+id, deliveriesOf(id))
		wantNotFound(f, "pending deliveries of "+id, pendingDeliveriesOf(id))
	}
	for _, id := range malformedIDs(schedctl.EventPrefix) {
		refuse(func(d *schedctl.Delivery) { d.EventID = id })
	}
}

func testDeliveriesAreInOrder(f *fixture) {
	webhooks := f.newWebhooks(3) // in the outbox, the first and the last webhook's deliveries surround those of the second
	f.putWebhooks(webhooks...)
	deliveries := newDeliveries(webhooks[1], 30, epoch)
	f.putDeliveries(newDeliveries(webhooks[2], 9, epoch)...)
	f.putDeliveries(deliveries[20:]...)
	f.putDeliveries(newDeliveries(webhooks[0], 9, epoch)...)
	f.putDeliveries(deliveries[:20]...)
	page := func(after string, limit int) []schedctl.Delivery {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Delivery, error) { return r.Deliveries(webhooks[1].ID, after, limit) })
	}
	want := newestFirst(deliveries)
	wantSame(f, "all", want, page("", manyRecords))
	wantSame(f, "the newest", want[:7], page("", 7))
	for i := range want {
		wantSame(f, "after one", want[i+1:min(i+4, len(want))], page(want[i].ID, 3))
	}
	wantSame(f, "after a missing one", want, page(newID(schedctl.DeliveryPrefix, epoch.Add(time.Hour)), manyRecords))
	wantSame(f, "of a webhook without any", []schedctl.Delivery{}, mustRead(f, deliveriesOf(newID(schedctl.WebhookPrefix, epoch))))
}

func testPendingDeliveriesAreInOrder(f *fixture) {
	webhooks := f.newWebhooks(3)
	f.putWebhooks(webhooks...)
	for _, w := range webhooks {
		deliveries := newDeliveries(w, 20, epoch)
		deliveries[2].NextAttemptAt = deliveries[4].NextAttemptAt // at the same time
		deliveries[6].NextAttemptAt = time.Time{}                 // last, because it has no time
		f.putDeliveries(deliveries...)
		want := pendingOf(deliveries)
		want = append(want[1:], want[0])
		wantSame(f, "pending", want, mustRead(f, pendingDeliveriesOf(w.ID)))
		wantSame(f, "the next ones", want[:3], mustRead(f, func(r storage.Reader) ([]schedctl.Delivery, error) {
			return r.PendingDeliveries(w.ID, 3)
		}))
	}
	wantSame(f, "of a missing webhook", []schedctl.Delivery{}, mustRead(f, pendingDeliveriesOf(newID(schedctl.WebhookPrefix, epoch))))
}

// testPendingDeliveriesFollowTheDelivery follows a delivery that fails, is given up and
// is replayed.
func testPendingDeliveriesFollowTheDelivery(f *fixture) {
	w := f.newWebhooks(1)[0]
	f.putWebhooks(w)
	d := newDeliveries(w, 1, epoch)[0]
	steps := []struct {
		status schedctl.DeliveryStatus
		next   time.Time
	}{
		{schedctl.DeliveryPending, epoch.Add(time.Hour)},
		{schedctl.DeliveryPending, epoch.Add(2 * time.Hour)},
		{schedctl.DeliveryPending, epoch.Add(2 * time.Hour)},
		{schedctl.DeliveryPending, epoch.Add(time.Minute)},
		{schedctl.DeliveryFailed, time.Time{}},
		{schedctl.DeliveryFailed, epoch}, // a time alone does not make a delivery pending
		{schedctl.DeliveryPending, epoch},
		{schedctl.DeliveryDelivered, time.Time{}},
		{schedctl.DeliveryPending, epoch.Add(-time.Hour)},
	}
	for _, step := range steps {
		d.Status, d.NextAttemptAt = step.status, step.next
		d.Attempt++
		lost := errors.New("no")
		err := f.store.Update(f.Context(), func(tx storage.Tx) error {
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
			inside, err := tx.PendingDeliveries(w.ID, manyRecords)
			wantSame(f, "pending inside", pendingOf([]schedctl.Delivery{d}), inside)
			return errors.Join(err, lost)
		})
		if !errors.Is(err, lost) {
			f.Errorf("Update returned %v, want the error of its function", err)
		}
		f.putDeliveries(d)
		wantSame(f, "pending", pendingOf([]schedctl.Delivery{d}), mustRead(f, pendingDeliveriesOf(w.ID)))
	}
}

// testPendingDeliveriesAsInAModel puts random deliveries, several in one transaction,
// and compares the store with a map.
func testPendingDeliveriesAsInAModel(f *fixture) {
	rng := rand.New(rand.NewPCG(5, 6))
	webhooks := f.newWebhooks(4)
	f.putWebhooks(webhooks...)
	model := make([]map[string]schedctl.Delivery, len(webhooks))
	ids := make([][]schedctl.Delivery, len(webhooks))
	for i, w := range webhooks {
		model[i], ids[i] = make(map[string]schedctl.Delivery), newDeliveries(w, 12, epoch)
	}
	for range 60 {
		var batch []schedctl.Delivery
		for range 1 + rng.IntN(8) {
			of := rng.IntN(len(webhooks))
			d := ids[of][rng.IntN(12)]
			d.Status, d.NextAttemptAt = schedctl.DeliveryStatuses()[rng.IntN(3)], epoch.Add(time.Duration(rng.IntN(5))*time.Second)
			batch = append(batch, d)
			model[of][d.ID] = d
		}
		f.putDeliveries(batch...)
		for i, w := range webhooks {
			all := slices.SortedFunc(maps.Values(model[i]), func(a, b schedctl.Delivery) int { return strings.Compare(b.ID, a.ID) })
			wantSame(f, "deliveries", all, mustRead(f, deliveriesOf(w.ID)))
			wantSame(f, "pending", pendingOf(all), mustRead(f, pendingDeliveriesOf(w.ID)))
		}
	}
}
