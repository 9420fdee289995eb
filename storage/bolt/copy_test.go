package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// counter numbers the transactions of several writers. Each transaction adds an event
// with the next number and stores the number in the workspace.
type counter struct {
	store     *bolt.Store
	workspace string
	acked     atomic.Int64 // the highest number that is known to be on disk
}

func newCounter(store *bolt.Store) *counter {
	return &counter{store: store, workspace: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
}

func (c *counter) step() error {
	var number int64
	err := c.store.Update(context.Background(), func(tx storage.Tx) error {
		var err error
		if number, err = numberOf(tx); err != nil {
			return err
		}
		number++
		now := time.Now()
		return errors.Join(
			tx.PutWorkspace(schedctl.Workspace{ID: c.workspace, Name: fmt.Sprint(number)}),
			tx.AddEvents(schedctl.Event{
				ID: schedctl.NewID(schedctl.EventPrefix, now), WorkspaceID: c.workspace, CreatedAt: now,
				PlatformPostID: fmt.Sprint(number), PlatformPostURL: strings.Repeat("long ", 50),
			}),
		)
	})
	for seen := c.acked.Load(); err == nil && seen < number && !c.acked.CompareAndSwap(seen, number); {
		seen = c.acked.Load()
	}
	return err
}

// numberOf returns the number of the last transaction.
func numberOf(r storage.Reader) (int64, error) {
	last, err := r.LastEvent()
	if err != nil || last == "" {
		return 0, err
	}
	e, err := r.Event(last)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(e.PlatformPostID, 10, 64)
}

// prefix checks that a store has all transactions up to a number and no later ones. It
// returns the number.
func (c *counter) prefix(r storage.Reader) (number int64, err error) {
	events, err := r.Events("", 1<<30)
	if err != nil {
		return 0, err
	}
	for i, e := range events {
		if e.PlatformPostID != fmt.Sprint(i+1) {
			return 0, fmt.Errorf("event %d has number %s", i+1, e.PlatformPostID)
		}
	}
	w, err := r.Workspace(c.workspace)
	if err == nil && w.Name != fmt.Sprint(len(events)) {
		err = fmt.Errorf("the workspace has number %s, want %d", w.Name, len(events))
	}
	return int64(len(events)), err
}

// openCopy opens and checks a copy, and returns the number of its last transaction.
func (c *counter) openCopy(t *testing.T, content []byte) (number int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check of the copy: %v", err)
	}
	err := s.View(t.Context(), func(r storage.Reader) (err error) {
		number, err = c.prefix(r)
		return err
	})
	if err != nil {
		t.Errorf("the copy is not consistent: %v", err)
	}
	newCreator(s).update(t, 1) // the copy is also writable
	return number
}

// interrupted calls fn before every write.
type interrupted struct {
	io.Writer
	fn func() error
}

func (w interrupted) Write(p []byte) (int, error) {
	if err := w.fn(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// TestCopyWhileWriting guards that a copy has the state of one transaction although
// others write before, during and after it, and that they do not wait for it.
func TestCopyWhileWriting(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "busy.db"))
	c := newCounter(s)
	newCreator(s).fill(t, 1000)                              // several pages in every bucket
	err := s.Update(t.Context(), func(tx storage.Tx) error { // only the events of the counter must remain
		_, err := tx.Prune(storage.Retention{Events: time.Now().Add(time.Hour)}, 1<<30)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := c.step(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 4 {
		if err := c.step(); err != nil { // so that the counter has an event
			t.Fatal(err)
		}
		var out bytes.Buffer
		before := c.acked.Load()
		n, err := s.Copy(t.Context(), interrupted{&out, c.step})
		after := c.acked.Load()
		if err != nil || n != int64(out.Len()) {
			t.Fatalf("Copy returned %d for %d bytes, %v", n, out.Len(), err)
		}
		if number := c.openCopy(t, out.Bytes()); number < before || number > after {
			t.Errorf("the copy ends at transaction %d, want one of %d to %d", number, before, after)
		} else if number == after {
			t.Errorf("no transaction was committed during the copy")
		}
	}
	close(stop)
	writers.Wait()
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check of the original: %v", err)
	}
}

func TestCopyStops(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	for name, test := range map[string]struct {
		at   int  // the write that it precedes
		ctx  bool // the context is canceled; otherwise the writer fails
		well int  // successful writes
	}{
		"context, at once":       {at: 1, ctx: true, well: 1},
		"context, in the middle": {at: 6, ctx: true, well: 6},
		"writer, at once":        {at: 1, well: 0},
		"writer, second page":    {at: 2, well: 1},
		"writer, in the middle":  {at: 6, well: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, sample(t))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out counting
			calls, want := 0, full
			_, err := s.Copy(ctx, interrupted{&out, func() error {
				switch calls++; {
				case calls == test.at && test.ctx:
					want = context.Canceled
					cancel()
				case calls == test.at:
					return full
				}
				return nil
			}})
			if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), "sample.db") {
				t.Errorf("error %v, want an error that wraps %q and has the path", err, want)
			}
			if int(out) != test.well {
				t.Errorf("%d writes went well, want %d", out, test.well)
			}
			newCreator(s).update(t, 1) // the store still accepts writes
		})
	}
}

// counting counts writes.
type counting int

func (c *counting) Write(p []byte) (int, error) { *c++; return len(p), nil }

func TestCopyThatNeverBegins(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "never.db"))
	never := interrupted{io.Discard, func() error { t.Error("something was written"); return nil }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Copy(ctx, never); !errors.Is(err, context.Canceled) {
		t.Errorf("Copy returned %v, want %v", err, context.Canceled)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Copy(t.Context(), never); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Copy of a closed store returned %v, want %v", err, storage.ErrClosed)
	}
}

// TestCopyPanics guards that the store still works after the writer of a copy panicked.
func TestCopyPanics(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "panics.db"))
	if _, err := s.Copy(t.Context(), interrupted{io.Discard, func() error { panic("oops") }}); err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("Copy returned %v, want an error about the panic", err)
	}
	if err := errors.Join(s.Check(t.Context()), s.Close()); err != nil { // Close would wait for a reader that is still open
		t.Error(err)
	}
}
