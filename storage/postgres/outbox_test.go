package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// eventsIn returns the ids of all readable events.
func eventsIn(t *testing.T, s storage.Store) (ids []string) {
	t.Helper()
	err := s.View(t.Context(), func(r storage.Reader) error {
		list, err := r.Events("", 1000)
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func addEvent(t *testing.T, s storage.Store) (id string) {
	t.Helper()
	now := time.Now()
	e := schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now)}
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.AddEvents(e) }); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// slowTransaction is an uncommitted transaction of a second process that has taken an
// outbox position.
func slowTransaction(t *testing.T, url string) (tx pgx.Tx) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if tx, err = conn.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT pg_advisory_xact_lock_shared('events'::regclass::oid::int4, 0)",
		`INSERT INTO events (id, type, workspace_id, platform, status, platform_post_id, platform_post_url)
			VALUES ('019a0000-0000-7000-8000-000000000000', '', gen_random_uuid(), '', '', '', '')`,
	} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return tx
}

// TestReadersWaitForSlowTransactions guards that readers never skip an event that is
// committed late.
func TestReadersWaitForSlowTransactions(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	s := open(t, url)
	reported := make(chan storage.Commit, 100)
	s.Notify(func(c storage.Commit) { reported <- c })
	first := addEvent(t, s)
	<-reported
	late := slowTransaction(t, url)
	second := addEvent(t, s)
	<-reported
	for range 3 { // repeated checks must not change the result
		if diff := cmp.Diff([]string{first}, eventsIn(t, s)); diff != "" {
			t.Errorf("events while one may still arrive (-want +got):\n%s", diff)
		}
		select {
		case c := <-reported:
			t.Errorf("notified of %+v although no event can be read", c)
		case <-time.After(100 * time.Millisecond):
		}
	}
	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-reported // events can be read
	u := schedctl.ULID{0x01, 0x9a, 6: 0x70, 8: 0x80}
	want := []string{first, u.ID(schedctl.EventPrefix), second}
	if diff := cmp.Diff(want, eventsIn(t, s)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestEventsEndWithASlowClock guards that a reader that starts at the end of the outbox
// misses no event of a process whose clock is behind.
func TestEventsEndWithASlowClock(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := open(t, url)
	first := addEvent(t, s)
	var end string
	err := s.Update(t.Context(), func(tx storage.Tx) (err error) {
		end, err = tx.OutboxEnd()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	behind := schedctl.Event{WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	behind.ID = schedctl.ULID{0x01, 0x80}.ID(schedctl.EventPrefix)
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.AddEvents(behind) }); err != nil {
		t.Fatal(err)
	}
	last := addEvent(t, s)
	var ids []string
	var later string
	err = s.View(t.Context(), func(r storage.Reader) error {
		list, err := r.Events(end, 10)
		ids = nil
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		var err2 error
		later, err2 = r.Later(first, behind.ID)
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{behind.ID, last}, ids); diff != "" {
		t.Errorf("events after the end (-want +got):\n%s", diff)
	}
	if later != behind.ID {
		t.Errorf("%s is reported to come after %s", later, behind.ID)
	}
}

// TestReadersSkipRolledBackEvents guards that a process that dies in a transaction does
// not block readers.
func TestReadersSkipRolledBackEvents(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	s := open(t, url)
	reported := make(chan storage.Commit, 100)
	s.Notify(func(c storage.Commit) { reported <- c })
	late := slowTransaction(t, url)
	event := addEvent(t, s)
	<-reported
	if ids := eventsIn(t, s); len(ids) > 0 {
		t.Errorf("events %v, want none", ids)
	}
	if err := late.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-reported // events can be read
	if diff := cmp.Diff([]string{event}, eventsIn(t, s)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestForeignTransactionsDoNotStopReaders guards that readers wait only for
// transactions that take outbox positions.
func TestForeignTransactionsDoNotStopReaders(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	s := open(t, url)
	execSQL(t, url, "CREATE TABLE theirs (id int)")
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "BEGIN; INSERT INTO theirs VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	if err := slowTransaction(t, url).Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	reported := make(chan storage.Commit, 100)
	s.Notify(func(c storage.Commit) { reported <- c })
	event := addEvent(t, s)
	<-reported
	for len(eventsIn(t, s)) == 0 {
		<-reported
	}
	if diff := cmp.Diff([]string{event}, eventsIn(t, s)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestStoppedClientLosesItsTransaction guards that a process stopped during a
// transaction does not hold its locks for long, and reruns the transaction.
func TestStoppedClientLosesItsTransaction(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	stopped, other := open(t, url+"&idle_in_transaction_session_timeout=200"), open(t, url)
	n := newCounter(t, other)
	holds, goOn := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	runs := 0
	go func() {
		done <- stopped.Update(context.Background(), func(tx storage.Tx) error {
			w, err := tx.Workspace(n.id)
			if runs++; runs == 1 {
				close(holds)
				<-goOn
			}
			w.Plan = "changed"
			return errors.Join(err, tx.PutWorkspace(w))
		})
	}()
	<-holds
	if err := n.add(t.Context(), other); err != nil {
		t.Errorf("Update in a second process: %v", err)
	}
	close(goOn)
	if err := <-done; err != nil || runs < 2 { // a slow machine may lose it again
		t.Errorf("Update: %v after %d runs, want 2 at least", err, runs)
	}
	if got := n.read(t, other); got != 1 {
		t.Errorf("the change of the other process was lost")
	}
}

// TestTextOutsideColumnRange guards that any network response can be stored.
func TestTextOutsideColumnRange(t *testing.T) {
	t.Parallel()
	s := open(t, postgrestest.Database(t))
	write, reported := manyRecords(1)
	now := time.Now()
	wild := "a\x00b\xffc\\u0000" + strings.Repeat("\xc3", 2)
	d := schedctl.Delivery{
		ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: reported.Webhooks[0], EventID: schedctl.NewID(schedctl.EventPrefix, now), Response: wild,
	}
	a := schedctl.Attempt{
		ID: schedctl.NewID(schedctl.AttemptPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now), PostID: schedctl.NewID(schedctl.PostPrefix, now),
		AccountID: reported.Accounts[0], TargetID: reported.Due[0].TargetID(), Error: &schedctl.TargetError{Message: wild},
	}
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		if err := write(tx); err != nil {
			return err
		}
		return errors.Join(tx.PutDelivery(d), tx.PutAttempt(a))
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(r storage.Reader) error {
		got, err := r.Delivery(d.WebhookID, d.ID)
		if want := "a\ufffdb\ufffdc\\u0000\ufffd"; got.Response != want {
			t.Errorf("response %q, want %q", got.Response, want)
		}
		attempts, err2 := r.Attempts(a.TargetID)
		if want := "a\ufffdb\ufffdc\\u0000\ufffd\ufffd"; len(attempts) != 1 || attempts[0].Error.Message != want {
			t.Errorf("attempts %+v, want one with message %q", attempts, want)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
}
