package storage

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Reader reads from one snapshot. Unless stated otherwise, a method costs about as
// much as the records that it returns, however many others there are.
type Reader interface {
	// Post returns a post of the workspace.
	Post(workspaceID, id string) (schedctl.Post, error)

	// PostByExternalID returns the post of the workspace with the external id.
	PostByExternalID(workspaceID, externalID string) (schedctl.Post, error)

	// Posts returns one page of the posts of a workspace. The cost depends on the
	// length of the page and its Offset.
	//
	// Some queries have no index: those with Search, with Labels, with several of an
	// account, a collection, a queue and a series, with publish bounds and a sort by
	// creation, or with CreatedBy unless [PostQuery.ByCreator]. They read at most ScanLimit posts with about ScanBytes of text. A page also
	// ends after about PageBytes of text. It may therefore be short, or empty, and still
	// have a Next. If the context ends during a scan, Posts returns its error.
	Posts(PostQuery) (PostPage, error)

	// Route returns the workspace, post and account of a target.
	Route(targetID string) (Route, error)

	// Due calls fn for the entries of the due index, ordered by time and target. It
	// starts at from (inclusive) and ends when fn returns false.
	Due(from schedctl.Due, fn func(schedctl.Due) bool) error

	// Attempts returns the attempts of a target, oldest first.
	Attempts(targetID string) ([]schedctl.Attempt, error)

	// LatestAttempts returns the latest attempts of each target, at most limit for
	// each, ordered by target and number.
	LatestAttempts(targetIDs []string, limit int) ([]schedctl.Attempt, error)

	// RunningAttempts returns all attempts that have not finished, oldest first.
	RunningAttempts() ([]schedctl.Attempt, error)

	// PublishedAs returns, for each post of a network, the ids of the targets that were
	// published as this post, in order. It covers the targets of all accounts that have the
	// identity now. A post with an empty id or owner has no targets.
	// Transactions that call it for the same post run one after the other.
	PublishedAs([]PlatformPost) ([][]string, error)

	// SameContent returns the ids of the posts that occupy a content on an account,
	// ordered by time. See [schedctl.Target.Occupies].
	SameContent(ContentQuery) ([]string, error)

	// PublishedTargets returns up to limit publications of an account, newest first,
	// starting after the given one. The zero value starts at the newest.
	PublishedTargets(accountID string, after PublishedTarget, limit int) ([]PublishedTarget, error)

	// Account returns an account of the workspace.
	Account(workspaceID, id string) (schedctl.Account, error)

	// Accounts returns the accounts of a workspace, including disconnected ones, in
	// order of creation.
	Accounts(workspaceID string) ([]schedctl.Account, error)

	// Feed returns the account of platform "feed" with this name that is not
	// disconnected. Feed names are unique in the database, across workspaces.
	Feed(name string) (schedctl.Account, error)

	// IdempotencyRecord returns the stored response to a request. Without one the
	// code is NOT_FOUND. If [Shared.Refuse] was called for the request, the error is
	// a [*RefusedError], also with that code.
	IdempotencyRecord(IdempotencyScope) (IdempotencyRecord, error)

	// AccountsOf returns the accounts of all workspaces that have one of the
	// identities, including disconnected ones, ordered by id. Unlike other reads of
	// a transaction, the result may change before the commit.
	AccountsOf(identities []schedctl.Identity) ([]schedctl.Account, error)

	// Workspace returns a workspace. Workspaces returns all, in order of creation.
	Workspace(id string) (schedctl.Workspace, error)
	Workspaces() ([]schedctl.Workspace, error)

	// KeyByHash returns the API key whose secret has this SHA-256. The key may be
	// revoked or expired.
	KeyByHash(hash [32]byte) (schedctl.APIKey, error)

	// Key returns an API key of the workspace. Unlike other reads of a transaction, the
	// result may change before the commit.
	Key(workspaceID, id string) (schedctl.APIKey, error)

	// Keys returns the API keys of a workspace in order of creation.
	Keys(workspaceID string) ([]schedctl.APIKey, error)

	// Events returns up to limit events in outbox order, starting after the event
	// with the given id. An empty id starts at the oldest event. New events always
	// appear after the events that were already returned.
	//
	// Events of one process are in the order of their ids. Ids of several processes
	// can be out of order, because their clocks differ. Use Later to compare
	// positions in the outbox.
	Events(afterID string, limit int) ([]schedctl.Event, error)

	// Event returns an event. LastEvent returns the id of the last one, or "" if there
	// are no events.
	Event(id string) (schedctl.Event, error)
	LastEvent() (string, error)

	// Later returns the id whose position in the outbox is later, or a if they are the
	// same. The events need not exist. An empty id is before all events.
	Later(a, b string) (string, error)

	// PostEvents returns the latest events about a post, at most limit, ordered by id.
	// The post may be deleted. If one transaction added several events, any of them may
	// count as the latest.
	PostEvents(postID string, limit int) ([]schedctl.Event, error)

	// Webhook returns a webhook of the workspace. Webhooks returns all, in order of
	// creation.
	Webhook(workspaceID, id string) (schedctl.Webhook, error)
	Webhooks(workspaceID string) ([]schedctl.Webhook, error)

	// Delivery returns a delivery of the webhook.
	Delivery(webhookID, id string) (schedctl.Delivery, error)

	// Deliveries returns up to limit deliveries of a webhook, newest first, starting
	// after the given id. An empty id starts at the newest.
	Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error)

	// PendingDeliveries returns up to limit pending deliveries of a webhook, ordered by
	// the time of their next attempts.
	PendingDeliveries(webhookID string, limit int) ([]schedctl.Delivery, error)

	// Audit returns up to limit audit entries of a workspace, newest first, starting
	// after the given id. An empty id starts at the newest.
	Audit(workspaceID, afterID string, limit int) ([]schedctl.AuditEntry, error)

	// MediaAsset returns a media asset of the workspace.
	MediaAsset(workspaceID, id string) (schedctl.MediaAsset, error)

	// MediaAssets returns up to limit assets of a workspace, newest first, starting
	// after the given id. An empty id starts at the newest.
	MediaAssets(workspaceID, afterID string, limit int) ([]schedctl.MediaAsset, error)

	// MediaByHash returns up to limit ready assets of the workspace whose bytes have this
	// SHA-256, oldest first.
	MediaByHash(workspaceID string, sha256 [32]byte, limit int) ([]schedctl.MediaAsset, error)

	// MediaSize returns the sum of the sizes of the pending and ready assets of a
	// workspace, in bytes. Assets with the same bytes each count.
	MediaSize(workspaceID string) (int64, error)

	// MediaUsers returns the ids of up to limit posts and series that use an asset, as
	// [schedctl.Post.AssetIDs] defines it. Series that have not ended, and the posts that
	// still need the asset, come first; see [schedctl.Status.NeedsMedia]. Ended series use
	// no asset. Otherwise posts are ordered by publish time, latest first. Series, and
	// posts without a time, come before those with one. The asset may be missing.
	MediaUsers(assetID string, limit int) ([]string, error)

	// HasMedia reports whether any workspace has an asset whose bytes have this SHA-256,
	// whatever its status. Pending assets count as soon as their hash is stored. The
	// zero hash, of an asset whose bytes are unknown, is never found.
	HasMedia(sha256 [32]byte) (bool, error)

	// ExpiredMedia returns up to limit assets of all workspaces that expire before the
	// given time, ordered by that time and by id. Assets without an expiry never expire.
	// The result has assets that posts use: a caller that keeps one must move its
	// expiry, or later calls return it again.
	ExpiredMedia(before time.Time, limit int) ([]schedctl.MediaAsset, error)

	// Queue returns a queue of the workspace. Queues returns all, in order of creation.
	Queue(workspaceID, id string) (schedctl.Queue, error)
	Queues(workspaceID string) ([]schedctl.Queue, error)

	// Occupied returns the live targets of accounts between two times, ordered by time,
	// post and account. See [schedctl.Target.Live]. Transactions that call it for the same
	// account, or that put posts of the account, run one after the other.
	Occupied(OccupiedQuery) ([]OccupiedTime, error)

	// Blackout returns a blackout of the workspace. Blackouts returns all, in order of
	// creation.
	Blackout(workspaceID, id string) (schedctl.Blackout, error)
	Blackouts(workspaceID string) ([]schedctl.Blackout, error)

	// BlackoutsByEnd returns up to limit blackouts of all workspaces that end before the
	// given time and are not settled, ordered by their end and id. Blackouts with an open
	// end are never among them. Unlike other reads of a transaction, the result may change
	// before the commit.
	BlackoutsByEnd(before time.Time, limit int) ([]schedctl.Blackout, error)

	// Series returns a series of the workspace.
	Series(workspaceID, id string) (schedctl.Series, error)

	// SeriesList returns up to limit series of a workspace, newest first, starting after
	// the given id. An empty id starts at the newest.
	SeriesList(workspaceID, afterID string, limit int) ([]schedctl.Series, error)

	// SeriesByExternalID returns the series of the workspace with the external id.
	SeriesByExternalID(workspaceID, externalID string) (schedctl.Series, error)

	// SeriesDue returns up to limit series of all workspaces whose SweepAt is set and is
	// before the given time, ordered by that time and by id. Unlike other reads of a
	// transaction, the result may change before the commit.
	SeriesDue(before time.Time, limit int) ([]schedctl.Series, error)

	// CalendarFeeds returns the calendar feeds of a workspace in order of creation.
	CalendarFeeds(workspaceID string) ([]schedctl.CalendarFeed, error)

	// CalendarFeedByHash returns the calendar feed whose token has this SHA-256. The feed
	// may have expired.
	CalendarFeedByHash(hash [32]byte) (schedctl.CalendarFeed, error)

	// Collections returns the collections of a workspace in order of creation. Transactions
	// that call it for the same workspace run one after the other.
	Collections(workspaceID string) ([]schedctl.Collection, error)

	// Aliases returns the aliases of a workspace of all kinds in order of creation.
	// Transactions that call it for the same workspace run one after the other.
	Aliases(workspaceID string) ([]schedctl.Alias, error)

	// Shares returns the shares of a workspace in order of creation, also those that have
	// ended. Transactions that call it for the same workspace run one after the other.
	Shares(workspaceID string) ([]schedctl.Share, error)

	// ShareByHash returns the share whose token has this SHA-256. It may have ended.
	ShareByHash(hash [32]byte) (schedctl.Share, error)

	// Results returns the results of those targets of the workspace that have any, ordered
	// by target. Transactions that call it for the same workspace run one after the other.
	Results(workspaceID string, targetIDs []string) ([]schedctl.Results, error)

	// ResultsList returns up to limit results of a workspace, ordered by target, the
	// youngest first, starting after the given target. An empty id starts at the youngest.
	ResultsList(workspaceID, afterID string, limit int) ([]schedctl.Results, error)

	// ResultsDue returns up to limit results of all workspaces whose NextAt is set and is
	// before the given time, ordered by that time and by target. Unlike other reads of a
	// transaction, the result may change before the commit.
	ResultsDue(before time.Time, limit int) ([]schedctl.Results, error)

	// AccountResults returns what the readings of an account cost and gained. It returns
	// NOT_FOUND if nothing is stored.
	AccountResults(workspaceID, accountID string) (schedctl.AccountResults, error)

	// AccountResultsList returns those of a workspace, ordered by account. Transactions
	// that call it for the same workspace run one after the other.
	AccountResultsList(workspaceID string) ([]schedctl.AccountResults, error)

	// Source returns a source of the workspace, also a removed one.
	Source(workspaceID, id string) (schedctl.Source, error)

	// Sources returns the sources of a workspace in order of creation, also removed ones.
	// Transactions that call it for the same workspace run one after the other.
	Sources(workspaceID string) ([]schedctl.Source, error)

	// SourcesDue returns up to limit sources of all workspaces whose WakeAt is set and is
	// before the given time, ordered by that time and by id. Unlike other reads of a
	// transaction, the result may change before the commit.
	SourcesDue(before time.Time, limit int) ([]schedctl.Source, error)

	// SourceItem returns an item of a source of the workspace.
	SourceItem(workspaceID, id string) (schedctl.SourceItem, error)

	// SourceItems returns items of a source, newest first. Unlike other reads of a
	// transaction, the result may change before the commit, unless every transaction that
	// changes items of the source reads the source first.
	SourceItems(SourceItemQuery) ([]schedctl.SourceItem, error)

	// SourceItemsList returns up to limit items of all sources of a workspace, newest first,
	// starting after the given id. An empty id starts at the newest.
	SourceItemsList(workspaceID, afterID string, limit int) ([]schedctl.SourceItem, error)

	// SourceItemsByKey returns the items of a workspace that have one of the keys, newest
	// first; see [schedctl.SourceItem].
	SourceItemsByKey(workspaceID string, keys []string) ([]schedctl.SourceItem, error)

	// Metadata returns a value about the database itself, or nil if there is no value
	// with this name.
	Metadata(name string) ([]byte, error)

	// AllMetadata returns all metadata by name.
	AllMetadata() (map[string][]byte, error)
}
