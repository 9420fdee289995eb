package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/inventory"
)

// backupContent describes a backup: a plain database file, or an archive with media.
type backupContent struct {
	archived bool
	bytes    int64            // size of an archive
	manifest archive.Manifest // of an archive
	database bolt.FileReport  // of the database
	required inventory.Report // of an archive: what its daemon had lost
	losses   []inventory.Loss // of an archive: the assets that are concerned
}

// size returns the size of the backup in bytes.
func (b *backupContent) size() int64 {
	if b.archived {
		return b.bytes
	}
	return b.database.Size
}

// lost returns the number of media files that the daemon had lost.
func (b *backupContent) lost() int { return len(b.required.Missing) + len(b.required.Damaged) }

// checkBackup reads a backup completely and verifies it. The database of an archive is
// copied to a temporary file in a directory for that.
func checkBackup(ctx context.Context, path, scratch string) (content backupContent, err error) {
	if content.archived, err = archive.Is(path); err != nil || !content.archived {
		content.database, err = bolt.CheckFile(ctx, path)
		return content, err
	}
	if info, err := os.Stat(path); err == nil {
		content.bytes = info.Size()
	}
	temp, err := os.CreateTemp(scratch, ".schedctl-check-*")
	if err != nil {
		return content, fmt.Errorf("check %s: %w", path, err)
	}
	defer os.Remove(temp.Name())
	err = content.read(ctx, path, temp)
	if err := errors.Join(err, temp.Close()); err != nil {
		return content, fmt.Errorf("check %s: %w", path, err)
	}
	if content.database, err = bolt.CheckFile(ctx, temp.Name()); err != nil {
		return content, fmt.Errorf("check the database in %s: %w", path, errors.Unwrap(err))
	}
	return content, content.name(ctx, temp.Name())
}

// read verifies an archive, and copies its database to a file.
func (b *backupContent) read(ctx context.Context, path string, database io.Writer) (err error) {
	b.manifest, err = readArchive(ctx, path, archive.Visitor{
		Database: func(r io.Reader, _ int64) error {
			if database == nil {
				return nil
			}
			_, err := io.Copy(database, r)
			return err
		},
		Lost: func(key blob.Key, how archive.Result) error {
			if how == archive.Missing {
				b.required.Missing = append(b.required.Missing, key)
			} else {
				b.required.Damaged = append(b.required.Damaged, key)
			}
			return nil
		},
	})
	return err
}

// name finds the assets of lost files. A database of an older version has to be migrated
// first, and names none.
func (b *backupContent) name(ctx context.Context, database string) error {
	if b.lost() == 0 {
		return nil
	}
	err := bolt.ReadFile(ctx, database, func(r storage.Reader) (err error) {
		b.losses, err = inventory.Losses(r, b.required)
		return err
	})
	if errors.Is(err, bolt.ErrOutdated) {
		return nil
	}
	return err
}

// readArchive reads an archive from its file.
func readArchive(ctx context.Context, path string, v archive.Visitor) (archive.Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return archive.Manifest{}, err
	}
	defer f.Close()
	return archive.Read(ctx, f, v)
}

// maxShownLosses is how many assets without their bytes are shown.
const maxShownLosses = 20

// showLosses shows the assets whose bytes are lost.
func showLosses(a *cli.App, losses []inventory.Loss) {
	for i, l := range losses {
		if i == maxShownLosses {
			a.Messagef("and %s more", cli.Plural(len(losses)-i, "media file"))
			break
		}
		what := "the bytes are missing"
		if l.Damaged {
			what = "the bytes are damaged"
		}
		users := "no post uses it"
		switch n := len(l.Posts); {
		case n == inventory.MaxPosts:
			users = fmt.Sprintf("used by %s and others", l.Posts[0])
		case n > 1:
			users = fmt.Sprintf("used by %s and %d more", l.Posts[0], n-1)
		case n == 1:
			users = "used by " + l.Posts[0]
		}
		a.Messagef("%s (%s): %s; %s", l.Asset.ID, cli.OneLine(l.Asset.FileName), what, users)
	}
}
