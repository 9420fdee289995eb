package transfer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/transfer"
)

const daemonNode = "01KDYAK34A5RRK6HW9M2BVQAV9"

// heartbeat makes a daemon a node of a database.
func heartbeat(t *testing.T, store storage.Shared, id string, lease time.Duration) {
	t.Helper()
	if err := store.Heartbeat(t.Context(), storage.Node{ID: id, Name: "db1", StartedAt: time.Now()}, lease); err != nil {
		t.Fatal(err)
	}
}

func TestNoCopyWhileADaemonRuns(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"source", "copy"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				from, to := storagetest.NewSharedMemory().Open(), storagetest.NewSharedMemory().Open()
				storagetest.Stock(t, from, 1)
				used := map[string]storage.Shared{"source": from, "copy": to}[side]
				heartbeat(t, used, daemonNode, 10*time.Second)
				_, err := transfer.Run(t.Context(), from, to, options())
				var busy *transfer.BusyError
				if !errors.As(err, &busy) || busy.Node.ID != daemonNode {
					t.Errorf("error %v", err)
				}
				if marks := []transfer.Mark{markOf(t, from), markOf(t, to)}; marks[0].Role != "" || marks[1].Role != "" {
					t.Errorf("marks %+v", marks)
				}
				time.Sleep(11 * time.Second)
				if _, err := transfer.Run(t.Context(), from, to, options()); err != nil {
					t.Errorf("after its lease has ended: %v", err)
				}
			})
		})
	}
}

// A daemon that starts during a copy is refused on both databases.
func TestNoDaemonStartsWhileACopyRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := storagetest.NewSharedMemory().Open(), storagetest.NewSharedMemory().Open()
		storagetest.Stock(t, from, 1)
		o := options()
		phases := 0
		o.Progress = func(_ transfer.Phase, done, _ int) {
			if done > 0 {
				return
			}
			phases++
			time.Sleep(time.Minute) // longer than the lease of the copy
			for _, store := range []storage.Store{from, to} {
				var refused *transfer.RefusedError
				if err := transfer.Check(t.Context(), store); !errors.As(err, &refused) {
					t.Errorf("a daemon may start: %v", err)
				}
			}
		}
		if _, err := transfer.Run(t.Context(), from, to, o); err != nil || phases != 3 {
			t.Errorf("%d phases, %v", phases, err)
		}
		if err := transfer.Check(t.Context(), to); err != nil {
			t.Errorf("the copy: %v", err)
		}
		if role := markOf(t, from).Role; role != transfer.Moved {
			t.Errorf("the source is %q", role)
		}
	})
}

// A resumed copy waits for the lease of its killed run.
func TestCopyWaitsForItsFormerRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := storagetest.NewSharedMemory().Open(), storagetest.NewSharedMemory().Open()
		storagetest.Stock(t, from, 2)
		interruptedCopy(t, from, to)
		heartbeat(t, from, markOf(t, from).Node, 3*time.Second)
		began := time.Now()
		report, err := transfer.Run(t.Context(), from, to, options())
		if err != nil || !report.Resumed || time.Since(began) < 3*time.Second {
			t.Errorf("after %v: %+v, %v", time.Since(began), report, err)
		}
	})
}

// A copy that was killed before it marked the databases does not block the next one,
// which waits for its lease.
func TestCopyWaitsForOneKilledEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := storagetest.NewSharedMemory().Open(), storagetest.NewSharedMemory().Open()
		storagetest.Stock(t, from, 2)
		killed := storage.Node{ID: schedctl.NewULID(time.Now()).String(), Name: options().Host + " (schedctl store copy)"}
		if err := from.Heartbeat(t.Context(), killed, 3*time.Second); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.Run(t.Context(), from, to, options()); err != nil {
			t.Error(err)
		}
	})
}

// interruptedCopy starts a copy and interrupts it halfway.
func interruptedCopy(t *testing.T, from, to storage.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options()
	o.Progress = func(phase transfer.Phase, done, _ int) {
		if phase == transfer.Copying && done > 0 {
			cancel()
		}
	}
	if _, err := transfer.Run(ctx, from, to, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// A copy lacks the changes of a daemon that used the source since the copy started, and
// becomes worthless.
func TestCopyOfAUsedSourceIsRefused(t *testing.T) {
	t.Parallel()
	from, to := storagetest.NewMemory(), storagetest.NewMemory()
	storagetest.Stock(t, from, 2)
	interruptedCopy(t, from, to)
	if err := transfer.Check(t.Context(), from); err != nil { // a daemon starts
		t.Fatal(err)
	}
	if _, err := transfer.Run(t.Context(), from, to, options()); !errors.Is(err, transfer.ErrStale) {
		t.Errorf("error %v, want %v", err, transfer.ErrStale)
	}

	again := storagetest.NewMemory()
	o := options()
	o.Progress = func(phase transfer.Phase, done, _ int) {
		if phase == transfer.Verifying && done == 0 {
			if err := transfer.Check(t.Context(), from); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := transfer.Run(t.Context(), from, again, o); err == nil {
		t.Error("a copy was accepted although a daemon had used the source")
	}
	if err := transfer.Check(t.Context(), again); err == nil {
		t.Error("daemons may use both")
	}
}

func TestSourceThatStaysInUse(t *testing.T) {
	t.Parallel()
	from, to := storagetest.NewMemory(), storagetest.NewMemory()
	storagetest.Stock(t, from, 1)
	o := options()
	o.After = transfer.UseSource
	if _, err := transfer.Run(t.Context(), from, to, o); err != nil {
		t.Fatal(err)
	}
	if err := transfer.Check(t.Context(), from); err != nil {
		t.Errorf("the source: %v", err)
	}
	if err := transfer.Check(t.Context(), to); err == nil || markOf(t, to).Role != transfer.Duplicate {
		t.Errorf("the copy is %q: %v", markOf(t, to).Role, err)
	}
	held := 0
	hold := func(context.Context, storage.Store) error { held++; return nil }
	if err := transfer.Reclaim(t.Context(), to, options(), hold); err != nil || held != 1 {
		t.Errorf("posts were held %d times, %v", held, err)
	}
	if err := transfer.Check(t.Context(), to); err != nil {
		t.Errorf("the copy, in use: %v", err)
	}
	if err := transfer.Reclaim(t.Context(), to, options(), hold); !errors.Is(err, transfer.ErrUsable) || held != 1 {
		t.Errorf("posts were held %d times, %v", held, err)
	}
}

func TestCopyNeedsAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	from, to := storagetest.NewMemory(), storagetest.NewMemory()
	storagetest.Stock(t, from, 1)
	storagetest.Stock(t, to, 1)
	if _, err := transfer.Run(t.Context(), from, to, options()); !errors.Is(err, transfer.ErrNotEmpty) {
		t.Errorf("error %v, want %v", err, transfer.ErrNotEmpty)
	}
	if role := markOf(t, from).Role; role != "" {
		t.Errorf("the source is %q", role)
	}
}
