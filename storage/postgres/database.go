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

// prepareDatabase looks at a database and brings its tables up to date.
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
	log.Info("database migration begins", "from", found.version, "to", newest)
	if err := migrate(ctx, pool.Config().ConnConfig, mode); err != nil {
		return err
	}
	log.Info("database migrated", "version", newest)
	return nil
}

// versionTable tells of what version the tables are.
const versionTable = "schedctl_version"

// databaseState is what is found in a database.
type databaseState struct {
	server   int
	readOnly bool
	standby  bool
	schema   string // empty when search_path names none that there is
	others   int    // tables that are there though there is no version
	version  int64  // 0 without tables of ours
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

// check says why a database cannot be used, if it cannot.
func (s *databaseState) check(newest int64) error {
	switch {
	case s.server < minServerVersion:
		return fmt.Errorf("the server is PostgreSQL %d; %d or later is needed", s.server/10000, minServerVersion/10000)
	case s.standby:
		return fmt.Errorf("%w; connect to the primary, or name several hosts and target_session_attrs=read-write", storage.ErrStandby)
	case s.readOnly:
		return fmt.Errorf("%w: default_transaction_read_only is on; switch it off for this user, or use another one", storage.ErrReadOnly)
	case s.schema == "":
		return errors.New("search_path names no schema that there is; create one that this user may use")
	case s.others > 0:
		return fmt.Errorf("%w: the schema %q has tables of another program; use a database of its own, or an empty schema by search_path", storage.ErrForeign, s.schema)
	case s.version > newest:
		return fmt.Errorf("%w: it has version %d, this program knows %d; use the newer program", storage.ErrNewer, s.version, newest)
	}
	return nil
}

// classifyError says what an error of the database means for who operates it, where it
// is of a kind that the contract names. It leaves all others as they are.
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
		return fmt.Errorf("the server refuses user or password: %w", err)
	case isCode(err, "3D000"):
		return fmt.Errorf("there is no such database: %w; create it with createdb", err)
	case errors.As(err, &connect):
		return fmt.Errorf("%w: %w; is the server running, and may this machine connect to it?", storage.ErrUnreachable, err)
	}
	return err
}
