package webhook_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestAnEventIsTold(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.start()
		synctest.Wait()
		began := schedctl.Millis(time.Now())
		id := r.publish(1)[0]
		synctest.Wait()

		calls := r.endpoints.at("a.example").all()
		if len(calls) != 1 {
			t.Fatalf("%d calls, want 1", len(calls))
		}
		var event schedctl.Event
		r.view(func(reader storage.Reader) (err error) {
			event, err = reader.Event(id)
			return err
		})
		want, _ := json.Marshal(apiv1.NewEvent(event))
		if diff := cmp.Diff(string(want), calls[0].body); diff != "" {
			t.Errorf("body (-want +got):\n%s", diff)
		}
		for name, want := range map[string]string{
			"webhook-id": id, "webhook-timestamp": strconv.FormatInt(began.Unix(), 10),
			"Content-Type": "application/json", "User-Agent": "schedctl/test",
		} {
			if got := calls[0].header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		got := r.delivery(w)
		if diff := cmp.Diff(schedctl.Delivery{
			ID: got.ID, WebhookID: w.ID, EventID: id, EventType: schedctl.EventPostPublished, Status: schedctl.DeliveryDelivered,
			Attempt: 1, HTTPStatus: 204, CreatedAt: began, AttemptedAt: began,
		}, got); diff != "" {
			t.Errorf("delivery (-want +got):\n%s", diff)
		}
		if hook := r.readHook(w); hook.Cursor != id || !hook.FailingSince.IsZero() {
			t.Errorf("webhook %+v", hook)
		}
		if diff := cmp.Diff([]webhook.Attempt{{Outcome: webhook.Delivered}}, r.attempts); diff != "" {
			t.Errorf("observed (-want +got):\n%s", diff)
		}
	})
}

// A webhook receives exactly the wanted events of its workspace, in order, once each.
func TestFirstTriesAreInOrder(t *testing.T) {
	bubble(t, func(r *rig) {
		foreign := newWorkspaceID()
		r.putWorkspace(foreign)
		r.publish(3) // before there is a webhook
		r.hook("a.example", schedctl.EventPostCanceled)
		r.hookIn(foreign, "foreign.example")
		r.start()
		var want, theirs []string
		for i := range 400 {
			typ := []schedctl.EventType{schedctl.EventPostPublished, schedctl.EventPostCreated, schedctl.EventPostCanceled, schedctl.EventWebhookTest}[i%4]
			if ids := r.emit(typ); i%2 == 0 {
				want = append(want, ids...)
			}
			theirs = append(theirs, r.emitIn(foreign, schedctl.EventPostPublished)...)
			if i%50 == 0 {
				synctest.Wait() // else many commits are seen at once
			}
		}
		synctest.Wait()
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(theirs, r.endpoints.at("foreign.example").eventIDs()); diff != "" {
			t.Errorf("the other workspace received (-want +got):\n%s", diff)
		}
	})
}

func TestFirstTriesAreMadeOneAtATime(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").fromNow(slow(time.Second, status(200)))
		r.start()
		r.publish(5)
		after(time.Minute)
		calls := r.endpoints.at("a.example").all()
		for i := 1; i < len(calls); i++ {
			if gap := calls[i].at.Sub(calls[i-1].at); gap < time.Second {
				t.Errorf("call %d started %v after the one before", i, gap)
			}
		}
		if len(calls) != 5 {
			t.Errorf("%d calls, want 5", len(calls))
		}
	})
}

func TestAFailedEventHoldsUpNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		ids := r.publish(3)
		after(time.Second)
		if diff := cmp.Diff(ids, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("events within a second (-want +got):\n%s", diff)
		}
		after(15 * time.Second)
		if diff := cmp.Diff(append(slices.Clone(ids), ids[0]), r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		for _, d := range r.deliveries(w) {
			if d.Status != schedctl.DeliveryDelivered {
				t.Errorf("delivery %+v", d)
			}
		}
	})
}

// A slow retry does not delay new events.
func TestRetriesHaveALaneOfTheirOwn(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").then(status(500), hanging)
		r.start()
		r.publish(1)
		after(13 * time.Second) // the retry hangs
		began := time.Now()
		r.publish(1)
		synctest.Wait()
		calls := r.endpoints.at("a.example").all()
		if last := calls[len(calls)-1]; len(calls) != 3 || !last.at.Equal(began) {
			t.Errorf("%d calls, the last one %v after the event", len(calls), last.at.Sub(began))
		}
	})
}

// Calls of a failing endpoint are spaced.
func TestFirstTriesOfAFailingEndpointAreSpaced(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").fromNow(refused)
		r.start()
		ids := r.publish(12)
		after(time.Minute)
		var gaps []time.Duration
		var last time.Time
		for _, id := range ids {
			calls := r.endpoints.at("a.example").all()
			i := slices.IndexFunc(calls, func(c call) bool { return c.event() == id })
			if i < 0 {
				t.Fatalf("event %s was not sent", id)
			}
			if !last.IsZero() {
				gaps = append(gaps, calls[i].at.Sub(last))
			}
			last = calls[i].at
		}
		want := []time.Duration{1e8, 2e8, 4e8, 8e8, 16e8, 32e8, 64e8, 1e10, 1e10, 1e10, 1e10}
		if diff := cmp.Diff(want, gaps); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
	})
}

func TestStatusesThatAreASuccess(t *testing.T) {
	bubble(t, func(r *rig) {
		hooks := map[int]schedctl.Webhook{}
		for _, code := range []int{200, 201, 202, 204, 299, 300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503} {
			host := strconv.Itoa(code) + ".example"
			r.endpoints.at(host).fromNow(status(code))
			hooks[code] = r.hook(host)
		}
		r.start()
		r.publish(1)
		synctest.Wait()
		for code, w := range hooks {
			want := schedctl.DeliveryPending
			if code < 300 {
				want = schedctl.DeliveryDelivered
			}
			if d := r.delivery(w); d.HTTPStatus != code || d.Status != want || d.Error != "" || d.Attempt != 1 {
				t.Errorf("HTTP %d: %+v", code, d)
			}
		}
		if calls := r.endpoints.at("elsewhere.example").all(); len(calls) > 0 {
			t.Errorf("%d redirects were followed", len(calls))
		}
	})
}

func TestAnswersThatDoNotCome(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(hanging)
		r.start()
		r.publish(1)
		after(9 * time.Second)
		if got := r.deliveries(w); len(got) > 0 {
			t.Errorf("given up after 9 s: %+v", got)
		}
		after(2 * time.Second)
		d := r.delivery(w)
		if d.HTTPStatus != 0 || d.Duration != 10*time.Second || !strings.Contains(d.Error, "a.example did not respond in time") {
			t.Errorf("delivery %+v", d)
		}
		if diff := cmp.Diff([]webhook.Attempt{{Outcome: webhook.Failed, Took: 10 * time.Second}}, r.attempts); diff != "" {
			t.Errorf("observed (-want +got):\n%s", diff)
		}
	})
}

// Webhooks can be created and changed while the dispatcher runs.
func TestWebhooksComeAndChange(t *testing.T) {
	bubble(t, func(r *rig) {
		r.start()
		synctest.Wait()
		r.publish(2)
		w := r.hook("a.example")
		want := r.publish(1)
		synctest.Wait()
		r.emit(schedctl.EventPostCreated)
		synctest.Wait()
		r.edit(w, func(w *schedctl.Webhook) { w.EventTypes = []schedctl.EventType{schedctl.EventPostCreated} })
		r.publish(1)
		want = append(want, r.emit(schedctl.EventPostCreated)...)
		synctest.Wait()
		r.edit(w, func(w *schedctl.Webhook) { w.URL = "https://b.example/hook" })
		moved := r.emit(schedctl.EventPostCreated)
		synctest.Wait()
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(moved, r.endpoints.at("b.example").eventIDs()); diff != "" {
			t.Errorf("events at the new URL (-want +got):\n%s", diff)
		}
		r.update(func(tx storage.Tx) error { return tx.DeleteWebhook(w.WorkspaceID, w.ID) })
		r.emit(schedctl.EventPostCreated)
		after(time.Hour)
		if n := len(r.endpoints.at("b.example").all()); n != 1 {
			t.Errorf("%d calls, want none after it was deleted", n-1)
		}
	})
}

// meddling is a store that runs a function right before the next read.
type meddling struct {
	storage.Store
	before func() // nil for nothing
}

func (s *meddling) View(ctx context.Context, fn func(storage.Reader) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.View(ctx, fn)
}

// An event after a change of the event types is sent, even if the dispatcher is about to
// read new events at that moment.
func TestAnEditCountsForTheNextEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &meddling{Store: storagetest.NewMemory()}
		r := newRig(t, store)
		w := r.hook("a.example")
		r.start()
		defer r.stop()
		synctest.Wait()
		var want []string
		store.before = func() {
			r.edit(w, func(w *schedctl.Webhook) { w.EventTypes = []schedctl.EventType{schedctl.EventPostCreated} })
			want = r.emit(schedctl.EventPostCreated)
		}
		r.emit(schedctl.EventPostCanceled)
		synctest.Wait()
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" || len(want) == 0 {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

// Events that a webhook did not want stay unsent after a restart, even if it wants their
// type by then.
func TestAnEditReachesNotBack(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.start()
		r.emit(schedctl.EventPostCreated, schedctl.EventPostCreated)
		synctest.Wait()
		r.edit(w, func(w *schedctl.Webhook) { w.EventTypes = append(w.EventTypes, schedctl.EventPostCreated) })
		synctest.Wait()
		r.stop()
		r.start()
		want := r.emit(schedctl.EventPostCreated)
		synctest.Wait()
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

// The cursor of a webhook that wants none of many events is stored, so that a start does
// not read all of them again.
func TestCursorsOfIdleWebhooksAreSaved(t *testing.T) {
	bubble(t, func(r *rig) {
		w, off := r.hook("a.example"), r.hook("off.example")
		r.edit(off, func(w *schedctl.Webhook) { w.Enabled = false })
		r.start()
		synctest.Wait()
		ids := r.emit(slices.Repeat([]schedctl.EventType{schedctl.EventPostCreated}, 999)...)
		synctest.Wait()
		if got := r.readHook(w).Cursor; got != w.Cursor {
			t.Errorf("saved after %d events", len(ids))
		}
		ids = r.emit(slices.Repeat([]schedctl.EventType{schedctl.EventPostCreated}, 10)...)
		synctest.Wait()
		if got := r.readHook(w).Cursor; got != ids[len(ids)-1] {
			t.Errorf("cursor %s, want %s", got, ids[len(ids)-1])
		}
		if got := r.readHook(off).Cursor; got != off.Cursor {
			t.Errorf("the cursor of a disabled webhook moved to %s", got)
		}
		if n := len(r.endpoints.at("a.example").all()); n > 0 {
			t.Errorf("%d calls", n)
		}
	})
}

func TestTicks(t *testing.T) {
	bubble(t, func(r *rig) {
		r.hook("a.example")
		r.endpoints.at("a.example").fromNow(hanging)
		x := r.start()
		r.publish(1)
		for range 100 {
			after(7 * time.Second)
			if age := time.Since(x.LastTick()); age > 30*time.Second {
				t.Fatalf("the last tick was %v ago", age)
			}
		}
		if !webhook.New(webhook.Config{}).LastTick().IsZero() {
			t.Error("ticked before Run")
		}
	})
}

// An idle dispatcher reads rarely and does not write.
func TestIdleWebhooksCostNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		for range 50 {
			r.hook("a.example")
		}
		r.start()
		r.publish(1)
		synctest.Wait()
		before := r.commits
		after(24 * time.Hour)
		if r.commits != before {
			t.Errorf("%d commits in an idle day", r.commits-before)
		}
		if n := len(r.endpoints.at("a.example").all()); n != 50 {
			t.Errorf("%d calls, want 50", n)
		}
	})
}

// noEvents is a store that fails the test when events are read from it.
type noEvents struct {
	storage.Store
	t *testing.T
}

func (s noEvents) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error { return fn(noEventsReader{r, s.t}) })
}

type noEventsReader struct {
	storage.Reader
	t *testing.T
}

func (r noEventsReader) Events(after string, limit int) ([]schedctl.Event, error) {
	r.t.Errorf("events after %q were read for no webhook", after)
	return r.Reader.Events(after, limit)
}

// Without a webhook, events are skipped without reading them.
func TestNoWebhookCostsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, noEvents{storagetest.NewMemory(), t})
		r.start()
		defer r.stop()
		r.publish(3)
		after(time.Minute)
		r.publish(3)
		after(time.Minute)
	})
}

func TestBacklog(t *testing.T) {
	bubble(t, func(r *rig) {
		dead, off := r.hook("dead.example"), r.hook("off.example")
		r.hook("fine.example")
		r.endpoints.at("dead.example").fromNow(hanging)
		x := r.start()
		backlog := func() int {
			n, err := x.Backlog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		r.edit(off, func(w *schedctl.Webhook) { w.Enabled = false })
		synctest.Wait()
		r.publish(250)
		r.emit(schedctl.EventPostCreated)
		synctest.Wait()
		if got := backlog(); got != 250 {
			t.Errorf("backlog %d, want 250", got)
		}
		after(11 * time.Second) // one try has failed, and its delivery is pending
		if got := backlog(); got != 250 {
			t.Errorf("backlog %d with one pending, want 250", got)
		}
		r.edit(dead, func(w *schedctl.Webhook) { w.Enabled = false })
		synctest.Wait()
		if got := backlog(); got != 0 {
			t.Errorf("backlog %d of disabled webhooks", got)
		}
	})
}

// The URL may be a secret.
func TestLogsHoldNoSecrets(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.edit(w, func(w *schedctl.Webhook) { w.URL = "https://a.example/k3y-in-the-path" })
		r.endpoints.at("a.example").then(refused, status(http.StatusInternalServerError))
		r.start()
		r.publish(3)
		after(time.Minute)
		if logs := r.logs.String(); strings.Contains(logs, "k3y") || strings.Contains(logs, "whsec") || !strings.Contains(logs, w.ID) {
			t.Errorf("logs:\n%s", logs)
		}
		for _, d := range r.deliveries(w) {
			if strings.Contains(d.Error, "k3y") {
				t.Errorf("the delivery says %q", d.Error)
			}
		}
	})
}
