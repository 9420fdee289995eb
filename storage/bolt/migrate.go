package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// migration changes a file from one version to the next. It runs in one transaction,
// which also stores the new version, so it is atomic.
type migration struct {
	name string
	run  func(*bbolt.Tx) error
}

// migrations are all migrations, in order. The version of a file is the number of
// migrations that have run on it. A released entry never changes. Some also start a new
// layout of records, which no existing record has, so there is nothing to index.
var migrations = []migration{
	{"create the buckets", createBuckets},
	{"let targets have a content of their own", noChange},
	{"index the events by post", indexEvents},
	{"keep webhooks, deliveries and the audit log", createAll(webhooks, webhookOwners, deliveries, pendingDeliveries, audit)},
	{"index contents, ids of networks and identities", indexContents},
	{"keep how long outcomes are in doubt", noChange},
	{"index external ids and collections", createAll(externalIDs)},
	{"let webhooks be notifications", noChange},
	{"keep media assets and what uses them", createAll(media, mediaHashes, mediaSizes, mediaExpiry, mediaUses)},
	{"let posts have several parts", noChange},
	{"keep queues, blackouts, series and calendar feeds", createPlanBuckets},
	{"keep staged posts, and when credentials end", noChange},
	{"let posts be reviewed", letFirstKeysApprove},
	{"keep who wrote posts, who uploaded media, and who applies collections, aliases, shares, results and sources; copy alt texts into posts", keepTrust},
}

// Version returns the version of the files that this program writes.
func Version() int { return len(migrations) }

func createBuckets(tx *bbolt.Tx) error {
	for _, name := range bucketNames {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// indexEvents adds the existing events to the index of events by post, with one entry
// for each event.
func indexEvents(tx *bbolt.Tx) error {
	index, err := tx.CreateBucketIfNotExists([]byte(bucketNames[eventsByPost]))
	if err != nil {
		return err
	}
	index.FillPercent = fill
	return tx.Bucket([]byte(bucketNames[events])).ForEach(func(key, record []byte) error {
		e, err := readEvent(key, record)
		if err != nil || e.PostID == "" {
			return err
		}
		post, err := parse(schedctl.PostPrefix, e.PostID)
		if err != nil {
			return err
		}
		return index.Put(concat(nil, post[:], key), slices.Clone(key))
	})
}

// createAll returns the migration that creates buckets.
func createAll(list ...bucket) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		for _, b := range list {
			if _, err := tx.CreateBucketIfNotExists([]byte(bucketNames[b])); err != nil {
				return err
			}
		}
		return nil
	}
}

// createPlanBuckets also starts the layout in which posts can have slots and be
// occurrences. No existing post has or is one, so there is nothing to index.
func createPlanBuckets(tx *bbolt.Tx) error {
	for _, b := range []bucket{owners, queues, blackouts, blackoutEnds, series, seriesExternalIDs, seriesSweeps, calendarFeeds, calendarFeedHashes, slots} {
		if _, err := tx.CreateBucketIfNotExists([]byte(bucketNames[b])); err != nil {
			return err
		}
	}
	return nil
}

// letFirstKeysApprove starts the layout with reviews. It gives the scope posts:approve to
// the keys that administer a workspace; see [schedctl.APIKey.LetApprove].
func letFirstKeysApprove(tx *bbolt.Tx) error {
	return changeKeys(tx, (*schedctl.APIKey).LetApprove)
}

// changeKeys stores the keys for which change returns true.
func changeKeys(tx *bbolt.Tx, change func(*schedctl.APIKey) bool) error {
	in, records := tx.Bucket([]byte(bucketNames[keys])), map[string][]byte{}
	err := in.ForEach(func(key, record []byte) error {
		k, err := keyTable.read(key, record)
		if err == nil && change(&k) {
			records[string(key)], err = encode(new(coder), nil, &k, (*coder).key)
		}
		return err
	})
	for key, record := range records {
		err = errors.Join(err, in.Put([]byte(key), record))
	}
	return err
}

// keepTrust creates the buckets of collections, aliases, shares, sources and results of targets and accounts, copies alt texts into
// posts, and gives the scopes shares:write and sources:write to the keys that administer a workspace; see
// [schedctl.APIKey.LetShare].
func keepTrust(tx *bbolt.Tx) error {
	return errors.Join(createAll(collections, aliases, shares, shareHashes, results, resultsDue, accountResults,
		sources, sourcesDue, sourceItems, sourceItemLists, sourceItemKeys)(tx), copyAltTexts(tx), changeKeys(tx, (*schedctl.APIKey).LetShare))
}

// noChange is the migration to a new layout of records. Old records stay as they are.
func noChange(*bbolt.Tx) error { return nil }

var versionKey = []byte("version")

// migrate runs the migrations that have not run on the file.
func migrate(db *bbolt.DB, log *slog.Logger, list []migration) error {
	for {
		var version int
		err := db.View(func(tx *bbolt.Tx) (err error) {
			version, err = versionOrNone(tx, list)
			return err
		})
		if err != nil || version == len(list) {
			return err
		}
		if version == 0 {
			if err := createLayout(db, list); err != nil {
				return err
			}
			log.Info("database created", "version", len(list))
			continue
		}
		next := list[version]
		if err := db.Update(func(tx *bbolt.Tx) error { return step(tx, next, version+1) }); err != nil {
			return fmt.Errorf("migrate to version %d (%s): %w; the database is still at version %d", version+1, next.name, err, version)
		}
		log.Info("database migrated", "version", version+1, "migration", next.name)
	}
}

// createLayout runs all migrations on an empty file, in one transaction.
func createLayout(db *bbolt.DB, list []migration) error {
	return db.Update(func(tx *bbolt.Tx) error {
		for i, m := range list {
			if err := step(tx, m, i+1); err != nil {
				return fmt.Errorf("create the database (%s): %w", m.name, err)
			}
		}
		return nil
	})
}

// step runs one migration and stores the new version.
func step(tx *bbolt.Tx, m migration, version int) error {
	if err := m.run(tx); err != nil {
		return err
	}
	b, err := tx.CreateBucketIfNotExists([]byte(bucketNames[meta]))
	if err != nil {
		return err
	}
	return b.Put(versionKey, binary.BigEndian.AppendUint64(nil, uint64(version)))
}

// versionOrNone is versionOf, and returns 0 for a new file without buckets.
func versionOrNone(tx *bbolt.Tx, list []migration) (int, error) {
	if k, _ := tx.Cursor().First(); k == nil {
		return 0, nil
	}
	return versionOf(tx, list)
}

// versionOf returns the version of the file.
func versionOf(tx *bbolt.Tx, list []migration) (int, error) {
	b := tx.Bucket([]byte(bucketNames[meta]))
	if b == nil {
		return 0, foreign("it is the bbolt file of a different program")
	}
	v := b.Get(versionKey)
	if len(v) != 8 {
		return 0, damaged("its version cannot be read")
	}
	version := binary.BigEndian.Uint64(v)
	if version > uint64(len(list)) {
		return 0, fmt.Errorf("%w: it has version %d, and this program knows up to %d; install the newer one again",
			storage.ErrNewer, version, len(list))
	}
	return int(version), nil
}
