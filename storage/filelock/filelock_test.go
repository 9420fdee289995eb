package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/schedctl/schedctl/storage/filelock"
)

// open opens the same file at every call.
func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestLocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	one, two, three := open(t, path), open(t, path), open(t, path)
	err := filelock.Lock(one, filelock.Shared)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err := errors.Join(err, filelock.Lock(two, filelock.Shared)); err != nil {
		t.Fatal(err)
	}
	want := func(when string, want bool) {
		t.Helper()
		if got, err := filelock.TryLock(three, filelock.Exclusive); got != want || err != nil {
			t.Errorf("%s: TryLock returned %v, error %v", when, got, err)
		}
	}
	want("with two shared locks", false)
	one.Close()
	want("with one shared lock", false)
	two.Close()
	want("without another lock", true)

	four, locked := open(t, path), make(chan error, 1)
	go func() { locked <- filelock.Lock(four, filelock.Exclusive) }()
	select {
	case err := <-locked:
		t.Errorf("two exclusive locks at once, error %v", err)
	default:
	}
	three.Close()
	if err := <-locked; err != nil {
		t.Error(err)
	}
}
