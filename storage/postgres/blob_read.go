package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl/storage/blob"
)

// Stat implements [blob.Store].
func (b *Blobs) Stat(ctx context.Context, key blob.Key) (blob.Info, error) {
	info, _, err := b.find(ctx, key)
	return info, err
}

// find returns the description of a blob and the id of its chunks.
func (b *Blobs) find(ctx context.Context, key blob.Key) (info blob.Info, id pgtype.UUID, err error) {
	info.Key = key
	var found bool
	err = b.run(ctx, statement{
		sql:  "SELECT id, size, modified_at FROM blobs WHERE key = $1",
		args: []any{key[:]},
		scan: scanOne(&found, &id, &info.Size, &info.ModifiedAt),
	})
	if err == nil && !found {
		err = blob.ErrNotFound
	}
	if err != nil {
		return blob.Info{}, id, fmt.Errorf("find blob %s: %w", key, err)
	}
	return info, id, nil
}

// Open implements [blob.Store].
func (b *Blobs) Open(ctx context.Context, key blob.Key) (blob.Reader, error) {
	info, id, err := b.find(ctx, key)
	if err != nil {
		return nil, err
	}
	return &blobReader{ctx: ctx, blobs: b, info: info, id: id, number: -1}, nil
}

// blobReader reads a blob chunk by chunk, each in its own transaction.
type blobReader struct {
	ctx    context.Context
	blobs  *Blobs
	info   blob.Info
	id     pgtype.UUID
	offset int64

	number int64 // of chunk; -1 before the first read
	chunk  []byte
	closed bool
}

// Info implements [blob.Reader].
func (r *blobReader) Info() blob.Info { return r.info }

// Read implements [blob.Reader].
func (r *blobReader) Read(p []byte) (int, error) {
	switch {
	case r.closed:
		return 0, errors.New("read of a closed blob")
	case r.ctx.Err() != nil:
		return 0, r.ctx.Err()
	case len(p) == 0:
		return 0, nil
	case r.offset >= r.info.Size:
		return 0, io.EOF
	}
	if number := r.offset / chunkSize; number != r.number {
		if err := r.load(number); err != nil {
			return 0, fmt.Errorf("read blob %s: %w", r.info.Key, err)
		}
	}
	n := copy(p, r.chunk[r.offset%chunkSize:])
	r.offset += int64(n)
	return n, nil
}

// load reads a chunk.
func (r *blobReader) load(number int64) error {
	r.number = -1
	var found bool
	err := r.blobs.run(r.ctx, statement{
		sql:  "SELECT bytes FROM blob_chunks WHERE blob_id = $1 AND number = $2",
		args: []any{r.id, number},
		scan: scanOne(&found, &r.chunk),
	})
	switch {
	case err != nil:
		return err
	case !found:
		return r.missing()
	case int64(len(r.chunk)) != min(chunkSize, r.info.Size-number*chunkSize):
		return fmt.Errorf("%w: chunk %d has %d bytes", blob.ErrCorrupt, number, len(r.chunk))
	}
	r.number = number
	return nil
}

// missing returns why a chunk is missing: the blob was deleted, or the table is damaged.
func (r *blobReader) missing() error {
	_, id, err := r.blobs.find(r.ctx, r.info.Key)
	if err == nil && id == r.id {
		return fmt.Errorf("%w: a chunk is missing", blob.ErrCorrupt)
	}
	if err == nil {
		return blob.ErrNotFound // and uploaded again since
	}
	return err
}

// Seek implements [blob.Reader].
func (r *blobReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.info.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start of a blob")
	}
	r.offset = offset
	return offset, nil
}

// Close implements [blob.Reader].
func (r *blobReader) Close() error {
	r.closed, r.chunk = true, nil
	return nil
}

// List implements [blob.Store]. It reads one page at a time.
func (b *Blobs) List(ctx context.Context, fn func(blob.Info) error) error {
	after := []byte{}
	for {
		page, err := b.page(ctx, after)
		if err != nil {
			return fmt.Errorf("list blobs: %w", err)
		}
		for _, info := range page {
			if err := fn(info); err != nil {
				return err
			}
		}
		if len(page) < blobPage {
			return nil
		}
		after = page[len(page)-1].Key[:]
	}
}

// page returns the blobs after a key.
func (b *Blobs) page(ctx context.Context, after []byte) (page []blob.Info, err error) {
	err = b.run(ctx, statement{
		sql:  "SELECT key, size, modified_at FROM blobs WHERE key > $1 ORDER BY key LIMIT $2",
		args: []any{after, blobPage},
		scan: scanAll(&page, scanInfo),
	})
	return page, err
}

func scanInfo(row pgx.CollectableRow) (info blob.Info, err error) {
	var key []byte
	if err := row.Scan(&key, &info.Size, &info.ModifiedAt); err != nil {
		return info, err
	}
	if len(key) != len(info.Key) {
		return info, fmt.Errorf("%w: a key has %d bytes", blob.ErrCorrupt, len(key))
	}
	info.Key = blob.Key(key)
	return info, nil
}
