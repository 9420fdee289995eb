package storage

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Tx reads and writes in one transaction. It reads its own writes.
type Tx interface {
	Reader

	// PutPost creates or replaces a post and updates all indexes. Workspace and
	// creation time of an existing post do not change. If another post of the
	// workspace has the external id, the code is EXTERNAL_ID_EXISTS; see
	// [ExternalIDExists]. If the post takes a slot, and another post holds the slot of
	// one of its accounts at that instant, the code is SLOT_TAKEN; see
	// [schedctl.Target.HoldsSlot]. Only the posts that were put before count: to exchange
	// slots, first put the posts without their slots.
	PutPost(schedctl.Post) error

	// DeletePost deletes a post with its index entries, and the attempts and results of its
	// targets. Its events stay.
	DeletePost(workspaceID, id string) error

	// PutAttempt creates or replaces the attempt of a target with this number.
	PutAttempt(schedctl.Attempt) error

	// PutAccount creates or replaces an account. If another connected account of
	// the workspace has the name, the code is NAME_TAKEN on field "name". The
	// names of feeds must be unique in the database.
	PutAccount(schedctl.Account) error

	// PutWorkspace creates or replaces a workspace.
	PutWorkspace(schedctl.Workspace) error

	// PutKey creates or replaces an API key. The hash of a key must not change.
	PutKey(schedctl.APIKey) error

	// PutIdempotencyRecord stores the response to a request.
	PutIdempotencyRecord(IdempotencyScope, IdempotencyRecord) error

	// AddEvents appends events to the outbox. Their ids must be new.
	AddEvents(...schedctl.Event) error

	// OutboxEnd returns a new id for the current end of the outbox, which no event
	// has. Events after this id are those that are committed from now on, with the
	// later events of this transaction. Events from a moment before may be among them.
	OutboxEnd() (string, error)

	// PutWebhook creates or replaces a webhook. It returns NOT_FOUND if the id is in use
	// in a different workspace.
	PutWebhook(schedctl.Webhook) error

	// DeleteWebhook deletes a webhook. Its deliveries stay until Prune deletes them;
	// pending ones are read as failed. The cost does not depend on their number.
	DeleteWebhook(workspaceID, id string) error

	// PutDelivery creates or replaces a delivery. If the webhook is missing, the code
	// is NOT_FOUND.
	PutDelivery(schedctl.Delivery) error

	// AddAudit appends an entry to the audit log. Its id must be new.
	AddAudit(schedctl.AuditEntry) error

	// PutMediaAsset creates or replaces a media asset. Its SHA256 must not change once
	// it is set. Commits do not report assets.
	PutMediaAsset(schedctl.MediaAsset) error

	// DeleteMediaAsset deletes a media asset. The caller checks first that no post needs
	// it. Posts keep their references, and MediaUsers still returns them. The bytes are
	// in package storage/blob and are not deleted.
	DeleteMediaAsset(workspaceID, id string) error

	// PutQueue creates or replaces a queue. It returns NOT_FOUND if the id is in use in a
	// different workspace.
	PutQueue(schedctl.Queue) error

	// DeleteQueue deletes a queue. Posts keep its id; the caller removes it from them.
	DeleteQueue(workspaceID, id string) error

	// PutBlackout creates or replaces a blackout. It does not write the copies in the
	// accounts. It returns NOT_FOUND if the id is in use in a different workspace.
	PutBlackout(schedctl.Blackout) error

	// DeleteBlackout deletes a blackout, and not its copies in the accounts.
	DeleteBlackout(workspaceID, id string) error

	// PutSeries creates or replaces a series. Of the template it keeps the fields that
	// [schedctl.NewTemplate] sets; the template has the workspace of the series. If another
	// series of the workspace has the external id, the code is EXTERNAL_ID_EXISTS; see
	// [ExternalIDExists]. It returns NOT_FOUND if the id is in use in a different workspace.
	PutSeries(schedctl.Series) error

	// DeleteSeries deletes a series, and not its posts.
	DeleteSeries(workspaceID, id string) error

	// PutCalendarFeed creates or replaces a calendar feed. Its hash must not change.
	PutCalendarFeed(schedctl.CalendarFeed) error

	// DeleteCalendarFeed deletes a calendar feed.
	DeleteCalendarFeed(workspaceID, id string) error

	// PutCollection creates or replaces a collection. The caller checks that its name is
	// unique. It returns NOT_FOUND if the id is in use in a different workspace.
	PutCollection(schedctl.Collection) error

	// DeleteCollection deletes a collection, and not its posts.
	DeleteCollection(workspaceID, id string) error

	// PutAlias creates or replaces an alias. The caller checks that its name is unique. It
	// returns NOT_FOUND if the id is in use in a different workspace.
	PutAlias(schedctl.Alias) error

	// DeleteAlias deletes an alias.
	DeleteAlias(workspaceID, id string) error

	// PutShare creates or replaces a share. Its hash must not change. It returns NOT_FOUND if
	// the id is in use in a different workspace.
	PutShare(schedctl.Share) error

	// DeleteShare deletes a share.
	DeleteShare(workspaceID, id string) error

	// PutResults creates or replaces the results of a target. The caller checks that the
	// target exists. It returns NOT_FOUND if the target is in a different workspace.
	PutResults(schedctl.Results) error

	// PutAccountResults creates or replaces what the readings of an account cost and
	// gained. The caller checks that the account exists. It returns NOT_FOUND if the
	// account is in a different workspace.
	PutAccountResults(schedctl.AccountResults) error

	// PutSource creates or replaces a source. It returns NOT_FOUND if the id is in use in a
	// different workspace.
	PutSource(schedctl.Source) error

	// DeleteSource deletes a source, and not its items.
	DeleteSource(workspaceID, id string) error

	// PutSourceItem creates or replaces an item of a source. It returns NOT_FOUND if the id is
	// in use in a different workspace.
	PutSourceItem(schedctl.SourceItem) error

	// DeleteSourceItem deletes an item of a source.
	DeleteSourceItem(workspaceID, id string) error

	// PutMetadata stores a value about the database itself, of at most MaxMetadata
	// bytes. nil deletes it. Daemons check such values before they use a database.
	PutMetadata(name string, value []byte) error

	// Prune deletes up to limit records that are older than their retention, and
	// deliveries of deleted webhooks. It returns the number of deleted records.
	Prune(before Retention, limit int) (int, error)
}

// MaxMetadata is the maximum length of a metadata value, in bytes.
const MaxMetadata = 4096

// Retention is the cutoff time of each kind of record. [Tx.Prune] deletes older
// records. A zero time keeps all.
type Retention struct {
	IdempotencyRecords, Events, Deliveries, Audit time.Time

	// Now is the current time, or zero if it is not known. Records with a later time
	// were written while the clock was ahead. Prune keeps them, and still deletes old
	// records that were written after them.
	Now time.Time
}

// InFuture reports whether t is after Now.
func (r *Retention) InFuture(t time.Time) bool { return !r.Now.IsZero() && t.After(r.Now) }
