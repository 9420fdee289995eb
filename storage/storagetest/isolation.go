package storagetest

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var isolationParts = []part{
	{"WorkspacesSeeNothingOfEachOther", testWorkspacesSeeNothingOfEachOther},
}

func testWorkspacesSeeNothingOfEachOther(f *fixture) {
	e := newEverything(f)
	f.update(e.put)
	other := newID(schedctl.WorkspacePrefix, epoch)
	missing(f, "post", func(r storage.Reader) (schedctl.Post, error) { return r.Post(other, e.post.ID) })
	missing(f, "post by external id", func(r storage.Reader) (schedctl.Post, error) { return r.PostByExternalID(other, e.post.ExternalID) })
	missing(f, "account", func(r storage.Reader) (schedctl.Account, error) { return r.Account(other, e.account.ID) })
	same(f, "accounts", []schedctl.Account(nil), read(f, accountsOf(other)))
	same(f, "keys", []schedctl.APIKey(nil), read(f, keysOf(other)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeletePost(other, e.post.ID) })
	missing(f, "webhook", func(r storage.Reader) (schedctl.Webhook, error) { return r.Webhook(other, e.webhook.ID) })
	same(f, "webhooks", []schedctl.Webhook(nil), read(f, webhooksOf(other)))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteWebhook(other, e.webhook.ID) })
	same(f, "audit entries", []schedctl.AuditEntry(nil), read(f, auditOf(other)))
	webhook := newID(schedctl.WebhookPrefix, epoch)
	missing(f, "delivery", deliveryByID(webhook, e.delivery.ID))
	same(f, "deliveries", []schedctl.Delivery(nil), read(f, deliveriesOf(webhook)))
	same(f, "pending deliveries", []schedctl.Delivery(nil), read(f, pendingDeliveriesOf(webhook)))
	for _, sort := range sorts {
		for _, account := range []string{"", e.account.ID} {
			page := list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9})
			same(f, "list", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, Collection: e.post.Managed.Collection})
			same(f, "list of a collection", storage.PostPage{}, page)
			page = list(f, storage.PostQuery{WorkspaceID: other, AccountID: account, Sort: sort, Limit: 9, ExternalID: e.post.ExternalID})
			same(f, "list by external id", storage.PostPage{}, page)
		}
	}
	key := e.answerKey
	key.WorkspaceID = other
	missing(f, "answer", answerTo(key))
	same(f, "ways to find it at home", ways, countAll(f, e))
}
