package api

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// listHooks returns the stored webhooks of the workspace that match a condition.
func (s *Server) listHooks(ctx context.Context, c *request, is func(schedctl.Webhook) bool) (found []schedctl.Webhook, err error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return nil, q.err
	}
	return storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Webhook, error) { return webhooksOf(r, c.Key.WorkspaceID, is) })
}

// applyHook applies the fields that requests for webhooks and notifications share, and
// reports whether the change enabled w again. In that case it also resets the failures.
func applyHook(w *schedctl.Webhook, types *[]schedctl.EventType, name *string, enable *bool) (enabled bool) {
	set(&w.EventTypes, types)
	set(&w.Name, name)
	if enable == nil || *enable == w.Enabled {
		return false
	}
	if w.Enabled = *enable; w.Enabled {
		w.DisabledReason, w.FailingSince = "", time.Time{}
	}
	return w.Enabled
}

// newHook returns an enabled webhook record that receives the events committed
// after this transaction. It returns an error when the workspace already has the
// maximum number of records that match the condition. kind names them in paths and
// messages.
func (c *request) newHook(tx storage.Tx, kind string, is func(schedctl.Webhook) bool) (w schedctl.Webhook, err error) {
	existing, err := webhooksOf(tx, c.Key.WorkspaceID, is)
	if err != nil {
		return w, err
	}
	if len(existing) >= schedctl.MaxWebhooks {
		return w, schedctl.Errorf(schedctl.ValidationFailed, "",
			"this workspace has %d %s, which is the limit; delete one with DELETE %s/%[2]s/{id}", len(existing), kind, prefix)
	}
	now := schedctl.Millis(c.Now)
	w = schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: c.Key.WorkspaceID, Enabled: true, CreatedAt: now, UpdatedAt: now}
	w.Cursor, err = tx.OutboxEnd()
	return w, err
}

// skipMissed lets a webhook that was enabled again continue with the events that
// are committed from now on.
func skipMissed(tx storage.Tx, w *schedctl.Webhook, enabled bool) (err error) {
	if enabled {
		w.Cursor, err = tx.OutboxEnd()
	}
	return err
}
