package daemon

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestWarnAddress(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	now := schedctl.Millis(time.Now())
	w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "w", CreatedAt: now}
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(w); err != nil {
			return err
		}
		for i, platform := range []string{"instagram", "instagram", "threads", "x"} {
			a := schedctl.Account{
				ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: w.ID, Platform: platform, Name: string(rune('a' + i)), Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
			}
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]int{"https://posts.example": 0, "http://127.0.0.1:8080": 2} {
		var out bytes.Buffer
		warnAddress(t.Context(), store, all.Publishers(all.Config{PublicURL: address}), slog.New(slog.NewTextHandler(&out, nil)))
		if n := strings.Count(out.String(), "--public-url"); n != want {
			t.Errorf("%s: %d warnings, want %d:\n%s", address, n, want, out.String())
		}
	}
}
