package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Notifier sends the messages of notifications.
type Notifier interface {
	// Notify sends one message. Error texts are for users and hold no secrets. After an
	// error, the message may have been sent anyway.
	Notify(ctx context.Context, hook schedctl.Webhook, about notify.Digest) error
}

// MessageInterval is the shortest time between two messages of a notification.
const MessageInterval = time.Minute

// messagePauses are the pauses after consecutive failed messages.
var messagePauses = [...]time.Duration{MessageInterval, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}

// messagePause returns how long a notification waits after so many failures, 1 or
// more.
func messagePause(failures int) time.Duration {
	return messagePauses[min(failures, len(messagePauses))-1]
}

// messages is the lane of a notification. It sends one message at a time.
type messages struct {
	*worker
	pause  backoff
	hook   schedctl.Webhook // as it was when digest was started
	digest notify.Digest    // the wanted events after the cursor that were read
	after  string           // the last event that was read for the digest
}

func newMessages(w *worker) *messages { return &messages{worker: w, pause: w.newBackoff()} }

// run sends messages until the context stop ends. A message that is being sent or
// recorded then may continue until the context work ends.
func (m *messages) run(stop, work context.Context) {
	for stop.Err() == nil {
		due, until, err := m.readDue(stop)
		if due {
			err = m.cfg.Store.Full()
		}
		if !m.pause.done(stop, "reading events for a notification", err) {
			continue
		}
		if !due {
			sleepUntil(stop, until, m.newEvents)
			continue
		}
		if !m.holdsStill() || !m.send(stop, work) {
			return
		}
	}
}

// readDue reads the events after the cursor, and reports whether a message is due. If
// not, it returns when one will be, or the zero time without an event to report.
func (m *messages) readDue(ctx context.Context) (due bool, until time.Time, err error) {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return false, until, err
		}
		at := m.currentPosition()
		more, err = storage.Read(ctx, m.cfg.Store.View, func(r storage.Reader) (bool, error) { return m.read(r, at) })
		if err != nil {
			return false, until, fmt.Errorf("read the events of notification %s: %w", m.id, err)
		}
	}
	if m.digest.Len() == 0 || m.cfg.Notifier == nil {
		return false, time.Time{}, nil
	}
	if tooEarly(&m.hook, time.Now()) {
		return false, m.hook.Notify.NotBefore, nil
	}
	return true, time.Time{}, nil
}

// tooEarly reports whether the next message has to wait. If it would wait longer than the
// longest pause, the clock was set back since, and it does not wait.
func tooEarly(hook *schedctl.Webhook, now time.Time) bool {
	wait := hook.Notify.NotBefore.Sub(now.Round(0))
	return wait > 0 && wait <= messagePauses[len(messagePauses)-1]
}

// read reads one batch of events into the digest, and reports whether there may be
// more. It starts again if the notification was changed since the last batch.
func (m *messages) read(r storage.Reader, at outboxPosition) (more bool, err error) {
	hook, err := r.Webhook(m.workspace, m.id)
	if isNotFound(err) || err == nil && (!hook.Enabled || hook.Notify == nil) {
		m.digest = notify.Digest{}
		return false, nil // the watcher reports when that changes
	}
	if err != nil {
		return false, err
	}
	if m.digest.Len() > 0 && !sameNotification(&hook, &m.hook) {
		m.digest = notify.Digest{}
	}
	m.hook = hook
	if !at.behind {
		return false, nil
	}
	if m.digest.Len() == 0 {
		if m.after, err = laterCursor(r, at.cursor, hook.Cursor); err != nil {
			return false, err
		}
	}
	events, err := r.Events(m.after, batchSize)
	if err != nil {
		return false, err
	}
	if err := m.addToDigest(r, events); err != nil {
		return false, err
	}
	more = len(events) == batchSize
	if !more && m.digest.Len() == 0 {
		m.caughtUp(at.wakes)
	}
	return more, nil
}

// addToDigest adds the wanted events to the digest. The cursor in memory stays before the
// first of them until they are sent.
func (m *messages) addToDigest(r storage.Reader, events []schedctl.Event) error {
	for i := range events {
		wanted, err := wants(r, &m.hook, &events[i])
		if err != nil {
			return err
		}
		if wanted {
			m.digest.Add(events[i])
		}
		m.after = events[i].ID
		if m.digest.Len() == 0 {
			m.advance(m.after)
		}
	}
	return nil
}

// sameNotification reports whether two copies have the same settings and cursor.
func sameNotification(a, b *schedctl.Webhook) bool {
	return a.UpdatedAt.Equal(b.UpdatedAt) && a.Cursor == b.Cursor && a.Enabled == b.Enabled
}

// send sends the message that is due and records the result. It reports false when work
// ended first.
func (m *messages) send(stop, work context.Context) bool {
	claimed := false
	err := m.cfg.Store.Update(work, func(tx storage.Tx) (err error) {
		claimed, err = m.claim(tx, time.Now())
		return err
	})
	if !m.pause.done(stop, "claiming a message", err) || !claimed {
		return work.Err() == nil
	}
	failure := m.cfg.Notifier.Notify(publish.WithGuard(work, m.holdsStill), m.hook, m.digest)
	if work.Err() != nil {
		return false // it is sent again, but not at once: see NotBefore
	}
	for !m.pause.done(work, "recording a message", m.record(work, failure)) {
		if work.Err() != nil {
			return false
		}
	}
	if failure == nil {
		m.advance(m.digest.Last)
		m.digest = notify.Digest{}
	}
	return true
}

// claim stores the earliest time of the message after this one. It reports false
// when the notification was changed, or another node has just sent a message.
func (m *messages) claim(tx storage.Tx, now time.Time) (bool, error) {
	hook, err := tx.Webhook(m.workspace, m.id)
	if isNotFound(err) {
		return false, nil
	}
	if err != nil || !sameNotification(&hook, &m.hook) || tooEarly(&hook, now) {
		return false, err
	}
	hook.Notify.NotBefore = schedctl.Millis(now.Add(MessageInterval))
	return true, tx.PutWebhook(hook)
}

// record stores the result of a message. It does not change the settings of the
// notification, because its owner may have changed them.
func (m *messages) record(ctx context.Context, failure error) error {
	now := time.Now()
	err := m.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		hook, err := tx.Webhook(m.workspace, m.id)
		if isNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if failure == nil {
			if hook.Cursor, err = laterCursor(tx, hook.Cursor, m.digest.Last); err != nil {
				return err
			}
			markSent(&hook, now)
		} else if hook.UpdatedAt.Equal(m.hook.UpdatedAt) { // else it is about former settings
			markFailed(&hook, failure, now)
		}
		return tx.PutWebhook(hook)
	})
	if err != nil {
		return fmt.Errorf("record a message of notification %s: %w", m.id, err)
	}
	log := m.log.With("notification", schedctl.NotificationID(m.id), "events", m.digest.Len())
	if failure != nil {
		log.Warn("notification failed, retrying later", "error", failure)
	} else {
		log.Debug("notification sent")
	}
	return nil
}

func markSent(hook *schedctl.Webhook, now time.Time) {
	hook.FailingSince, hook.Notify.Failures, hook.Notify.LastError = time.Time{}, 0, ""
	hook.Notify.SentAt = schedctl.Millis(now)
}

func markFailed(hook *schedctl.Webhook, failure error, now time.Time) {
	if hook.FailingSince.IsZero() || hook.FailingSince.After(now) {
		hook.FailingSince = schedctl.Millis(now)
	}
	n := hook.Notify
	n.Failures++
	n.LastError, n.NotBefore = failure.Error(), schedctl.Millis(now.Add(messagePause(n.Failures)))
}
