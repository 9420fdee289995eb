package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Limits of a session, so that nothing waits for a stuck session or for a stopped
// client that holds locks.
const (
	statementLimit = 15 * time.Second
	lockLimit      = 10 * time.Second
	idleLimit      = 10 * time.Second
)

// settings are the limits by the names of their server settings.
var settings = []setting{
	{"statement_timeout", statementLimit},
	{"lock_timeout", lockLimit},
	{"idle_in_transaction_session_timeout", idleLimit},
}

// setting is a limit, which the server counts in milliseconds.
type setting struct {
	name  string
	value time.Duration
}

func (s setting) millis() string { return fmt.Sprint(s.value.Milliseconds()) }

// poolMode says how sessions of the server are assigned to connections.
type poolMode string

// In sessionMode a connection is a session of the server, or of a PgBouncer in session
// mode. In transactionMode every transaction may run in another session, so that
// nothing may rely on session state: no prepared statements, settings, session locks or
// LISTEN.
const (
	sessionMode     poolMode = "session"
	transactionMode poolMode = "transaction"
)

// requireDurable returns the statement that makes commits wait for the disk, even if the
// settings of the server or a role say otherwise. Acknowledged writes must not be lost.
// local selects the transaction instead of the session.
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
	// a PgBouncer would refuse them as connection parameters
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

// beginWith returns the statements that start a transaction.
func (m poolMode) beginWith(sql string) []statement {
	begin := []statement{{sql: sql}}
	if m == transactionMode {
		for _, s := range settings {
			begin = append(begin, statement{sql: "SET LOCAL " + s.name + " = " + s.millis()})
		}
	}
	return begin
}
