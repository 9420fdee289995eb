package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const siteID = "wh_01KAK3R9ZC4VBX1D2E3F4G5H6J"

var siteHook = apiv1.Webhook{
	ID: siteID, Name: ptr("site"), URL: "https://example.com/hooks", Enabled: true,
	EventTypes: []schedctl.EventType{schedctl.EventPostPublished, schedctl.EventPostFailed},
}

func TestWebhookStatuses(t *testing.T) {
	t.Parallel()
	failing, disabled := siteHook, siteHook
	failing.FailingSince = at(-time.Hour)
	disabled.Enabled, disabled.FailingSince, disabled.DisabledReason = false, at(-time.Hour), ptr("it failed for three days")
	disabled.Name = nil
	m := newMachine(t, routes{"GET /webhooks": apiv1.WebhookList{Results: []apiv1.Webhook{siteHook, failing, disabled}}})
	const rest = "\thttps://example.com/hooks\tpost.published,post.failed\n"
	m.want(t, 0, siteID+"\tenabled\tsite"+rest+siteID+"\tfailing\tsite"+rest+siteID+"\tdisabled\t"+rest, "", "webhook", "list")

	m = newMachine(t, routes{"GET /webhooks/" + siteID: apiv1.WebhookEnvelope{Webhook: disabled}}).terminals().noColorEnv()
	m.run(t, "webhook", "show", siteID)
	for _, want := range []string{
		"Status         disabled\n", "Reason         it failed for three days\n",
		"Next           schedctl webhook deliveries " + siteID + " shows its responses\n", "Next           schedctl webhook edit " + siteID + " --enable\n",
	} {
		if !strings.Contains(m.out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &m.out)
		}
	}
}

func TestWebhookCreateSends(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	m := newMachine(t, routes{"POST /webhooks": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		json.NewDecoder(r.Body).Decode(&sent)
		json.NewEncoder(w).Encode(apiv1.WebhookSecret{Webhook: siteHook, Secret: "whsec_made"})
	})})
	m.terminals().noColorEnv()
	m.want(t, 0, "Created site ("+siteID+"): https://example.com/hooks receives post.published and post.failed\nSecret: whsec_made\n",
		"save the secret now: it cannot be shown again\n",
		"webhook", "create", "--url", "https://example.com/hooks", "--event", "post.published,post.failed", "--name", "site", "--disabled")
	want := map[string]any{"url": "https://example.com/hooks", "name": "site", "enabled": false, "event_types": []any{"post.published", "post.failed"}}
	if got, want := mustJSON(t, sent), mustJSON(t, want); got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// deliveryLog returns the next state of a delivery for each request.
type deliveryLog struct {
	states []apiv1.Delivery // a state without an id is a daemon that does not respond
	looks  int
}

func (l *deliveryLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		json.NewEncoder(w).Encode(apiv1.WebhookTest{Webhook: siteHook, Delivery: l.states[0]})
		return
	}
	l.looks++
	d := l.states[min(l.looks, len(l.states)-1)]
	if d.ID == "" {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	younger := apiv1.Delivery{ID: "whd_9", Status: schedctl.DeliveryDelivered}
	json.NewEncoder(w).Encode(apiv1.DeliveryList{Results: []apiv1.Delivery{younger, d}})
}

// The pauses between looks take no time in a bubble.
func TestWebhookTestWaits(t *testing.T) {
	t.Parallel()
	queued := apiv1.Delivery{ID: "whd_5", EventType: schedctl.EventWebhookTest, Status: schedctl.DeliveryPending}
	taken, refused, lost, gone := queued, queued, queued, queued
	taken.Attempt, taken.Status, taken.HTTPStatus = 1, schedctl.DeliveryDelivered, ptr(204)
	refused.Attempt, refused.HTTPStatus = 1, ptr(500)
	lost.Attempt, lost.Error = 1, ptr("connection refused")
	gone.ID = "whd_4"
	const advice = "; a receiver must respond with a 2xx status within 10 seconds\n"
	for name, tc := range map[string]struct {
		states  []apiv1.Delivery
		status  int
		out, er string
	}{
		"delivered":                  {[]apiv1.Delivery{queued, queued, taken}, 0, "whd_5\n", ""},
		"refused":                    {[]apiv1.Delivery{queued, refused}, 9, "whd_5\n", "schedctl: the webhook did not accept whd_5: HTTP 500" + advice},
		"unanswered":                 {[]apiv1.Delivery{queued, lost}, 9, "whd_5\n", "schedctl: the webhook did not accept whd_5: connection refused" + advice},
		"a daemon that is restarted": {[]apiv1.Delivery{queued, {}, {}, taken}, 0, "whd_5\n", ""},
		"gone":                       {[]apiv1.Delivery{queued, gone}, 3, "whd_5\n", "schedctl: there is no delivery whd_5 any more\n"},
		"timed out": {[]apiv1.Delivery{queued}, 8, "whd_5\n",
			"schedctl: there is no attempt for whd_5 after 5s; check again with: schedctl webhook deliveries " + siteID + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(t, &deliveryLog{states: tc.states})
				m.want(t, tc.status, tc.out, tc.er, "webhook", "test", siteID, "--wait", "-q", "--timeout", "5s")
			})
		})
	}
}

func TestWebhookCompletion(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /webhooks": apiv1.WebhookList{Results: []apiv1.Webhook{siteHook}},
		"GET /webhooks/" + siteID + "/deliveries": apiv1.DeliveryList{Results: []apiv1.Delivery{
			{ID: "whd_5", Status: schedctl.DeliveryFailed, EventType: schedctl.EventPostCreated},
		}},
	})
	for line, want := range map[string]string{
		"webhook show ":                  siteID + "\tsite\n",
		"webhook show " + siteID + " ":   "",
		"webhook create --event ":        "post.created\n",
		"webhook deliveries --status ":   "pending\ndelivered\nfailed\n",
		"webhook replay ":                siteID + "\tsite\n",
		"webhook replay " + siteID + " ": "whd_5\tfailed: post.created\n",
	} {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if status := m.run(t, args...); status != 0 || !strings.HasPrefix(m.out.String(), want) {
			t.Errorf("%q: exit status %d, got %q, want it to start with %q", line, status, &m.out, want)
		}
	}
	if status := newMachine(t, nil).run(t, "__complete", "webhook", "show", ""); status != 0 {
		t.Errorf("without a daemon: exit status %d", status)
	}
}
