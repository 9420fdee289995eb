package main

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// withPostgres stops the PostgreSQL that tests have shared when they are over.
type withPostgres struct{ tests *testing.M }

// Run implements [testscript.TestingM].
func (w withPostgres) Run() int { return postgrestest.Main(w.tests) }

// hasPostgres is the condition [postgres]. Where all tests are required, it is true, so
// that a script without PostgreSQL fails.
func hasPostgres() bool {
	return postgrestest.Installed() || os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1"
}

// postgresCommand makes an empty database and sets a variable to its URL.
func postgresCommand(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: postgres VAR")
		}
		ts.Setenv(args[0], postgrestest.Database(t))
	}
}

// runSQL runs a statement in a database.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql URL statement")
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, args[0])
	ts.Check(err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, args[1])
	ts.Check(err)
}
