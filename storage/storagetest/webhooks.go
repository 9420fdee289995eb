package storagetest

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var webhookParts = []part{
	{"WebhookKeepsEveryField", testWebhookKeepsEveryField},
	{"WebhooksAreInOrder", testWebhooksAreInOrder},
	{"WebhookStaysInItsWorkspace", testWebhookStaysInItsWorkspace},
	{"DeletedWebhookIsGone", testWebhookIsDeleted},
	{"DeletedWebhookLeavesDeliveries", testDeletedWebhookKeepsDeliveries},
	{"CommitNamesWebhooks", testCommitNamesWebhooks},
}

func webhookByID(f *fixture, id string) func(storage.Reader) (schedctl.Webhook, error) {
	return func(r storage.Reader) (schedctl.Webhook, error) { return r.Webhook(f.ws, id) }
}

func webhooksOf(ws string) func(storage.Reader) ([]schedctl.Webhook, error) {
	return func(r storage.Reader) ([]schedctl.Webhook, error) { return r.Webhooks(ws) }
}

func (f *fixture) putWebhooks(webhooks ...schedctl.Webhook) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, w := range webhooks {
			if err := tx.PutWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// newWebhooks returns n webhooks, a second apart, in order.
func (f *fixture) newWebhooks(n int) []schedctl.Webhook {
	webhooks := make([]schedctl.Webhook, n)
	for i := range webhooks {
		at := epoch.Add(time.Duration(i) * time.Second)
		webhooks[i] = schedctl.Webhook{
			ID: newID(schedctl.WebhookPrefix, at), WorkspaceID: f.ws, URL: "https://example.com", Enabled: true,
			EventTypes: schedctl.EventTypes(), Secret: []byte{byte(i + 1)}, CreatedAt: at, UpdatedAt: at,
		}
	}
	return webhooks
}

func testWebhookKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.Webhook](f)
	want.WorkspaceID = f.ws
	given := cloneWebhook(want)
	spoil := func(w *schedctl.Webhook) {
		w.EventTypes[0] = "spoiled"
		w.Secret[0]++
		w.PreviousSecret[0]++
		w.Notify.Failures++
		w.Notify.Mail.To[0] = "spoiled"
	}
	f.putWebhooks(given)
	spoil(&given)
	got := mustRead(f, webhookByID(f, want.ID))
	wantSame(f, "webhook", want, got)
	spoil(&got)
	listed := mustRead(f, webhooksOf(f.ws))
	wantSame(f, "listed webhooks", []schedctl.Webhook{want}, listed)
	spoil(&listed[0])
	wantSame(f, "webhook after a change of what was listed", want, mustRead(f, webhookByID(f, want.ID)))

	bare := schedctl.Webhook{ID: want.ID, WorkspaceID: f.ws}
	f.putWebhooks(bare)
	wantSame(f, "replaced webhook", bare, mustRead(f, webhookByID(f, want.ID)))
	wantNotFound(f, "no webhook", webhookByID(f, newID(schedctl.WebhookPrefix, epoch)))
	for _, id := range malformedIDs(schedctl.WebhookPrefix) {
		wantNotFound(f, "webhook "+id, webhookByID(f, id))
		bad := bare
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutWebhook(bad) })
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteWebhook(f.ws, id) })
	}
	bad := bare
	bad.Cursor = "bad"
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutWebhook(bad) })
}

func testWebhooksAreInOrder(f *fixture) {
	webhooks := f.newWebhooks(5)
	elsewhere := f.newWebhooks(1)[0]
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putWebhooks(webhooks[3], webhooks[0], elsewhere, webhooks[4], webhooks[1], webhooks[2])
	wantSame(f, "webhooks", webhooks, mustRead(f, webhooksOf(f.ws)))
	wantSame(f, "webhooks elsewhere", []schedctl.Webhook{elsewhere}, mustRead(f, webhooksOf(elsewhere.WorkspaceID)))
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "webhooks of "+id, webhooksOf(id))
	}
}

func testWebhookStaysInItsWorkspace(f *fixture) {
	w := f.newWebhooks(1)[0]
	f.putWebhooks(w)
	stolen := w
	stolen.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutWebhook(stolen) })
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteWebhook(stolen.WorkspaceID, w.ID) })
	wantNotFound(f, "webhook elsewhere", func(r storage.Reader) (schedctl.Webhook, error) { return r.Webhook(stolen.WorkspaceID, w.ID) })
	wantSame(f, "webhooks elsewhere", []schedctl.Webhook{}, mustRead(f, webhooksOf(stolen.WorkspaceID)))
	wantSame(f, "webhook", w, mustRead(f, webhookByID(f, w.ID)))
}

func testWebhookIsDeleted(f *fixture) {
	webhooks := f.newWebhooks(3)
	f.putWebhooks(webhooks...)
	gone := webhooks[1]
	f.update(func(tx storage.Tx) error { return tx.DeleteWebhook(f.ws, gone.ID) })
	wantNotFound(f, "a deleted webhook", webhookByID(f, gone.ID))
	wantSame(f, "webhooks left", []schedctl.Webhook{webhooks[0], webhooks[2]}, mustRead(f, webhooksOf(f.ws)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteWebhook(f.ws, gone.ID) })

	elsewhere := gone // its id is free again
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putWebhooks(elsewhere)
	wantSame(f, "webhooks elsewhere", []schedctl.Webhook{elsewhere}, mustRead(f, webhooksOf(elsewhere.WorkspaceID)))
}

func testDeletedWebhookKeepsDeliveries(f *fixture) {
	webhooks := f.newWebhooks(2)
	f.putWebhooks(webhooks...)
	gone := webhooks[0]
	deliveries, others := newDeliveries(gone, 6, epoch), newDeliveries(webhooks[1], 6, epoch)
	f.putDeliveries(deliveries...)
	f.putDeliveries(others...)
	f.update(func(tx storage.Tx) error {
		if err := tx.DeleteWebhook(f.ws, gone.ID); err != nil {
			return err
		}
		left, err := tx.PendingDeliveries(gone.ID, manyRecords)
		wantSame(f, "pending deliveries inside", []schedctl.Delivery{}, left)
		return err
	})
	wantSame(f, "pending deliveries", []schedctl.Delivery{}, mustRead(f, pendingDeliveriesOf(gone.ID)))
	want := newestFirst(deliveries)
	for i := range want {
		if d := &want[i]; d.Status == schedctl.DeliveryPending {
			d.Status, d.NextAttemptAt = schedctl.DeliveryFailed, time.Time{}
		}
		wantSame(f, "delivery", want[i], mustRead(f, deliveryByID(gone.ID, want[i].ID)))
	}
	wantSame(f, "deliveries", want, mustRead(f, deliveriesOf(gone.ID)))
	for _, d := range []schedctl.Delivery{deliveries[0], newDeliveries(gone, 1, epoch)[0]} {
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutDelivery(d) })
	}
	wantSame(f, "pending deliveries of the other", pendingOf(others), mustRead(f, pendingDeliveriesOf(webhooks[1].ID)))
}

func testCommitNamesWebhooks(f *fixture) {
	e := recordCommits(f)
	webhooks := f.newWebhooks(3)
	f.putWebhooks(webhooks...)
	wantSame(f, "new webhooks", storage.Commit{Webhooks: idsOf(webhooks)}, e.take())
	f.putWebhooks(webhooks[1], webhooks[1])
	wantSame(f, "a webhook as it was", storage.Commit{Webhooks: idsOf(webhooks[1:2])}, e.take())
	f.putDeliveries(newDeliveries(webhooks[0], 2, epoch)...)
	f.addAudit(newAudit(f.ws, 2, epoch)...)
	wantSame(f, "deliveries and audit entries", storage.Commit{}, e.take())
	f.update(func(tx storage.Tx) error {
		if err := tx.PutWebhook(webhooks[2]); err != nil {
			return err
		}
		return tx.DeleteWebhook(f.ws, webhooks[2].ID)
	})
	wantSame(f, "a deleted webhook", storage.Commit{Webhooks: idsOf(webhooks[2:])}, e.take())
}

func idsOf(webhooks []schedctl.Webhook) (ids []string) {
	for _, w := range webhooks {
		ids = append(ids, w.ID)
	}
	return ids
}
