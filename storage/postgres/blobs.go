package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// chunkSize is the size of all chunks of a blob except the last one, in bytes. It is part
// of the stored format.
const chunkSize = 1 << 20

// maxBlobWriters is the number of connections that Puts of one process use at once: an
// upload must not take the connections that publishing needs.
const maxBlobWriters = 2

// maxPutRuns is how often a Put starts again because other Puts and Deletes of the same
// bytes were faster.
const maxPutRuns = 20

// blobPage is the number of blobs that List reads at once.
const blobPage = 250

// Blobs stores blobs in the tables blobs and blob_chunks. It implements [blob.Store].
// Create one with [Store.Blobs].
//
// A Put writes the chunks under a new id and then the row of blobs, in one transaction.
// The row is written last, so that Puts of the same bytes wait for each other only
// briefly.
type Blobs struct {
	store   *Store
	spools  string
	writers chan struct{} // has an element for each running Put
	closed  atomic.Bool
}

var _ blob.Store = (*Blobs)(nil)

// Blobs returns the blob store of the database. Uploads are written to temporary files in
// a local directory first, which Blobs creates if it is missing. Close the Blobs before
// the Store.
func (s *Store) Blobs(spools string) (blob.Store, error) {
	if err := blob.CleanSpools(spools); err != nil {
		return nil, fmt.Errorf("open the directory of uploads: %w", err)
	}
	return &Blobs{store: s, spools: spools, writers: make(chan struct{}, maxBlobWriters)}, nil
}

// Spool implements [blob.Store].
func (b *Blobs) Spool() (*blob.Spool, error) {
	if b.closed.Load() {
		return nil, storage.ErrClosed
	}
	return blob.NewSpool(b.spools)
}

// CleanSpools implements [blob.Store].
func (b *Blobs) CleanSpools() error { return blob.CleanSpools(b.spools) }

// Put implements [blob.Store]. At most two Puts of a process run at once; others wait.
func (b *Blobs) Put(ctx context.Context, spool *blob.Spool) (blob.Info, error) {
	info := blob.Info{Key: spool.Key(), Size: spool.Size()}
	if err := b.put(ctx, spool, &info); err != nil {
		return blob.Info{}, fmt.Errorf("store blob %s: %w", info.Key, err)
	}
	return info, nil
}

func (b *Blobs) put(ctx context.Context, spool *blob.Spool, info *blob.Info) error {
	if err := spool.Err(); err != nil {
		return err
	}
	if b.closed.Load() {
		return storage.ErrClosed
	}
	if err := b.store.beginCall(ctx); err != nil {
		return err
	}
	defer b.store.calls.Done()
	select {
	case b.writers <- struct{}{}:
		defer func() { <-b.writers }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for range maxPutRuns {
		renewed, id, err := b.renew(ctx, info)
		if err == nil && renewed {
			renewed, err = b.keepWhole(ctx, spool, info.Key, id)
		}
		if renewed || err != nil {
			return err
		}
		if err := b.store.Full(); err != nil {
			return err
		}
		if inserted, err := b.insert(ctx, spool, info); inserted || err != nil {
			return b.store.capacity.observe(b.store.explainReadOnly(classifyError(err)))
		}
	}
	return errors.New("other uploads and deletions of the same bytes were always faster")
}

// renew sets the time of an existing blob, and returns the id of its chunks.
func (b *Blobs) renew(ctx context.Context, info *blob.Info) (renewed bool, id pgtype.UUID, err error) {
	err = b.run(ctx, statement{
		sql:  "UPDATE blobs SET modified_at = clock_timestamp() WHERE key = $1 RETURNING id, modified_at",
		args: []any{info.Key[:]},
		scan: scanOne(&renewed, &id, &info.ModifiedAt),
	})
	return renewed, id, err
}

// insert writes a blob in one transaction, unless it exists now.
func (b *Blobs) insert(ctx context.Context, spool *blob.Spool, info *blob.Info) (inserted bool, err error) {
	conn, err := b.store.acquire(ctx, b.store.pool)
	if err != nil {
		return false, err
	}
	one := session{ctx: ctx, store: b.store, pool: b.store.pool, conn: conn, begin: b.store.mode.beginUpdate()}
	defer one.rollback()
	id := newUUID()
	if err := sendChunks(&one, id, spool.Reader()); err != nil {
		return false, err
	}
	err = one.send(statement{
		sql: `INSERT INTO blobs (key, id, size, modified_at) VALUES ($1, $2, $3, clock_timestamp())
			ON CONFLICT (key) DO NOTHING RETURNING modified_at`,
		args: []any{info.Key[:], id, info.Size},
		scan: scanOne(&inserted, &info.ModifiedAt),
	})
	if err != nil || !inserted {
		return false, err
	}
	if err := one.send(statement{sql: "COMMIT"}); err != nil {
		return false, err
	}
	one.release()
	return true, nil
}

// sendChunks writes the chunks of a blob, each in one round trip.
func sendChunks(one *session, id pgtype.UUID, bytes io.Reader) error {
	chunk := make([]byte, chunkSize)
	for number := 0; ; number++ {
		n, err := io.ReadFull(bytes, chunk)
		if err == io.EOF {
			return nil
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return err
		}
		st := statement{sql: "INSERT INTO blob_chunks (blob_id, number, bytes) VALUES ($1, $2, $3)", args: []any{id, number, chunk[:n]}}
		if err := one.send(st); err != nil {
			return err
		}
	}
}

// run runs one statement in its own transaction.
func (b *Blobs) run(ctx context.Context, st statement) error {
	if b.closed.Load() {
		return storage.ErrClosed
	}
	return b.store.runBatch(ctx, b.store.pool, st)
}

// Delete implements [blob.Store].
func (b *Blobs) Delete(ctx context.Context, key blob.Key) error {
	_, err := b.delete(ctx, key, "infinity")
	return err
}

// DeleteUnmodified implements [blob.Store]. It uses the clock of the database.
func (b *Blobs) DeleteUnmodified(ctx context.Context, key blob.Key, before time.Time) (bool, error) {
	return b.delete(ctx, key, before.UTC().Format(time.RFC3339Nano))
}

func (b *Blobs) delete(ctx context.Context, key blob.Key, before string) (bool, error) {
	var deleted int
	var found bool
	err := b.run(ctx, statement{
		sql: `WITH deleted AS (DELETE FROM blobs WHERE key = $1 AND modified_at < $2::text::timestamptz RETURNING id),
			chunks AS (DELETE FROM blob_chunks USING deleted WHERE blob_id = deleted.id)
			SELECT count(*) FROM deleted`,
		args: []any{key[:], before},
		scan: scanOne(&found, &deleted),
	})
	if err != nil {
		return false, fmt.Errorf("delete blob %s: %w", key, err)
	}
	return deleted > 0, nil
}

// Close implements [blob.Store].
func (b *Blobs) Close() error {
	b.closed.Store(true)
	return nil
}
