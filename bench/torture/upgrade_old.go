package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// makeOldDatabase creates a database as an earlier version wrote it.
func makeOldDatabase(ctx context.Context, dir string, version int) (path string, err error) {
	path = filepath.Join(dir, "schedctl.db")
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return "", err
	}
	if err := errors.Join(fillOldDatabase(ctx, store, version), store.Close()); err != nil {
		return "", err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return "", err
	}
	return path, errors.Join(db.Update(func(tx *bbolt.Tx) error { return downgrade(tx, version) }), db.Close())
}

// firstWithThreads is the first version whose posts can have several parts.
const firstWithThreads = 10

// fillOldDatabase adds posts with one account, a year before they are due. Some have a
// thread if the version knows threads.
func fillOldDatabase(ctx context.Context, store storage.Store, version int) error {
	now := schedctl.Millis(time.Now())
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "old", Timezone: "UTC", CreatedAt: now}
	account := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws.ID, Platform: "feed", Name: "old",
		Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
	}
	accounts := map[string]schedctl.Account{"old": account}
	plan := make([]plannedPost, upgradePosts)
	for i := range plan {
		plan[i] = plannedPost{account: "old", at: now.AddDate(1, 0, i%300), thread: version >= firstWithThreads && i%4 == 0}
	}
	err := store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.PutWorkspace(ws); err != nil {
			return err
		}
		return tx.PutAccount(account)
	})
	for batch := range slices.Chunk(plan, seedBatch) {
		if err == nil {
			err = store.Update(ctx, func(tx storage.Tx) error { _, err := put(tx, accounts, batch); return err })
		}
	}
	return err
}

// downgrade removes what versions added after the given one: 10 threads (layout 8 of records
// that have them), which the database then does not contain; 9 media (layout 7); 8
// notifications (layout 6), which the database does not contain; 7 the index of external ids, and external
// ids, collections and labels of posts (layout 5); 6 the outcome fields of targets,
// attempts and accounts (layout 4 of records); 5 the indexes of contents, network ids
// and identities; 4 webhooks and the audit log, and the webhook of events (layout 3); 3
// an index of events; 2 contents and options of targets (layout 2).
func downgrade(tx *bbolt.Tx, version int) error {
	if version >= 9 {
		return putVersion(tx, version)
	}
	gone := []string{"media", "media hashes", "media sizes", "media expiry", "media uses"}
	layout := byte(6)
	if version < 8 {
		layout = 5
	}
	if version < 7 {
		gone = append(gone, "external ids")
		layout = 4
	}
	if version < 6 {
		layout = 3
	}
	if version < 5 {
		gone = append(gone, "contents", "network ids", "identities")
	}
	if version < 4 {
		layout = 2
		gone = append(gone, "webhooks", "webhook owners", "deliveries", "pending deliveries", "audit")
	}
	if version < 3 {
		gone = append(gone, "events by post")
	}
	if version < 2 {
		layout = 1
	}
	for _, name := range gone {
		if err := tx.DeleteBucket([]byte(name)); err != nil {
			return fmt.Errorf("delete %q: %w", name, err)
		}
	}
	for _, name := range []string{"workspaces", "keys", "accounts", "posts", "attempts", "answers", "events"} {
		if err := rewriteBucket(tx.Bucket([]byte(name)), func(record []byte) []byte { return downgradeRecord(name, record, layout) }); err != nil {
			return fmt.Errorf("rewrite %q: %w", name, err)
		}
	}
	return putVersion(tx, version)
}

func putVersion(tx *bbolt.Tx, version int) error {
	return tx.Bucket([]byte("schedctl")).Put([]byte("version"), binary.BigEndian.AppendUint64(nil, uint64(version)))
}

// downgradeRecord rewrites a record in an earlier layout. The fields to remove are
// empty and at its end: of an event, the webhook; of a post with one target, the
// target's content and options (one byte each), outcome fields (two bytes) and media
// (one byte); of accounts and attempts, one byte of outcome fields.
func downgradeRecord(bucket string, record []byte, layout byte) []byte {
	older := slices.Clone(record)
	older[0] = layout
	drop := 0
	switch bucket {
	case "events":
		if layout < 3 {
			drop = 1
		}
	case "posts":
		older = withoutFields(older, layout < 5)
		switch {
		case layout < 2:
			drop = 5
		case layout < 4:
			drop = 3
		default:
			drop = 1
		}
	case "accounts", "attempts":
		if layout < 4 {
			drop = 1
		}
	}
	return older[:len(older)-drop]
}

// withoutFields removes from a post record the empty fields that newer layouts have
// after its layout, workspace, five numbers and content: media, and the three fields of
// layout 5 if labels is true.
func withoutFields(record []byte, labels bool) []byte {
	at := 1 + 16
	for range 5 {
		_, n := binary.Uvarint(record[at:])
		at += n
	}
	length, n := binary.Uvarint(record[at:])
	at += n + int(length)
	if labels {
		return slices.Delete(record, at, at+4)
	}
	return slices.Delete(record, at+3, at+4)
}

// rewriteBucket changes every record of a bucket.
func rewriteBucket(b *bbolt.Bucket, change func([]byte) []byte) error {
	records := map[string][]byte{}
	err := b.ForEach(func(k, v []byte) error { records[string(k)] = change(v); return nil })
	for _, key := range slices.Sorted(maps.Keys(records)) {
		err = errors.Join(err, b.Put([]byte(key), records[key]))
	}
	return err
}
