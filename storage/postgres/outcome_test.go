package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// counter is a stored number that every transaction increments. It shows lost and
// repeated transactions.
type counter struct{ id string }

func newCounter(t *testing.T, s storage.Store) counter {
	t.Helper()
	c := counter{schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: c.id, Name: "0"})
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c counter) add(ctx context.Context, s storage.Store) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		w, err := tx.Workspace(c.id)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(w.Name)
		if err != nil {
			return err
		}
		w.Name = strconv.Itoa(n + 1)
		event := schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, time.Now()), WorkspaceID: c.id}
		return errors.Join(tx.PutWorkspace(w), tx.AddEvents(event))
	})
}

func (c counter) read(t *testing.T, s storage.Store) (n int) {
	t.Helper()
	err := s.View(t.Context(), func(r storage.Reader) error {
		w, err := r.Workspace(c.id)
		if err == nil {
			n, err = strconv.Atoi(w.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestConnectionLostDuringCommit cuts connections during commits. Every transaction
// must happen once and be reported once.
func TestConnectionLostDuringCommit(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	for what, at := range map[string]cut{"the response is lost": lostResponse, "the request is lost": lostRequest, "the request is late": lateRequest} {
		t.Run(what, func(t *testing.T) {
			p := newProxy(t, socketIn(t, url))
			s := open(t, p.url(t, url)+"&pool_mode=transaction")
			var reported atomic.Int64
			s.Notify(func(c storage.Commit) { reported.Add(int64(c.Events)) })
			n := newCounter(t, s)
			const adds = 12
			for i := range adds {
				if i%3 == 0 {
					p.cutNext(at)
				}
				if err := n.add(t.Context(), s); err != nil {
					t.Errorf("Update: %v", err)
				}
			}
			if got := n.read(t, s); got != adds || reported.Load() != adds {
				t.Errorf("%d transactions exist and %d were reported, want %d", got, reported.Load(), adds)
			}
			if p.cuts != adds/3 {
				t.Errorf("%d commits were cut, want %d", p.cuts, adds/3)
			}
		})
	}
}

// TestConnectionLostDuringRead cuts connections after the first rows of a response, as
// a crashing server does. Another transaction commits before the first one is rerun.
// Its result must not be overwritten with values derived from the rows of the lost
// connection.
func TestConnectionLostDuringRead(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	p := newProxy(t, socketIn(t, url))
	direct, s := open(t, url), open(t, p.url(t, url))
	n := newCounter(t, direct)
	other := func() {
		if err := n.add(context.Background(), direct); err != nil {
			t.Errorf("the other Update: %v", err)
		}
	}
	p.truncateNext(other)
	if err := n.add(t.Context(), s); err != nil {
		t.Errorf("Update: %v", err)
	}
	if got := n.read(t, direct); got != 2 || p.cuts != 1 {
		t.Errorf("%d transactions exist after %d cuts, want 2 after 1", got, p.cuts)
	}
	p.truncateNext(other)
	var found []schedctl.Workspace
	err := s.View(t.Context(), func(r storage.Reader) (err error) {
		found, err = r.Workspaces()
		return err
	})
	if err == nil || p.cuts != 2 {
		t.Errorf("a View whose response was cut (%d cuts, want 2) returned no error and %v", p.cuts, found)
	}
}

// TestServerCrash kills the server under load. No acknowledged transaction may be lost,
// and none may run twice.
func TestServerCrash(t *testing.T) {
	t.Parallel()
	c := postgrestest.Start(t)
	s := open(t, c.URL("postgres"))
	n := newCounter(t, s)
	adding := addUntilStopped(n, s)
	for range 3 {
		adding.await(20)
		if err := errors.Join(c.Stop(postgrestest.Immediate), c.Run()); err != nil {
			t.Error(err)
		}
		least := int(adding.acknowledged.Load())
		if got := n.read(t, s); got < least {
			t.Errorf("%d transactions exist after a crash, want at least %d; the server:\n%s", got, least, c.Log())
		}
	}
	least, most := adding.stop()
	if got := n.read(t, s); got < least || got > most {
		t.Errorf("%d transactions exist with %d events, want %d to %d; the server:\n%s", got, countEvents(t, s), least, most, c.Log())
	}
}

func countEvents(t *testing.T, s storage.Store) (n int) {
	t.Helper()
	err := s.View(t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 10_000)
		n = len(events)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// TestTwoProcessesOneIdempotencyKey guards that of two concurrent requests with the
// same key in two processes, one takes effect and the other reads its response.
func TestTwoProcessesOneIdempotencyKey(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	for round := range 20 {
		key := storage.IdempotencyScope{WorkspaceID: "ws", Method: "POST", Path: "/", IdempotencyKey: strconv.Itoa(round)}
		var effects atomic.Int64
		var calls sync.WaitGroup
		for _, s := range stores {
			calls.Go(func() {
				made := false
				err := s.Update(t.Context(), func(tx storage.Tx) error {
					made = false
					_, err := tx.IdempotencyRecord(key)
					if schedctl.CodeOf(err) == schedctl.NotFound {
						made, err = true, tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 201, CreatedAt: time.Now()})
					}
					return err
				})
				if err != nil {
					t.Errorf("Update: %v", err)
				}
				if made {
					effects.Add(1)
				}
			})
		}
		calls.Wait()
		if effects.Load() != 1 {
			t.Fatalf("round %d: %d calls took effect, want one", round, effects.Load())
		}
	}
}
