package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/transfer"
)

// unfinishedSuffix is the end of the file name of an incomplete copy.
const unfinishedSuffix = ".copying"

// storeTarget is the database that receives the copy.
type storeTarget struct {
	storage.Store
	*cli.App
	final   string // the final name of the file; empty if the file has it already
	path    string // of the file; empty for a database on a server
	created bool   // this command created the file
}

// openTarget opens the database that receives the copy. A file has a temporary name
// until it is complete. A file with the final name is accepted if only the last step
// is missing.
func openTarget(ctx context.Context, o *cli.App, name storeName) (*storeTarget, error) {
	t := &storeTarget{App: o}
	if name.file != "" {
		t.path = name.file
		_, err := os.Lstat(name.file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			t.final, t.path = name.file, name.file+unfinishedSuffix
			_, err := os.Lstat(t.path)
			t.created = errors.Is(err, fs.ErrNotExist)
		case err != nil:
			return nil, fmt.Errorf("create the copy: %w", err)
		}
		name.file = t.path
	}
	store, err := openStore(ctx, name, o.Logger())
	if err != nil {
		return nil, inUse(err, name)
	}
	t.Store = store
	if t.path != "" && t.final == "" {
		return t, t.refuseOther(ctx)
	}
	return t, nil
}

// refuseOther closes an existing file and returns an error, unless it is a copy that
// lacks only the last step.
func (t *storeTarget) refuseOther(ctx context.Context) error {
	mark, err := t.mark(ctx)
	if err == nil && mark.Role == transfer.Arriving {
		return nil
	}
	if err == nil {
		err = errTaken(t.path)
	}
	return errors.Join(err, t.Store.Close())
}

func errTaken(path string) error {
	return cli.NewFailure(cli.ExitConflict, cli.CodeOther, "%s already exists", path).WithHint("move it away, or name another file with --to")
}

func (t *storeTarget) mark(ctx context.Context) (transfer.Mark, error) {
	return storage.Read(ctx, t.View, transfer.MarkOf)
}

// place checks a complete file and renames it to its final name. It does nothing for a
// database on a server.
func (t *storeTarget) place(ctx context.Context, store storage.Store) (storage.Store, error) {
	file, ok := store.(*bolt.Store)
	if !ok {
		return store, nil
	}
	if err := file.Check(ctx); err != nil || t.final == "" {
		return store, err
	}
	// Some systems cannot rename an open file.
	if err := file.Close(); err != nil {
		return nil, err
	}
	if err := t.rename(); err != nil {
		return nil, err
	}
	renamed, err := bolt.Open(t.path, bolt.Options{Logger: t.Logger()})
	if err != nil {
		return nil, err
	}
	t.Store = renamed
	return renamed, nil
}

func (t *storeTarget) rename() error {
	if _, err := os.Lstat(t.final); err == nil {
		return errTaken(t.final)
	}
	if err := os.Rename(t.path, t.final); err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	t.path, t.final, t.created = t.final, "", false
	return privatefile.SyncDir(filepath.Dir(t.path))
}

// removal returns the command that removes an unusable copy.
func (t *storeTarget) removal() string {
	if t.path != "" {
		return "remove " + t.path
	}
	return "drop that database"
}

// close closes the database, and removes a new file without copied records.
func (t *storeTarget) close(ctx context.Context) error {
	mark, err := t.mark(context.WithoutCancel(ctx))
	unused := err == nil && t.created && mark.Role == ""
	err = t.Store.Close()
	if unused {
		err = errors.Join(err, os.Remove(t.path))
	}
	return err
}
