package storage_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// narrow is a store for so many readers.
type narrow struct {
	storage.Store
	readers int
}

func (n narrow) MaxReaders() int { return n.readers }

// TestReadersAreBounded has as many requests read as may, and then one more.
func TestReadersAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		readers := storage.NewReaders(narrow{storagetest.NewMemory(), 3})
		release, ended := make(chan struct{}), make(chan error, 3)
		for range 3 {
			go func() {
				ended <- readers.View(t.Context(), func(storage.Reader) error { <-release; return nil })
			}()
		}
		synctest.Wait()
		never := func(storage.Reader) error { t.Error("a fourth reader reads"); return nil }
		if err := readers.View(t.Context(), never); !errors.Is(err, storage.ErrBusy) {
			t.Errorf("a fourth reader gets %v, want %v", err, storage.ErrBusy)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := readers.View(canceled, never); !errors.Is(err, context.Canceled) {
			t.Errorf("a fourth reader whose client has gone gets %v", err)
		}
		close(release)
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if err := readers.View(t.Context(), func(storage.Reader) error { return nil }); err != nil {
			t.Errorf("after the others: %v", err)
		}
	})
}

// TestReadersWithoutABound guards that an engine without a limit is not bounded.
func TestReadersWithoutABound(t *testing.T) {
	t.Parallel()
	readers := storage.NewReaders(storagetest.NewMemory())
	if n := readers.Max(); n != 0 {
		t.Errorf("%d readers, want any number", n)
	}
	if err := readers.View(t.Context(), func(storage.Reader) error { return nil }); err != nil {
		t.Error(err)
	}
}
