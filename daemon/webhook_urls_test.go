package daemon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A start seals a plain-text webhook URL, and the webhook keeps working.
func TestStartSealsTheURLsOfWebhooks(t *testing.T) {
	t.Parallel()
	store := storagetest.NewMemory()
	first := start(t, func(c *daemon.Config) { c.Store = store })
	first.end()
	const address = "https://hooks.example/k3y"
	now := schedctl.Millis(time.Now())
	w := schedctl.Webhook{
		ID: schedctl.NewID(schedctl.WebhookPrefix, now), URL: address, Enabled: true, EventTypes: []schedctl.EventType{schedctl.EventPostFailed},
		CreatedAt: now, UpdatedAt: now, Cursor: schedctl.NewID(schedctl.EventPrefix, now),
	}
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil {
			return err
		}
		w.WorkspaceID = workspaces[0].ID
		return tx.PutWebhook(w)
	})
	if err != nil {
		t.Fatal(err)
	}
	second := start(t, func(c *daemon.Config) { c.Store, c.DataDir = notified{store}, first.cfg.DataDir })
	defer second.end()
	err = store.View(t.Context(), func(r storage.Reader) error {
		stored, err := r.Webhook(w.WorkspaceID, w.ID)
		if strings.Contains(stored.URL, "hooks.example") {
			t.Errorf("stored: %s", stored.URL)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	var shown apiv1.WebhookEnvelope
	if second.do("GET", "/api/v1/webhooks/"+w.ID, "", &shown); shown.Webhook.URL != address {
		t.Errorf("shown: %s", shown.Webhook.URL)
	}
}
