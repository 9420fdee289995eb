package api_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// seededPosts is the number of posts. With fewer, PostgreSQL would read all of them on
// purpose, for some requests.
var seededPosts = testsize.Of(200_000, 1_000_000)

// TestWorstRequestsOnPostgres counts the table and index rows that the server
// reads. This number is the same on every machine.
func TestWorstRequestsOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("counts what PostgreSQL reads, and says nothing about goroutines")
	}
	t.Parallel()
	url := postgrestest.Database(t)
	open := func() storage.Store {
		store, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	store := open()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	started := time.Now()
	seedPostgres(t, conn)
	t.Logf("seeded in %v", time.Since(started))
	m, serve := newMillion(t, store)
	store.Close()
	m.cost = func(request func(http.Handler)) float64 {
		before := rowsRead(t, conn)
		store := open()
		request(serve(store))
		store.Close()
		return rowsRead(t, conn) - before
	}
	testWorstRequests(t, m, func(float64) float64 { return testsize.Of(150_000.0, 250_000) })
	t.Logf("measured in %v", time.Since(started))
}

func seedPostgres(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	seed, err := os.ReadFile("../../storage/postgres/testdata/seed.sql")
	if err == nil {
		_, err = conn.Exec(t.Context(), strings.NewReplacer(":posts", strconv.Itoa(seededPosts), ":others", strconv.Itoa(seededPosts/10)).Replace(string(seed)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rowsRead returns how many index entries and table rows were read by connections
// that have ended. It waits until all others have ended, because they report their
// numbers at the end.
func rowsRead(t *testing.T, conn *pgx.Conn) (n float64) {
	t.Helper()
	for others := 1; others > 0; {
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`).Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
	}
	err := conn.QueryRow(t.Context(), `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) +
		(SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
