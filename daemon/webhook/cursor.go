package webhook

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl/storage"
)

// How many webhooks one transaction changes, so that requests do not wait long for it. On
// a shared store, each webhook takes a few round trips.
const (
	saveBatch      = 100
	fleetSaveBatch = 10
)

// saveCursors stores how far the outbox was read for webhooks. It never moves a cursor
// back.
func (d *Dispatcher) saveCursors(ctx context.Context, workers []*worker, cursor string) error {
	for chunk := range slices.Chunk(workers, d.mode.saveBatch) {
		err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
			for _, w := range chunk {
				if err := saveCursor(tx, w, cursor); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func saveCursor(tx storage.Tx, w *worker, cursor string) error {
	hook, err := tx.Webhook(w.workspace, w.id)
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	later, err := laterCursor(tx, hook.Cursor, cursor)
	if err != nil || later == hook.Cursor {
		return err
	}
	hook.Cursor = later
	return tx.PutWebhook(hook)
}

// laterCursor returns the later of two cursors. It reads the store only if both are set
// and differ.
func laterCursor(r storage.Reader, a, b string) (string, error) {
	if a == b || b == "" {
		return a, nil
	}
	if a == "" {
		return b, nil
	}
	return r.Later(a, b)
}
