package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	bbolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/schedctl/schedctl/storage"
)

// lockPatience is how long another process may take to let go of the file.
const lockPatience = 200 * time.Millisecond

// mapped is how much address space a file is given, so that it can grow for
// long without a new mapping, which has to wait for all readers. It is not
// memory. On Windows a file is as large as its mapping.
func mapped() int {
	if bits.UintSize == 32 || runtime.GOOS == "windows" {
		return 0
	}
	return 4 << 30
}

// Open opens the database at path and creates it, readable by its owner alone,
// when there is no such file. A file of an older version is migrated.
//
// Errors wrap [storage.ErrLocked], [storage.ErrForeign], [storage.ErrCorrupt]
// or [storage.ErrNewer] where that is the reason, and then the file is as it
// was.
func Open(path string, options Options) (*Store, error) {
	log := options.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s, err := open(path, log, migrations)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return s, nil
}

func open(path string, log *slog.Logger, list []migration) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path, log, list); err != nil {
			return nil, err
		}
	}
	if err := inspectFile(path); err != nil {
		return nil, err
	}
	if err := inspectBuckets(path, list); err != nil {
		return nil, err
	}
	db, err := openBolt(path, &bbolt.Options{InitialMmapSize: mapped()})
	if err != nil {
		return nil, err
	}
	s, err := prepare(path, db, log, list)
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// prepare brings an open file up to date and starts the store on it.
func prepare(path string, db *bbolt.DB, log *slog.Logger, list []migration) (*Store, error) {
	if err := migrate(db, log, list); err != nil {
		return nil, err
	}
	return start(path, db, log)
}

// create makes a new database beside path and then gives it its name, so that
// there is never half a database under it. When another process was faster,
// its database stays.
func create(path string, log *slog.Logger, list []migration) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return fmt.Errorf("create it: %w; does the directory exist, and may it be written to?", err)
	}
	f.Close()
	defer os.Remove(f.Name())
	db, err := openBolt(f.Name(), &bbolt.Options{})
	if err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	err = errors.Join(migrate(db, log, list), db.Close())
	if err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	return publish(f.Name(), path)
}

// publish gives a file its final name, unless that is taken, and sees to it
// that the name is on disk.
func publish(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil { // a file system without links
		if err := os.Rename(from, to); err != nil {
			return fmt.Errorf("create it: %w", err)
		}
	}
	dir, err := os.Open(filepath.Dir(to))
	if err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("create it: sync its directory: %w", err)
	}
	return nil
}

// openBolt opens a file that inspectFile has passed. What bbolt does not bear
// with in a damaged file it panics about.
func openBolt(path string, options *bbolt.Options) (db *bbolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			db, err = nil, damaged(fmt.Sprint(r))
		}
	}()
	options.Timeout = lockPatience
	options.FreelistType = bbolt.FreelistMapType
	options.NoStatistics = true
	db, err = bbolt.Open(path, 0o600, options)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w; stop that process, or use another data directory", storage.ErrLocked)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w; only the user who owns the file may use it", err)
	}
	return db, err
}

func damaged(how string) error {
	return fmt.Errorf("%w: %s; restore it from a backup", storage.ErrCorrupt, how)
}

func foreign(how string) error {
	return fmt.Errorf("%w: %s; use another path, or move the file away", storage.ErrForeign, how)
}
