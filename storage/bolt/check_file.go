package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
)

// FileReport is the result of [CheckFile].
type FileReport struct {
	Size    int64 // of the file, in bytes
	Version int   // of its layout

	// Outdated means that an older program has written the file. Only its pages were
	// checked: records and indexes can be compared after [Open] has migrated it.
	Outdated bool

	Records []RecordCount // in a fixed order; nil when outdated

	Faults []error // the first ones, when the file is damaged
}

// RecordCount is the number of records of one kind.
type RecordCount struct {
	Kind  string // plural, such as "posts"
	Count int
}

// counted are the buckets whose records are reported.
var counted = []bucket{workspaces, keys, accounts, posts, targets, attempts, events, webhooks, deliveries, audit, media, queues, blackouts, series, calendarFeeds, collections, aliases, shares, results, accountResults, sources, sourceItems}

// CheckFile checks a database that no process has open for writing, as [Store.Check]
// does. It changes nothing, and neither migrates nor creates the file. After an error the
// report has the results so far.
//
// Errors wrap [storage.ErrLocked], [storage.ErrForeign], [storage.ErrCorrupt]
// or [storage.ErrNewer] where that is the reason.
func CheckFile(ctx context.Context, path string) (FileReport, error) {
	report, err := checkFile(ctx, path)
	if err != nil {
		err = fmt.Errorf("check database %s: %w", path, err)
	}
	return report, err
}

// ReadFile calls fn with the records of a database that no process has open for writing,
// as a snapshot. It changes nothing. Check the file with [CheckFile] first: ReadFile
// refuses an outdated one with an error that wraps [ErrOutdated].
func ReadFile(ctx context.Context, path string, fn func(storage.Reader) error) (err error) {
	db, err := openBolt(path, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("read database %s: %w", path, err)
	}
	defer db.Close()
	return safely(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			version, err := versionOf(tx, migrations)
			if err != nil {
				return err
			}
			if version < len(migrations) {
				return fmt.Errorf("read database %s: %w", path, ErrOutdated)
			}
			return fn(&reader{ctx: ctx, buckets: buckets{bolt: tx}})
		})
	})
}

// ErrOutdated means that an older program has written a file, which [Open] migrates.
var ErrOutdated = errors.New("an older version has written it")

func checkFile(ctx context.Context, path string) (report FileReport, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return report, err
	}
	report.Size = info.Size()
	if err := inspectFile(path); err != nil {
		return report, err
	}
	if err := walkFile(ctx, path); err != nil {
		return report, err
	}
	db, err := openBolt(path, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	if err != nil {
		return report, err
	}
	defer db.Close()
	torn, err := inspectMetas(path)
	if err != nil {
		return report, err
	}
	err = safely(func() error {
		return db.View(func(tx *bbolt.Tx) error { return report.read(ctx, tx) })
	})
	if torn != nil && (err == nil || len(report.Faults) > 0) {
		report.Faults = append(report.Faults, fmt.Errorf("%w: the state of the other meta page is used, and changes may be missing", torn))
		err = damaged("one of its two meta pages cannot be read")
	}
	return report, err
}

// read fills the report.
func (f *FileReport) read(ctx context.Context, tx *bbolt.Tx) (err error) {
	if err := inspectVersion(tx, migrations); err != nil {
		return err
	}
	if f.Version, err = versionOf(tx, migrations); err != nil {
		return err
	}
	c := checker{reader: &reader{ctx: ctx, buckets: buckets{bolt: tx}}, ctx: ctx}
	c.pages(tx)
	if f.Outdated = f.Version < len(migrations); !f.Outdated && len(c.faults) == 0 {
		c.all()
		for _, b := range counted {
			f.Records = append(f.Records, RecordCount{Kind: b.String(), Count: c.seen[b]})
		}
	}
	if f.Faults = c.faults; len(f.Faults) > 0 && ctx.Err() == nil {
		return damaged("its records, indexes or pages do not fit together")
	}
	return ctx.Err()
}
