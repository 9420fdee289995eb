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

// storeName is the database that a daemon uses: a file, or what a URL of
// PostgreSQL names.
type storeName struct {
	file, url string
	source    string // who named it
}

// exposed reports whether a password is on the command line.
func (n storeName) exposed() bool { return n.source == storeFlag && hasPassword(n.url) }

// storeFlag is the flag that names the database.
const storeFlag = "--store"

// storeName returns what --store says, else what is given otherwise, else the file
// in the data directory.
func (o *daemonRun) storeName(dir string) (storeName, error) {
	name, err := givenStore(o.App, o.store)
	if err == nil && name.source == "" {
		name.file = filepath.Join(dir, cli.DatabaseFile)
	}
	return name, err
}

// givenStore returns what the flag says, else SCHEDCTL_STORE, else the credential
// of the service manager; no database when none says anything.
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

// readStoreName reads the name of a database. Errors do not show it, for it may
// hold a password.
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

// hasPassword reports whether a URL of PostgreSQL holds a password.
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

// serverError gives an error of opening a database on a server its exit status.
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
