package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/blobtest"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// testedBlobs is an open blob store and the URL of its database.
type testedBlobs struct {
	blob.Store
	url string
}

// openBlobs returns a function that opens an empty blob store in a new schema.
func openBlobs(create func(testing.TB) string, parameters string) func(*testing.T) blob.Store {
	return func(t *testing.T) blob.Store {
		t.Helper()
		url := create(t) + parameters
		s, err := open(t, url).Blobs(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return testedBlobs{s, url}
	}
}

// TestBlobs is not parallel, because the suite measures memory.
func TestBlobs(t *testing.T) {
	blobtest.Run(t, blobtest.Engine{Open: openBlobs(postgrestest.Schema, ""), Damage: damageBlob, Collect: collectBlob})
}

func TestBlobsPooled(t *testing.T) {
	t.Parallel()
	create := func(tb testing.TB) string { return postgrestest.Pooled(tb, postgrestest.TransactionPool) }
	blobtest.RunBriefly(t, blobtest.Engine{Open: openBlobs(create, "&pool_mode=transaction")})
}

// TestBlobsOfTwoNodes guards that two nodes can put the same bytes at once, and that each
// reads what the other has put.
func TestBlobsOfTwoNodes(t *testing.T) {
	t.Parallel()
	url, data := postgrestest.Schema(t), bytes.Repeat([]byte("picture"), 1<<19)
	one, errOne := open(t, url).Blobs(t.TempDir())
	two, errTwo := open(t, url).Blobs(t.TempDir())
	if err := errors.Join(errOne, errTwo); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		var puts sync.WaitGroup
		for _, s := range []blob.Store{one, two, one, two} {
			puts.Go(func() {
				spool, err := s.Spool()
				if err != nil {
					t.Error(err)
					return
				}
				defer spool.Close()
				spool.Write(data)
				if _, err := s.Put(context.Background(), spool); err != nil {
					t.Errorf("Put: %v", err)
				}
			})
		}
		puts.Wait()
		for _, s := range []blob.Store{one, two} {
			if err := blob.Verify(t.Context(), s, sha256.Sum256(data)); err != nil {
				t.Errorf("Verify: %v", err)
			}
		}
		if err := two.Delete(t.Context(), sha256.Sum256(data)); err != nil {
			t.Error(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var chunks int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM blob_chunks").Scan(&chunks); err != nil || chunks != 0 {
		t.Errorf("%d chunks are left, error %v", chunks, err)
	}
}

// damageBlob changes one byte of the second chunk.
func damageBlob(t *testing.T, s blob.Store, key blob.Key) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.(testedBlobs).url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	done, err := conn.Exec(t.Context(), `UPDATE blob_chunks SET bytes = set_byte(bytes, 100, 255 - get_byte(bytes, 100))
		FROM blobs WHERE blobs.key = $1 AND blob_id = blobs.id AND number = 1`, key[:])
	if err != nil || done.RowsAffected() != 1 {
		t.Fatalf("%d chunks changed, error %v", done.RowsAffected(), err)
	}
}

// collectBlob is the deletion of another node. A connection of the test has the row
// locked, so that the deletion has read it and waits. Then put waits behind the deletion.
func collectBlob(t *testing.T, s blob.Store, key blob.Key, before time.Time, put func(blob.Store)) (deleted bool, err error) {
	t.Helper()
	url, ctx := s.(testedBlobs).url, t.Context()
	holder, errHolder := pgx.Connect(ctx, url)
	watcher, errWatcher := pgx.Connect(ctx, url)
	if err := errors.Join(errHolder, errWatcher); err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	defer watcher.Close(context.Background())
	tx, err := holder.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "SELECT 1 FROM blobs WHERE key = $1 FOR UPDATE", key[:]); err != nil {
		t.Fatal(err)
	}
	other, err := open(t, url).Blobs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(func() { deleted, err = other.DeleteUnmodified(ctx, key, before) })
	awaitBlocked(t, watcher, "DELETE FROM blobs", 1)
	both.Go(func() { put(s) })
	awaitBlocked(t, watcher, "UPDATE blobs", 1)
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	both.Wait()
	return deleted, err
}

// awaitBlocked waits until a statement of this schema waits for a lock.
func awaitBlocked(t *testing.T, conn *pgx.Conn, text string, want int) {
	t.Helper()
	for count := 0; count < want; {
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE NOT l.granted AND a.query LIKE '%' || $1 || '%' AND a.pid <> pg_backend_pid()`, text).Scan(&count)
		if err != nil {
			t.Fatal(err)
		}
	}
}
