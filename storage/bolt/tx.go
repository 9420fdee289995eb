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
// ctx is that of the View: the methods of the contract have none of their own. A
// transaction cannot be canceled; its ctx never ends.
type reader struct {
	ctx context.Context
	buckets
	answers *idempotencyIndex
	turn    scanTurn      // of the scan that runs
	scratch [keySize]byte // where keys are put together
}

// keySize is the room for any key but the ones with a name at their end.
const keySize = 64

// tx implements [storage.Tx]. One of it serves all transactions of a group, one
// after the other, on one bbolt transaction.
type tx struct {
	reader
	dirty bool // the transaction that runs has written
	wrote bool // one of the group has

	// What is to be told of the group.
	due        []schedctl.Due
	dueRemoved bool // an entry was taken away as well
	accounts   []string
	webhooks   []string
	events     int
	began      time.Time

	// Changes of the answer index: what was added is in it already, what was
	// removed leaves it after the commit.
	added, removed []idempotencyRef

	// last is the youngest id known in a bucket, or zero.
	last [bucketCount]ulid

	// lastAudit is the key of the youngest audit entry known of a workspace, or
	// zero.
	lastAudit [32]byte

	// The rest is memory that is used again.
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
	tx.bolt.Rollback() // its only error is that the transaction has ended
	tx.answers.remove(tx.added...)
}

// committed brings what is in memory in line with what is on disk.
func (tx *tx) committed() { tx.answers.remove(tx.removed...) }

// commitInfo returns what the group did. Due entries that it added and took away
// again are left out.
func (tx *tx) commitInfo() storage.Commit {
	if tx.dueRemoved {
		slices.SortFunc(tx.due, schedctl.Due.Compare)
		tx.due = slices.DeleteFunc(slices.Compact(tx.due), func(d schedctl.Due) bool {
			return tx.in(due).Get(appendDue(tx.scratch[:0], d)) == nil
		})
	}
	return storage.Commit{Due: tx.due, Accounts: tx.accounts, Webhooks: tx.webhooks, Events: tx.events}
}

// youngest reports whether an id is younger than all in a bucket, which it then
// is expected to join. Nearly all new ids are, and need not be looked for.
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

// put writes under a key, which is copied; value must not change until the
// commit.
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

// putRecord writes a record under a key.
func putRecord[T any](tx *tx, b bucket, key []byte, v *T, fields func(*coder, *T)) error {
	record, err := encode(&tx.coder, tx.arena.free(), v, fields)
	if err != nil {
		return err
	}
	tx.arena.keep(record)
	return tx.put(b, key, record)
}

// arena hands out memory that is good until the commit, without a call of the
// allocator for each value.
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

// keep keeps what was appended to free's slice.
func (a *arena) keep(b []byte) {
	if len(b) <= len(a.chunk)-a.used { // else append has moved it away
		a.used += len(b)
	}
}

// value copies b into the arena.
func (a *arena) value(b []byte) []byte {
	kept := append(a.free(), b...)
	a.keep(kept)
	return kept
}
