package webhook

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// firstAttempts finds the events to send to a webhook, in outbox order.
type firstAttempts struct {
	*worker
	hook  schedctl.Webhook // as last read
	batch []schedctl.Event // read events, neither sent nor skipped; the first one may have been sent
	after string           // the cursor before batch
	last  bool             // batch reached the end of the outbox
	wakes int              // position.wakes when batch was read
}

func newFirstAttempts(w *worker) *lane {
	f := &firstAttempts{worker: w}
	l := &lane{
		worker: w, kind: "events", wake: w.newEvents, next: f.next, slowest: 10 * time.Second,
		pause: w.newBackoff(),
	}
	if w.mode.shared { // transactions of a shared store take several round trips
		l.following = f.following
	}
	return l
}

// following returns a job for the next wanted event of the batch, for the webhook as
// read with the last job. Without one it returns nil and does not change the batch.
func (f *firstAttempts) following() *job {
	for i := 1; i < len(f.batch); i++ {
		if e := f.batch[i]; f.hook.Wants(&e) {
			f.after, f.batch = f.batch[i-1].ID, f.batch[i:]
			return f.job(f.hook, e)
		}
	}
	return nil
}

// next returns a job for the first wanted event after the cursor. It examines one batch
// at a time, to keep transactions short.
func (f *firstAttempts) next(r storage.Reader, at outboxPosition) (*job, time.Time, error) {
	if !at.behind {
		f.batch = nil
		return nil, time.Time{}, nil
	}
	hook, err := r.Webhook(f.workspace, f.id)
	if isNotFound(err) || (err == nil && !hook.Enabled) {
		f.batch = nil
		return nil, time.Time{}, nil // the watcher wakes the lane when that changes
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	f.hook = hook
	cursor, err := laterCursor(r, at.cursor, hook.Cursor)
	if err != nil {
		return nil, time.Time{}, err
	}
	if err := f.read(r, cursor, at.wakes); err != nil {
		return nil, time.Time{}, err
	}
	for ; len(f.batch) > 0; f.batch = f.batch[1:] {
		e := f.batch[0]
		if hook.Wants(&e) {
			return f.job(hook, e), time.Time{}, nil
		}
		f.after = e.ID
		f.advance(e.ID)
	}
	if f.last {
		f.caughtUp(f.wakes)
	}
	return nil, time.Now(), nil
}

// read reads the next batch, unless the rest of the last batch follows the cursor.
func (f *firstAttempts) read(r storage.Reader, cursor string, wakes int) (err error) {
	if len(f.batch) > 0 && f.batch[0].ID == cursor {
		f.after, f.batch = cursor, f.batch[1:]
	}
	if len(f.batch) > 0 && f.after == cursor {
		return nil
	}
	if f.last && f.after == cursor && f.wakes == wakes {
		return nil // the end of the outbox
	}
	if f.batch, err = r.Events(cursor, batchSize); err != nil {
		return err
	}
	f.after, f.last, f.wakes = cursor, len(f.batch) < batchSize, wakes
	return nil
}

func (f *firstAttempts) job(hook schedctl.Webhook, e schedctl.Event) *job {
	now := time.Now()
	return &job{hook: hook, event: e, first: true, delivery: schedctl.Delivery{
		ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: hook.ID,
		EventID: e.ID, EventType: e.Type, CreatedAt: schedctl.Millis(now),
	}}
}
