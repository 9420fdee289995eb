package deliver

import (
	"log/slog"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// storeDue stores a workspace with an account and n posts of it that are due.
func storeDue(t *testing.T, store storage.Store, n int) (items []claimItem) {
	t.Helper()
	now := time.Now().Add(-time.Second)
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "test", Timezone: "UTC", CreatedAt: schedctl.Millis(now)}
	account := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws.ID, Platform: "fake", Name: "me",
		Status: schedctl.AccountConnected, CreatedAt: schedctl.Millis(now), UpdatedAt: schedctl.Millis(now),
	}
	q := &queue{account: account.ID, workspace: ws.ID}
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(ws); err != nil {
			return err
		}
		if err := tx.PutAccount(account); err != nil {
			return err
		}
		items = nil
		for range n {
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: ws.ID, Content: schedctl.Content{Text: "hello"}, Accounts: []schedctl.Account{account}, Now: true}, now)
			if err != nil {
				return err
			}
			if err := tx.PutPost(p); err != nil {
				return err
			}
			items = append(items, claimItem{queue: q, entry: entry{Due: schedctl.Due{At: p.PublishAt.UnixMilli(), Target: ulid(p.Targets[0].ID)}}})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// If several targets of an account are claimed together, one is started.
func TestOneBatchBeginsOneTargetOfAnAccount(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	items := storeDue(t, store, 4)
	items[0].expireOnly = true
	d := New(Config{Store: store, Publishers: publish.NewRegistry(publishtest.NewFake("fake")), Owner: "test", Logger: slog.New(slog.DiscardHandler)})
	verdicts, err := d.claim(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []claimResult{claimBehind, claimStarted, claimBehind, claimBehind} {
		if got := verdicts[i].result; got != want {
			t.Errorf("target %d: result %d, want %d", i, got, want)
		}
	}
	err = store.View(t.Context(), func(r storage.Reader) error {
		running, err := r.RunningAttempts()
		if len(running) != 1 || running[0].TargetID != items[1].entry.TargetID() {
			t.Errorf("attempts running: %+v", running)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
