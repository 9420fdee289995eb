package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// TestStandbyTakesOver stops the primary under load and promotes its standby.
// Transactions must continue there, none acknowledged may be lost, and none may run
// twice.
func TestStandbyTakesOver(t *testing.T) {
	t.Parallel()
	primary := postgrestest.Start(t)
	standby := primary.Standby(t)
	execSQL(t, primary.URL("postgres"), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	s := open(t, fmt.Sprintf("postgres:///postgres?host=%s,%s&port=5432,5432&user=schedctl&sslmode=disable&target_session_attrs=read-write",
		filepath.Dir(primary.Socket()), filepath.Dir(standby.Socket())))
	n := newCounter(t, s)
	adding := addUntilStopped(n, s)
	adding.await(20)
	if err := errors.Join(primary.Stop(postgrestest.Immediate), standby.Exec("SELECT pg_promote()")); err != nil {
		t.Error(err)
	}
	adding.await(20)
	least, most := adding.stop()
	if got := n.read(t, s); got < least || got > most {
		t.Errorf("%d transactions exist, want %d to %d", got, least, most)
	}
}

// adders concurrently increment a counter.
type adders struct {
	added        chan struct{} // receives one value for each acknowledged increment
	ended        chan struct{}
	working      sync.WaitGroup
	acknowledged atomic.Int64
	failed       atomic.Int64
}

func addUntilStopped(n counter, s storage.Store) *adders {
	a := &adders{added: make(chan struct{}, 1<<20), ended: make(chan struct{})}
	for range 4 {
		a.working.Go(func() {
			for {
				select {
				case <-a.ended:
					return
				default:
				}
				if err := n.add(context.Background(), s); err != nil {
					a.failed.Add(1)
				} else {
					a.acknowledged.Add(1)
					a.added <- struct{}{}
				}
			}
		})
	}
	return a
}

// await waits for n more acknowledged increments.
func (a *adders) await(n int) {
	for range n {
		<-a.added
	}
}

// stop stops the increments and returns the least and greatest possible count.
func (a *adders) stop() (least, most int) {
	close(a.ended)
	a.working.Wait()
	least = int(a.acknowledged.Load())
	return least, least + int(a.failed.Load())
}

// TestFullServer guards that a full server makes Updates fail with the reason, and is
// used again once it has space.
func TestFullServer(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	s := open(t, url)
	n := newCounter(t, s)
	execSQL(t, url, `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
		"CREATE TRIGGER no_room BEFORE UPDATE ON workspaces FOR EACH ROW EXECUTE FUNCTION fill()")
	err := n.add(t.Context(), s)
	var full *storage.FullError
	if !errors.As(err, &full) || full.Where != `database "`+nameIn(t, url)+`" at `+hostIn(t, url) {
		t.Errorf("Update returned %v, want ErrFull", err)
	}
	if !storage.IsFull(s.Full()) {
		t.Errorf("Full returned %v right after the server reported that it is full", s.Full())
	}
	ran := false
	if err := s.Update(t.Context(), func(storage.Tx) error { ran = true; return nil }); !storage.IsFull(err) || ran {
		t.Errorf("the next Update ran: %v, and returned %v", ran, err)
	}
	execSQL(t, url, "DROP TRIGGER no_room ON workspaces")
	if err := s.UpdateFromReserve(t.Context(), func(tx storage.Tx) error { return tx.PutMetadata("made", []byte("room")) }); err != nil {
		t.Errorf("UpdateFromReserve returned %v", err)
	}
	if err := errors.Join(s.Full(), n.add(t.Context(), s)); err != nil || n.read(t, s) != 1 {
		t.Errorf("with free space again: %v, and %d transactions exist", err, n.read(t, s))
	}
}

func hostIn(t *testing.T, url string) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return config.Host
}
