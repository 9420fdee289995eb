package storagetest

import (
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// oneOfEach holds one record of each kind.
type oneOfEach struct {
	post              schedctl.Post
	attempt           schedctl.Attempt
	account           schedctl.Account
	workspace         schedctl.Workspace
	key               schedctl.APIKey
	idempotencyScope  storage.IdempotencyScope
	idempotencyRecord storage.IdempotencyRecord
	event             schedctl.Event
	webhook           schedctl.Webhook
	delivery          schedctl.Delivery
	audit             schedctl.AuditEntry
	media             schedctl.MediaAsset
	queue             schedctl.Queue
	blackout          schedctl.Blackout
	series            schedctl.Series
	feed              schedctl.CalendarFeed
	collection        schedctl.Collection
	alias             schedctl.Alias
	share             schedctl.Share
	results           schedctl.Results
	readings          schedctl.AccountResults
	source            schedctl.Source
	item              schedctl.SourceItem
}

func newOneOfEach(f *fixture) oneOfEach {
	e := oneOfEach{
		post: newFilled[schedctl.Post](f), attempt: newFilled[schedctl.Attempt](f), account: newFilled[schedctl.Account](f),
		workspace: newFilled[schedctl.Workspace](f), key: newFilled[schedctl.APIKey](f), idempotencyScope: f.idempotencyScope("k"),
		idempotencyRecord: newFilled[storage.IdempotencyRecord](f), event: newFilled[schedctl.Event](f),
		webhook: newFilled[schedctl.Webhook](f), delivery: newFilled[schedctl.Delivery](f), audit: newFilled[schedctl.AuditEntry](f),
		media: newFilled[schedctl.MediaAsset](f), queue: queueKind.new(f, epoch), blackout: blackoutKind.new(f, epoch),
		series: f.newSeries(epoch), feed: feedKind.new(f, epoch), collection: collectionKind.new(f, epoch), alias: aliasKind.new(f, epoch), share: shareKind.new(f, epoch), results: newFilled[schedctl.Results](f), readings: newFilled[schedctl.AccountResults](f),
		source: sourceKind.new(f, epoch), item: itemKind.new(f, epoch),
	}
	e.post.WorkspaceID, e.account.WorkspaceID, e.key.WorkspaceID = f.ws, f.ws, f.ws
	e.webhook.WorkspaceID, e.audit.WorkspaceID, e.media.WorkspaceID = f.ws, f.ws, f.ws
	e.media.Status, e.post.Media[0].AssetID = schedctl.MediaReady, e.media.ID
	e.delivery.WebhookID, e.delivery.Status = e.webhook.ID, schedctl.DeliveryPending
	e.account.Platform = feedPlatform
	e.blackout.SettledAt, e.post.QueueID, e.post.SeriesID = time.Time{}, e.queue.ID, e.series.ID
	e.post.Targets[0].Status, e.post.Targets[0].AccountID = schedctl.Published, e.account.ID
	e.post.Targets[1].Status = schedctl.Scheduled
	e.item.SourceID = e.source.ID
	e.results.WorkspaceID, e.results.TargetID = f.ws, e.post.Targets[0].ID
	e.readings.WorkspaceID, e.readings.AccountID = f.ws, e.account.ID
	e.attempt.TargetID, e.attempt.FinishedAt = e.post.Targets[2].ID, time.Time{}
	return e
}

func (e oneOfEach) put(tx storage.Tx) error {
	return errors.Join(tx.PutPost(e.post), tx.PutAttempt(e.attempt), tx.PutAccount(e.account),
		tx.PutWorkspace(e.workspace), tx.PutKey(e.key), tx.PutIdempotencyRecord(e.idempotencyScope, e.idempotencyRecord), tx.AddEvents(e.event),
		tx.PutWebhook(e.webhook), tx.PutDelivery(e.delivery), tx.AddAudit(e.audit), tx.PutMediaAsset(e.media),
		tx.PutQueue(e.queue), tx.PutBlackout(e.blackout), tx.PutSeries(e.series), tx.PutCalendarFeed(e.feed),
		tx.PutCollection(e.collection), tx.PutAlias(e.alias), tx.PutShare(e.share), tx.PutResults(e.results), tx.PutAccountResults(e.readings),
		tx.PutSource(e.source), tx.PutSourceItem(e.item))
}

// countReads returns how many of the possible reads find a record.
func (e oneOfEach) countReads(r storage.Reader) (found int) {
	has := func(n int, err error) {
		if err == nil {
			found += n
		}
	}
	one := func(err error) { has(1, err) }
	_, err := r.Post(e.post.WorkspaceID, e.post.ID)
	one(err)
	_, err = r.Route(e.post.Targets[0].ID)
	one(err)
	_, err = r.Account(e.account.WorkspaceID, e.account.ID)
	one(err)
	_, err = r.Feed(e.account.Name)
	one(err)
	_, err = r.Workspace(e.workspace.ID)
	one(err)
	_, err = r.KeyByHash(e.key.Hash)
	one(err)
	_, err = r.IdempotencyRecord(e.idempotencyScope)
	one(err)
	_, err = r.Event(e.event.ID)
	one(err)
	last, err := r.LastEvent()
	has(min(1, len(last)), err)
	err = r.Due(schedctl.Due{}, func(schedctl.Due) bool { found++; return false })
	has(0, err)
	page, err := r.Posts(storage.PostQuery{WorkspaceID: e.post.WorkspaceID, Limit: 9})
	has(len(page.Posts), err)
	attempts, err := r.Attempts(e.attempt.TargetID)
	has(len(attempts), err)
	running, err := r.RunningAttempts()
	has(len(running), err)
	pubs, err := r.PublishedTargets(e.account.ID, storage.PublishedTarget{}, 9)
	has(len(pubs), err)
	accounts, err := r.Accounts(e.account.WorkspaceID)
	has(len(accounts), err)
	workspaces, err := r.Workspaces()
	has(len(workspaces), err)
	keys, err := r.Keys(e.key.WorkspaceID)
	has(len(keys), err)
	events, err := r.Events("", 9)
	has(len(events), err)
	events, err = r.PostEvents(e.event.PostID, 9)
	has(len(events), err)
	return found + e.countWebhooks(r) + e.countMedia(r) + e.countPlans(r)
}

// countWebhooks is the part of countReads for webhooks and the audit log.
func (e oneOfEach) countWebhooks(r storage.Reader) (found int) {
	has := func(n int, err error) {
		if err == nil {
			found += n
		}
	}
	_, err := r.Webhook(e.webhook.WorkspaceID, e.webhook.ID)
	has(1, err)
	_, err = r.Delivery(e.webhook.ID, e.delivery.ID)
	has(1, err)
	webhooks, err := r.Webhooks(e.webhook.WorkspaceID)
	has(len(webhooks), err)
	deliveries, err := r.Deliveries(e.webhook.ID, "", 9)
	has(len(deliveries), err)
	pending, err := r.PendingDeliveries(e.webhook.ID, 9)
	has(len(pending), err)
	audit, err := r.Audit(e.audit.WorkspaceID, "", 9)
	has(len(audit), err)
	return found
}

// countMedia is the part of countReads for media.
func (e oneOfEach) countMedia(r storage.Reader) (found int) {
	has := func(n int, err error) {
		if err == nil {
			found += n
		}
	}
	_, err := r.MediaAsset(e.media.WorkspaceID, e.media.ID)
	has(1, err)
	assets, err := r.MediaAssets(e.media.WorkspaceID, "", 9)
	has(len(assets), err)
	same, err := r.MediaByHash(e.media.WorkspaceID, e.media.SHA256, 9)
	has(len(same), err)
	if known, err := r.HasMedia(e.media.SHA256); known {
		has(1, err)
	}
	size, err := r.MediaSize(e.media.WorkspaceID)
	has(int(min(1, size)), err)
	users, err := r.MediaUsers(e.media.ID, 9)
	has(len(users), err)
	expired, err := r.ExpiredMedia(e.media.ExpiresAt.Add(time.Millisecond), 9)
	has(len(expired), err)
	return found
}

// countPlans is the part of countReads for queues, blackouts, series, calendar feeds and
// collections.
func (e oneOfEach) countPlans(r storage.Reader) (found int) {
	has := func(n int, err error) {
		if err == nil {
			found += n
		}
	}
	ws, later := e.queue.WorkspaceID, epoch.Add(1000*time.Hour)
	_, err := r.Queue(ws, e.queue.ID)
	has(1, err)
	queues, err := r.Queues(ws)
	has(len(queues), err)
	_, err = r.Blackout(ws, e.blackout.ID)
	has(1, err)
	blackouts, err := r.Blackouts(ws)
	has(len(blackouts), err)
	blackouts, err = r.BlackoutsByEnd(later, 9)
	has(len(blackouts), err)
	_, err = r.Series(ws, e.series.ID)
	has(1, err)
	_, err = r.SeriesByExternalID(ws, e.series.ExternalID)
	has(1, err)
	series, err := r.SeriesList(ws, "", 9)
	has(len(series), err)
	series, err = r.SeriesDue(later, 9)
	has(len(series), err)
	feeds, err := r.CalendarFeeds(ws)
	has(len(feeds), err)
	_, err = r.CalendarFeedByHash(e.feed.Hash)
	has(1, err)
	collections, err := r.Collections(ws)
	has(len(collections), err)
	aliases, err := r.Aliases(ws)
	has(len(aliases), err)
	results, err := r.Results(ws, []string{e.results.TargetID})
	has(len(results), err)
	results, err = r.ResultsList(ws, "", 9)
	has(len(results), err)
	results, err = r.ResultsDue(later, 9)
	has(len(results), err)
	_, err = r.AccountResults(ws, e.account.ID)
	has(1, err)
	readings, err := r.AccountResultsList(ws)
	has(len(readings), err)
	_, err = r.Source(ws, e.source.ID)
	has(1, err)
	sources, err := r.Sources(ws)
	has(len(sources), err)
	sources, err = r.SourcesDue(later, 9)
	has(len(sources), err)
	_, err = r.SourceItem(ws, e.item.ID)
	has(1, err)
	for _, state := range []schedctl.ItemState{"", e.item.State} {
		items, err := r.SourceItems(storage.SourceItemQuery{WorkspaceID: ws, SourceID: e.source.ID, State: state, Limit: 9})
		has(len(items), err)
	}
	items, err := r.SourceItemsList(ws, "", 9)
	has(len(items), err)
	items, err = r.SourceItemsByKey(ws, e.item.Keys)
	has(len(items), err)
	shares, err := r.Shares(ws)
	has(len(shares), err)
	_, err = r.ShareByHash(e.share.Hash)
	has(1, err)
	for _, q := range []storage.PostQuery{{QueueID: e.queue.ID}, {SeriesID: e.series.ID}} {
		q.WorkspaceID, q.Limit = ws, 9
		page, err := r.Posts(q)
		has(len(page.Posts), err)
	}
	times, err := r.Occupied(storage.OccupiedQuery{WorkspaceID: ws, AccountIDs: []string{e.account.ID}, From: epoch, Until: later, Limit: 9})
	has(len(times), err)
	return found
}

// readCount is the number of possible reads of one record of each kind.
const readCount = 63

func countAll(f *fixture, e oneOfEach) int {
	f.Helper()
	return mustRead(f, func(r storage.Reader) (int, error) { return e.countReads(r), nil })
}
