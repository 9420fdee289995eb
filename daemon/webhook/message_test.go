package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// message is one that a courier was asked to send.
type message struct {
	at   time.Time
	hook string
	len  int
	last string
}

// courier records messages and sends none.
type courier struct {
	mu   sync.Mutex // mu guards what follows
	sent []message
	send func(context.Context) error // nil to succeed
}

func (c *courier) Notify(ctx context.Context, hook schedctl.Webhook, about notify.Digest) error {
	c.mu.Lock()
	c.sent = append(c.sent, message{time.Now(), hook.ID, about.Len(), about.Last})
	send := c.send
	c.mu.Unlock()
	if send != nil {
		return send(ctx)
	}
	return nil
}

// fromNow lets messages end in another way.
func (c *courier) fromNow(send func(context.Context) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send = send
}

func (c *courier) all() []message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sent)
}

// lens returns how many events each message was about.
func (c *courier) lens() (lens []int) {
	for _, m := range c.all() {
		lens = append(lens, m.len)
	}
	return lens
}

var errUnsent = errors.New("the mail server refused the connection")

func unsent(context.Context) error { return errUnsent }

// stuck ends with its context, as a message does whose server does not respond.
func stuck(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// notification stores an enabled notification that reports failed posts and what
// else is named, from now on.
func (r *rig) notification(also ...schedctl.EventType) (w schedctl.Webhook) {
	r.Helper()
	r.update(func(tx storage.Tx) (err error) {
		now := schedctl.Millis(time.Now())
		w = schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: r.workspace, Enabled: true,
			EventTypes: append([]schedctl.EventType{schedctl.EventPostFailed}, also...), CreatedAt: now, UpdatedAt: now,
			Notify: &schedctl.Notify{AccountID: schedctl.NewID(schedctl.AccountPrefix, now)},
		}
		if w.Cursor, err = tx.OutboxEnd(); err != nil {
			return err
		}
		return tx.PutWebhook(w)
	})
	return w
}

// fail emits n failed posts.
func (r *rig) fail(n int) []string {
	r.Helper()
	return r.emit(slices.Repeat([]schedctl.EventType{schedctl.EventPostFailed}, n)...)
}

func (r *rig) wantLens(want ...int) {
	r.Helper()
	if diff := cmp.Diff(want, r.courier.lens()); diff != "" {
		r.Errorf("events of each message (-want +got):\n%s", diff)
	}
}

// wantSpaced guards that messages never start less than a minute apart.
func (r *rig) wantSpaced() {
	r.Helper()
	last := map[string]time.Time{}
	for _, m := range r.courier.all() {
		if before, ok := last[m.hook]; ok && m.at.Sub(before) < webhook.MessageInterval-time.Millisecond {
			r.Errorf("two messages of %s are %s apart", m.hook, m.at.Sub(before))
		}
		last[m.hook] = m.at
	}
}

func TestFailureIsReportedAtOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.notification()
		r.start()
		after(time.Second)
		r.publish(150) // more than a batch, and unwanted
		want := r.fail(1)[0]
		r.publish(150)
		after(time.Second)
		r.wantLens(1)
		now := r.readHook(w)
		if now.Cursor != want || now.Notify.SentAt.IsZero() || !now.FailingSince.IsZero() || now.Notify.LastError != "" {
			t.Errorf("stored: %+v, %+v, want the cursor %s", now, now.Notify, want)
		}
		if len(r.deliveries(w)) != 0 {
			t.Error("there are deliveries")
		}
	})
}

func TestStormIsSummarized(t *testing.T) {
	bubble(t, func(r *rig) {
		r.notification()
		hook := r.hook("a.example", schedctl.EventPostFailed)
		r.start()
		total := 0
		for range 500 {
			total += len(r.fail(1))
			after(200 * time.Millisecond)
		}
		after(5 * time.Minute)
		if lens := r.courier.lens(); len(lens) > 3 || lens[0] != 1 {
			t.Errorf("messages about %v events for a storm of 100 seconds", lens)
		}
		sum := 0
		for _, n := range r.courier.lens() {
			sum += n
		}
		if sum != total {
			t.Errorf("messages are about %d events, want %d", sum, total)
		}
		r.wantSpaced()
		if n := len(r.deliveries(hook)); n != total {
			t.Errorf("the webhook has %d deliveries, want %d", n, total)
		}
	})
}

func TestFailedMessageIsTriedAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.notification()
		r.courier.fromNow(unsent)
		r.start()
		r.fail(3)
		after(time.Second)
		if now := r.readHook(w); now.FailingSince.IsZero() || now.Notify.LastError != errUnsent.Error() || now.Notify.Failures != 1 || now.Cursor != w.Cursor {
			t.Errorf("stored: %+v, %+v", now, now.Notify)
		}
		r.fail(2)
		after(24 * time.Hour)
		all := r.courier.all()
		var pauses []time.Duration
		for i := range all[1:] {
			pauses = append(pauses, all[i+1].at.Sub(all[i].at).Round(time.Minute))
		}
		want := []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour}
		if diff := cmp.Diff(want, pauses[:len(want)]); diff != "" || len(all) > 30 {
			t.Errorf("%d messages in a day, first pauses (-want +got):\n%s", len(all), diff)
		}
		r.courier.fromNow(nil)
		last := r.fail(1)[0]
		after(time.Hour + time.Minute)
		if m := r.courier.all(); m[len(m)-1].len != 6 {
			t.Errorf("the message after the outage is about %d events, want 6", m[len(m)-1].len)
		}
		if now := r.readHook(w); !now.FailingSince.IsZero() || now.Notify.LastError != "" || now.Notify.Failures != 0 || now.Cursor != last {
			t.Errorf("stored: %+v, %+v", now, now.Notify)
		}
	})
}

// The account of a notification cannot report its own refusal, so there is nothing
// to try again for ever; another notification reports it.
func TestNotificationDoesNotReportItsOwnAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		mine := r.notification(schedctl.EventAccountError)
		other := r.notification(schedctl.EventAccountError)
		r.courier.fromNow(unsent)
		r.start()
		r.update(func(tx storage.Tx) error {
			now := schedctl.Millis(time.Now())
			return tx.AddEvents(schedctl.AccountErrorEvent(schedctl.Account{ID: mine.Notify.AccountID, WorkspaceID: r.workspace, Platform: "slack"}, now))
		})
		after(time.Minute / 2)
		for _, m := range r.courier.all() {
			if m.hook != other.ID {
				t.Error("an account reports that it was refused")
			}
		}
		r.wantLens(1)
		if n := len(r.events(schedctl.EventAccountError)); n != 1 {
			t.Errorf("%d events of accounts, want one: a failed message makes none", n)
		}
	})
}

func TestRestartInTheMiddleOfAMessage(t *testing.T) {
	bubble(t, func(r *rig) {
		r.notification()
		r.courier.fromNow(stuck)
		r.fail(2)
		for range 10 { // a daemon that is restarted again and again
			r.start()
			after(2 * time.Second)
			r.stop()
		}
		r.wantLens(2)
		r.courier.fromNow(nil)
		r.start()
		r.fail(1)
		after(2 * time.Minute)
		r.wantLens(2, 3)
		r.wantSpaced()
		r.stop()
		r.start()
		after(time.Hour)
		r.wantLens(2, 3)
	})
}

func TestDisabledNotification(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.notification()
		r.courier.fromNow(unsent)
		r.start()
		r.fail(5)
		after(time.Second)
		r.edit(w, func(w *schedctl.Webhook) { w.Enabled = false })
		r.fail(5)
		after(time.Hour)
		r.wantLens(5)
		r.courier.fromNow(nil)
		r.enable(w)
		after(time.Hour)
		r.wantLens(5)
		r.fail(1)
		after(2 * time.Minute)
		r.wantLens(5, 1)
		r.update(func(tx storage.Tx) error { return tx.DeleteWebhook(w.WorkspaceID, w.ID) })
		r.fail(1)
		after(time.Hour)
		r.wantLens(5, 1)
	})
}

// A change of what is wanted applies to what was not sent yet.
func TestEditedNotificationForgetsWhatItNoLongerWants(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.notification(schedctl.EventPostUnconfirmed)
		r.courier.fromNow(unsent)
		r.start()
		r.emit(schedctl.EventPostFailed, schedctl.EventPostUnconfirmed, schedctl.EventPostFailed)
		after(time.Second)
		r.courier.fromNow(nil)
		r.edit(w, func(w *schedctl.Webhook) { w.EventTypes = []schedctl.EventType{schedctl.EventPostUnconfirmed} })
		after(2 * time.Minute)
		r.wantLens(3, 1)
	})
}

// A clock that was ahead when a message was sent does not hold up the next one.
func TestNotificationAfterAClockWasSetBack(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.notification()
		r.update(func(tx storage.Tx) error {
			w.Notify.NotBefore = schedctl.Millis(time.Now().Add(365 * 24 * time.Hour))
			return tx.PutWebhook(w)
		})
		r.start()
		r.fail(1)
		after(time.Second)
		r.wantLens(1)
	})
}

func TestNotificationOnAStoreThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		faulty := storagetest.NewFaulty(storagetest.NewMemory())
		r := newRig(t, faulty)
		defer r.stop()
		r.notification()
		r.start()
		faulty.FailViews(3)
		for _, moment := range []storagetest.FailurePoint{storagetest.BeforeFn, storagetest.BeforeDisk, storagetest.AfterCommit} {
			faulty.FailUpdates(2, moment)
		}
		r.fail(7)
		after(10 * time.Minute)
		r.wantLens(7)
	})
}

// Every event that a notification wants is in a message, whatever fails and stops,
// and no two messages are less than a minute apart.
func TestNotificationsModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 1))
				r := newRig(t, storagetest.NewMemory())
				defer r.stop()
				r.notification()
				r.start()
				last := ""
				for range 200 {
					switch rng.IntN(6) {
					case 0, 1:
						ids := r.fail(1 + rng.IntN(5))
						last = ids[len(ids)-1]
					case 2:
						r.publish(1 + rng.IntN(130))
					case 3:
						r.courier.fromNow([]func(context.Context) error{nil, unsent, stuck}[rng.IntN(3)])
					case 4:
						r.stop()
						r.start()
					}
					after(time.Duration(rng.IntN(60_000)) * time.Millisecond)
				}
				r.courier.fromNow(nil)
				r.stop()
				r.start()
				after(2 * time.Hour)
				r.wantSpaced()
				all := r.courier.all()
				if last != "" && all[len(all)-1].last != last {
					t.Errorf("the last message ends with %s, want %s", all[len(all)-1].last, last)
				}
				n := len(all)
				after(24 * time.Hour)
				if len(r.courier.all()) != n {
					t.Error("messages continue without events")
				}
			})
		})
	}
}

func TestOneOfSeveralDaemonsSendsAMessage(t *testing.T) {
	inFleet(t, 3, func(f *fleet) {
		var all []schedctl.Webhook
		for range 6 {
			all = append(all, f.notification())
		}
		after(time.Second)
		for range 5 {
			f.fail(20)
			after(100 * time.Millisecond)
		}
		after(10 * time.Minute)
		f.wantSpaced()
		events := map[string]int{}
		for _, m := range f.courier.all() {
			events[m.hook] += m.len
		}
		for _, w := range all {
			if events[w.ID] != 100 {
				t.Errorf("messages of %s are about %d events, want 100", w.ID, events[w.ID])
			}
		}
	})
}

// A daemon that dies while it sends a message leaves it to another one, which does
// not send it at once.
func TestMessageOfADeadDaemonIsSentByAnother(t *testing.T) {
	inFleet(t, 2, func(f *fleet) {
		w := f.notification()
		after(time.Second)
		f.courier.fromNow(stuck)
		f.fail(3)
		after(time.Second)
		f.wantLens(3)
		f.courier.fromNow(nil)
		dead := f.holder(w)
		f.change(func() { dead.alive, dead.sure = false, false })
		after(30 * time.Second)
		f.wantLens(3)
		after(2 * time.Minute)
		f.wantLens(3, 3)
		f.wantSpaced()
	})
}

// TestNotificationsOnEngines sends messages on the engines that daemons use, with a
// restart in the middle.
func TestNotificationsOnEngines(t *testing.T) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "schedctl.db")
		store, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, store)
		defer func() { r.stop(); r.store.Close() }()
		r.start()
		testOnEngine(t, r, func() {
			r.stop()
			if err := r.store.Close(); err != nil {
				t.Fatal(err)
			}
			if r.store, err = bolt.Open(path, bolt.Options{}); err != nil {
				t.Fatal(err)
			}
			r.store.Notify(r.committed)
			r.start()
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f := newPostgresFleet(t)
		defer f.stopAll()
		testOnEngine(t, f.rig, func() {
			f.end(f.holder(f.onlyNotification()))
			f.join()
		})
	})
}

func (r *rig) onlyNotification() (w schedctl.Webhook) {
	r.Helper()
	r.view(func(reader storage.Reader) error {
		all, err := reader.Webhooks(r.workspace)
		w = all[0]
		return err
	})
	return w
}

// testOnEngine uses the real clock: instead of a minute it waits until the stored
// time of the next message is moved.
func testOnEngine(t *testing.T, r *rig, restart func()) {
	w := r.notification()
	r.fail(1)
	r.waitMessages(1)
	ids := r.fail(250)
	restart()
	time.Sleep(300 * time.Millisecond)
	r.wantLens(1) // the minute outlasts the restart
	r.update(func(tx storage.Tx) error {
		now, err := tx.Webhook(w.WorkspaceID, w.ID)
		if err != nil {
			return err
		}
		now.Notify.NotBefore = now.Notify.NotBefore.Add(-time.Hour)
		return tx.PutWebhook(now)
	})
	r.waitMessages(2)
	r.wantLens(1, 250)
	if m := r.courier.all(); m[1].last != ids[249] {
		t.Errorf("the message ends with %s, want %s", m[1].last, ids[249])
	}
}

// waitMessages waits until so many messages were sent, and the last was recorded.
func (r *rig) waitMessages(n int) {
	r.Helper()
	for deadline := time.Now().Add(testsize.Patience); ; time.Sleep(10 * time.Millisecond) {
		all := r.courier.all()
		if len(all) >= n && r.onlyNotification().Cursor == all[n-1].last {
			return
		}
		if time.Now().After(deadline) {
			r.Fatalf("%d messages, want %d:\n%s", len(all), n, r.logs.String())
		}
	}
}

func TestBacklogCountsNotifications(t *testing.T) {
	bubble(t, func(r *rig) {
		r.notification()
		r.courier.fromNow(unsent)
		x := r.start()
		r.fail(4)
		after(time.Second)
		if n, err := x.Backlog(t.Context()); n != 4 || err != nil {
			t.Errorf("the backlog is %d, %v, want 4", n, err)
		}
		if strings.Contains(r.logs.String(), "level=ERROR") {
			t.Error(r.logs.String())
		}
	})
}
