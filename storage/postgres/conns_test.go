package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// sessionCounter repeatedly counts the sessions of an application.
type sessionCounter struct {
	most int
	err  error
}

// count counts until ctx ends.
func (c *sessionCounter) count(ctx context.Context, conn *pgx.Conn, application string) {
	for ctx.Err() == nil && c.err == nil {
		n := 0
		c.err = conn.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", application).Scan(&n)
		c.most = max(c.most, n)
	}
}

// runBusyNode uses a store as a busy node does, with many more calls at once than it
// has connections.
func runBusyNode(t *testing.T, s *postgres.Store) {
	t.Helper()
	c, node := newCounter(t, s), storage.Node{ID: "01K2M4N6P8QARCTDVEWFXGYHZ1"}
	var calls sync.WaitGroup
	for i := range 100 {
		calls.Go(func() {
			for range 3 {
				err := errors.Join(
					retryWhileBusy(func() error { return c.add(t.Context(), s) }),
					retryWhileBusy(func() error {
						return s.View(t.Context(), func(r storage.Reader) error { _, err := r.Workspaces(); return err })
					}),
				)
				if i%10 == 0 {
					refused := retryWhileBusy(func() error {
						_, err := s.Refuse(t.Context(), storage.IdempotencyScope{IdempotencyKey: fmt.Sprint(i)})
						return err
					})
					err = errors.Join(err, refused, s.Heartbeat(t.Context(), node, time.Minute))
				}
				if err != nil {
					t.Errorf("with all connections in use: %v", err)
				}
			}
		})
	}
	calls.Wait()
}

// retryWhileBusy repeats a call that got no connection in time, as clients do after a
// 503. With a store that hangs it fails.
func retryWhileBusy(call func() error) error {
	for range 15 {
		if err := call(); !errors.Is(err, storage.ErrBusy) {
			return err
		}
	}
	return errors.New("no connection was available for half a minute")
}

// TestNodeConnectionLimit counts the sessions of a node at the server, from its start,
// including the migration, and under load.
func TestNodeConnectionLimit(t *testing.T) {
	t.Parallel()
	target := postgrestest.Schema(t)
	conn, err := pgx.Connect(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var sessions sessionCounter
	var counting sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	counting.Go(func() { sessions.count(ctx, conn, t.Name()) })
	runBusyNode(t, open(t, target+"&application_name="+t.Name()))
	stop()
	counting.Wait()
	if sessions.err != nil || sessions.most > postgres.Conns || sessions.most < postgres.Conns-1 {
		t.Errorf("a node had at most %d sessions (%v), want %d", sessions.most, sessions.err, postgres.Conns)
	}
}

// TestNodeFitsItsPooler runs a node behind a PgBouncer in session mode with the number
// of sessions that the documentation asks for.
func TestNodeFitsItsPooler(t *testing.T) {
	t.Parallel()
	runBusyNode(t, open(t, postgrestest.Pooled(t, postgrestest.NarrowPool)))
}

// takeConnections takes connections until release is called.
func takeConnections(t *testing.T, s *postgres.Store, n int) (release func()) {
	t.Helper()
	var taken, ended sync.WaitGroup
	held := make(chan struct{})
	taken.Add(n)
	for range n {
		ended.Go(func() {
			once := sync.OnceFunc(taken.Done)
			defer once()
			err := s.View(t.Context(), func(r storage.Reader) error {
				_, err := r.Workspaces()
				once()
				<-held
				return err
			})
			if err != nil {
				t.Errorf("take a connection: %v", err)
			}
		})
	}
	taken.Wait()
	return func() {
		close(held)
		ended.Wait()
	}
}

// TestWaitForConnection occupies all connections. Waiting callers get an error after a
// while, and heartbeats continue.
func TestWaitForConnection(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.Schema(t)+"&pool_max_conns=6")
	release := takeConnections(t, s, 3)
	began := time.Now()
	err := s.View(t.Context(), func(storage.Reader) error { return nil })
	if took := time.Since(began); !errors.Is(err, storage.ErrBusy) || took < 2*time.Second {
		t.Errorf("after %v: %v, want %v", took, err, storage.ErrBusy)
	}
	brief, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.View(brief, func(storage.Reader) error { return nil }); !errors.Is(err, storage.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller with an earlier deadline gets %v", err)
	}
	if err := s.Heartbeat(t.Context(), storage.Node{ID: "01K2M4N6P8QARCTDVEWFXGYHZ1"}, time.Minute); err != nil {
		t.Errorf("heartbeat while all connections are in use: %v", err)
	}
	release()
	if err := s.View(t.Context(), func(storage.Reader) error { return nil }); err != nil {
		t.Errorf("after connections are free again: %v", err)
	}
}

// TestFewConnections guards that a limit too low for a node is refused.
func TestFewConnections(t *testing.T) {
	t.Parallel()
	if _, err := postgres.Open(t.Context(), postgrestest.Schema(t)+"&pool_max_conns=5", postgres.Options{}); !errors.Is(err, postgres.ErrURL) {
		t.Errorf("pool_max_conns=5: %v", err)
	}
}
