package bolt

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// reader implements [storage.Reader] on one bbolt transaction.
//
// ctx is the context of the View, because the methods of the contract take none. A
// transaction cannot be canceled, so its ctx is never done.
type reader struct {
	ctx context.Context
	buckets
	idempotency *idempotencyIndex
	turn        scanTurn      // the turn of the current scan
	scratch     [keySize]byte // memory for building keys
}

// keySize is enough for every key except those that end with a name.
const keySize = 72

// tx implements [storage.Tx]. One tx runs all transactions of a group, one after
// another, on one bbolt transaction.
type tx struct {
	reader
	dirty bool // the current transaction has written
	wrote bool // a transaction of the group has written

	// What Notify reports after the commit of the group.
	due        []schedctl.Due
	dueRemoved bool // a due entry was removed
	accounts   []string
	webhooks   []string
	events     int
	began      time.Time

	// Changes of the idempotency index. Added records are already in it. Removed
	// records are deleted from it after the commit.
	added, removed []idempotencyRef

	// last has the youngest known id of each bucket, or zero.
	last [bucketCount]ulid

	// lastAudit is the key of the youngest known audit entry of one workspace, or
	// zero.
	lastAudit [32]byte

	// known are accounts whose policies were asked for, in any transaction.
	known map[ulid]knownAccount

	// The following fields are memory that is reused.
	coder         coder
	arena         arena
	before, after []entry
	ids           []ulid
	records       [][]byte
}

// reset makes tx ready for a new group.
func (tx *tx) reset(opened *bbolt.Tx) {
	tx.buckets = buckets{bolt: opened}
	tx.dirty, tx.wrote, tx.dueRemoved = false, false, false
	tx.due, tx.accounts, tx.webhooks, tx.events = nil, nil, nil, 0
	tx.added, tx.removed = tx.added[:0], tx.removed[:0]
	tx.last, tx.lastAudit = [bucketCount]ulid{}, [32]byte{}
	tx.arena.reset()
}

func (tx *tx) rollback() {
	tx.bolt.Rollback() // fails only if the transaction has ended
	tx.idempotency.remove(tx.added...)
}

// committed updates the idempotency index after the commit.
func (tx *tx) committed() { tx.idempotency.remove(tx.removed...) }

// commitInfo returns what the group changed, without due entries that it added
// and then removed.
func (tx *tx) commitInfo() storage.Commit {
	if tx.dueRemoved {
		slices.SortFunc(tx.due, schedctl.Due.Compare)
		tx.due = slices.DeleteFunc(slices.Compact(tx.due), func(d schedctl.Due) bool {
			return tx.in(due).Get(appendDue(tx.scratch[:0], d)) == nil
		})
	}
	return storage.Commit{Due: tx.due, Accounts: tx.accounts, Webhooks: tx.webhooks, Events: tx.events}
}

// youngest reports whether an id is younger than all ids in a bucket. The caller must
// then put it there. Nearly all new ids are the youngest, which saves a search.
func (tx *tx) youngest(b bucket, id ulid) bool {
	last := &tx.last[b]
	if *last == (ulid{}) {
		copy(last[:], lastKey(tx.in(b).Cursor()))
	}
	if bytes.Compare(id[:], last[:]) <= 0 {
		return false
	}
	*last = id
	return true
}

// put writes a value under a key. It copies the key. The value must not change
// until the commit.
func (tx *tx) put(b bucket, key, value []byte) error {
	tx.dirty, tx.wrote = true, true
	if err := tx.in(b).Put(key, value); err != nil {
		return fmt.Errorf("put into %q: %w", b, err)
	}
	return nil
}

func (tx *tx) delete(b bucket, key []byte) error {
	tx.dirty, tx.wrote = true, true
	if err := tx.in(b).Delete(key); err != nil {
		return fmt.Errorf("delete from %q: %w", b, err)
	}
	return nil
}

// indexEntry is an entry of a record in an index.
type indexEntry struct {
	bucket     bucket
	key, value []byte
}

func (tx *tx) putEntries(list []indexEntry) error {
	for _, e := range list {
		if err := tx.put(e.bucket, e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

func (tx *tx) deleteEntries(list []indexEntry) error {
	for _, e := range list {
		if err := tx.delete(e.bucket, e.key); err != nil {
			return err
		}
	}
	return nil
}

// putRecord writes a record under a key.
func putRecord[T any](tx *tx, b bucket, key []byte, v *T, fields func(*coder, *T)) error {
	record, err := encode(&tx.coder, tx.arena.free(), v, fields)
	if err != nil {
		return err
	}
	tx.arena.keep(record)
	return tx.put(b, key, record)
}

// arena provides memory that is valid until the commit, without an allocation for
// each value.
type arena struct {
	chunk []byte
	used  int
}

const chunkSize = 256 << 10

func (a *arena) reset() { a.used = 0 }

// free returns an empty slice to append to.
func (a *arena) free() []byte {
	if len(a.chunk)-a.used < 2<<10 {
		a.chunk, a.used = make([]byte, chunkSize), 0
	}
	return a.chunk[a.used:a.used:len(a.chunk)]
}

// keep marks bytes as used that were appended to the result of free.
func (a *arena) keep(b []byte) {
	if len(b) <= len(a.chunk)-a.used { // otherwise append has allocated a new slice
		a.used += len(b)
	}
}

// value copies b into the arena.
func (a *arena) value(b []byte) []byte {
	kept := append(a.free(), b...)
	a.keep(kept)
	return kept
}
