// Package blob stores immutable bytes under their SHA-256, outside the records of the
// database: pictures, videos and documents.
//
// An upload goes through a [Spool], a temporary file that hashes the bytes while they
// are written. The caller can inspect the bytes there before [Store.Put] stores them:
//
//	spool, err := store.Spool()
//	…
//	defer spool.Close()
//	spool.SetLimit(20e6)
//	if _, err := io.Copy(spool, body); err != nil {
//		return err
//	}
//	info, err := store.Put(ctx, spool)
//
// The engines are [github.com/schedctl/schedctl/storage/blob/dir] for a directory,
// [github.com/schedctl/schedctl/storage/blob/s3] for S3-compatible services, and the
// database of [github.com/schedctl/schedctl/storage/postgres]. The package
// [github.com/schedctl/schedctl/storage/blob/all] opens any of them. Every engine passes
// the suite of [github.com/schedctl/schedctl/storage/blob/blobtest].
package blob

import (
	"context"
	"errors"
	"io"
	"time"
)

// Info describes a stored blob.
type Info struct {
	Key  Key
	Size int64 // in bytes

	// ModifiedAt is when the bytes were put last, by the clock of the engine: that of
	// the file system, of the database server or of the S3 service. Some engines round
	// it down to a second.
	ModifiedAt time.Time
}

// Store is a set of blobs. A blob is either completely visible or absent. All methods
// may be called concurrently, and use a constant amount of memory: at most 8 MB each,
// whatever the size of the blob.
//
// Errors wrap [ErrNotFound], [storage.FullError], [storage.ErrUnreachable] or
// [storage.ErrClosed] where that is the cause, and the error of ctx when ctx ended the
// call.
type Store interface {
	// Spool returns a new, empty temporary file for a blob. The caller must close it.
	Spool() (*Spool, error)

	// Put stores the bytes of a spool of this store. When it returns nil, the blob is
	// on disk, and its bytes are those of the spool: Put repairs a damaged blob. If the
	// blob exists undamaged, Put only renews its ModifiedAt. After an error the blob may
	// or may not be stored, and the same spool can be put again.
	Put(ctx context.Context, s *Spool) (Info, error)

	// Open opens a blob for reading. ctx limits the whole life of the reader. A reader
	// holds no connection between two reads. A blob that is deleted while it is read
	// remains readable, or Read returns ErrNotFound.
	Open(ctx context.Context, key Key) (Reader, error)

	// Stat returns the description of a blob.
	Stat(ctx context.Context, key Key) (Info, error)

	// Delete deletes a blob. It returns nil if the blob is absent.
	Delete(ctx context.Context, key Key) error

	// DeleteUnmodified deletes a blob that was put last before a time, and reports
	// whether it did. It is for the collection of unused blobs, and never deletes what
	// an upload relies on: when a Put has returned nil, no DeleteUnmodified with a time
	// before that Put deletes the blob, also not one that has begun earlier, in any
	// process. The directory engine holds a lock of the directory while it checks and
	// deletes, PostgreSQL does both in one statement, and S3 has marks that a Put looks
	// for.
	DeleteUnmodified(ctx context.Context, key Key, before time.Time) (bool, error)

	// List calls fn for every blob, in ascending order of keys. It ends at the first
	// error of fn and returns it. Blobs that are put or deleted while List runs may or
	// may not be listed. fn may call any method of the store.
	List(ctx context.Context, fn func(Info) error) error

	// CleanSpools removes spools that processes have left behind when they were killed.
	// The spools of running processes stay.
	CleanSpools() error

	// Close releases what the store holds. Readers and spools must be closed before.
	Close() error
}

// Reader reads a blob. It must be used by one goroutine at a time. Seeking does not
// read: it is cheap, and makes ranges possible. A reader that can read at any offset as
// cheaply implements [io.ReaderAt] as well.
type Reader interface {
	io.ReadSeekCloser

	// Info describes the blob.
	Info() Info
}

// ErrNotFound means that there is no blob with the key.
var ErrNotFound = errors.New("the blob does not exist")

// ErrCorrupt means that the stored bytes do not have the SHA-256 of their key, or
// cannot be read completely.
var ErrCorrupt = errors.New("the blob is damaged")

// ErrTooLarge is returned by the Write that exceeds the limit of a [Spool].
var ErrTooLarge = errors.New("the blob is too large")
