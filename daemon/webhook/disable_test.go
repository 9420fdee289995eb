package webhook_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/storage"
)

const days = 24 * time.Hour

// failFor lets one event happen each hour.
func failFor(r *rig, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		r.publish(1)
		after(time.Hour)
	}
}

func TestThreeDaysOfFailureDisable(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("dead.example")
		r.hook("other.example", schedctl.EventWebhookDisabled)
		r.endpoints.at("dead.example").fromNow(respond(500, "oh no"))
		r.start()
		synctest.Wait()
		began := time.Now()
		failFor(r, 3*days-time.Hour)
		if got := r.readHook(w); !got.Enabled || got.DisabledReason != "" || !got.FailingSince.Equal(began) {
			t.Fatalf("just before three days: %+v", got)
		}
		failFor(r, 2*time.Hour)
		got := r.readHook(w)
		want := "every delivery since 2000-01-01T00:00:00Z has failed; the last time the endpoint responded with HTTP status 500"
		if got.Enabled || got.DisabledReason != want || got.UpdatedAt.Before(began.Add(3*days)) {
			t.Errorf("after three days: %+v", got)
		}
		calls := len(r.endpoints.at("dead.example").all())
		failFor(r, days)
		if n := len(r.endpoints.at("dead.example").all()); n != calls {
			t.Errorf("%d calls after it was disabled", n-calls)
		}
		events := r.events(schedctl.EventWebhookDisabled)
		if len(events) != 1 || events[0].WebhookID != w.ID || events[0].WorkspaceID != r.workspace {
			t.Fatalf("events %+v", events)
		}
		if received := r.endpoints.at("other.example").eventIDs(); !slices.Contains(received, events[0].ID) {
			t.Error("the other webhook received nothing")
		}
	})
}

// Pending deliveries continue after a webhook is enabled; events in between are not sent.
func TestEnabledAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		before := r.publish(1)
		after(time.Second)
		r.edit(w, func(w *schedctl.Webhook) { w.Enabled = false })
		r.publish(3)
		after(time.Hour)
		if n := len(r.endpoints.at("a.example").all()); n != 1 {
			t.Errorf("%d calls of a disabled webhook", n-1)
		}
		r.enable(w)
		later := r.publish(2)
		synctest.Wait()
		received := r.endpoints.at("a.example").eventIDs()[1:]
		slices.Sort(received) // the retry has a lane of its own
		if diff := cmp.Diff(append(before, later...), received); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

// The same if the dispatcher sees only the last commit.
func TestDisabledAndEnabledDuringACall(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(slow(5*time.Second, status(200)))
		r.start()
		before := r.publish(3)
		synctest.Wait() // the first is under way, and the others wait for it
		r.edit(w, func(w *schedctl.Webhook) { w.Enabled = false })
		r.publish(1)
		r.enable(w)
		cursor := r.readHook(w).Cursor
		later := r.publish(1)
		after(time.Minute)
		if diff := cmp.Diff([]string{before[0], later[0]}, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if got := r.deliveries(w); len(got) != 2 || got[0].Status != schedctl.DeliveryDelivered {
			t.Errorf("deliveries %+v", got)
		}
		if got := r.readHook(w).Cursor; got < cursor {
			t.Errorf("the cursor went back to %s", got)
		}
	})
}

func TestASuccessInBetweenKeepsItEnabled(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.start()
		synctest.Wait()
		for range 3 {
			r.endpoints.at("a.example").fromNow(refused)
			r.publish(1)
			after(2 * days)
			if r.readHook(w).FailingSince.IsZero() {
				t.Error("the webhook does not say that it fails")
			}
			r.endpoints.at("a.example").fromNow(status(200))
			r.publish(1)
			after(time.Hour)
		}
		if got := r.readHook(w); !got.Enabled || !got.FailingSince.IsZero() {
			t.Errorf("webhook %+v", got)
		}
	})
}

// Three days without an event are not a failure: only a failed call disables a webhook.
func TestSilenceDoesNotDisable(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").fromNow(refused)
		r.start()
		r.publish(1)
		after(10 * days)
		if got := r.readHook(w); !got.Enabled {
			t.Errorf("webhook %+v", got)
		}
		r.publish(1)
		synctest.Wait()
		if got := r.readHook(w); got.Enabled || !strings.Contains(got.DisabledReason, "a.example") {
			t.Errorf("webhook %+v", got)
		}
	})
}

// A webhook that is changed during the last failing call to its old URL is not disabled.
func TestAFailureOfTheOldAddressDoesNotDisableTheNew(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(refused)
		r.endpoints.at("a.example").fromNow(hanging)
		r.start()
		r.publish(1)
		after(4 * days)
		r.publish(1)
		after(time.Second)
		r.edit(w, func(w *schedctl.Webhook) { w.URL, w.FailingSince = "https://b.example/hook", time.Time{} })
		after(time.Minute)
		if got := r.readHook(w); !got.Enabled || !got.FailingSince.IsZero() || got.URL != "https://b.example/hook" {
			t.Errorf("webhook %+v", got)
		}
		for _, d := range r.deliveries(w)[1:] {
			if d.Status != schedctl.DeliveryDelivered || d.Attempt != 2 {
				t.Errorf("delivery %+v", d)
			}
		}
	})
}

func TestADisabledWebhookIsTested(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		r.publish(1) // stays pending
		after(time.Second)
		r.edit(w, func(w *schedctl.Webhook) { w.Enabled, w.DisabledReason = false, "it was dead" })
		after(time.Hour)
		r.endpoints.at("a.example").then(status(500))
		test := r.ping(w)
		after(time.Minute)
		received := r.endpoints.at("a.example").eventIDs()
		if diff := cmp.Diff([]string{test, test}, received[1:]); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		all := r.deliveries(w)
		if all[0].Status != schedctl.DeliveryPending || all[1].Status != schedctl.DeliveryDelivered || all[1].Attempt != 2 {
			t.Errorf("deliveries %+v", all)
		}
		if got := r.readHook(w); got.Enabled || got.DisabledReason != "it was dead" {
			t.Errorf("webhook %+v", got)
		}
	})
}

// All of many simultaneous tests of a disabled webhook are sent.
func TestADisabledWebhookIsTestedOften(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.edit(w, func(w *schedctl.Webhook) { w.Enabled = false })
		r.endpoints.at("a.example").fromNow(slow(time.Second, status(200)))
		r.start()
		var want []string
		for range 25 {
			want = append(want, r.ping(w))
		}
		after(time.Minute)
		got := r.endpoints.at("a.example").eventIDs()
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

// A test is sent to one webhook only and does not move cursors.
func TestATestIsToldOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.hook("b.example")
		r.start()
		want := []string{r.ping(w)}
		want = append(want, r.publish(1)...)
		synctest.Wait()
		got := r.endpoints.at("a.example").eventIDs()
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
		if got := r.endpoints.at("b.example").eventIDs(); !slices.Equal(got, want[1:]) {
			t.Errorf("the other webhook received %v", got)
		}
		for _, c := range r.endpoints.at("a.example").all() {
			if isTest := strings.Contains(c.body, `"type":"webhook.test"`) && strings.Contains(c.body, w.ID); isTest != (c.event() == want[0]) {
				t.Errorf("body %s", c.body)
			}
		}
	})
}

func TestDeletedDuringACall(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(500), slow(3*time.Second, status(200)), slow(4*time.Second, status(500)))
		r.start()
		r.publish(1)
		after(9 * time.Second)
		for len(r.endpoints.at("a.example").all()) < 2 {
			after(time.Second)
		}
		r.publish(2)
		synctest.Wait()
		r.update(func(tx storage.Tx) error { return tx.DeleteWebhook(w.WorkspaceID, w.ID) })
		after(time.Minute)
		if n := len(r.endpoints.at("a.example").all()); n != 3 {
			t.Errorf("%d calls, want 3", n)
		}
		for _, d := range r.deliveries(w) {
			if d.Attempt != 1 || d.Status == schedctl.DeliveryPending {
				t.Errorf("delivery %+v", d)
			}
		}
		r.view(func(reader storage.Reader) error {
			if all, err := reader.Webhooks(w.WorkspaceID); err != nil || len(all) > 0 {
				t.Errorf("webhooks %+v, %v", all, err)
			}
			return nil
		})
		if strings.Contains(r.logs.String(), "level=ERROR") {
			t.Errorf("logs:\n%s", r.logs.String())
		}
	})
}

// Recording a call keeps an edit that was made during the call.
func TestEditsDuringACallAreKept(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(slow(time.Second, status(500)), slow(time.Second, status(200)))
		r.start()
		r.publish(1)
		for i := range 2 {
			for len(r.endpoints.at("a.example").all()) == i {
				after(100 * time.Millisecond)
			}
			r.edit(w, func(w *schedctl.Webhook) {
				w.Name, w.EventTypes = w.Name+"x", append(w.EventTypes, schedctl.EventPostFailed)
			})
			after(2 * time.Second)
		}
		got := r.readHook(w)
		if got.Name != "xx" || len(got.EventTypes) != 3 || r.delivery(w).Status != schedctl.DeliveryDelivered {
			t.Errorf("webhook %+v", got)
		}
	})
}

// Years that the clock leapt over do not count as years of failures.
func TestALeapOfTheClockDoesNotDisable(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").fromNow(refused)
		r.start()
		r.publish(1)
		after(time.Second)
		r.stop()
		before := time.Now()
		time.Sleep(10 * 365 * days)
		r.clock = clock.New(before, slog.New(slog.DiscardHandler))
		r.start()
		after(time.Minute)
		if got := r.readHook(w); !got.Enabled || got.FailingSince.IsZero() {
			t.Errorf("webhook %+v", got)
		}
		after(2 * time.Hour)
		if got := r.readHook(w); got.Enabled {
			t.Errorf("the clock has stood for an hour: webhook %+v", got)
		}
	})
}
