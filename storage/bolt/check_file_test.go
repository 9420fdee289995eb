package bolt

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
)

// seededFile returns the path of a closed database with records of every kind.
func seededFile(t *testing.T, change func(*Store)) string {
	t.Helper()
	s := seeded(t)
	if change != nil {
		change(s)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.path
}

// unchanged checks that fn changes neither a file nor its directory.
func unchanged(t *testing.T, path string, fn func()) {
	t.Helper()
	before, errBefore := os.ReadFile(path)
	files, _ := os.ReadDir(filepath.Dir(path))
	fn()
	after, errAfter := os.ReadFile(path)
	if !bytes.Equal(before, after) || (errBefore == nil) != (errAfter == nil) {
		t.Error("the file was changed")
	}
	if now, _ := os.ReadDir(filepath.Dir(path)); len(now) != len(files) {
		t.Errorf("%d files lie there, and there were %d", len(now), len(files))
	}
}

func TestCheckFile(t *testing.T) {
	t.Parallel()
	path := seededFile(t, nil)
	unchanged(t, path, func() {
		report, err := CheckFile(t.Context(), path)
		if err != nil || report.Outdated || report.Version != len(migrations) || len(report.Faults) > 0 {
			t.Fatalf("%+v, %v", report, err)
		}
		if info, _ := os.Stat(path); report.Size != info.Size() {
			t.Errorf("size %d, want %d", report.Size, info.Size())
		}
		counts := map[string]int{}
		for _, r := range report.Records {
			counts[r.Kind] = r.Count
		}
		if counts["posts"] == 0 || counts["targets"] < counts["posts"] || counts["workspaces"] == 0 || len(counts) != len(counted) {
			t.Errorf("records %v", counts)
		}
	})
}

func TestCheckFileFindsFaults(t *testing.T) {
	t.Parallel()
	path := seededFile(t, func(s *Store) { spoil(t, s, due, remove) })
	unchanged(t, path, func() {
		report, err := CheckFile(t.Context(), path)
		if !errors.Is(err, storage.ErrCorrupt) || len(report.Faults) == 0 {
			t.Errorf("%+v, %v", report.Faults, err)
		}
	})
}

func TestCheckFileRefuses(t *testing.T) {
	t.Parallel()
	whole := usedPages(t)
	newer := seededFile(t, func(s *Store) {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte(bucketNames[meta])).Put(versionKey, []byte{0, 0, 0, 0, 0, 0, 0, 99})
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	for name, tc := range map[string]struct {
		path string
		want error
	}{
		"newer":             {newer, storage.ErrNewer},
		"cut off":           {write(t, whole[:len(whole)/2]), storage.ErrCorrupt},
		"cut off in a meta": {write(t, whole[:100]), storage.ErrCorrupt},
		"foreign":           {write(t, []byte("This file is plain text and not a database at all.")), storage.ErrForeign},
		"empty":             {write(t, nil), storage.ErrForeign},
		"missing":           {filepath.Join(t.TempDir(), "none"), fs.ErrNotExist},
		"directory":         {t.TempDir(), storage.ErrForeign},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unchanged(t, tc.path, func() {
				if _, err := CheckFile(t.Context(), tc.path); !errors.Is(err, tc.want) {
					t.Errorf("got %v, want %v", err, tc.want)
				}
			})
		})
	}
}

// usedPages returns a database without the unused space at its end.
func usedPages(t *testing.T) []byte {
	t.Helper()
	whole, err := os.ReadFile(seededFile(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	m, err := newestMeta(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	return whole[:m.pages*uint64(m.pageSize)]
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// CheckFile refuses a file that a daemon has open, and reads a file that another check
// has open.
func TestCheckFileThatIsOpen(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	if _, err := CheckFile(t.Context(), s.path); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("open in a store: %v, want %v", err, storage.ErrLocked)
	}
	s.Close()
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := CheckFile(t.Context(), s.path); err != nil {
		t.Errorf("open for reading: %v", err)
	}
}

// In a file of an older version only the pages are checked, and it is not migrated.
func TestCheckFileOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	old, err := open(path, slog.New(slog.DiscardHandler), migrations[:2])
	if err != nil {
		t.Fatal(err)
	}
	old.Close()
	unchanged(t, path, func() {
		report, err := CheckFile(t.Context(), path)
		if err != nil || !report.Outdated || report.Version != 2 || report.Records != nil {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

func TestCheckFileStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CheckFile(ctx, seededFile(t, nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// A check of a damaged file always ends with a result or an error.
func TestCheckFileOfDamagedFiles(t *testing.T) {
	t.Parallel()
	whole := usedPages(t)
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 300 {
		data := bytes.Clone(whole)
		for range 1 + r.IntN(8) {
			at := r.IntN(len(data))
			for i := at; i < min(at+1+r.IntN(64), len(data)); i++ {
				data[i] = byte(r.Uint32())
			}
		}
		path := write(t, data)
		if _, err := CheckFile(t.Context(), path); err != nil {
			found++
		}
		os.Remove(path)
	}
	if found == 0 {
		t.Error("no damage was found in 300 files")
	}
}
