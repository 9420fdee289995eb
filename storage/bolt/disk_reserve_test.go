package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// errDisk is the error of the system for a full disk.
var errDisk = &os.PathError{Op: "fallocate", Path: "test.db", Err: syscall.ENOSPC}

// disk is a fake disk that allocates blocks until it is full.
type disk struct {
	full  atomic.Bool
	asked atomic.Int64
}

func (d *disk) reserve(*os.File, int64, int64) error {
	d.asked.Add(1)
	if d.full.Load() {
		return errDisk
	}
	return nil
}

// onDisk opens a store that allocates its blocks from a fake disk.
func onDisk(t *testing.T, log *slog.Logger) (*Store, *disk) {
	t.Helper()
	s, d := openNew(t, log), &disk{}
	s.reserve.allocate, s.reserve.interval = d.reserve, time.Millisecond
	return s, d
}

// fillUp makes the disk full and lets the store notice it.
func fillUp(t *testing.T, s *Store, d *disk) {
	t.Helper()
	d.full.Store(true)
	s.reserve.allocatedTo, s.reserve.refusedAt = 0, time.Time{}
	if err := s.Update(context.Background(), func(storage.Tx) error { return nil }); !storage.IsFull(err) {
		t.Fatalf("Update on a full disk returned %v", err)
	}
}

func put(w schedctl.Workspace) func(storage.Tx) error {
	return func(tx storage.Tx) error { return tx.PutWorkspace(w) }
}

func TestFullDiskRefusesUpdatesAlone(t *testing.T) {
	t.Parallel()
	s, d := onDisk(t, nil)
	fillUp(t, s, d)
	lost, kept := newWorkspace(), newWorkspace()
	err := s.Update(context.Background(), func(storage.Tx) error { t.Error("the function ran"); return nil })
	var full *storage.FullError
	if !errors.As(err, &full) || full.Where != filepath.Dir(s.path) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want one with the full directory and the cause", err)
	}
	if err := s.Full(); !errors.As(err, &full) {
		t.Errorf("Full returned %v", err)
	}
	if err := s.UpdateFromReserve(context.Background(), put(kept)); err != nil {
		t.Errorf("UpdateFromReserve: %v", err)
	}
	if has(t, s, lost) || !has(t, s, kept) {
		t.Error("the recorded workspace is missing, or the refused one exists")
	}
}

// TestFullDiskInAGroup guards that an UpdateFromReserve succeeds although an Update in
// the same group is refused.
func TestFullDiskInAGroup(t *testing.T) {
	t.Parallel()
	s, d := onDisk(t, nil)
	release := hold(t, s)
	d.full.Store(true)
	lost, kept := newWorkspace(), newWorkspace()
	updated, recorded := make(chan error, 1), make(chan error, 1)
	go func() { updated <- s.Update(context.Background(), put(lost)) }()
	go func() { recorded <- s.UpdateFromReserve(context.Background(), put(kept)) }()
	queued(s, 2)
	s.reserve.allocatedTo, s.reserve.refusedAt = 0, time.Time{} // the writer is blocked and does not use them
	release()
	if err := <-updated; !storage.IsFull(err) {
		t.Errorf("Update returned %v", err)
	}
	if err := <-recorded; err != nil {
		t.Errorf("UpdateFromReserve returned %v", err)
	}
	if has(t, s, lost) || !has(t, s, kept) {
		t.Error("the recorded workspace is missing, or the refused one exists")
	}
}

// TestFullDiskEndsByItself guards that a store accepts writes again when the disk has
// space, without a write that tests it. The log has one line for each change.
func TestFullDiskEndsByItself(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, d := onDisk(t, slog.New(slog.NewTextHandler(&log, nil)))
	fillUp(t, s, d)
	for range 10 {
		if err := s.Update(context.Background(), put(newWorkspace())); !storage.IsFull(err) {
			t.Fatalf("Update returned %v", err)
		}
	}
	asked := d.asked.Load()
	for began := time.Now(); d.asked.Load() < asked+2; time.Sleep(time.Millisecond) {
		if time.Since(began) > testsize.Patience {
			t.Fatal("the disk is not checked again")
		}
	}
	d.full.Store(false)
	for began := time.Now(); s.Full() != nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > testsize.Patience {
			t.Fatal("the store stays full")
		}
	}
	if err := s.Update(context.Background(), put(newWorkspace())); err != nil {
		t.Errorf("Update when the disk has space again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Count(text, "disk full") != 1 || strings.Count(text, "has space again") != 1 {
		t.Errorf("log:\n%s", text)
	}
}

// TestFreePagesAreRoom guards that the pages of removed records count as space, although
// the file does not shrink.
func TestFreePagesAreRoom(t *testing.T) {
	t.Parallel()
	s, d := onDisk(t, nil)
	now := time.Now()
	var events []schedctl.Event
	for range 2 * reserveSize / 4096 {
		events = append(events, schedctl.Event{
			ID: schedctl.NewID(schedctl.EventPrefix, now), WorkspaceID: newWorkspace().ID, CreatedAt: now,
			PlatformPostURL: strings.Repeat("x", 4096),
		})
	}
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.AddEvents(events...) }); err != nil {
		t.Fatal(err)
	}
	fillUp(t, s, d)
	before := storage.Retention{Events: now.Add(time.Minute)}
	err := s.UpdateFromReserve(context.Background(), func(tx storage.Tx) error {
		n, err := tx.Prune(before, len(events))
		if n != len(events) {
			err = errors.Join(err, fmt.Errorf("%d of %d removed", n, len(events)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); s.Full() != nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > testsize.Patience {
			t.Fatalf("full, with %d bytes in free pages", freeRuns(s.reserve.file, 1<<40))
		}
	}
	if !d.full.Load() {
		t.Error("the disk is no longer full")
	}
	if err := s.Update(context.Background(), put(newWorkspace())); err != nil {
		t.Errorf("Update: %v", err)
	}
}

// TestFullDiskBetweenItsChecks guards that a store whose disk has refused space stops
// accepting Updates when the reserve becomes small, and not only at the next check of the disk.
func TestFullDiskBetweenItsChecks(t *testing.T) {
	t.Parallel()
	s, d := onDisk(t, nil)
	d.full.Store(true)
	s.reserve.interval = time.Hour
	s.reserve.allocatedTo, s.reserve.refusedAt, s.reserve.refusal = 0, time.Now(), errDisk
	if err := s.Update(context.Background(), put(newWorkspace())); !storage.IsFull(err) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Update returned %v", err)
	}
	if n := d.asked.Load(); n != 0 {
		t.Errorf("the disk was asked %d times within the interval", n)
	}
}

// TestCountRuns guards that only long runs of free pages count as space: a commit that needs
// several pages in a row cannot use single ones.
func TestCountRuns(t *testing.T) {
	t.Parallel()
	run := func(from, n uint64) (ids []uint64) {
		for i := range n {
			ids = append(ids, from+i)
		}
		return ids
	}
	alternating := make([]uint64, 5000)
	for i := range alternating {
		alternating[i] = uint64(2*i + 10)
	}
	for name, c := range map[string]struct {
		ids    []uint64
		enough int64
		want   int64
	}{
		"none":                  {nil, 1 << 40, 0},
		"single pages":          {alternating, 1 << 40, 0},
		"one too short":         {run(7, minRun-1), 1 << 40, 0},
		"just long enough":      {run(7, minRun), 1 << 40, minRun},
		"two long, one short":   {slices.Concat(run(7, minRun), run(100, 5), run(200, 2*minRun)), 1 << 40, 3 * minRun},
		"stops at enough":       {run(7, 10*minRun), 2 * minRun, 2 * minRun},
		"a list that is broken": {run(7, minRun), 1 << 40, minRun},
	} {
		next := func() (uint64, bool) {
			if len(c.ids) == 0 {
				return 0, false
			}
			id := c.ids[0]
			c.ids = c.ids[1:]
			return id, true
		}
		n := uint64(len(c.ids))
		if name == "a list that is broken" {
			n += 1000
		}
		if got := countRuns(n, next, 1, c.enough); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestReserveIsAllocated guards that the reserve is allocated after the last page in use,
// and is extended before it becomes too small.
func TestReserveIsAllocated(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	upTo := int64(0)
	s.reserve.allocate = func(_ *os.File, from, to int64) error {
		if from > to {
			t.Errorf("blocks from %d to %d", from, to)
		}
		upTo = to
		return nil
	}
	used := int64(0)
	for range 40 {
		event := schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, time.Now()), WorkspaceID: newWorkspace().ID, PlatformPostURL: strings.Repeat("x", 256<<10)}
		err := s.Update(context.Background(), func(tx storage.Tx) error {
			used = s.tx.bolt.Size()
			return tx.AddEvents(event)
		})
		if err != nil {
			t.Fatal(err)
		}
		if upTo-used < reserveSize {
			t.Fatalf("%d bytes in use, blocks up to %d", used, upTo)
		}
	}
	if used < reserveSize {
		t.Errorf("%d bytes in use, the test is too small", used)
	}
}

// TestReserveBlocks guards that the system call changes neither the content nor the
// length of a file.
func TestReserveBlocks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	content := bytes.Repeat([]byte("a"), 5000)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := reserveBlocks(f, 5000, 1<<20); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(got, content) || len(bytes.Trim(got[5000:], "\x00")) > 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
