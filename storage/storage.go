// Package storage is the contract between schedctl and its database. Package
// storage/bolt implements it on one file, and storage/postgres on a server that
// several daemons share. Every engine passes the suite in storage/storagetest.
//
// An engine stores records and indexes; it does not know the rules of posts.
// Package schedctl decides what may happen to a post. The caller composes both in
// a transaction:
//
//	err := store.Update(ctx, func(tx storage.Tx) error {
//		post, err := tx.Post(workspace, id)
//		if err != nil {
//			return err
//		}
//		events, err := post.Cancel(now)
//		if err != nil {
//			return err
//		}
//		return errors.Join(tx.PutPost(post), tx.AddEvents(events...))
//	})
//
// Engines derive the due index, the list indexes and the publication history from
// the posts that are put, so callers never write them.
//
// An engine may implement more than [Store]: [Copier], [BoundedReading] and
// [Shared]. Its readers and transactions may also implement [Exporter], [Importer],
// [Preparer] and [SharedTx]. Callers test for these with type assertions.
package storage

import (
	"context"
	"io"
	"time"

	"github.com/schedctl/schedctl"
)

// Store is a database. All methods may be called from any goroutine.
//
// Records are copies: caller and store never share memory. For a missing record
// the error is a [*schedctl.Error] with code NOT_FOUND, also for an id that is not
// valid. After any other error, nothing of the request was done.
type Store interface {
	// View calls fn with a consistent snapshot and returns the error of fn. The
	// reader is valid until fn returns. fn must not call Update. When ctx ends,
	// reads of many records stop soon.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn in a transaction and returns when the commit is on disk. If fn
	// returns an error, Update returns it and writes nothing. Transactions are
	// serializable: what fn has read does not change before its commit.
	//
	// fn runs on another goroutine and may run several times, even after a run
	// without an error. It must use only its transaction, and variables that it
	// resets at the start of each run. It must not block or call the store.
	//
	// If ctx ends before fn has started, Update returns the error of ctx and never
	// calls fn. If ctx ends later, the transaction continues.
	//
	// While the database is full, Update returns a [*FullError], usually without
	// calling fn. It works again as soon as there is space.
	Update(ctx context.Context, fn func(Tx) error) error

	// UpdateFromReserve is Update for results that would otherwise be lost: the
	// outcome of a request to a network or webhook, or a new session of an account.
	// Engines reserve space for it, so it works for a while when Update returns
	// a [*FullError]. It may also be used to delete records, and to read.
	//
	// Do not use it to start something whose result has to be stored later: the
	// result may then find no space.
	UpdateFromReserve(ctx context.Context, fn func(Tx) error) error

	// Full returns the [*FullError] that Update would return now, or nil. It is
	// cheap and never blocks.
	Full() error

	// Notify registers the function that is called for every commit. The calls are
	// in commit order, after the commit is on disk and before its Update returns.
	// Notify must be called once, before the first Update. The function must not
	// block or call the store.
	Notify(func(Commit))

	// Close waits for running transactions and closes the database. It may be
	// called several times.
	Close() error
}

// Commit describes the changes of one group of transactions.
type Commit struct {
	Due      []schedctl.Due // entries that were added to the due index
	Accounts []string       // ids of accounts that were put
	Webhooks []string       // ids of webhooks that were put or deleted
	Events   int            // number of events that were added
	Took     time.Duration  // time to write the group to disk; zero if Elsewhere

	// Elsewhere means that another process on the same database committed the
	// changes a moment ago.
	Elsewhere bool

	// Missed means that other processes committed changes that are not listed here.
	// Everything in memory that they can change must be reloaded.
	Missed bool
}

// Copier is implemented by stores that can be copied while they are in use.
type Copier interface {
	// Copy writes a consistent copy of the database in a form that the engine can
	// open, and returns its size in bytes. Transactions continue during the copy.
	Copy(ctx context.Context, w io.Writer) (int64, error)
}

// SnapshotCopier is a [Copier] whose snapshot can be read before it is copied.
type SnapshotCopier interface {
	Copier

	// CopySnapshot is Copy with a function that is called first. It gets the records of
	// the copy and the size of the copy in bytes, and returns the destination. The reader
	// is invalid after it returns. Its error ends the copy.
	CopySnapshot(ctx context.Context, open func(r Reader, size int64) (io.Writer, error)) (int64, error)
}
