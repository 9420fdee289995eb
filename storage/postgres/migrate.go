package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrateLimit is how long a migration may wait for a migration in a second process.
const migrateLimit = 10 * time.Minute

// tableLockPause is how often the table lock is checked in transaction mode, where no
// session lock can be waited for.
const tableLockPause = 200 * time.Millisecond

// newestVersion returns the schema version after the newest migration.
func newestVersion() (newest int64, err error) {
	files, err := fs.Glob(embedded, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("migration %s: %w", name, err)
		}
		newest = max(newest, version)
	}
	return newest, nil
}

// migrate brings the tables up to date, one process at a time.
func migrate(ctx context.Context, config *pgx.ConnConfig, mode poolMode) error {
	config = config.Copy()
	config.AfterConnect = nil // changes to a large table may take long
	for _, s := range settings {
		delete(config.RuntimeParams, s.name)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	files, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return err
	}
	locked, err := lockFor(mode)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versionTable),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()), locked)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, migrateLimit)
	defer cancel()
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// lockFor returns the option that lets one process migrate at a time.
func lockFor(mode poolMode) (goose.ProviderOption, error) {
	if mode == sessionMode {
		return goose.WithSessionLocker(schemaLock{}), nil
	}
	locker, err := lock.NewPostgresTableLocker(lock.WithTableName("schedctl_migration"),
		lock.WithTableLockTimeout(tableLockPause, uint64(migrateLimit/tableLockPause)))
	if err != nil {
		return nil, fmt.Errorf("lock the tables: %w", err)
	}
	return goose.WithLocker(locker), nil
}

// schemaLock is an advisory lock of the session, one for each schema.
type schemaLock struct{}

func (schemaLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(hashtext('schedctl'), hashtext(current_schema()))")
	return err
}

func (schemaLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(hashtext('schedctl'), hashtext(current_schema()))")
	return err
}
