package webhook

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// youngest is how many deliveries are looked at for tests.
const youngest = 10

// newRetries returns the lane of deliveries that wait in the store: those that
// have failed, those that are replayed, and tests.
func newRetries(w *worker) *lane {
	return &lane{
		worker: w, kind: "pending deliveries", wake: w.newPending, next: w.nextPending, slowest: time.Second,
		pause: pause{log: w.log},
	}
}

// nextPending returns the pending delivery whose time has come first. A test goes
// before all others, so that whoever repairs an endpoint sees at once whether it
// works, and it goes to a disabled webhook too.
func (w *worker) nextPending(r storage.Reader, _ place) (*job, time.Time, error) {
	hook, err := r.Webhook(w.workspace, w.id)
	if isNotFound(err) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	delivery, err := firstTest(r, w.id)
	if err != nil {
		return nil, time.Time{}, err
	}
	if hook.Enabled && (delivery == nil || delivery.NextAttemptAt.After(time.Now())) {
		if delivery, err = firstPending(r, w.id); err != nil {
			return nil, time.Time{}, err
		}
	}
	if delivery == nil {
		return nil, time.Time{}, nil
	}
	if delivery.NextAttemptAt.After(time.Now()) {
		return nil, delivery.NextAttemptAt, nil
	}
	event, err := r.Event(delivery.EventID)
	if err != nil && !isNotFound(err) {
		return nil, time.Time{}, err
	}
	return &job{hook: hook, event: event, delivery: *delivery, lost: err != nil}, time.Time{}, nil
}

// firstTest returns the pending test that is due first, of those among the
// youngest deliveries, or nil.
func firstTest(r storage.Reader, webhook string) (first *schedctl.Delivery, err error) {
	deliveries, err := r.Deliveries(webhook, "", youngest)
	for i, d := range deliveries {
		if d.EventType != schedctl.EventWebhookTest || d.Status != schedctl.DeliveryPending {
			continue
		}
		if first == nil || d.NextAttemptAt.Before(first.NextAttemptAt) {
			first = &deliveries[i]
		}
	}
	return first, err
}

// firstPending returns the pending delivery that is due first, or nil.
func firstPending(r storage.Reader, webhook string) (*schedctl.Delivery, error) {
	pending, err := r.PendingDeliveries(webhook, 1)
	if err != nil || len(pending) == 0 {
		return nil, err
	}
	return &pending[0], nil
}
