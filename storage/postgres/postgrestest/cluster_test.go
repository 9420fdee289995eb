package postgrestest_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// TestDatabasesAreIsolated guards that tests do not see each other's databases.
func TestDatabasesAreIsolated(t *testing.T) {
	t.Parallel()
	for range 2 {
		conn, err := pgx.Connect(t.Context(), postgrestest.Database(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(t.Context(), "CREATE TABLE once (id int)"); err != nil {
			t.Error(err)
		}
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestClusterSurvivesCrash guards that commits survive a crash.
func TestClusterSurvivesCrash(t *testing.T) {
	t.Parallel()
	c := postgrestest.Start(t)
	exec := func(sql string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE kept (id int)")
	if err := c.Stop(postgrestest.Immediate); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	exec("INSERT INTO kept VALUES (1)")
}
