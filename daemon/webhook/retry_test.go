package webhook_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
)

var schedule = []time.Duration{
	10 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 4 * time.Hour, 12 * time.Hour,
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for i, want := range schedule {
		least, most := want, want
		for range 1000 {
			got, again := webhook.RetryAfter(i + 1)
			if off := got - want; !again || off.Abs() > want/10 {
				t.Fatalf("after %d failures: %v, %v; want %v", i+1, got, again, want)
			}
			least, most = min(least, got), max(most, got)
		}
		if least > want-want/12 || most < want+want/12 {
			t.Errorf("after %d failures: from %v to %v in a thousand", i+1, least, most)
		}
	}
	for _, n := range []int{9, 10, 1000} {
		if got, again := webhook.RetryAfter(n); again {
			t.Errorf("after %d failures: again in %v", n, got)
		}
	}
}

// wantSchedule checks the times of calls against the schedule of retries.
func wantSchedule(t testing.TB, calls []call) {
	t.Helper()
	if len(calls) != len(schedule)+1 {
		t.Fatalf("%d calls, want %d", len(calls), len(schedule)+1)
	}
	for i, want := range schedule {
		if gap := calls[i+1].at.Sub(calls[i].at); (gap - want).Abs() > want/10+time.Millisecond {
			t.Errorf("retry %d after %v, want %v", i+1, gap, want)
		}
	}
}

func TestTheScheduleOfOneEvent(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").fromNow(respond(503, "not now"))
		r.start()
		id := r.publish(1)[0]
		synctest.Wait()
		first := r.delivery(w)
		if first.Status != schedctl.DeliveryPending || first.Attempt != 1 || first.NextAttemptAt.IsZero() {
			t.Errorf("after the first try: %+v", first)
		}
		after(24 * time.Hour)
		calls := r.endpoints.at("a.example").all()
		wantSchedule(t, calls)
		for i, c := range calls {
			if c.event() != id || c.header.Get("webhook-timestamp") != strconv.FormatInt(c.at.Unix(), 10) || c.body != calls[0].body {
				t.Errorf("call %d at %v: %v %s", i, c.at, c.header, c.body)
			}
			if i > 0 && c.header.Get("webhook-signature") == calls[0].header.Get("webhook-signature") {
				t.Errorf("call %d has the signature of the first", i)
			}
		}
		last := calls[len(calls)-1].at
		want := schedctl.Delivery{
			ID: first.ID, WebhookID: w.ID, EventID: id, EventType: schedctl.EventPostPublished, Status: schedctl.DeliveryFailed,
			Attempt: 9, HTTPStatus: 503, Response: "not now", CreatedAt: first.CreatedAt, AttemptedAt: schedctl.Millis(last),
		}
		if diff := cmp.Diff(want, r.delivery(w)); diff != "" {
			t.Errorf("delivery (-want +got):\n%s", diff)
		}
	})
}

func TestARetryThatSucceedsIsTheLast(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(refused, hanging, respond(200, "thanks"))
		r.start()
		r.publish(1)
		after(time.Second)
		if r.readHook(w).FailingSince.IsZero() {
			t.Error("the webhook does not say that it fails")
		}
		after(24 * time.Hour)
		d := r.delivery(w)
		if d.Status != schedctl.DeliveryDelivered || d.Attempt != 3 || d.Response != "thanks" || d.Error != "" || !d.NextAttemptAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
		if n := len(r.endpoints.at("a.example").all()); n != 3 {
			t.Errorf("%d calls, want 3", n)
		}
		if since := r.readHook(w).FailingSince; !since.IsZero() {
			t.Errorf("failing since %v", since)
		}
	})
}

func TestAReplayHasAFreshSchedule(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").fromNow(status(500))
		r.start()
		id := r.publish(1)[0]
		after(24 * time.Hour)
		failed := r.delivery(w)
		r.replay(w, failed.ID)
		synctest.Wait()
		if d := r.delivery(w); d.Attempt != 10 || d.Status != schedctl.DeliveryPending {
			t.Errorf("replayed: %+v", d)
		}
		after(24 * time.Hour)
		calls := r.endpoints.at("a.example").all()
		wantSchedule(t, calls[9:])
		if d := r.delivery(w); d.Attempt != 18 || d.Status != schedctl.DeliveryFailed || d.RetriesFrom != 9 {
			t.Errorf("given up: %+v", d)
		}
		r.endpoints.at("a.example").fromNow(status(200))
		r.replay(w, failed.ID)
		synctest.Wait()
		r.replay(w, failed.ID) // an event that was delivered
		synctest.Wait()
		calls = r.endpoints.at("a.example").all()
		if d := r.delivery(w); len(calls) != 20 || calls[19].event() != id || d.Attempt != 20 || d.Status != schedctl.DeliveryDelivered {
			t.Errorf("%d calls, %+v", len(calls), d)
		}
	})
}

// Recording a failed call keeps a replay that was requested during the call.
func TestAReplayDuringACallCounts(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(refused, refused, refused, slow(5*time.Second, status(500)))
		r.start()
		r.publish(1)
		for r.endpoints.at("a.example").all(); len(r.endpoints.at("a.example").all()) < 4; {
			after(time.Second)
		}
		r.replay(w, r.delivery(w).ID)
		after(7 * time.Second)
		d := r.delivery(w)
		if n := len(r.endpoints.at("a.example").all()); n != 5 || d.Status != schedctl.DeliveryDelivered || d.Attempt != 5 || d.RetriesFrom != 3 {
			t.Errorf("%d calls, %+v", n, d)
		}
	})
}

// Many replays to a dead endpoint are spaced and do not delay a test.
func TestRetriesOfAFailingEndpointAreSpaced(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").fromNow(refused)
		r.update(func(tx storage.Tx) error {
			now := schedctl.Millis(time.Now())
			for range 500 {
				e := schedctl.Event{
					ID: schedctl.NewID(schedctl.EventPrefix, now), Type: schedctl.EventPostPublished, CreatedAt: now, WorkspaceID: r.workspace,
				}
				d := schedctl.Delivery{
					ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: w.ID, EventID: e.ID, EventType: e.Type,
					Status: schedctl.DeliveryPending, NextAttemptAt: now, CreatedAt: now,
				}
				if err := tx.AddEvents(e); err != nil {
					return err
				}
				if err := tx.PutDelivery(d); err != nil {
					return err
				}
			}
			w.Cursor = schedctl.NewID(schedctl.EventPrefix, now)
			return tx.PutWebhook(w)
		})
		r.start()
		after(time.Minute)
		calls := r.endpoints.at("a.example").all()
		if len(calls) < 55 || len(calls) > 65 {
			t.Errorf("%d calls in a minute, want about one a second", len(calls))
		}
		test := r.ping(w)
		after(time.Second)
		if received := r.endpoints.at("a.example").eventIDs()[len(calls):]; !slices.Contains(received, test) {
			t.Errorf("the test waits behind %d others", 500)
		}
	})
}

func TestAPrunedEventFailsInWords(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		r.publish(1)
		after(time.Second)
		r.update(func(tx storage.Tx) error {
			_, err := tx.Prune(storage.Retention{Events: time.Now().Add(time.Hour)}, 10)
			return err
		})
		after(time.Hour)
		d := r.delivery(w)
		if d.Status != schedctl.DeliveryFailed || d.Error != "the event is no longer stored" || d.Attempt != 1 || !d.NextAttemptAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
		want := r.publish(1)
		synctest.Wait()
		if received := r.endpoints.at("a.example").eventIDs(); !slices.Equal(received[1:], want) {
			t.Errorf("sent %v, want %v last", received, want)
		}
	})
}

// A retry that was scheduled by a clock years ahead does not wait for years.
func TestARetryOfAClockThatWasSetBack(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		r.publish(1)
		after(time.Second)
		r.stop()
		d := r.delivery(w)
		d.NextAttemptAt = d.NextAttemptAt.AddDate(10, 0, 0)
		r.update(func(tx storage.Tx) error { return tx.PutDelivery(d) })
		r.edit(w, func(w *schedctl.Webhook) { w.FailingSince = w.FailingSince.AddDate(10, 0, 0) })
		r.endpoints.at("a.example").then(status(500))
		r.start()
		after(time.Second)
		if d := r.delivery(w); d.Attempt != 2 {
			t.Errorf("delivery %+v, want a second attempt", d)
		}
		if got := r.readHook(w); got.FailingSince.After(time.Now()) {
			t.Errorf("it fails since %v", got.FailingSince)
		}
	})
}
