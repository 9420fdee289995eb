package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl/storage/blob"
)

// keepWhole reports whether a stored blob has the bytes of a spool with the same key.
// Otherwise the blob is damaged, and keepWhole deletes it.
func (b *Blobs) keepWhole(ctx context.Context, spool *blob.Spool, key blob.Key, id pgtype.UUID) (whole bool, err error) {
	want, err := chunkSums(spool.Reader())
	if err != nil {
		return false, err
	}
	// The server computes the checksums, so that no bytes are sent.
	var stored [][]byte
	err = b.run(ctx, statement{
		sql:  "SELECT sha256(bytes) FROM blob_chunks WHERE blob_id = $1 ORDER BY number",
		args: []any{id},
		scan: scanAll(&stored, pgx.RowTo[[]byte]),
	})
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == dataCorrupted:
	case err != nil:
		return false, err
	case slices.EqualFunc(want, stored, func(a [sha256.Size]byte, b []byte) bool { return string(a[:]) == string(b) }):
		return true, nil
	}
	var found bool
	return false, b.run(ctx, statement{
		sql: `WITH deleted AS (DELETE FROM blobs WHERE key = $1 AND id = $2 RETURNING id)
			DELETE FROM blob_chunks USING deleted WHERE blob_id = deleted.id`,
		args: []any{key[:], id},
		scan: scanOne(&found),
	})
}

// dataCorrupted is the SQLSTATE of a value that the server cannot read.
const dataCorrupted = "XX001"

// chunkSums returns the checksums of the chunks of a blob.
func chunkSums(bytes io.Reader) (sums [][sha256.Size]byte, err error) {
	chunk := make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(bytes, chunk)
		switch {
		case err == io.EOF:
			return sums, nil
		case err != nil && err != io.ErrUnexpectedEOF:
			return nil, err
		}
		sums = append(sums, sha256.Sum256(chunk[:n]))
	}
}
