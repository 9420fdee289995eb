package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// disableAfter is how long a webhook may fail without a success before it is disabled.
const disableAfter = 3 * 24 * time.Hour

// finishedJob is a job with its result.
type finishedJob struct {
	*job
	result attemptResult
}

// record stores the results of jobs of one webhook in one transaction: the deliveries,
// the cursor and the health of the webhook. It is idempotent. It does not recreate
// deleted records and keeps concurrent changes.
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
			log.Warn("webhook disabled after three days of failures", "status", t.result.status)
		case t.result.delivered():
			log.Debug("delivered", "status", t.result.status)
		default:
			log.Debug("delivery failed", "status", t.result.status, "reason", t.result.err)
		}
	}
	return nil
}

// recordAll records jobs in order. It records the delivered ones of a group together.
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

// recordGroup records delivered first attempts. It records nothing and reports false if
// the cursor of the webhook has moved since the first job was read. Then the events may
// have been recorded before or sent by another node.
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
		return false, nil // recorded by a transaction that reported an error
	}
	if err := tx.PutDelivery(updatedDelivery(found, j, end, now)); err != nil {
		return false, err
	}
	return d.recordHook(tx, hook, j, end, now)
}

// isLastOf reports whether this attempt is the last recorded one of a delivery.
func (e *attemptResult) isLastOf(d *schedctl.Delivery) bool {
	return d.AttemptedAt.Equal(schedctl.Millis(e.startedAt)) && d.Duration == e.duration.Round(time.Millisecond) && d.HTTPStatus == e.status
}

// searchedDeliveries is how many of the newest deliveries are searched for one that
// another node created.
const searchedDeliveries = 100

// newDelivery returns the delivery of a first attempt. It is a new one, unless this node
// lost the webhook and the new holder has already sent the event.
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

// updatedDelivery returns a delivery with the result of a job. d is the delivery as now
// stored: if a user replayed it during the attempt, it stays pending.
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

// addConcurrentAttempt returns a delivery with an attempt that was made while another
// node made one too. The other attempt decides about retries, unless this one succeeded.
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

// recordHook updates only the cursor and the health of a webhook, because its owner may
// have changed the rest.
func (d *Dispatcher) recordHook(tx storage.Tx, hook schedctl.Webhook, j *job, end attemptResult, now time.Time) (disabled bool, err error) {
	changed := false
	if j.first {
		cursor := j.event.ID
		if hook.Cursor != j.hook.Cursor { // another node may have moved it past the event
			if cursor, err = laterCursor(tx, hook.Cursor, cursor); err != nil {
				return false, err
			}
		}
		hook.Cursor, changed = cursor, cursor != hook.Cursor
	}
	switch {
	case j.eventGone:
	case end.delivered():
		changed = changed || !hook.FailingSince.IsZero()
		hook.FailingSince = time.Time{}
	case !hook.Enabled, !hook.UpdatedAt.Equal(j.hook.UpdatedAt):
		// The failure is about former settings.
	case hook.FailingSince.IsZero(), hook.FailingSince.After(now): // a time in the future: the clock was set back since
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
