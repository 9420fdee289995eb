package bolt_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

var pageSize = int64(os.Getpagesize())

func TestOpenCreates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new.db")
	open(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("the new file has mode %v, want -rw-------", info.Mode())
	}
	if diff := cmp.Diff([]string{"new.db"}, filesIn(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files in the directory (-want +got):\n%s", diff)
	}
}

func TestOpenKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	path := sample(t)
	before := fileState(t, path)
	s := open(t, path)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, fileState(t, path)); diff != "" {
		t.Errorf("opening and closing changed the file (-before +after):\n%s", diff)
	}
}

func TestOpenInAMissingDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "no", "such", "dir.db")
	if _, err := bolt.Open(path, bolt.Options{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one with the path", err)
	}
}

func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "raced.db")
	stores := make([]*bolt.Store, 8)
	var wait sync.WaitGroup
	for i := range stores {
		wait.Go(func() {
			s, err := bolt.Open(path, bolt.Options{})
			if err != nil && !errors.Is(err, storage.ErrLocked) {
				t.Errorf("error %v, want %v", err, storage.ErrLocked)
			}
			stores[i] = s
		})
	}
	wait.Wait()
	opened := 0
	for _, s := range stores {
		if s != nil {
			opened++
			newCreator(s).update(t, 1)
			if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	if opened != 1 {
		t.Errorf("%d opened the database, want 1", opened)
	}
}

// TestOpenRefuses guards that Open does not change a file that it refuses, and that the
// error has the path and the cause.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	overwrite := func(at int64, with string) func(*testing.T, string) {
		return func(t *testing.T, path string) { writeAt(t, path, at, []byte(with)) }
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  error
		says  string
	}{
		"locked":           {func(t *testing.T, path string) { open(t, path) }, storage.ErrLocked, "stop that process"},
		"empty":            {truncate(0), storage.ErrForeign, "it is empty"},
		"a few bytes":      {truncate(10), storage.ErrForeign, "move the file away"},
		"within page 1":    {truncate(60), storage.ErrCorrupt, "restore it from a backup"},
		"two pages":        {truncate(8192), storage.ErrCorrupt, "cut off"},
		"half":             {truncate(20000), storage.ErrCorrupt, "cut off"},
		"text":             {replace(strings.Repeat("#!/bin/sh\n", 2000)), storage.ErrForeign, "move the file away"},
		"zeros":            {replace(strings.Repeat("\x00", 65536)), storage.ErrForeign, "move the file away"},
		"directory":        {directory, storage.ErrForeign, "not a regular file"},
		"another program":  {inside(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("schedctl")) }), storage.ErrForeign, "a different program"},
		"newer":            {inside(nextVersion), storage.ErrNewer, "install the newer one"},
		"far newer":        {version(1 << 63), storage.ErrNewer, "install the newer one"},
		"no version":       {inside(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("schedctl")).Delete([]byte("version")) }), storage.ErrCorrupt, "version"},
		"a bucket less":    {inside(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("due")) }), storage.ErrCorrupt, `"due" is missing`},
		"both first pages": {both(overwrite(40, "xxxx"), overwrite(pageSize+40, "xxxx")), storage.ErrCorrupt, "checksum"},
		"free list":        {spoilPage(4), storage.ErrCorrupt, "restore it from a backup"},
		"root page":        {spoilPage(2), storage.ErrCorrupt, "restore it from a backup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := sample(t)
			test.spoil(t, path)
			before := fileState(t, path)
			_, err := bolt.Open(path, bolt.Options{})
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not contain the path and %q", err, test.says)
			}
			if diff := cmp.Diff(before, fileState(t, path)); diff != "" {
				t.Errorf("the file was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestOpenAfterATornFirstPage(t *testing.T) {
	t.Parallel()
	for _, page := range []int64{0, pageSize} {
		path := sample(t)
		writeAt(t, path, page+40, []byte("torn"))
		s := open(t, path) // bbolt uses the other meta page
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("page at %d: %v", page, err)
		}
	}
}

func TestOpenOfEveryLength(t *testing.T) {
	t.Parallel()
	path := sample(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.db")
	for n := 0; n < 24_000; n = n*5/4 + 1 {
		if err := os.WriteFile(cut, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bolt.Open(cut, bolt.Options{}); !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrForeign) {
			t.Errorf("a file of %d bytes: error %v", n, err)
		}
	}
}

// TestOpenOfDamagedPages guards that Open and Check return an error for damaged pages and
// never crash.
func TestOpenOfDamagedPages(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		path := sample(t)
		page := int64(2 + rng.IntN(30))
		writeAt(t, path, page*pageSize, []byte(strings.Repeat("\xa5", 64))) // the header of a page
		s, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			if !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("page %d: error %v, want %v", page, err, storage.ErrCorrupt)
			}
			continue
		}
		if err := s.Check(t.Context()); err != nil && !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("page %d: Check: %v", page, err)
		}
		s.Close()
	}
}

// sample returns a closed database with some posts.
func sample(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.db")
	s, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	newCreator(s).fill(t, 50)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// fileState describes everything that must not change: the content, mode and time of the
// file, and the names in its directory.
func fileState(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	if info.Mode().IsRegular() {
		if content, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x %v %v %v", sha256.Sum256(content), info.Mode(), info.ModTime(), filesIn(t, filepath.Dir(path)))
}

func writeAt(t *testing.T, path string, at int64, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func truncate(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
}

func replace(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func directory(t *testing.T, path string) {
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
}

func both(a, b func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, path string) { a(t, path); b(t, path) }
}

// inside returns a function that changes the buckets of a file with fn.
func inside(fn func(*bbolt.Tx) error) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(fn), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func nextVersion(tx *bbolt.Tx) error {
	b := tx.Bucket([]byte("schedctl"))
	present := binary.BigEndian.Uint64(b.Get([]byte("version")))
	return b.Put([]byte("version"), binary.BigEndian.AppendUint64(nil, present+1))
}

func version(n uint64) func(*testing.T, string) {
	return inside(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("schedctl")).Put([]byte("version"), binary.BigEndian.AppendUint64(nil, n))
	})
}

// newestMeta returns the newer meta page as numbers. Index 2 is the root, index 4 the
// freelist, index 5 the number of pages and index 6 the transaction.
func newestMeta(t *testing.T, path string) [8]uint64 {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pages [2][8]uint64
	for i := range pages {
		for j := range pages[i] {
			pages[i][j] = binary.NativeEndian.Uint64(b[i*int(pageSize)+16+8*j:])
		}
	}
	if pages[1][6] > pages[0][6] {
		return pages[1]
	}
	return pages[0]
}

// spoilPage overwrites the header of the page that a field of the newest meta page names.
func spoilPage(field int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		page := int64(newestMeta(t, path)[field])
		writeAt(t, path, page*pageSize, []byte(strings.Repeat("\xa5", 64)))
	}
}

// TestOpenCutByOneByte truncates files after one and two commits, so that each of the
// meta pages is the newer one.
func TestOpenCutByOneByte(t *testing.T) {
	t.Parallel()
	for commits := range 2 {
		path := sample(t)
		s := open(t, path)
		for range 1 + commits {
			newCreator(s).fill(t, 500) // the last commit makes the file longer
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		whole := int64(newestMeta(t, path)[5]) * pageSize
		truncate(whole)(t, path)
		s = open(t, path)
		if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil {
			t.Errorf("a file without the unused space at its end: %v", err)
		}
		truncate(whole-1)(t, path)
		if _, err := bolt.Open(path, bolt.Options{}); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("a file without its last byte: error %v, want %v", err, storage.ErrCorrupt)
		}
	}
}

func TestClosedStore(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "closed.db"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(context.Background()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Check returned %v, want %v", err, storage.ErrClosed)
	}
}
