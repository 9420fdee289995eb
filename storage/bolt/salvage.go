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

// SalvageReport tells what [Salvage] has found.
type SalvageReport struct {
	Size    int64 // of the damaged file, in bytes
	Version int   // of its layout; 0 when that cannot be read

	Unreadable int // pages that belong to the database and cannot be read
	Strays     int // pages that nothing leads to any more and that records were taken from

	Records []SalvagedRecords // in a fixed order

	// Doubtful are posts that may have changed since the version that was found:
	// whatever of them waits may have been published.
	Doubtful []storage.Route

	// Behind means that the state that was found is perhaps not the last one that
	// was on disk.
	Behind bool
}

// SalvagedRecords says what became of the records of one kind.
type SalvagedRecords struct {
	Kind      string // plural, such as "posts"
	Recovered int
	Lost      int // that are known of; what else was on pages that cannot be read, nobody knows
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

// SalvageOptions say how to salvage.
type SalvageOptions struct {
	Progress func() // called for each record that is written; nil for none
}

// Salvage reads what can be read of a damaged database and writes it into a new
// one, at a path where nothing is yet. The damaged file is only read, page by
// page and never through bbolt, which takes much for granted.
//
// These are the rules by which a record counts:
//
//   - What the newest sound first page leads to counts, page by page; a page or a
//     record that cannot be read takes no other with it.
//   - A page that nothing leads to counts when the list of free pages does not
//     name it: it has lost what led to it. Pages that are free hold what was
//     changed or deleted since, and are not looked at.
//   - When the newest root cannot be read, and its list of free pages can, the one
//     before it leads to what the list does not name, and to no other page.
//   - When not both first pages, or not the list of free pages, can be read, the
//     state that was written last is looked for. Pages that it does not lead to
//     are taken only for the parts of which a branch cannot be read, and of answers,
//     events, deliveries and the audit log, of which only the oldest are deleted,
//     also for those of which a leaf cannot be.
//   - No post counts that the indexes show to be deleted, nor one whose page may
//     be an older one when others lie beside each other where it was. A deletion
//     of which no page is left, as when the end of a file is cut off, is one that
//     nobody can know of.
//   - Of a record that is found more than once the version with the most changes
//     counts.
//
// What comes from a state that may not be the last is not trusted: webhooks come
// back disabled, and posts are [SalvageReport.Doubtful].
//
// Indexes are not copied. They follow from the records, which are put as always;
// a post that disagrees with the indexes of the file is doubtful, too.
//
// Nothing of what waits is held back yet: whoever puts the new file to use has
// to see to it that nothing is published twice.
//
// Errors wrap [storage.ErrLocked], [storage.ErrForeign] or [storage.ErrNewer]
// where that is the reason; then, and after any other error, there is no new
// file. ctx ends the work at the next page.
func Salvage(ctx context.Context, from, to string, options SalvageOptions) (SalvageReport, error) {
	report, err := salvage(ctx, from, to, options)
	if err != nil {
		return report, fmt.Errorf("salvage database %s: %w", from, err)
	}
	return report, nil
}

func salvage(ctx context.Context, from, to string, options SalvageOptions) (report SalvageReport, err error) {
	unlock, err := lockForReading(from)
	if err != nil {
		return report, err
	}
	defer unlock()
	f, err := os.Open(from)
	if err != nil {
		return report, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return report, err
	}
	switch {
	case !info.Mode().IsRegular():
		return report, foreign("it is not a regular file")
	case info.Size() == 0:
		return report, foreign("it is empty")
	}
	found, err := survey(ctx, f, info.Size())
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
	store.db.NoSync = true // until all is there
	r := &rescue{found: found, store: store, progress: options.Progress, doubtful: map[ulid]ulid{}}
	if err = r.run(ctx); err == nil {
		err = store.db.Sync()
	}
	if err = errors.Join(err, store.Close()); err != nil {
		os.Remove(to)
		return report, err
	}
	return r.report(info.Size()), nil
}

// lockForReading keeps daemons from opening a file. One that is too broken for
// bbolt is not locked: no daemon can open it.
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
