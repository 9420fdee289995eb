package server

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/inventory"
)

// Names in the data directory.
const (
	blobsFolder   = "blobs"
	uploadsFolder = "uploads"
)

// fillBlobs stores the media files of an archive, and finds out which files the database
// needs and does not have. Without media files it creates nothing.
func (o *restore) fillBlobs(ctx context.Context, target *dataDir, from, database string, done *restoredData) error {
	var items []inventory.Item
	err := bolt.ReadFile(ctx, database, func(r storage.Reader) (err error) {
		items, err = inventory.Of(r)
		return err
	})
	if err != nil || len(items) == 0 {
		return err
	}
	spec, options := o.spec, all.Options{Spools: filepath.Join(target.path, uploadsFolder), ReadOnly: !o.content.archived}
	if spec.Engine == "" {
		spec = blobDir(target.path)
	}
	if !options.ReadOnly || spec.Engine == blob.EngineS3 {
		target.made = append(target.made, blobsFolder, uploadsFolder)
	}
	blobs, err := openBlobs(ctx, o.App, "--blobs", spec, options)
	if err != nil {
		return err
	}
	defer blobs.Close()
	if o.content.archived {
		if err := o.copyBlobs(ctx, from, blobs, done); err != nil {
			return err
		}
	}
	report, err := inventory.Compare(ctx, items, blobs, inventory.Sizes, nil)
	done.MediaLost = len(report.Missing) + len(report.Damaged)
	return err
}

// copyBlobs stores the blobs of an archive. Each is verified while it is copied, and a
// damaged one is left out.
func (o *restore) copyBlobs(ctx context.Context, from string, to blob.Store, done *restoredData) error {
	bar := o.NewProgress("media files", o.content.manifest.Blobs.Files)
	defer bar.Clear()
	_, err := readArchive(ctx, from, archive.Visitor{Blob: func(_ blob.Key, r io.Reader, size int64) error {
		spool, err := to.Spool()
		if err != nil {
			return err
		}
		defer spool.Close()
		if _, err := io.Copy(spool, r); err != nil {
			return err
		}
		if _, err := to.Put(ctx, spool); err != nil {
			return err
		}
		done.MediaFiles, done.MediaBytes = done.MediaFiles+1, done.MediaBytes+size
		bar.Step()
		return nil
	}})
	if err != nil {
		return fmt.Errorf("restore the media files: %w", err)
	}
	return nil
}

// adviseMedia says what to do about media.
func (o *restore) adviseMedia(r restoredData) {
	switch {
	case r.MediaLost > 0 && !o.content.archived:
		o.Messagef("%s not in the backup: copy the directory %s of the old daemon into %s, or start the new daemon with its --blobs",
			cli.IsOrAre(r.MediaLost, "media file"), blobsFolder, r.DataDir)
	case r.MediaLost > 0:
		o.Messagef("the old daemon had lost %s: when the new one runs, upload the same files again: schedctl media upload FILE", cli.Plural(r.MediaLost, "media file"))
	}
	if o.spec.Engine != "" {
		o.Messagef("the media files are in another place: start the daemon with --blobs %q", o.spec)
	}
}
