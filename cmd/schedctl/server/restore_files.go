package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/bolt"
)

// dataDir is a data directory that is being created.
type dataDir struct {
	path string
	own  bool     // this command created it
	made []string // the files and directories in it
}

func makeDataDir(path string) (*dataDir, error) {
	_, err := os.Stat(path)
	d := &dataDir{path: path, own: errors.Is(err, fs.ErrNotExist)}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("create the data directory: %w; choose another with --data-dir", err)
	}
	return d, nil
}

// undo removes everything that was created.
func (d *dataDir) undo() {
	for _, name := range d.made {
		os.RemoveAll(filepath.Join(d.path, name))
	}
	if d.own {
		os.Remove(d.path)
	}
}

// create creates a file that only this user can access.
func (d *dataDir) create(name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(d.path, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		d.made = append(d.made, name)
	}
	return f, err
}

// write creates a file. It is on disk when write returns.
func (d *dataDir) write(name string, data []byte) error {
	f, err := d.create(name)
	if err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	return nil
}

// copy copies a file.
func (d *dataDir) copy(ctx context.Context, from, name string) error {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	defer in.Close()
	out, err := d.create(name)
	if err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	for err == nil {
		if _, err = io.CopyN(out, in, 8<<20); err == nil {
			err = ctx.Err()
		}
	}
	if err == io.EOF {
		err = nil
	}
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	return nil
}

// errExtracted ends the reading of an archive after its database.
var errExtracted = errors.New("the database is extracted")

// extract copies the database of an archive and checks it.
func (d *dataDir) extract(ctx context.Context, from, name string) error {
	out, err := d.create(name)
	if err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	_, err = readArchive(ctx, from, archive.Visitor{Database: func(r io.Reader, _ int64) error {
		if _, err := io.Copy(out, r); err != nil {
			return err
		}
		return errExtracted
	}})
	if errors.Is(err, errExtracted) {
		err = nil
	}
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	if _, err := bolt.CheckFile(ctx, filepath.Join(d.path, name)); err != nil {
		return fmt.Errorf("check the database in %s: %w", from, errors.Unwrap(err))
	}
	return nil
}

// rename gives a file its final name.
func (d *dataDir) rename(from, to string) error {
	if err := os.Rename(filepath.Join(d.path, from), filepath.Join(d.path, to)); err != nil {
		return fmt.Errorf("restore the database: %w", err)
	}
	d.made = append(d.made, to)
	return privatefile.SyncDir(d.path)
}
