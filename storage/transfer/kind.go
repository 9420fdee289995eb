package transfer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// kind defines how the records of one kind are read and written.
type kind struct {
	name string

	// owners returns the owners of the records. Kinds without owners return one owner,
	// the empty id.
	owners func(storage.Exporter) ([]string, error)

	// page reads up to limit records of an owner after a position. next is the position
	// after them, or empty after the last record.
	page func(r storage.Exporter, owner, after string, limit int) (records []any, next string, err error)

	put func(tx storage.Importer, records []any) error
}

// Names of kinds that are used elsewhere.
const (
	kindPosts    = "posts"
	kindEvents   = "events"
	kindWebhooks = "webhooks"
)

// kinds are copied in this order: records come before those that refer to them, and the
// outbox before webhooks, whose cursors refer to it.
var kinds = []kind{
	pagedKind("workspaces", noOwner, singlePage(func(r storage.Exporter, _ string) ([]schedctl.Workspace, error) { return r.Workspaces() }, workspaceID),
		workspaceID, storage.Importer.PutWorkspace),
	pagedKind("keys", workspaces, singlePage(storage.Exporter.Keys, keyID), keyID, storage.Importer.PutKey),
	pagedKind("accounts", workspaces, singlePage(storage.Exporter.Accounts, accountID), accountID, storage.Importer.PutAccount),
	pagedKind("media assets", workspaces, storage.Exporter.MediaAssets,
		func(a *schedctl.MediaAsset) string { return a.ID }, storage.Importer.PutMediaAsset),
	pagedKind("queues", workspaces, singlePage(storage.Exporter.Queues, queueID), queueID, storage.Importer.PutQueue),
	pagedKind("blackouts", workspaces, singlePage(storage.Exporter.Blackouts, blackoutID), blackoutID, storage.Importer.PutBlackout),
	pagedKind("series", workspaces, storage.Exporter.SeriesList,
		func(s *schedctl.Series) string { return s.ID }, storage.Importer.PutSeries),
	pagedKind("calendar feeds", workspaces, singlePage(storage.Exporter.CalendarFeeds, feedID), feedID, storage.Importer.PutCalendarFeed),
	pagedKind("collections", workspaces, singlePage(storage.Exporter.Collections, collectionID), collectionID, storage.Importer.PutCollection),
	pagedKind("aliases", workspaces, singlePage(storage.Exporter.Aliases, aliasID), aliasID, storage.Importer.PutAlias),
	pagedKind("shares", workspaces, singlePage(storage.Exporter.Shares, shareID), shareID, storage.Importer.PutShare),
	pagedKind("sources", workspaces, singlePage(storage.Exporter.Sources, func(s *schedctl.Source) string { return s.ID }), func(s *schedctl.Source) string { return s.ID }, storage.Importer.PutSource),
	pagedKind("source items", workspaces, storage.Exporter.SourceItemsList, func(i *schedctl.SourceItem) string { return i.ID }, storage.Importer.PutSourceItem),
	{name: kindPosts, owners: workspaces, page: pageOfPosts, put: putEach(putPost)},
	pagedKind("results", workspaces, storage.Exporter.ResultsList, func(r *schedctl.Results) string { return r.TargetID }, storage.Importer.PutResults),
	pagedKind("results of accounts", workspaces, singlePage(storage.Exporter.AccountResultsList, readingsID), readingsID, storage.Importer.PutAccountResults),
	eventKind(),
	pagedKind(kindWebhooks, workspaces, singlePage(storage.Exporter.Webhooks, webhookID), webhookID, storage.Importer.PutWebhook),
	pagedKind("deliveries", webhooks, storage.Exporter.Deliveries,
		func(d *schedctl.Delivery) string { return d.ID }, storage.Importer.PutDelivery),
	pagedKind("audit entries", workspaces, storage.Exporter.Audit,
		func(a *schedctl.AuditEntry) string { return a.ID }, storage.Importer.AddAudit),
	pagedKind("answers", noOwner, idempotencyRecords, idempotencyPosition, storage.Importer.PutStoredIdempotencyRecord),
	pagedKind("notes", noOwner, singlePage(metadata, metadataName), metadataName, func(tx storage.Importer, n metadataEntry) error { return tx.PutMetadata(n.Name, n.Value) }),
}

// pagedKind returns a kind from functions that list and put its records. place returns
// the position of a record in its list.
func pagedKind[T any](
	name string, owners func(storage.Exporter) ([]string, error),
	list func(r storage.Exporter, owner, after string, limit int) ([]T, error),
	place func(*T) string, put func(storage.Importer, T) error,
) kind {
	return kind{
		name: name, owners: owners,
		page: func(r storage.Exporter, owner, after string, limit int) (records []any, next string, err error) {
			found, err := list(r, owner, after, limit)
			for i := range found {
				records = append(records, found[i])
			}
			if len(found) == limit {
				next = place(&found[limit-1])
			}
			return records, next, err
		},
		put: putEach(put),
	}
}

// putEach puts records one by one.
func putEach[T any](put func(storage.Importer, T) error) func(storage.Importer, []any) error {
	return func(tx storage.Importer, records []any) error {
		for _, record := range records {
			if err := put(tx, record.(T)); err != nil {
				return err
			}
		}
		return nil
	}
}

// eventKind returns the kind of events. Events are put together, because engines index
// them with fewer entries then.
func eventKind() kind {
	k := pagedKind(kindEvents, noOwner, func(r storage.Exporter, _, after string, limit int) ([]schedctl.Event, error) {
		return r.AllEvents(after, limit)
	},
		func(e *schedctl.Event) string { return e.ID }, func(tx storage.Importer, e schedctl.Event) error { return tx.AddEvents(e) })
	k.put = func(tx storage.Importer, records []any) error {
		list := make([]schedctl.Event, len(records))
		for i := range records {
			list[i] = records[i].(schedctl.Event)
		}
		return tx.AddEvents(list...)
	}
	return k
}

// singlePage pages through a complete list in order of its positions.
func singlePage[T any](list func(r storage.Exporter, owner string) ([]T, error), place func(*T) string) func(storage.Exporter, string, string, int) ([]T, error) {
	return func(r storage.Exporter, owner, after string, limit int) ([]T, error) {
		found, err := list(r, owner)
		begin := slices.IndexFunc(found, func(v T) bool { return place(&v) > after })
		if err != nil || begin < 0 {
			return nil, err
		}
		return found[begin:min(begin+limit, len(found))], nil
	}
}

func noOwner(storage.Exporter) ([]string, error) { return []string{""}, nil }

func workspaces(r storage.Exporter) (ids []string, err error) {
	list, err := r.Workspaces()
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids, err
}

// webhooks returns all webhooks of all workspaces.
func webhooks(r storage.Exporter) (ids []string, err error) {
	owners, err := workspaces(r)
	if err != nil {
		return nil, err
	}
	for _, owner := range owners {
		list, err := r.Webhooks(owner)
		if err != nil {
			return nil, err
		}
		for i := range list {
			ids = append(ids, list[i].ID)
		}
	}
	return ids, nil
}

func workspaceID(w *schedctl.Workspace) string     { return w.ID }
func keyID(k *schedctl.APIKey) string              { return k.ID }
func accountID(a *schedctl.Account) string         { return a.ID }
func webhookID(w *schedctl.Webhook) string         { return w.ID }
func queueID(q *schedctl.Queue) string             { return q.ID }
func blackoutID(b *schedctl.Blackout) string       { return b.ID }
func collectionID(c *schedctl.Collection) string   { return c.ID }
func aliasID(a *schedctl.Alias) string             { return a.ID }
func shareID(s *schedctl.Share) string             { return s.ID }
func readingsID(a *schedctl.AccountResults) string { return a.AccountID }
func feedID(f *schedctl.CalendarFeed) string       { return f.ID }

// idempotencyRecords reads stored idempotency records after a position.
func idempotencyRecords(r storage.Exporter, _, after string, limit int) ([]storage.StoredIdempotencyRecord, error) {
	var from storage.StoredIdempotencyRecord
	if after != "" {
		var hash []byte
		var at int64
		if _, err := fmt.Sscanf(after, "%x %d", &hash, &at); err != nil || len(hash) != len(from.Hash) {
			return nil, fmt.Errorf("%q is not a position among idempotency records", after)
		}
		from.Hash, from.Record.CreatedAt = [32]byte(hash), time.UnixMilli(at).UTC()
	}
	return r.IdempotencyRecords(from, limit)
}

// idempotencyPosition returns the position of an idempotency record.
func idempotencyPosition(a *storage.StoredIdempotencyRecord) string {
	return fmt.Sprintf("%x %d", a.Hash, a.Record.CreatedAt.UnixMilli())
}

// metadataEntry is one entry of a database's metadata.
type metadataEntry struct {
	Name  string
	Value []byte
}

func metadataName(n *metadataEntry) string { return n.Name }

// metadata returns all metadata except marks and progress of copies.
func metadata(r storage.Exporter, _ string) (list []metadataEntry, err error) {
	found, err := r.AllMetadata()
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if name != markKey && name != progressKey {
			list = append(list, metadataEntry{name, found[name]})
		}
	}
	return list, err
}
