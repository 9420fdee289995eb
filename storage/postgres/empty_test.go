package postgres_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// schemas holds the schemas of tests that have passed. They are emptied and reused:
// creating the tables takes longer than most tests.
type schemas struct {
	make func(testing.TB) string
	with string // additional parameters of the stores' URLs

	mu   sync.Mutex // mu guards urls
	urls []string
}

var (
	plainSchemas       = schemas{make: postgrestest.Schema}
	sessionPooled      = schemas{make: func(tb testing.TB) string { return postgrestest.Pooled(tb, postgrestest.SessionPool) }}
	transactionsPooled = schemas{
		make: func(tb testing.TB) string { return postgrestest.Pooled(tb, postgrestest.TransactionPool) }, with: "&pool_mode=transaction",
	}
)

// take returns the URL of a schema without tables, or with empty ones. The schema
// belongs to the test until the test ends.
func (s *schemas) take(t *testing.T) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var url string
	if last := len(s.urls) - 1; last >= 0 {
		url, s.urls = s.urls[last], s.urls[:last]
	} else {
		url = s.make(t)
	}
	t.Cleanup(func() { s.giveBack(t, url) })
	return url + s.with
}

// giveBack empties a schema whose stores are closed.
func (s *schemas) giveBack(t *testing.T, url string) {
	if t.Failed() {
		return
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, empty, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Errorf("empty the schema: %v", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.urls = append(s.urls, url)
}

// empty restores the tables to their state after the migrations. Small tables are
// emptied with DELETE, which keeps their files.
const empty = `DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('schedctl_version', 'outbox') LOOP
		IF pg_relation_size(name::regclass) < 262144 THEN
			EXECUTE 'DELETE FROM ' || name;
		ELSE
			EXECUTE 'TRUNCATE ' || name || ' CASCADE';
		END IF;
	END LOOP;
	UPDATE outbox SET first_seq = 1;
	ALTER SEQUENCE events_seq RESTART;
END $$`

// TestEmptiedSchemasAreLikeNew guards that a test sees nothing of the one that used its
// schema before.
func TestEmptiedSchemasAreLikeNew(t *testing.T) {
	t.Parallel()
	from := schemas{make: postgrestest.Schema}
	var url string
	var asMade, used []string
	t.Run("the previous test", func(t *testing.T) {
		url = from.take(t)
		s := open(t, url)
		asMade = contents(t, url)
		storagetest.Stock(t, s, 2)
		used = contents(t, url)
	})
	if again := from.take(t); again != url {
		t.Errorf("the schema %s was created although %s is free", again, url)
	}
	if cmp.Equal(asMade, used) {
		t.Error("the schema was not used")
	}
	if diff := cmp.Diff(asMade, contents(t, url)); diff != "" {
		t.Errorf("emptied tables and sequences (-as made +now):\n%s", diff)
	}
}

// contents returns the rows of all tables and sequences of a schema, without the times
// of migrations.
func contents(t *testing.T, url string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `SELECT name || query_to_xml('SELECT * FROM ' || name || ' ORDER BY 1', true, false, '')::text FROM (
			SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schedctl_version'
			UNION ALL SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema() AND sequencename NOT LIKE 'schedctl_version%'
		) AS everything (name) ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func openEmpty(t *testing.T, from *schemas) storage.Store {
	t.Helper()
	return open(t, from.take(t))
}

func openEmptyTwice(t *testing.T, from *schemas) (one, two storage.Shared) {
	t.Helper()
	url := from.take(t)
	return open(t, url), open(t, url)
}
