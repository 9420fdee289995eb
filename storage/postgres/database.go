package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

// prepareDatabase inspects a database and brings its tables up to date.
func prepareDatabase(ctx context.Context, pool *pgxpool.Pool, mode poolMode, log *slog.Logger) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return classifyError(err)
	}
	found, err := inspect(ctx, conn.Conn())
	if err == nil && mode == sessionMode {
		err = checkSession(ctx, pool, conn.Conn())
	}
	conn.Release()
	if err != nil {
		return classifyError(err)
	}
	newest, err := newestVersion()
	if err != nil {
		return err
	}
	if err := found.check(newest); err != nil {
		return err
	}
	if found.version == newest {
		return nil
	}
	log.Info("database migration started", "from", found.version, "to", newest)
	if err := migrate(ctx, pool.Config().ConnConfig, mode); err != nil {
		return err
	}
	log.Info("database migrated", "version", newest)
	return nil
}

// versionTable holds the version of the tables.
const versionTable = "schedctl_version"

// databaseState describes a database before it is used.
type databaseState struct {
	server   int
	readOnly bool
	standby  bool
	schema   string // empty when search_path names no existing schema
	others   int    // number of tables when the version is missing
	version  int64  // 0 without schedctl's tables
}

func inspect(ctx context.Context, conn *pgx.Conn) (found databaseState, err error) {
	var versioned bool
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('transaction_read_only')::bool,
		pg_is_in_recovery(), coalesce(current_schema(), ''), to_regclass(quote_ident(current_schema()) || '.`+versionTable+`') IS NOT NULL,
		(SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f'))`).
		Scan(&found.server, &found.readOnly, &found.standby, &found.schema, &versioned, &found.others)
	if err != nil || !versioned {
		return found, err
	}
	found.others = 0
	err = conn.QueryRow(ctx, "SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM "+versionTable).Scan(&found.version)
	return found, err
}

// check returns why the database cannot be used, or nil.
func (s *databaseState) check(newest int64) error {
	switch {
	case s.server < minServerVersion:
		return fmt.Errorf("the server is PostgreSQL %d; version %d or later is required", s.server/10000, minServerVersion/10000)
	case s.standby:
		return fmt.Errorf("%w; connect to the primary, or name several hosts and target_session_attrs=read-write", storage.ErrStandby)
	case s.readOnly:
		return fmt.Errorf("%w: default_transaction_read_only is on; switch it off for this user, or use another one", storage.ErrReadOnly)
	case s.schema == "":
		return errors.New("search_path names no existing schema; create one that this user may use")
	case s.others > 0:
		return fmt.Errorf("%w: the schema %q has tables of a different program; use a separate database, or set search_path to an empty schema", storage.ErrForeign, s.schema)
	case s.version > newest:
		return fmt.Errorf("%w: it has version %d, this program supports up to %d; use the newer program", storage.ErrNewer, s.version, newest)
	}
	return nil
}

// classifyError wraps an error of the database in the error of the contract that
// matches it, with advice for the operator. Other errors are returned unchanged.
func classifyError(err error) error {
	var connect *pgconn.ConnectError
	switch {
	case err == nil, errors.Is(err, storage.ErrUnreachable), errors.Is(err, storage.ErrReadOnly):
		return err
	case isCode(err, codeReadOnly):
		return fmt.Errorf("%w: %w", storage.ErrReadOnly, err)
	case isCode(err, codeNoStatement, codeDuplicateStatement):
		return fmt.Errorf("%w: %w; add pool_mode=transaction to the URL", storage.ErrPooler, err)
	case isCode(err, "28000", "28P01"):
		return fmt.Errorf("the server refused the user or password: %w", err)
	case isCode(err, "3D000"):
		return fmt.Errorf("the database does not exist: %w; create it with createdb", err)
	case errors.As(err, &connect):
		return fmt.Errorf("%w: %w; is the server running, and may this machine connect to it?", storage.ErrUnreachable, err)
	}
	return err
}
