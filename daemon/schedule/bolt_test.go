package schedule_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

type storeSource struct{ storage.Store }

func (s storeSource) Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	return s.View(ctx, func(r storage.Reader) error { return r.Due(from, fn) })
}

// A post that is due in 72 hours is passed on after exactly 72 hours, by the loop that
// saw its commit and by a loop that started later on the same file. A canceled or moved
// post is passed on without effect at its old time.
func TestOnAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := &bubble{T: t, index: &index{}}
		restart := func() {
			b.Loop = schedule.New(storeSource{store}, b.fired.fire, slog.New(slog.DiscardHandler))
			b.run()
		}
		b.Loop = schedule.New(storeSource{store}, b.fired.fire, slog.New(slog.DiscardHandler))
		store.Notify(func(c storage.Commit) { b.Loop.Add(c.Due) })
		b.run()

		now := time.Now()
		ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "test", Timezone: "UTC", CreatedAt: now.UTC()}
		account := schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws.ID, Platform: "feed", Name: "news",
			Status: schedctl.AccountConnected, CreatedAt: now.UTC(), UpdatedAt: now.UTC(),
		}
		put := func(fn func(storage.Tx) error) {
			t.Helper()
			if err := store.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		put(func(tx storage.Tx) error { return tx.PutWorkspace(ws) })
		put(func(tx storage.Tx) error { return tx.PutAccount(account) })
		create := func(in time.Duration) (schedctl.Post, schedctl.Due) {
			t.Helper()
			p, _, err := schedctl.Create(schedctl.NewPost{
				WorkspaceID: ws.ID, Content: schedctl.Content{Text: "hello"}, Accounts: []schedctl.Account{account}, PublishAt: now.Add(in),
			}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			put(func(tx storage.Tx) error { return tx.PutPost(p) })
			target, _ := schedctl.ParseID(schedctl.TargetPrefix, p.Targets[0].ID)
			return p, schedctl.Due{At: p.PublishAt.UnixMilli(), Target: target}
		}
		_, seen := create(72 * time.Hour)
		_, next := create(80 * time.Hour)
		canceled, stale := create(90 * time.Hour)
		moved, was := create(100 * time.Hour)

		time.Sleep(72*time.Hour - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(seen)

		// The claim takes an entry off the index; here a cancel does.
		put(func(tx storage.Tx) error {
			p, err := tx.Post(ws.ID, canceled.ID)
			if err == nil {
				_, err = p.Cancel(time.Now())
			}
			if err != nil {
				return err
			}
			return tx.PutPost(p)
		})
		put(func(tx storage.Tx) error {
			p, err := tx.Post(ws.ID, moved.ID)
			if err == nil {
				_, err = p.Edit(schedctl.Edit{PublishAt: now.Add(110 * time.Hour)}, time.Now())
			}
			if err != nil {
				return err
			}
			return tx.PutPost(p)
		})
		time.Sleep(4 * time.Hour)
		b.stop()
		restart()
		b.fired.take() // the first is still in the index, because it was not claimed
		time.Sleep(4*time.Hour - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(next)
		time.Sleep(30*time.Hour - time.Nanosecond)
		if got, _ := b.fired.take(); slices.Contains(got, stale) || slices.Contains(got, was) {
			t.Errorf("a new loop has removed entries: %v", got)
		}
		time.Sleep(time.Nanosecond)
		b.want(schedctl.Due{At: now.Add(110 * time.Hour).UnixMilli(), Target: was.Target})
		b.stop()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
