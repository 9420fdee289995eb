package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
)

// storeCredential is the credential of the service manager that names the
// database (systemd.exec(5), LoadCredential).
const storeCredential = "store"

// storeName is the name of a database: a file or a PostgreSQL URL.
type storeName struct {
	file, url string
	source    string // the flag, variable or credential with the name
	recalled  bool   // the last daemon on the data directory had it from there
}

// exposed reports whether the command line contains a password.
func (n storeName) exposed() bool { return n.source == storeFlag && hasPassword(n.url) }

// storeFlag is the flag that names the database.
const storeFlag = "--store"

// storeName returns the database of --store, or else of the environment or credential,
// or else that of the last daemon if this is a restart, or else the file in the data
// directory.
func (o *daemonRun) storeName(dir string) (storeName, error) {
	name, err := givenStore(o.App, o.store)
	if err == nil && name.source == "" && o.lastStore != "" {
		name, err = readStoreName(o.lastStore, cli.FlagVariable(storeFlagName))
		name.recalled = true
	}
	if err == nil && name.source == "" {
		name.file = filepath.Join(dir, cli.DatabaseFile)
	}
	return name, err
}

// givenStore returns the database of the flag, or else of SCHEDCTL_STORE, or else of
// the service manager's credential. It is zero if none is given.
func givenStore(a *cli.App, flag string) (storeName, error) {
	if flag != "" {
		return readStoreName(flag, storeFlag)
	}
	if text := a.Getenv("SCHEDCTL_STORE"); text != "" {
		return readStoreName(text, "SCHEDCTL_STORE")
	}
	given, err := os.ReadFile(credentialPath(a.Getenv, storeCredential))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeName{}, fmt.Errorf("read the credential %s: %w", storeCredential, err)
	}
	if text := strings.TrimSpace(string(given)); text != "" {
		return readStoreName(text, "the credential "+storeCredential)
	}
	return storeName{}, nil
}

// readStoreName parses the name of a database. Errors do not contain it, because it
// may contain a password.
func readStoreName(text, source string) (storeName, error) {
	path, file := strings.CutPrefix(text, "bolt:")
	switch {
	case isPostgres(text):
		return storeName{url: text, source: source}, nil
	case file && path != "":
		path, err := filepath.Abs(path)
		return storeName{file: path, source: source}, err
	}
	return storeName{}, cli.UsageError("%s names no database", source).WithHint("write bolt:PATH, or postgres://user@host:5432/database")
}

func isPostgres(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// hasPassword reports whether a PostgreSQL URL contains a password.
func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	_, set := u.User.Password()
	return set || u.Query().Has("password")
}

// openStore opens the database that a daemon uses.
func openStore(ctx context.Context, name storeName, log *slog.Logger) (storage.Store, error) {
	if name.file != "" {
		store, err := bolt.Open(name.file, bolt.Options{Logger: log})
		if err != nil {
			return nil, openError(err, name.file)
		}
		return store, nil
	}
	if name.exposed() {
		log.Warn("the password of the database is on the command line, where every user of this machine can read it; " +
			"give it by PGPASSFILE, or all of the URL by SCHEDCTL_STORE")
	}
	store, err := postgres.Open(ctx, name.url, postgres.Options{Logger: log})
	if err != nil {
		return nil, serverError(ctx, err)
	}
	return store, nil
}

// serverError sets the exit status of errors of a database server.
func serverError(ctx context.Context, err error) error {
	var answered *pgconn.PgError
	f := cli.OtherError("%s", err.Error())
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, postgres.ErrURL):
		f.Status, f.Code = cli.ExitUsage, cli.CodeUsage
	case errors.Is(err, storage.ErrUnreachable):
		f.Status, f.Code = cli.ExitUnreachable, cli.CodeUnreachable
	case !errors.As(err, &answered):
	case answered.Code == "28000" || answered.Code == "28P01":
		f.Status = cli.ExitAuth
	case answered.Code == "3D000":
		f.Status = cli.ExitNotFound
	}
	return f
}
