package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// TestTwoProcessesOneClaim guards that each target is claimed once by two processes
// that claim the same targets, many in one transaction and in any order.
func TestTwoProcessesOneClaim(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	c, now := newCreator(), time.Now()
	var targets []string
	for range 40 {
		post, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: c.workspace, Content: schedctl.Content{Text: "x"}, Accounts: c.accounts[:1], Now: true}, now)
		if err := errors.Join(err, stores[0].Update(t.Context(), func(tx storage.Tx) error { return tx.PutPost(post) })); err != nil {
			t.Fatal(err)
		}
		targets = append(targets, post.Targets[0].ID)
	}
	var mu sync.Mutex
	claims := make(map[string]int)
	var working sync.WaitGroup
	for i, s := range stores {
		for n := range 2 {
			working.Go(func() {
				order := rand.New(rand.NewPCG(uint64(i), uint64(n))).Perm(len(targets))
				for len(order) > 0 {
					batch := order[:min(8, len(order))]
					order = order[len(batch):]
					var won []string
					err := s.Update(t.Context(), func(tx storage.Tx) error {
						won = nil
						for _, n := range batch {
							claimed, err := claim(tx, targets[n], []string{"one", "two"}[i])
							if err != nil {
								return err
							}
							if claimed {
								won = append(won, targets[n])
							}
						}
						return nil
					})
					if err != nil {
						t.Errorf("Update: %v", err)
					}
					mu.Lock()
					for _, id := range won {
						claims[id]++
					}
					mu.Unlock()
				}
			})
		}
	}
	working.Wait()
	for _, id := range targets {
		if claims[id] != 1 {
			t.Errorf("target %s was claimed %d times, want once", id, claims[id])
		}
	}
}

// TestPreparedClaimsNeverWaitForEachOther guards against deadlocks between processes
// whose batches overlap, in any order and with common accounts.
func TestPreparedClaimsNeverWaitForEachOther(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	c, now := newCreator(), time.Now()
	var targets []string
	err := stores[0].Update(t.Context(), func(tx storage.Tx) (err error) {
		targets = nil
		for i := range c.accounts {
			c.accounts[i].Name = c.accounts[i].ID
			err = errors.Join(err, tx.PutAccount(c.accounts[i]))
		}
		for i := range 60 {
			post, _, made := schedctl.Create(schedctl.NewPost{WorkspaceID: c.workspace, Content: schedctl.Content{Text: "x"}, Accounts: c.accounts[i%3 : i%3+1], Now: true}, now)
			err = errors.Join(err, made, tx.PutPost(post))
			targets = append(targets, post.Targets[0].ID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var working sync.WaitGroup
	for i := range 6 {
		working.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 15 {
				batch := random.Perm(len(targets))[:30]
				ids := make([]string, len(batch))
				for i, n := range batch {
					ids[i] = targets[n]
				}
				err := stores[i%2].Update(t.Context(), func(tx storage.Tx) error { return prepareAndTouch(tx, ids) })
				if err != nil {
					t.Errorf("Update: %v", err)
				}
			}
		})
	}
	working.Wait()
	if err := errors.Join(stores[0].Close(), stores[1].Close()); err != nil {
		t.Error(err)
	}
	if n := deadlocks(t, url); n > 0 {
		t.Errorf("%d deadlocks, want none", n)
	}
}

// deadlocks returns the number of deadlocks in a database that is no longer in use: a
// session reports them when it ends at the latest.
func deadlocks(t *testing.T, url string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for others := 1; others > 0 && err == nil; {
		err = conn.QueryRow(t.Context(), `SELECT deadlocks, (SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'schedctl') FROM pg_stat_database WHERE datname = current_database()`).Scan(&n, &others)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// prepareAndTouch reads targets in the given order and writes them back.
func prepareAndTouch(tx storage.Tx, ids []string) error {
	errs := []error{storage.Prepare(tx, ids)}
	for _, id := range ids {
		route, err := tx.Route(id)
		if err != nil {
			return err
		}
		post, err := tx.Post(route.WorkspaceID, route.PostID)
		if err != nil {
			return err
		}
		account, err := tx.Account(route.WorkspaceID, route.AccountID)
		post.Version++
		errs = append(errs, err, tx.PutPost(post), tx.PutAccount(account))
	}
	return errors.Join(errs...)
}

// claim starts an attempt as a worker does, unless the target is no longer waiting.
func claim(tx storage.Tx, targetID, owner string) (bool, error) {
	route, err := tx.Route(targetID)
	if err != nil {
		return false, err
	}
	post, err := tx.Post(route.WorkspaceID, route.PostID)
	if err != nil {
		return false, err
	}
	if _, waiting := post.Target(targetID).Due(); !waiting {
		return false, nil
	}
	attempt, err := post.Begin(schedctl.Claim{TargetID: targetID, Owner: owner, Lease: time.Minute, Key: targetID}, time.Now())
	return true, errors.Join(err, tx.PutPost(post), tx.PutAttempt(attempt))
}
