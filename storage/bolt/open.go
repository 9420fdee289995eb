package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	bbolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/schedctl/schedctl/storage"
)

// lockTimeout is how long Open waits for another process to release the file.
const lockTimeout = 200 * time.Millisecond

// initialMmapSize returns the initial size of the mapping of a file. A large mapping
// uses address space but no memory. It avoids a new mapping when the file grows, which
// would wait for all readers. The result is 0, for the default of bbolt, on 32-bit systems,
// which lack address space, and on Windows, where a file is as large as its mapping.
func initialMmapSize() int {
	size := int64(4 << 30)
	if size > math.MaxInt || runtime.GOOS == "windows" {
		return 0
	}
	return int(size)
}

// Open opens the database at path. It creates a missing file, readable only by its owner,
// and migrates a file of an older version.
//
// Errors wrap [storage.ErrLocked], [storage.ErrForeign], [storage.ErrCorrupt] or
// [storage.ErrNewer] if that is the cause. The file is then unchanged.
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
	torn, err := inspectMetas(path)
	if err != nil {
		return nil, err
	}
	db, err := openBolt(path, &bbolt.Options{InitialMmapSize: initialMmapSize()})
	if err != nil {
		return nil, err
	}
	var s *Store
	err = safely(func() error {
		if err := migrate(db, log, list); err != nil {
			return err
		}
		s, err = start(path, db, log)
		return err
	})
	if torn != nil && err == nil {
		log.Warn("one of the two meta pages of the database cannot be read: using the other page; the last changes may be missing", "path", path, "error", torn)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// create creates a database under a temporary name and renames it to path, so that path
// is never incomplete. If another process was faster, its database stays.
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
	err = safely(func() error { return migrate(db, log, list) })
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("create it: %w", err)
	}
	return publish(f.Name(), path)
}

// publish gives a file its final name, unless a file has it, and syncs the directory.
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

// openBolt opens a file that inspectFile has checked.
func openBolt(path string, options *bbolt.Options) (db *bbolt.DB, err error) {
	options.Timeout = lockTimeout
	options.FreelistType = bbolt.FreelistMapType
	options.NoStatistics = true
	var file *os.File
	options.OpenFile = func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}
	err = safely(func() error {
		db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if err != nil && file != nil {
		file.Close() // a panic left it open and locked
	}
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w; stop that process, or use another data directory", storage.ErrLocked)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w; only the user who owns the file may use it", fs.ErrPermission)
	}
	return db, err
}

func damaged(how string) error {
	return fmt.Errorf("%w: %s; restore it from a backup, or save what is left: schedctl daemon salvage", storage.ErrCorrupt, how)
}

func foreign(how string) error {
	return fmt.Errorf("%w: %s; use another path, or move the file away", storage.ErrForeign, how)
}
