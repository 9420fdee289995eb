package webhook

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Tests are searched among the newest deliveries, testsPage at a time.
const (
	testsPage        = 10
	maxTestsSearched = 1000
)

// newRetries returns the lane of pending deliveries: failed ones, replayed ones and
// tests.
func newRetries(w *worker) *lane {
	return &lane{
		worker: w, kind: "pending deliveries", wake: w.newPending, next: w.nextPending, slowest: time.Second,
		pause: w.newBackoff(),
	}
}

// nextPending returns a job for the pending delivery that is due first. Tests come before
// all others, so that a user who repairs an endpoint sees the result at once. Tests are
// also sent to disabled webhooks.
func (w *worker) nextPending(r storage.Reader, _ outboxPosition) (*job, time.Time, error) {
	hook, err := r.Webhook(w.workspace, w.id)
	if isNotFound(err) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	delivery, err := firstTest(r, &hook)
	if err != nil {
		return nil, time.Time{}, err
	}
	if hook.Enabled && (delivery == nil || mustWait(delivery, time.Now())) {
		if delivery, err = firstPending(r, w.id); err != nil {
			return nil, time.Time{}, err
		}
	}
	if delivery == nil {
		return nil, time.Time{}, nil
	}
	if mustWait(delivery, time.Now()) {
		return nil, delivery.NextAttemptAt, nil
	}
	event, err := r.Event(delivery.EventID)
	if err != nil && !isNotFound(err) {
		return nil, time.Time{}, err
	}
	return &job{hook: hook, event: event, delivery: *delivery, eventGone: err != nil}, time.Time{}, nil
}

// mustWait reports whether a delivery is not due yet. If it would wait longer than the
// longest retry, the clock was set back since, and the delivery is due.
func mustWait(d *schedctl.Delivery, now time.Time) bool {
	wait := d.NextAttemptAt.Sub(now.Round(0))
	return wait > 0 && wait <= longestRetry
}

// firstTest returns the pending test that is due first, or nil. For an enabled webhook it
// examines only the newest page: [firstPending] finds older tests. A disabled webhook
// gets no deliveries except tests, so these are its newest deliveries.
func firstTest(r storage.Reader, hook *schedctl.Webhook) (first *schedctl.Delivery, err error) {
	after := ""
	for range maxTestsSearched / testsPage {
		page, err := r.Deliveries(hook.ID, after, testsPage)
		if err != nil {
			return nil, err
		}
		tests := 0
		for i, d := range page {
			if d.EventType != schedctl.EventWebhookTest {
				continue
			}
			tests++
			if d.Status == schedctl.DeliveryPending && (first == nil || d.NextAttemptAt.Before(first.NextAttemptAt)) {
				first = &page[i]
			}
		}
		if hook.Enabled || tests == 0 || len(page) < testsPage {
			break
		}
		after = page[len(page)-1].ID
	}
	return first, nil
}

// firstPending returns the pending delivery that is due first, or nil.
func firstPending(r storage.Reader, webhook string) (*schedctl.Delivery, error) {
	pending, err := r.PendingDeliveries(webhook, 1)
	if err != nil || len(pending) == 0 {
		return nil, err
	}
	return &pending[0], nil
}
