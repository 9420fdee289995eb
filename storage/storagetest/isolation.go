package storagetest

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var isolationParts = []part{
	{"WorkspacesSeeNothingOfEachOther", testWorkspacesAreIsolated},
}

func testWorkspacesAreIsolated(f *fixture) {
	e := newOneOfEach(f)
	f.update(e.put)
	other := newID(schedctl.WorkspacePrefix, epoch)
	wantNotFound(f, "post", func(r storage.Reader) (schedctl.Post, error) { return r.Post(other, e.post.ID) })
	wantNotFound(f, "post by external id", func(r storage.Reader) (schedctl.Post, error) { return r.PostByExternalID(other, e.post.ExternalID) })
	wantNotFound(f, "account", func(r storage.Reader) (schedctl.Account, error) { return r.Account(other, e.account.ID) })
	wantSame(f, "accounts", []schedctl.Account(nil), mustRead(f, accountsOf(other)))
	wantSame(f, "keys", []schedctl.APIKey(nil), mustRead(f, keysOf(other)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeletePost(other, e.post.ID) })
	wantNotFound(f, "webhook", func(r storage.Reader) (schedctl.Webhook, error) { return r.Webhook(other, e.webhook.ID) })
	wantSame(f, "webhooks", []schedctl.Webhook(nil), mustRead(f, webhooksOf(other)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteWebhook(other, e.webhook.ID) })
	wantSame(f, "audit entries", []schedctl.AuditEntry(nil), mustRead(f, auditOf(other)))
	wantNotFound(f, "media asset", mediaByID(other, e.media.ID))
	wantSame(f, "media assets", []schedctl.MediaAsset(nil), mustRead(f, mediaOf(other)))
	wantSame(f, "media by hash", "", mustRead(f, mediaByHash(other, e.media.SHA256)))
	wantSame(f, "size of media", int64(0), mustRead(f, mediaSize(other)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteMediaAsset(other, e.media.ID) })
	wantNotFound(f, "queue", queueKind.byID(other, e.queue.ID))
	wantSame(f, "queues", []schedctl.Queue(nil), mustRead(f, queueKind.all(other)))
	wantNotFound(f, "blackout", blackoutKind.byID(other, e.blackout.ID))
	wantSame(f, "blackouts", []schedctl.Blackout(nil), mustRead(f, blackoutKind.all(other)))
	wantNotFound(f, "series", seriesByID(other, e.series.ID))
	wantSame(f, "list of series", []schedctl.Series(nil), mustRead(f, seriesAfter(other, "", 9)))
	wantNotFound(f, "series by external id", func(r storage.Reader) (schedctl.Series, error) {
		return r.SeriesByExternalID(other, e.series.ExternalID)
	})
	wantSame(f, "calendar feeds", []schedctl.CalendarFeed(nil), mustRead(f, feedKind.all(other)))
	wantSame(f, "collections", []schedctl.Collection(nil), mustRead(f, collectionKind.all(other)))
	wantSame(f, "aliases", []schedctl.Alias(nil), mustRead(f, aliasKind.all(other)))
	wantSame(f, "shares", []schedctl.Share(nil), mustRead(f, shareKind.all(other)))
	wantSame(f, "results", []schedctl.Results(nil), mustRead(f, resultsOf(other, e.results.TargetID)))
	wantSame(f, "list of results", []schedctl.Results(nil), mustRead(f, resultsAfter(other, "", 9)))
	wantNotFound(f, "results of an account", readingsOf(other, e.account.ID))
	wantSame(f, "results of accounts", []schedctl.AccountResults(nil), mustRead(f, readingsIn(other)))
	wantSame(f, "sources", []schedctl.Source(nil), mustRead(f, sourceKind.all(other)))
	wantSame(f, "items of sources", []schedctl.SourceItem(nil), mustRead(f, itemsAfter(other, "", 9)))
	wantSame(f, "items of a source", []schedctl.SourceItem(nil), mustRead(f, itemsOf(storage.SourceItemQuery{WorkspaceID: other, SourceID: e.source.ID, Limit: 9})))
	wantSame(f, "items by key", []schedctl.SourceItem(nil), mustRead(f, itemsByKey(other, e.item.Keys...)))
	wantNotFound(f, "source", sourceKind.byID(other, e.source.ID))
	wantNotFound(f, "item of a source", itemKind.byID(other, e.item.ID))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteSource(other, e.source.ID) })
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteSourceItem(other, e.item.ID) })
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteShare(other, e.share.ID) })
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteCollection(other, e.collection.ID) })
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteSeries(other, e.series.ID) })
	webhook := newID(schedctl.WebhookPrefix, epoch)
	wantNotFound(f, "delivery", deliveryByID(webhook, e.delivery.ID))
	wantSame(f, "deliveries", []schedctl.Delivery(nil), mustRead(f, deliveriesOf(webhook)))
	wantSame(f, "pending deliveries", []schedctl.Delivery(nil), mustRead(f, pendingDeliveriesOf(webhook)))
	for _, sort := range sorts {
		for _, account := range []string{"", e.account.ID} {
			page := list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9})
			wantSame(f, "list", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, Collection: e.post.Managed.Collection})
			wantSame(f, "list of a collection", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, ExternalID: e.post.ExternalID})
			wantSame(f, "list by external id", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, QueueID: e.queue.ID})
			wantSame(f, "list of a queue", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, SeriesID: e.series.ID})
			wantSame(f, "list of a series", storage.PostPage{}, page)
		}
	}
	key := e.idempotencyScope
	key.WorkspaceID = other
	wantNotFound(f, "answer", newIdempotencyRecord(key))
	wantSame(f, "reads that find it in its own workspace", readCount, countAll(f, e))
}
