package api

import (
	"context"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// replayGroup is the maximum number of deliveries that one transaction queues
// again.
const replayGroup = 500

// replayWebhook handles POST /webhooks/{id}/replay. It queues large numbers of
// deliveries in several transactions. The last transaction stores the response. If
// a request was interrupted, repeating it queues the remaining deliveries.
func (s *Server) replayWebhook(ctx context.Context, c *request, b apiv1.ReplayWebhook) (response, error) {
	if stored, found, err := s.storedResponse(ctx, c); err != nil || found {
		return stored, err
	}
	count, after := 0, ""
	for {
		failed, next, err := s.failedSince(ctx, c, b.Since.Time, after)
		if err != nil {
			return response{}, err
		}
		if next == "" {
			return s.replayLast(ctx, c, failed, count)
		}
		var queued int
		err = s.store.Update(ctx, func(tx storage.Tx) (err error) {
			_, queued, err = c.replayGroup(tx, failed)
			return err
		})
		if err != nil {
			return response{}, storeError(err, "the daemon could not queue all deliveries; repeat the request; see its log")
		}
		count, after = count+queued, next
	}
}

// replayLast queues the last deliveries of a request and returns the response.
// count is the number of deliveries queued before.
func (s *Server) replayLast(ctx context.Context, c *request, failed []string, count int) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, queued, err := c.replayGroup(tx, failed)
		if err != nil {
			return response{}, err
		}
		return sealedResponse(http.StatusAccepted, apiv1.WebhookReplay{Webhook: s.showWebhook(w), Count: count + queued})
	})
}

// failedSince calls the method of the request in its own snapshot.
func (s *Server) failedSince(ctx context.Context, c *request, since time.Time, after string) (ids []string, next string, err error) {
	err = s.view(ctx, func(r storage.Reader) (err error) {
		if _, err = c.webhook(r); err == nil {
			ids, next, err = c.failedSince(r, since, after)
		}
		return err
	})
	return ids, next, err
}

// failedSince returns the next failed deliveries after the given one, newest first,
// at most replayGroup. next is the id to continue after, empty at the end.
func (c *request) failedSince(r storage.Reader, since time.Time, after string) (ids []string, next string, err error) {
	for scanned := 0; scanned < storage.ScanLimit; scanned += replayGroup {
		batch, err := r.Deliveries(c.ID, after, replayGroup)
		if err != nil {
			return nil, "", err
		}
		for _, d := range batch {
			if d.CreatedAt.Before(since) {
				return ids, "", nil
			}
			if after = d.ID; d.Status == schedctl.DeliveryFailed {
				ids = append(ids, d.ID)
			}
			if len(ids) == replayGroup {
				return ids, after, nil
			}
		}
		if len(batch) < replayGroup {
			return ids, "", nil
		}
	}
	return ids, after, nil
}

// replayGroup queues those deliveries that are still failed and whose events still
// exist. It returns their number.
func (c *request) replayGroup(tx storage.Tx, ids []string) (w schedctl.Webhook, queued int, err error) {
	if w, err = c.webhook(tx); err != nil {
		return w, 0, err
	}
	for _, id := range ids {
		again, err := c.replayFailed(tx, id)
		if err != nil {
			return w, 0, err
		}
		if again {
			queued++
		}
	}
	if queued > 0 {
		err = wakeWebhook(tx, w)
	}
	return w, queued, err
}

// replayFailed queues a delivery and reports whether this was possible.
func (c *request) replayFailed(tx storage.Tx, id string) (bool, error) {
	d, err := tx.Delivery(c.ID, id)
	if err == nil && d.Status != schedctl.DeliveryFailed {
		return false, nil
	}
	if err == nil {
		_, err = tx.Event(d.EventID)
	}
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return false, nil
	case err != nil:
		return false, err
	}
	replay(&d, c.Now)
	return true, tx.PutDelivery(d)
}
