package postgres

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// TestSessionsAreLimited guards that nothing waits forever for a stuck session, also
// behind a PgBouncer, which does not pass settings on.
func TestSessionsAreLimited(t *testing.T) {
	t.Parallel()
	for what, url := range map[string]string{
		"the server":                      postgrestest.Schema(t),
		"PgBouncer with its sessions":     postgrestest.Pooled(t, postgrestest.SessionPool),
		"PgBouncer with its transactions": postgrestest.Pooled(t, postgrestest.TransactionPool) + "&pool_mode=transaction",
	} {
		config, mode, err := parseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		s, err := open(t.Context(), config, mode, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer s.Close()
		err = s.View(t.Context(), func(r storage.Reader) error { return wantLimits(t, what, r.(*reader)) })
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func wantLimits(t *testing.T, what string, r *reader) error {
	t.Helper()
	for _, s := range settings {
		var millis string
		err := r.send(statement{sql: "SELECT setting FROM pg_settings WHERE name = $1", args: []any{s.name}, scan: func(rows pgx.Rows) (err error) {
			millis, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
			return err
		}})
		if err != nil {
			return err
		}
		if want := s.millis(); millis != want {
			t.Errorf("%s: %s is %s ms, want %s", what, s.name, millis, want)
		}
	}
	return nil
}
