package webhook

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl/storage"
)

// saveAtOnce is how many webhooks one transaction changes, so that requests never
// wait long behind it.
const saveAtOnce = 100

// saveCursors stores how far the outbox was read for webhooks. It changes nothing
// else of them, and moves no cursor back.
func (d *Dispatcher) saveCursors(ctx context.Context, workers []*worker, cursor string) error {
	for chunk := range slices.Chunk(workers, saveAtOnce) {
		err := d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
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
	if err != nil || hook.Cursor >= cursor {
		return err
	}
	hook.Cursor = cursor
	return tx.PutWebhook(hook)
}
