package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestTicking(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name string
		last time.Time
		want string
	}{
		{"never", time.Time{}, "the timer loop has not started yet"},
		{"just now", now, ""},
		{"as long ago as may be", now.Add(-90 * time.Second), ""},
		{"too long ago", now.Add(-2 * time.Minute), "the timer loop has not ticked for 2m0s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if err := checkTick("timer loop", test.last, now); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// probeRig is a running probe on a store that counts writes and can fail or hang.
type probeRig struct {
	*probe
	*storagetest.Faulty
	writes *writes
	log    bytes.Buffer
}

type writes struct {
	storage.Store
	mu   sync.Mutex // mu guards what follows
	n    int
	hang time.Duration
}

func (w *writes) Update(ctx context.Context, fn func(storage.Tx) error) error {
	w.mu.Lock()
	w.n++
	hang := w.hang
	w.mu.Unlock()
	time.Sleep(hang)
	return w.Store.Update(ctx, fn)
}

func (w *writes) hangFor(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hang = d
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n
}

// withProbe runs a test in a bubble, with a running probe.
func withProbe(t *testing.T, test func(*testing.T, *probeRig)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.NewMemory()
		now := schedctl.Millis(time.Now())
		workspace := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "default", Timezone: "UTC", CreatedAt: now}
		if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutWorkspace(workspace) }); err != nil {
			t.Fatal(err)
		}
		r := &probeRig{writes: &writes{Store: store}}
		r.Faulty = storagetest.NewFaulty(r.writes)
		r.probe = newProbe(r.Faulty, slog.New(slog.NewTextHandler(&r.log, nil)))
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.run(ctx) })
		test(t, r)
		stop()
		running.Wait()
	})
}

func TestProbeWritesAtMostEveryTenSeconds(t *testing.T) {
	withProbe(t, func(t *testing.T, r *probeRig) {
		var askers sync.WaitGroup
		for range 50 {
			askers.Go(func() {
				if err := r.check(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		askers.Wait()
		time.Sleep(probeInterval - time.Millisecond)
		if err := r.check(t.Context()); err != nil || r.writes.count() != 1 {
			t.Errorf("%d writes, want 1; %v", r.writes.count(), err)
		}
		time.Sleep(time.Millisecond)
		if err := r.check(t.Context()); err != nil || r.writes.count() != 2 {
			t.Errorf("%d writes, want 2; %v", r.writes.count(), err)
		}
		time.Sleep(time.Hour)
		if r.writes.count() != 2 {
			t.Errorf("%d writes without a request", r.writes.count())
		}
	})
}

// A readiness check reports failing writes without the cause, which is logged once.
func TestProbeTellsOfADiskThatRefusesWrites(t *testing.T) {
	withProbe(t, func(t *testing.T, r *probeRig) {
		r.FailUpdates(2, storagetest.BeforeDisk)
		for range 2 {
			for range 3 {
				if err := r.check(t.Context()); !errors.Is(err, errRefusesWrites) {
					t.Errorf("got %v", err)
				}
			}
			time.Sleep(probeInterval)
		}
		if err := r.check(t.Context()); err != nil {
			t.Errorf("after the disk works again: %v", err)
		}
		log := r.log.String()
		if strings.Count(log, "refuses writes") != 1 || !strings.Contains(log, storagetest.ErrInjected.Error()) || strings.Count(log, "accepts writes again") != 1 {
			t.Errorf("log:\n%s", log)
		}
	})
}

// A hanging write delays readiness checks only briefly, and no second write is started.
func TestProbeTellsOfADiskThatHangs(t *testing.T) {
	withProbe(t, func(t *testing.T, r *probeRig) {
		r.writes.hangFor(time.Minute)
		for range 3 {
			began := time.Now()
			if err := r.check(t.Context()); !errors.Is(err, errSlowWrite) || time.Since(began) != probeTimeout {
				t.Errorf("got %v after %s", err, time.Since(began))
			}
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.check(gone); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Minute)
		r.writes.hangFor(0)
		if err := r.check(t.Context()); err != nil || r.writes.count() > 2 {
			t.Errorf("after the write ended: %v; %d writes", err, r.writes.count())
		}
	})
}

// A check before run starts waits until run writes.
func TestProbeIsAskedBeforeItRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProbe(storagetest.NewMemory(), slog.New(slog.DiscardHandler))
		if err := p.check(t.Context()); !errors.Is(err, errSlowWrite) {
			t.Errorf("got %v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { p.run(ctx) })
		synctest.Wait()
		if err := p.check(t.Context()); err != nil {
			t.Error(err)
		}
		stop()
		running.Wait()
	})
}

// TestDatabaseTrouble guards that each cause has its own message, without addresses.
func TestDatabaseTrouble(t *testing.T) {
	t.Parallel()
	said := map[string]error{}
	for _, reason := range []error{storage.ErrBusy, storage.ErrStandby, storage.ErrReadOnly, storage.ErrPooler, storage.ErrUnreachable} {
		text := unreachableDatabase{fmt.Errorf("dial db.internal:5432: %w", reason)}.Error()
		if before, there := said[text]; there || text == "" || strings.Contains(text, "db.internal") {
			t.Errorf("%v: %q, as %v", reason, text, before)
		}
		said[text] = reason
	}
}
