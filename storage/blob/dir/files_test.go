package dir_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

// spool returns a spool with bytes, which the test closes.
func spool(t *testing.T, s blob.Store, data string) *blob.Spool {
	t.Helper()
	sp, err := s.Spool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	if _, err := sp.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	return sp
}

// files returns the paths of all files below a directory, relative to it, without the file
// that is locked.
func files(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			if name = filepath.ToSlash(name); name != "tmp/lock" {
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestOnlyTheUserCanRead guards the modes of files and folders, and their names.
func TestOnlyTheUserCanRead(t *testing.T) {
	t.Parallel()
	s := open(t).(tested)
	if _, err := s.Put(t.Context(), spool(t, s, "abc")); err != nil {
		t.Fatal(err)
	}
	const key = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	spool(t, s, "waits")
	if names := files(t, s.path); len(names) != 2 || names[0] != "ba/"+key || filepath.Dir(names[1]) != "tmp" {
		t.Errorf("files %q", names)
	}
	if runtime.GOOS == "windows" {
		return
	}
	err := filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == s.path {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSpoolsInUseStay guards that Open leaves the spools of running processes alone, also
// those that take long.
func TestSpoolsInUseStay(t *testing.T) {
	t.Parallel()
	s := open(t).(tested)
	sp := spool(t, s, "old")
	at := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(s.path, files(t, s.path)[0]), at, at); err != nil {
		t.Fatal(err)
	}
	again, err := dir.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := s.Put(t.Context(), sp); err != nil {
		t.Errorf("Put after another process has opened the directory: %v", err)
	}
}

// TestPutSyncsTheFolders guards that Put syncs both folders, after the blob has its name.
// Otherwise a power failure could lose a blob that the database refers to.
func TestPutSyncsTheFolders(t *testing.T) {
	t.Parallel()
	s := open(t).(tested)
	sp := spool(t, s, "abc")
	path := filepath.Join(s.path, "ba", sp.Key().String())
	var synced []string
	s.OnSync(func(path string) error { synced = append(synced, path); return nil })
	s.OnSync(func(folder string) error {
		if _, err := os.Stat(path); folder == filepath.Dir(path) && err != nil {
			t.Errorf("%s is synced before the blob has its name: %v", folder, err)
		}
		return nil
	})
	if _, err := s.Put(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	if want := []string{s.path, filepath.Dir(path)}; !slices.Equal(synced, want) {
		t.Errorf("synced %q, want %q", synced, want)
	}
}

// TestPutAgainAfterFailure guards that a Put whose sync failed returns the error, and
// that the same spool can be put again.
func TestPutAgainAfterFailure(t *testing.T) {
	t.Parallel()
	s := open(t).(tested)
	sp, broken, syncs := spool(t, s, "abc"), errors.New("broken disk"), 0
	s.OnSync(func(string) error {
		if syncs++; syncs <= 4 && syncs != 2 { // the second sync is that of the new folder's parent
			return broken
		}
		return nil
	})
	for i := range 3 {
		if _, err := s.Put(t.Context(), sp); !errors.Is(err, broken) {
			t.Errorf("Put %d: error %v", i, err)
		}
	}
	if _, err := s.Put(t.Context(), sp); err != nil {
		t.Errorf("the last Put: %v", err)
	}
	if err := blob.Verify(context.Background(), s, sp.Key()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}
