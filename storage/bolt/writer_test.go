package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

func openNew(t *testing.T, log *slog.Logger) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newWorkspace() schedctl.Workspace {
	return schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
}

func has(t *testing.T, s *Store, w schedctl.Workspace) bool {
	t.Helper()
	err := s.View(context.Background(), func(r storage.Reader) error {
		_, err := r.Workspace(w.ID)
		return err
	})
	return err == nil
}

// hold blocks the writer in a transaction until release is called, so that a test can
// fill the queue.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	begun, held := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		first := true
		err := s.Update(context.Background(), func(storage.Tx) error {
			if first {
				first = false
				close(begun)
			}
			<-held
			return nil
		})
		if err != nil {
			t.Errorf("the transaction that blocks the writer: %v", err)
		}
	})
	<-begun
	return func() { close(held); wait.Wait() }
}

// queued waits until n requests are in the queue.
func queued(s *Store, n int) {
	for {
		s.queue.mu.Lock()
		there := len(s.queue.list)
		s.queue.mu.Unlock()
		if there == n {
			return
		}
		runtime.Gosched()
	}
}

func TestWaitingTransactionsShareACommit(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	commits := 0
	s.sync = func(tx *bbolt.Tx) error { commits++; return tx.Commit() }
	release := hold(t, s)
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(newWorkspace()) }); err != nil {
				t.Error(err)
			}
		})
	}
	queued(s, 50)
	release()
	wait.Wait()
	if commits != 1 {
		t.Errorf("%d commits for 50 transactions that waited, want 1", commits)
	}
}

// TestCommitTellsHowLongItTook guards that Commit.Took includes the transactions and the
// sync to disk, but not the time in the queue.
func TestCommitTellsHowLongItTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openNew(t, nil)
		s.sync = func(tx *bbolt.Tx) error { time.Sleep(time.Second); return tx.Commit() }
		var took []time.Duration
		s.Notify(func(c storage.Commit) { took = append(took, c.Took) })
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				err := s.Update(context.Background(), func(tx storage.Tx) error {
					time.Sleep(time.Minute)
					return tx.PutWorkspace(newWorkspace())
				})
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait() // the second transaction waits for the first
		}
		wait.Wait()
		each := time.Minute + time.Second
		if diff := cmp.Diff([]time.Duration{each, each}, took); diff != "" {
			t.Errorf("how long commits took (-want +got):\n%s", diff)
		}
	})
}

func TestReadingTransactionsCommitNothing(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	s.sync = func(*bbolt.Tx) error {
		t.Error("a transaction without writes was committed")
		return errors.New("no")
	}
	s.Notify(func(storage.Commit) { t.Error("Notify reported a transaction without writes") })
	err := s.Update(context.Background(), func(tx storage.Tx) error { _, err := tx.Workspaces(); return err })
	if err != nil {
		t.Error(err)
	}
}

// TestGroupRunsAgainWithoutTheFailed guards that a transaction that writes and then fails
// changes nothing, and that the others of its group are committed.
func TestGroupRunsAgainWithoutTheFailed(t *testing.T) {
	t.Parallel()
	for _, failing := range []int{1, rerunLimit, 3 * rerunLimit} {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			t.Parallel()
			s := openNew(t, nil)
			release := hold(t, s)
			fail := errors.New("no")
			good, bad := make([]schedctl.Workspace, 20), make([]schedctl.Workspace, failing)
			var wait sync.WaitGroup
			for i := range good {
				good[i] = newWorkspace()
				wait.Go(func() {
					if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(good[i]) }); err != nil {
						t.Error(err)
					}
				})
			}
			for i := range bad {
				bad[i] = newWorkspace()
				wait.Go(func() {
					err := s.Update(context.Background(), func(tx storage.Tx) error { return errors.Join(tx.PutWorkspace(bad[i]), fail) })
					if !errors.Is(err, fail) {
						t.Errorf("error %v, want the error of the function", err)
					}
				})
			}
			queued(s, len(good)+len(bad))
			release()
			wait.Wait()
			for _, w := range good {
				if !has(t, s, w) {
					t.Error("an acknowledged transaction is lost")
				}
			}
			for _, w := range bad {
				if has(t, s, w) {
					t.Error("a failed transaction was committed")
				}
			}
		})
	}
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := openNew(t, slog.New(slog.NewTextHandler(&log, nil)))
	lost, kept := newWorkspace(), newWorkspace()
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(lost); err != nil {
			return err
		}
		panic("oops")
	})
	if err == nil || !strings.Contains(err.Error(), "oops") {
		t.Errorf("Update returned %v, want an error about the panic", err)
	}
	if err := s.View(context.Background(), func(storage.Reader) error { panic("ouch") }); err == nil {
		t.Error("View returned nil after a panic")
	}
	for _, want := range []string{"oops", "ouch", "writer_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %q", want)
		}
	}
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(kept) }); err != nil {
		t.Errorf("Update after a panic: %v", err)
	}
	if has(t, s, lost) || !has(t, s, kept) {
		t.Error("the transaction that panicked was kept, or the next one lost")
	}
}

// TestGoexitIsAnError guards that the writer still runs after a transaction ended its
// goroutine, as FailNow does in a test.
func TestGoexitIsAnError(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	lost, kept := newWorkspace(), newWorkspace()
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(lost); err != nil {
			return err
		}
		runtime.Goexit()
		return nil
	})
	if err == nil {
		t.Error("Update returned nil although its function did not")
	}
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(kept) }); err != nil {
		t.Errorf("the next Update: %v", err)
	}
	if has(t, s, lost) || !has(t, s, kept) {
		t.Error("the transaction that ended its goroutine was kept, or the next one lost")
	}
}

func TestContextEndsWhileWaiting(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	ran := false
	go func() { done <- s.Update(ctx, func(storage.Tx) error { ran = true; return nil }) }()
	queued(s, 1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) { // while the writer is still blocked
		t.Errorf("Update returned %v, want %v", err, context.Canceled)
	}
	release()
	if err := s.Update(context.Background(), func(storage.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if ran {
		t.Error("a function ran after its Update had returned")
	}
}

func TestCloseWhileWaiting(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	release := hold(t, s)
	done := make(chan error)
	go func() { done <- s.Update(context.Background(), func(storage.Tx) error { return nil }) }()
	queued(s, 1)
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	if err := <-done; !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a transaction that had not started returned %v, want %v", err, storage.ErrClosed)
	}
	release() // checks that the started transaction succeeds
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestFailedCommit(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	lost, kept := newWorkspace(), newWorkspace()
	key := storage.IdempotencyScope{WorkspaceID: lost.ID}
	full := errors.New("no space left")
	s.Notify(func(storage.Commit) { t.Error("Notify reported a failed commit") })
	s.sync = func(*bbolt.Tx) error { return full }
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		return errors.Join(tx.PutWorkspace(lost), tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{}))
	})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), s.path) {
		t.Errorf("error %v, want one that wraps the cause and has the path", err)
	}
	if has(t, s, lost) {
		t.Error("the failed transaction is visible")
	}
	if times := s.idempotency.find(readTime(hashBytes(key))); len(times) > 0 {
		t.Error("the idempotency index has a record of the failed transaction")
	}
	s.Notify(nil)
	s.sync = (*bbolt.Tx).Commit
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(kept) }); err != nil {
		t.Errorf("Update when the disk has space again: %v", err)
	}
	if !has(t, s, kept) {
		t.Error("the next transaction is lost")
	}
}

func hashBytes(key storage.IdempotencyScope) []byte { h := key.Hash(); return h[:] }

// TestUnconfirmedCommit guards that the store refuses writes after a commit that readers
// see but that may not be on disk.
func TestUnconfirmedCommit(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	s.sync = func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), errors.New("input/output error")) }
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(newWorkspace()) }); err == nil {
		t.Error("Update returned nil although its commit failed")
	}
	s.sync = (*bbolt.Tx).Commit
	err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(newWorkspace()) })
	if !errors.Is(err, errBroken) {
		t.Errorf("the next Update returned %v, want %v", err, errBroken)
	}
	select {
	case <-s.Broken():
	default:
		t.Error("the store does not say that it is broken")
	}
}

// TestRollbackThatPanics guards that a rollback that panics on a damaged page stops only
// writes. The process continues, and Close returns.
func TestRollbackThatPanics(t *testing.T) {
	t.Parallel()
	s := openNew(t, nil)
	err := s.Update(context.Background(), func(opened storage.Tx) error {
		opened.(*tx).idempotency = nil // so that the rollback panics
		return errors.Join(opened.PutWorkspace(newWorkspace()), errors.New("no"))
	})
	if err == nil {
		t.Error("Update returned nil")
	}
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWorkspace(newWorkspace()) }); err == nil {
		t.Error("the next Update returned nil")
	}
	select {
	case <-s.Broken():
	default:
		t.Error("the store does not say that it is broken")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestQueueIsTakenInOrderAndBounded(t *testing.T) {
	t.Parallel()
	q := newQueue()
	var all []*request
	for range 5 {
		r := &request{done: make(chan error, 1)}
		all = append(all, r)
		q.push(r)
	}
	var got []*request
	for _, want := range []int{2, 2, 1} {
		group := q.take(nil, 2)
		if len(group) != want {
			t.Errorf("took %d, want %d", len(group), want)
		}
		got = append(got, group...)
	}
	for i := range all {
		if got[i] != all[i] {
			t.Errorf("request %d was not taken in order", i)
		}
	}
}
