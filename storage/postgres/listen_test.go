package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// commitsOfOthers returns the commits that a store reports of other processes.
func commitsOfOthers(s storage.Store) <-chan storage.Commit {
	heard := make(chan storage.Commit, 1000)
	s.Notify(func(c storage.Commit) {
		if c.Elsewhere {
			heard <- c
		}
	})
	return heard
}

// nextCommit waits for the next commit.
func nextCommit(t *testing.T, heard <-chan storage.Commit) storage.Commit {
	t.Helper()
	select {
	case c := <-heard:
		return c
	case <-time.After(testsize.Patience):
		t.Fatal("no commit was reported")
		return storage.Commit{}
	}
}

// manyRecords returns a transaction that changes n records of each kind that a commit
// lists, and the commit to expect.
func manyRecords(n int) (func(storage.Tx) error, storage.Commit) {
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	reported := storage.Commit{Events: n, Elsewhere: true}
	var writes []func(storage.Tx) error
	for range n {
		a := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Status: schedctl.AccountConnected}
		a.Name = a.ID
		hook := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: ws}
		post, events, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws, Content: schedctl.Content{Text: "x"}, Accounts: []schedctl.Account{a}, PublishAt: now.Add(time.Hour)}, now)
		target, _ := schedctl.ParseID(schedctl.TargetPrefix, post.Targets[0].ID)
		reported.Due = append(reported.Due, schedctl.Due{At: post.PublishAt.UnixMilli(), Target: target})
		reported.Accounts, reported.Webhooks = append(reported.Accounts, a.ID), append(reported.Webhooks, hook.ID)
		writes = append(writes, func(tx storage.Tx) error {
			return errors.Join(err, tx.PutAccount(a), tx.PutWebhook(hook), tx.PutPost(post), tx.AddEvents(events[0]))
		})
	}
	slices.SortFunc(reported.Due, schedctl.Due.Compare)
	return func(tx storage.Tx) error {
		for _, write := range writes {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	}, reported
}

func TestCommitsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	one, two := open(t, url), open(t, url)
	self, heard := commitsOfOthers(one), commitsOfOthers(two)
	write, want := manyRecords(2)
	if err := one.Update(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, nextCommit(t, heard)); diff != "" {
		t.Errorf("commit (-want +got):\n%s", diff)
	}
	write, want = manyRecords(100)
	if err := one.Update(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	if got := nextCommit(t, heard); !got.Missed || got.Events != want.Events {
		t.Errorf("%d events reported, missed %v; want %d, and missed set", got.Events, got.Missed, want.Events)
	}
	if len(self) > 0 {
		t.Errorf("a process receives its own commit: %+v", <-self)
	}
}

// TestLostConnectionIsNoticed guards that a process learns that it may have missed
// commits, and receives commits again.
func TestLostConnectionIsNoticed(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	one, two := open(t, url), open(t, url)
	heard := commitsOfOthers(two)
	execSQL(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'")
	if got := nextCommit(t, heard); !got.Missed || !got.Elsewhere {
		t.Errorf("received %+v, want Missed", got)
	}
	write, _ := manyRecords(1)
	if err := one.Update(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	for got := nextCommit(t, heard); got.Events != 1; got = nextCommit(t, heard) {
		if !got.Missed {
			t.Errorf("received %+v", got)
		}
	}
}
