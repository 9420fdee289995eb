package storagetest

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Stock fills a store with many workspaces, each with records of every kind without
// zero fields, and with metadata. It adds deliveries of a deleted webhook, a webhook
// whose cursor is no event, and a disconnected account.
func Stock(t *testing.T, store storage.Store, workspaces int) {
	t.Helper()
	for n := range workspaces {
		f := &fixture{T: t, store: store, ws: newID(schedctl.WorkspacePrefix, epoch)}
		e := newOneOfEach(f)
		e.workspace.ID = f.ws
		e.account.Name = fmt.Sprint("feed ", n)
		e.key.Hash[0], e.feed.Hash[0], e.share.Hash[0] = byte(n), byte(n), byte(n)
		e.webhook.Cursor = e.event.ID
		f.update(e.put)
		f.update(func(tx storage.Tx) error { return stockMore(f, tx, e) })
	}
	f := &fixture{T: t, store: store}
	f.update(func(tx storage.Tx) error {
		return cmp.Or(tx.PutMetadata("one", []byte{0, 1}), tx.PutMetadata("two", []byte("2")))
	})
}

// stockMore adds the special cases.
func stockMore(f *fixture, tx storage.Tx, e oneOfEach) error {
	gone, ahead := newFilled[schedctl.Account](f), e.webhook
	gone.WorkspaceID, gone.Status, gone.Name = f.ws, schedctl.AccountDisconnected, e.account.Name
	ahead.ID, ahead.Cursor = newID(schedctl.WebhookPrefix, epoch), newID(schedctl.EventPrefix, epoch.Add(time.Hour))
	deleted, orphan := e.webhook, e.delivery
	deleted.ID = newID(schedctl.WebhookPrefix, epoch)
	orphan.WebhookID = deleted.ID
	pending := schedctl.MediaAsset{ID: newID(schedctl.MediaPrefix, epoch), WorkspaceID: f.ws, Status: schedctl.MediaPending, Size: 9}
	bare := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, e.account.ID, newAccountIDs(1)[0])
	bare.Media, bare.Targets[0].Media = mediaList(pending.ID), []schedctl.PostMedia{}
	finished := e.attempt
	finished.ID, finished.TargetID, finished.FinishedAt = newID(schedctl.AttemptPrefix, epoch), e.post.Targets[0].ID, epoch.Add(time.Minute)
	return cmp.Or(
		tx.PutAccount(gone), tx.PutWebhook(ahead), tx.PutWebhook(deleted), tx.PutDelivery(orphan), tx.DeleteWebhook(f.ws, deleted.ID),
		tx.PutAttempt(finished), tx.PutMediaAsset(pending), tx.PutPost(bare),
	)
}
