package postgres

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// tripCounter counts the round trips that callers wait for. Nothing waits for
// announcements.
type tripCounter struct{ trips atomic.Int64 }

func (c *tripCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if !strings.Contains(d.SQL, "pg_notify") {
		c.trips.Add(1)
	}
	return ctx
}

func (c *tripCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *tripCounter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.trips.Add(1)
	return ctx
}

func (c *tripCounter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *tripCounter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// openCounted opens an empty database whose round trips are counted.
func openCounted(t *testing.T, counter *tripCounter) *Store {
	t.Helper()
	config, mode, err := parseURL(postgrestest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig.Tracer = counter
	s, err := open(t.Context(), config, mode, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestRoundTrips guards the number of round trips of a request: a post is created in
// two round trips and read in two. The server may be in another building.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	counter := new(tripCounter)
	s := openCounted(t, counter)
	now := time.Now()
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws}
	post, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "x"}, Accounts: []schedctl.Account{account}, Now: true}, now)
	if err != nil {
		t.Fatal(err)
	}
	key := storage.IdempotencyScope{WorkspaceID: ws, IdempotencyKey: "k"}
	create := func(tx storage.Tx) error {
		if _, err := tx.IdempotencyRecord(key); schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		if err := tx.PutPost(post); err != nil {
			return err
		}
		return tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{CreatedAt: now})
	}
	for what, call := range map[string]func() error{
		"create": func() error { return s.run(t.Context(), create, false) },
		"read": func() error {
			return s.View(t.Context(), func(r storage.Reader) error {
				_, err := r.Post(ws, post.ID)
				if schedctl.CodeOf(err) == schedctl.NotFound { // on the first read
					err = nil
				}
				return err
			})
		},
	} {
		counter.trips.Store(0)
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if trips := counter.trips.Load(); trips != 2 {
			t.Errorf("%s took %d round trips, want 2", what, trips)
		}
	}
}

// TestRoundTripsOfManyTargets guards that reading, claiming and recording targets
// together costs the same number of round trips for any number of targets.
func TestRoundTripsOfManyTargets(t *testing.T) {
	t.Parallel()
	counter := new(tripCounter)
	s := openCounted(t, counter)
	for _, n := range []int{1, 200} {
		targets := dueTargets(t, s, n)
		counter.trips.Store(0)
		if err := s.View(t.Context(), soonDue); err != nil || counter.trips.Load() > 2 {
			t.Errorf("reading what is due took %d round trips, want 2: %v", counter.trips.Load(), err)
		}
		for _, step := range []struct {
			what  string
			most  int64
			store func(context.Context, func(storage.Tx) error) error
			do    func(storage.Tx, string) (write func() error, err error)
		}{
			{"a claim", 2, s.Update, claimOne},
			{"a recording", 2, s.UpdateFromReserve, recordOne},
		} {
			counter.trips.Store(0)
			err := step.store(t.Context(), func(tx storage.Tx) error {
				err := storage.Prepare(tx, targets)
				var writes []func() error
				for _, id := range targets {
					write, readErr := step.do(tx, id)
					err, writes = errors.Join(err, readErr), append(writes, write)
				}
				for _, write := range writes {
					if err == nil {
						err = write()
					}
				}
				return err
			})
			if trips := counter.trips.Load(); err != nil || trips > step.most {
				t.Errorf("%s of %d targets took %d round trips, want %d: %v", step.what, n, trips, step.most, err)
			}
		}
		counter.trips.Store(0)
		err := s.View(t.Context(), func(r storage.Reader) error {
			err := storage.Prepare(r, targets)
			for _, id := range targets {
				_, found := r.Route(id)
				err = errors.Join(err, found)
			}
			return err
		})
		if trips := counter.trips.Load(); err != nil || trips > 2 { // one of them ends the snapshot
			t.Errorf("reading %d targets took %d round trips, want 2: %v", n, trips, err)
		}
	}
}

// soonDue reads the due targets, as every process does each second.
func soonDue(r storage.Reader) error {
	now := time.Now()
	return r.Due(schedctl.Due{At: now.Add(-10 * time.Second).UnixMilli()}, func(d schedctl.Due) bool {
		return d.At < now.Add(1500*time.Millisecond).UnixMilli()
	})
}

// dueTargets stores posts with one target each, of ten accounts. Every second post is an
// occurrence of a series with a slot of a queue.
func dueTargets(t *testing.T, s *Store, n int) (ids []string) {
	t.Helper()
	now := time.Now()
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	queueID := schedctl.NewID(schedctl.QueuePrefix, now)
	accounts := make([]schedctl.Account, 10)
	for i := range accounts {
		id := schedctl.NewID(schedctl.AccountPrefix, now)
		accounts[i] = schedctl.Account{ID: id, WorkspaceID: ws, Name: id, Status: schedctl.AccountConnected}
	}
	err := s.Update(t.Context(), func(tx storage.Tx) (err error) {
		ids = nil
		for _, a := range accounts {
			err = errors.Join(err, tx.PutAccount(a))
		}
		for i := range n {
			post, _, made := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "x"}, Accounts: accounts[i%10 : i%10+1], Now: true}, now)
			if i%2 == 1 {
				post.SeriesID, post.QueueID = schedctl.NewID(schedctl.SeriesPrefix, now), queueID
				post.PublishAt, post.Slot = now.Add(time.Duration(i)*time.Minute), schedctl.Slot{Local: "2026-01-01T09:00", Timezone: "UTC"}
			}
			err = errors.Join(err, made, tx.PutPost(post))
			ids = append(ids, post.Targets[0].ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// claimOne reads what a claim reads, and returns the function that writes it.
func claimOne(tx storage.Tx, targetID string) (write func() error, err error) {
	route, err := tx.Route(targetID)
	if err != nil {
		return nil, err
	}
	post, err := tx.Post(route.WorkspaceID, route.PostID)
	if err != nil {
		return nil, err
	}
	_, accountErr := tx.Account(route.WorkspaceID, route.AccountID)
	_, runningErr := tx.(storage.SharedTx).RunningOf(route.AccountID)
	_, attemptsErr := tx.Attempts(targetID)
	now := time.Now()
	attempt, err := post.Begin(schedctl.Claim{TargetID: targetID, Owner: "me", Lease: time.Minute}, now)
	return func() error { return errors.Join(tx.PutPost(post), tx.PutAttempt(attempt)) },
		errors.Join(accountErr, runningErr, attemptsErr, err)
}

// recordOne reads what recording a result reads, and returns the function that writes it.
func recordOne(tx storage.Tx, targetID string) (write func() error, err error) {
	attempts, err := tx.Attempts(targetID)
	if err != nil || len(attempts) == 0 {
		return nil, errors.Join(err, errors.New("no attempt"))
	}
	a := attempts[0]
	post, err := tx.Post(a.WorkspaceID, a.PostID)
	if err != nil {
		return nil, err
	}
	account, err := tx.Account(a.WorkspaceID, a.AccountID)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	a.FinishedAt, a.Outcome = now, schedctl.OutcomePublished
	events, err := post.Finish(targetID, schedctl.Result{Receipt: &schedctl.Receipt{}}, now)
	return func() error {
		return errors.Join(tx.PutPost(post), tx.PutAttempt(a), tx.PutAccount(account), tx.AddEvents(events...))
	}, err
}

// TestRoundTripsOfASlot guards that a post takes a slot in three round trips: the queue,
// the search, and the commit.
func TestRoundTripsOfASlot(t *testing.T) {
	t.Parallel()
	counter := new(tripCounter)
	s := openCounted(t, counter)
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws}
	queue := schedctl.Queue{ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: ws}
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.PutQueue(queue) }); err != nil {
		t.Fatal(err)
	}
	counter.trips.Store(0)
	err := s.run(t.Context(), func(tx storage.Tx) error {
		if _, err := tx.Queue(ws, queue.ID); err != nil {
			return err
		}
		_, err := tx.Occupied(storage.OccupiedQuery{WorkspaceID: ws, AccountIDs: []string{account.ID}, From: now, Until: now.AddDate(0, 1, 0), Limit: 100})
		if err != nil {
			return err
		}
		post, _, err := schedctl.Create(schedctl.NewPost{
			WorkspaceID: ws, Content: schedctl.Content{Text: "x"}, Accounts: []schedctl.Account{account}, PublishAt: now.Add(time.Hour),
			Booking: schedctl.Booking{QueueID: queue.ID, Slot: schedctl.Slot{Local: "2026-01-01T09:00", Timezone: "UTC"}},
		}, now)
		return errors.Join(err, tx.PutPost(post))
	}, false)
	if trips := counter.trips.Load(); err != nil || trips != 3 {
		t.Errorf("taking a slot took %d round trips, want 3: %v", trips, err)
	}
}

// TestRoundTripsOfASweep guards that a sweep that reads its series writes it without a
// round trip of its own.
func TestRoundTripsOfASweep(t *testing.T) {
	t.Parallel()
	counter := new(tripCounter)
	s := openCounted(t, counter)
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	series := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: ws, ExternalID: "x", State: schedctl.SeriesActive, SweepAt: now}
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.PutSeries(series) }); err != nil {
		t.Fatal(err)
	}
	counter.trips.Store(0)
	err := s.run(t.Context(), func(tx storage.Tx) error {
		found, err := tx.Series(ws, series.ID)
		if err != nil {
			return err
		}
		found.Cursor, found.SweepAt = "2026-01-01T09:00", now.Add(time.Hour)
		return tx.PutSeries(found)
	}, false)
	if trips := counter.trips.Load(); err != nil || trips != 2 {
		t.Errorf("a sweep took %d round trips, want 2: %v", trips, err)
	}
}
