package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What a session of the database is limited to, so that nothing waits for one
// that is stuck, nor for a client that was stopped while it held locks.
const (
	statementLimit = 15 * time.Second
	lockLimit      = 10 * time.Second
	idleLimit      = 10 * time.Second
)

// settings are the limits by their names at the server.
var settings = []setting{
	{"statement_timeout", statementLimit},
	{"lock_timeout", lockLimit},
	{"idle_in_transaction_session_timeout", idleLimit},
}

// setting is a limit of the server, which counts in milliseconds.
type setting struct {
	name  string
	value time.Duration
}

func (s setting) millis() string { return fmt.Sprint(s.value.Milliseconds()) }

// poolMode is what stands between this process and the server.
type poolMode string

// The modes. With sessionMode a connection is a session of the server, or of a
// PgBouncer in session mode. With transactionMode every transaction may run in
// another session, so that nothing of one may be relied on in the next: no
// prepared statements, no settings, no locks of the session, and no LISTEN.
const (
	sessionMode     poolMode = "session"
	transactionMode poolMode = "transaction"
)

// requireDurable returns the statement that has the server answer a commit when it is on
// disk and no earlier, where its settings, or those of a role, say not to wait:
// what a daemon has answered must not be lost. It is for the session, or for one
// transaction.
func requireDurable(local string) string {
	return "SELECT set_config('synchronous_commit', 'on', " + local + ") WHERE current_setting('synchronous_commit') = 'off'"
}

// configure prepares connections for the mode.
func (m poolMode) configure(config *pgx.ConnConfig) {
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "schedctl"
	}
	config.RuntimeParams["timezone"] = "UTC"
	if m == transactionMode {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		return
	}
	var limits strings.Builder
	for _, s := range settings {
		if config.RuntimeParams[s.name] == "" {
			fmt.Fprintf(&limits, "SET %s = %s;", s.name, s.millis())
		}
	}
	if config.RuntimeParams["synchronous_commit"] == "" {
		limits.WriteString(requireDurable("false"))
	}
	// as parameters of the connection, a PgBouncer would refuse them
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		_, err := conn.Exec(ctx, limits.String()).ReadAll()
		return err
	}
}

func (m poolMode) beginView() []statement {
	return m.beginWith("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}

func (m poolMode) beginUpdate() []statement {
	begin := m.beginWith("BEGIN ISOLATION LEVEL READ COMMITTED")
	if m == transactionMode {
		begin = append(begin, statement{sql: requireDurable("true")})
	}
	return begin
}

// beginWith returns what begins a transaction.
func (m poolMode) beginWith(sql string) []statement {
	begin := []statement{{sql: sql}}
	if m == transactionMode {
		for _, s := range settings {
			begin = append(begin, statement{sql: "SET LOCAL " + s.name + " = " + s.millis()})
		}
	}
	return begin
}
