package dir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/blobtest"
	"github.com/schedctl/schedctl/storage/blob/dir"
)

func TestStore(t *testing.T) {
	blobtest.Run(t, blobtest.Engine{Open: open, Damage: damage, Collect: collect})
}

// tested is an open store and its directory.
type tested struct {
	*dir.Store
	path string
}

func open(t *testing.T) blob.Store {
	t.Helper()
	path := t.TempDir()
	s, err := dir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return tested{s, path}
}

// damage flips the bits of one byte.
func damage(t *testing.T, s blob.Store, key blob.Key) {
	t.Helper()
	name := key.String()
	f, err := os.OpenFile(filepath.Join(s.(tested).path, name[:2], name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, 100); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0xFF
	if _, err := f.WriteAt(b, 100); err != nil {
		t.Fatal(err)
	}
}

// collect is the deletion of another process that has the same directory.
func collect(t *testing.T, s blob.Store, key blob.Key, before time.Time, put func(blob.Store)) (bool, error) {
	t.Helper()
	other, err := dir.Open(s.(tested).path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	waits, done := make(chan struct{}), make(chan struct{})
	s.(tested).OnWait(func() { close(waits) })
	other.OnRemove(func() {
		go func() { defer close(done); put(s) }()
		select {
		case <-waits:
		case <-done:
		}
	})
	deleted, err := other.DeleteUnmodified(t.Context(), key, before)
	<-done
	return deleted, err
}
