package daemon

import (
	"context"
	"log/slog"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// sealWebhookURLs seals webhook URLs that an earlier version stored in plain text. Many
// receivers authenticate callers only by a secret URL. A failure, for example because
// the disk is full, is logged and retried at the next start.
func sealWebhookURLs(ctx context.Context, store storage.Store, sealer *seal.Sealer, log *slog.Logger) {
	plain, err := storage.Read(ctx, store.View, func(r storage.Reader) (bool, error) { return eachPlainURL(r, nil) })
	if err == nil && plain {
		err = store.Update(ctx, func(tx storage.Tx) error {
			_, err := eachPlainURL(tx, func(w schedctl.Webhook) error {
				w.URL = sealer.SealText(w.URL, w.ID)
				return tx.PutWebhook(w)
			})
			return err
		})
	}
	if err != nil {
		log.Warn("sealing webhook URLs failed", "error", err)
	}
}

// eachPlainURL calls do, if it is not nil, for each webhook with a plain-text URL, and
// reports whether there are any.
func eachPlainURL(r storage.Reader, do func(schedctl.Webhook) error) (found bool, err error) {
	workspaces, err := r.Workspaces()
	if err != nil {
		return false, err
	}
	for _, workspace := range workspaces {
		webhooks, err := r.Webhooks(workspace.ID)
		if err != nil {
			return found, err
		}
		for _, w := range webhooks {
			if w.Notify != nil || seal.IsSealed(w.URL) {
				continue
			}
			found = true
			if do == nil {
				return true, nil
			}
			if err := do(w); err != nil {
				return true, err
			}
		}
	}
	return found, nil
}
