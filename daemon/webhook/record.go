package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// disableAfter is how long a webhook may fail without a success in between.
const disableAfter = 3 * 24 * time.Hour

// finishedJob is a job that was done.
type finishedJob struct {
	*job
	result attemptResult
}

// record stores the ends of jobs of one webhook in one transaction: the deliveries,
// and what they say of the webhook. It may be repeated. What was removed meanwhile
// stays removed, and what others have changed stays as they have it.
func (d *Dispatcher) record(ctx context.Context, group []finishedJob) error {
	var disabled bool
	err := d.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) (err error) {
		disabled, err = d.recordAll(tx, group, time.Now())
		return err
	})
	if err == nil {
		err = failpoint.Hit(failpoint.WebhookRecorded)
	}
	if err != nil {
		return fmt.Errorf("record delivery %s: %w", group[0].delivery.ID, err)
	}
	for _, t := range group {
		log := d.log.With("webhook", t.hook.ID, "delivery", t.delivery.ID, "event", t.event.ID)
		switch {
		case disabled && !t.result.delivered():
			log.Warn("webhook disabled, it has failed for too long", "status", t.result.status)
		case t.result.delivered():
			log.Debug("delivered", "status", t.result.status)
		default:
			log.Debug("delivery failed", "status", t.result.status, "reason", t.result.err)
		}
	}
	return nil
}

// recordAll records jobs in their order. Those at the beginning that were delivered
// are recorded at once.
func (d *Dispatcher) recordAll(tx storage.Tx, group []finishedJob, now time.Time) (disabled bool, err error) {
	if len(group) > 1 {
		last := len(group)
		if !group[last-1].result.delivered() {
			last--
		}
		recorded, err := d.recordGroup(tx, group[:last], now)
		if err != nil {
			return false, err
		}
		if recorded {
			group = group[last:]
		}
	}
	for _, t := range group {
		if disabled, err = d.recordOne(tx, t.job, t.result, now); err != nil {
			return false, err
		}
	}
	return disabled, nil
}

// recordGroup records first tries that were delivered, and reports whether it has:
// it does not when the cursor of the webhook is not where it was when the first of
// them was read. Then they may have been recorded before, or told by another daemon.
func (d *Dispatcher) recordGroup(tx storage.Tx, group []finishedJob, now time.Time) (recorded bool, err error) {
	first, last := group[0], group[len(group)-1]
	hook, err := tx.Webhook(first.hook.WorkspaceID, first.hook.ID)
	if isNotFound(err) {
		return true, nil
	}
	if err != nil || hook.Cursor != first.hook.Cursor {
		return false, err
	}
	for _, t := range group {
		if err := tx.PutDelivery(updatedDelivery(t.delivery, t.job, t.result, now)); err != nil {
			return false, err
		}
	}
	_, err = d.recordHook(tx, hook, last.job, last.result, now)
	return true, err
}

func (d *Dispatcher) recordOne(tx storage.Tx, j *job, end attemptResult, now time.Time) (disabled bool, err error) {
	hook, err := tx.Webhook(j.hook.WorkspaceID, j.hook.ID)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found, err := tx.Delivery(hook.ID, j.delivery.ID)
	switch {
	case isNotFound(err) && !j.first:
		return false, nil
	case isNotFound(err):
		found, err = newDelivery(tx, &hook, j)
	}
	if err != nil {
		return false, err
	}
	if found.Attempt > j.delivery.Attempt && (j.eventGone || end.isLastOf(&found)) {
		return false, nil // by a transaction that was said to have failed
	}
	if err := tx.PutDelivery(updatedDelivery(found, j, end, now)); err != nil {
		return false, err
	}
	return d.recordHook(tx, hook, j, end, now)
}

// isLastOf reports whether a delivery has this attempt as its last one.
func (e *attemptResult) isLastOf(d *schedctl.Delivery) bool {
	return d.AttemptedAt.Equal(schedctl.Millis(e.startedAt)) && d.Duration == e.duration.Round(time.Millisecond) && d.HTTPStatus == e.status
}

// searchedDeliveries is how many of the youngest deliveries are looked at for one that
// another daemon has begun.
const searchedDeliveries = 100

// newDelivery returns the delivery that a first try begins: a new one, unless another
// daemon took this one for dead and has told the event meanwhile.
func newDelivery(tx storage.Tx, hook *schedctl.Webhook, j *job) (schedctl.Delivery, error) {
	if hook.Cursor == j.hook.Cursor {
		return j.delivery, nil
	}
	later, err := laterCursor(tx, hook.Cursor, j.event.ID)
	if err != nil || later != hook.Cursor {
		return j.delivery, err
	}
	youngest, err := tx.Deliveries(hook.ID, "", searchedDeliveries)
	for _, d := range youngest {
		if d.EventID == j.event.ID {
			return d, err
		}
	}
	return j.delivery, err
}

// updatedDelivery returns a delivery as it is after a job. It is given as it is in the store
// now: when it was replayed meanwhile, that still counts.
func updatedDelivery(d schedctl.Delivery, j *job, end attemptResult, now time.Time) schedctl.Delivery {
	if j.eventGone {
		d.Status, d.NextAttemptAt, d.Error = schedctl.DeliveryFailed, time.Time{}, end.err
		return d
	}
	if d.Attempt > j.delivery.Attempt {
		return addConcurrentAttempt(d, end)
	}
	d.Attempt = j.delivery.Attempt + 1
	d.AttemptedAt, d.Duration = schedctl.Millis(end.startedAt), end.duration.Round(time.Millisecond)
	d.HTTPStatus, d.Response, d.Error = end.status, end.response, end.err
	if end.delivered() {
		d.Status, d.NextAttemptAt = schedctl.DeliveryDelivered, time.Time{}
		return d
	}
	if !d.NextAttemptAt.Equal(j.delivery.NextAttemptAt) {
		return d // replayed
	}
	wait, again := RetryAfter(d.Attempt - d.RetriesFrom)
	if !again {
		d.Status, d.NextAttemptAt = schedctl.DeliveryFailed, time.Time{}
		return d
	}
	d.Status, d.NextAttemptAt = schedctl.DeliveryPending, schedctl.Millis(now.Add(wait))
	return d
}

// addConcurrentAttempt returns a delivery with one attempt more, that was made while another
// daemon made one too. When it is tried again is what that one has said, unless
// this one has succeeded.
func addConcurrentAttempt(d schedctl.Delivery, end attemptResult) schedctl.Delivery {
	d.Attempt++
	if d.Status == schedctl.DeliveryDelivered && !end.delivered() {
		return d
	}
	if end.delivered() {
		d.Status, d.NextAttemptAt = schedctl.DeliveryDelivered, time.Time{}
	}
	d.AttemptedAt, d.Duration = schedctl.Millis(end.startedAt), end.duration.Round(time.Millisecond)
	d.HTTPStatus, d.Response, d.Error = end.status, end.response, end.err
	return d
}

// recordHook changes nothing of a webhook but its cursor and what tells that it
// fails, for its owner may have changed the rest.
func (d *Dispatcher) recordHook(tx storage.Tx, hook schedctl.Webhook, j *job, end attemptResult, now time.Time) (disabled bool, err error) {
	changed := false
	if j.first {
		told := j.event.ID
		if hook.Cursor != j.hook.Cursor { // moved meanwhile, and perhaps past the event
			if told, err = laterCursor(tx, hook.Cursor, told); err != nil {
				return false, err
			}
		}
		hook.Cursor, changed = told, told != hook.Cursor
	}
	switch {
	case j.eventGone:
	case end.delivered():
		changed = changed || !hook.FailingSince.IsZero()
		hook.FailingSince = time.Time{}
	case !hook.Enabled, !hook.UpdatedAt.Equal(j.hook.UpdatedAt):
		// The failure is that of a webhook as it was before.
	case hook.FailingSince.IsZero(), hook.FailingSince.After(now): // by a clock that was set back since
		hook.FailingSince, changed = schedctl.Millis(now), true
	case d.cfg.Clock.Age(hook.FailingSince, now) >= disableAfter:
		hook, disabled, changed = disable(hook, end, now), true, true
		if err := tx.AddEvents(schedctl.WebhookDisabledEvent(hook, now)); err != nil {
			return false, err
		}
	}
	if !changed {
		return false, nil
	}
	return disabled, tx.PutWebhook(hook)
}

func disable(hook schedctl.Webhook, end attemptResult, now time.Time) schedctl.Webhook {
	hook.Enabled, hook.UpdatedAt = false, schedctl.Millis(now)
	hook.DisabledReason = fmt.Sprintf("every delivery since %s has failed; the last time %s",
		hook.FailingSince.UTC().Format(time.RFC3339), end.reason())
	return hook
}
