package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/all"
	"github.com/schedctl/schedctl/storage/transfer"
)

// storeMedia opens the blob stores of "schedctl store copy". They are opened when the copy
// needs them, so that a database without media needs no place for its files.
type storeMedia struct {
	*cli.App
	fromFlag, toFlag string
	skipLost         bool

	from, to blob.Spec
	opened   []blob.Store
	spools   string // a temporary directory
}

// parse reads the flags. Without flags the files are where daemons have them by default.
// Those in a bucket stay there.
func (m *storeMedia) parse(a *cli.App, from, to storeName) (err error) {
	switch {
	case m.fromFlag != "":
		m.from, err = parseBlobs("--from-blobs", m.fromFlag)
	case from.file != "":
		m.from = usedBlobs(a, filepath.Dir(from.file))
	default:
		m.from = blob.Spec{Engine: blob.EnginePostgres}
	}
	switch {
	case err != nil:
	case m.toFlag != "":
		m.to, err = parseBlobs("--to-blobs", m.toFlag)
	case m.from.Engine == blob.EngineS3:
		m.to = m.from
	case to.file == "":
		m.to = blob.Spec{Engine: blob.EnginePostgres}
	case from.file != "" && filepath.Dir(from.file) == filepath.Dir(to.file):
		m.to = m.from
	default:
		m.to = blobDir(filepath.Dir(to.file))
	}
	return err
}

// open returns a function that opens the blob stores, for [transfer.Options].
func (m *storeMedia) open(source, target storage.Store) func(context.Context) (from, to blob.Store, err error) {
	return func(ctx context.Context) (from, to blob.Store, err error) {
		if m.spools, err = os.MkdirTemp("", "schedctl-uploads-*"); err != nil {
			return nil, nil, err
		}
		// The databases of the two sides differ, even if both places are called postgres.
		same := m.from == m.to && m.from.Engine != blob.EnginePostgres
		if from, err = m.openOne(ctx, m.from, source, true); err != nil || same {
			return from, from, err
		}
		to, err = m.openOne(ctx, m.to, target, false)
		return from, to, err
	}
}

func (m *storeMedia) openOne(ctx context.Context, spec blob.Spec, database storage.Store, readOnly bool) (blob.Store, error) {
	flag := "--to-blobs"
	if readOnly {
		flag = "--from-blobs"
	}
	blobs, err := openBlobs(ctx, m.App, flag, spec, all.Options{Database: database, Spools: m.spools, ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	m.opened = append(m.opened, blobs)
	return blobs, nil
}

// close closes the stores. Call it before the databases are closed.
func (m *storeMedia) close() (err error) {
	for _, blobs := range m.opened {
		err = errors.Join(err, blobs.Close())
	}
	if m.spools != "" {
		err = errors.Join(err, os.RemoveAll(m.spools))
	}
	m.opened, m.spools = nil, ""
	return err
}

// used reports whether the copy had files.
func (m *storeMedia) used(report transfer.Media) bool { return report.Files+report.Lost > 0 }

// advise says where the files are.
func (m *storeMedia) advise(report transfer.Media) {
	if report.Lost > 0 {
		m.Messagef("%s missing or damaged and not copied; posts that need them will fail until you upload the same files again", cli.IsOrAre(report.Lost, "media file"))
	}
	switch {
	case !m.used(report):
	case m.from == m.to && m.from.Engine != blob.EnginePostgres:
		m.Messagef("%s in their place: %s", cli.IsOrAre(report.Files, "media file"), m.to)
	default:
		m.Messagef("%s complete in %s; those in %s are unchanged", cli.IsOrAre(report.Files, "media file"), m.to, m.from)
	}
}
