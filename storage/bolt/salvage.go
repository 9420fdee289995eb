package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
)

// SalvageReport is the result of [Salvage].
type SalvageReport struct {
	Size    int64 // of the damaged file, in bytes
	Version int   // of its layout; 0 when it cannot be read

	Unreadable int // pages of the database that cannot be read, at least in part
	Strays     int // pages outside the tree from which records were taken

	Records []SalvagedRecords // in a fixed order

	// Behind means that the last changes may be missing, because a meta page or
	// the root of the newest one cannot be read.
	Behind bool
}

// SalvagedRecords counts the records of one kind.
type SalvagedRecords struct {
	Kind      string // plural, such as "posts"
	Recovered int
	Lost      int // known losses; records on unreadable pages that no index names are not counted
}

// SalvagedKinds returns the kinds of records in the order of
// [SalvageReport.Records].
func SalvagedKinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.bucket.String()
	}
	return names
}

// SalvageOptions are the options of [Salvage].
type SalvageOptions struct {
	Progress func() // called for each record that is written; nil for none
}

// Salvage copies the readable records of a damaged database into a new one. No
// file may exist at the new path. The damaged file is only read, page by page and
// without bbolt, which would crash on damaged pages.
//
// Records are found by these rules:
//
//   - The newest sound meta page with a readable root decides which tree of pages
//     is read. An unreadable page or record does not affect any other.
//   - Every leaf outside the tree counts as well, unless the freelist of the newest
//     sound meta page has it. An intact file has no such leaf.
//   - Without that freelist, leaves outside the tree count if a page with records cannot
//     be read, or no root can. They include records that were changed or deleted, and a
//     deleted record may then come back.
//   - If a record is found several times, the version with the most changes wins.
//   - Webhooks that are found outside the tree come back disabled, series paused, and
//     calendar feeds expired.
//   - If two posts have the same slot, one of them keeps only its time.
//
// Indexes are not copied. They are built from the records.
//
// A post may have been changed or published after the version that was found.
// The caller must hold all open posts before a daemon uses the new file.
//
// Errors wrap [storage.ErrLocked], [storage.ErrForeign] or [storage.ErrNewer]
// if that is the cause. After an error there is no new file. Salvage stops when ctx
// is done.
func Salvage(ctx context.Context, from, to string, options SalvageOptions) (SalvageReport, error) {
	report, err := salvage(ctx, from, to, options)
	if err != nil {
		return report, fmt.Errorf("salvage database %s: %w", from, err)
	}
	return report, nil
}

func salvage(ctx context.Context, from, to string, options SalvageOptions) (report SalvageReport, err error) {
	f, err := openRegular(from)
	if err != nil {
		return report, err
	}
	defer f.Close()
	unlock, err := lockForReading(from)
	if err != nil {
		return report, err
	}
	defer unlock()
	info, err := f.Stat()
	if err != nil {
		return report, err
	}
	source, err := readDamagedFile(ctx, f, info.Size())
	if err != nil {
		return report, err
	}
	if _, err := os.Lstat(to); err == nil {
		return report, fmt.Errorf("write %s: %w", to, fs.ErrExist)
	}
	store, err := open(to, slog.New(slog.DiscardHandler), migrations)
	if err != nil {
		return report, fmt.Errorf("write %s: %w", to, err)
	}
	store.db.NoSync = true // synced once at the end
	s := &salvager{source: source, store: store, progress: options.Progress}
	if err = s.run(ctx); err == nil {
		err = store.db.Sync()
	}
	if err = errors.Join(err, store.Close()); err != nil {
		os.Remove(to)
		return report, err
	}
	return s.report(), nil
}

// lockForReading keeps daemons from opening a file. A file that bbolt cannot
// open is not locked, because no daemon can open it either.
func lockForReading(path string) (unlock func(), err error) {
	db, err := openBolt(path, &bbolt.Options{ReadOnly: true})
	switch {
	case err == nil:
		return func() { db.Close() }, nil
	case errors.Is(err, storage.ErrLocked), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return func() {}, nil
}
