package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// testHook sends a test to a webhook and returns its delivery.
func (f *fixture) testHook(id string) apiv1.Delivery {
	f.t.Helper()
	return decodeAs[apiv1.WebhookTest](f.t, f.do(nil, "POST", "/webhooks/"+id+"/test", nil).want(202)).Delivery
}

// deliveries returns all deliveries of a webhook as the API lists them, page by
// page. query sets filters and limits.
func (f *fixture) deliveries(webhook, query string) (all []apiv1.Delivery) {
	f.t.Helper()
	for cursor := ""; ; {
		page := decodeAs[apiv1.DeliveryList](f.t, f.do(nil, "GET", "/webhooks/"+webhook+"/deliveries?"+query+cursor, nil).want(200))
		if page.Count != len(page.Results) {
			f.t.Errorf("count %d of %d results", page.Count, len(page.Results))
		}
		all = append(all, page.Results...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// addDeliveries stores deliveries of new events with these statuses, the newest last.
func (f *fixture) addDeliveries(webhook string, statuses ...schedctl.DeliveryStatus) (ids []string) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		ids = nil
		for _, status := range statuses {
			now := schedctl.Millis(time.Now())
			e := schedctl.WebhookDisabledEvent(schedctl.Webhook{ID: webhook, WorkspaceID: f.mine.workspace}, now)
			d := schedctl.Delivery{
				ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: webhook, EventID: e.ID, EventType: e.Type, Status: status,
				Attempt: 9, HTTPStatus: 503, Duration: 125 * time.Millisecond, Response: "busy", CreatedAt: now, AttemptedAt: now,
			}
			if status == schedctl.DeliveryPending {
				d.NextAttemptAt = now.Add(time.Minute)
			}
			ids = append(ids, d.ID)
			if err := tx.AddEvents(e); err != nil {
				return err
			}
			if err := tx.PutDelivery(d); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

// storedDelivery returns a delivery as it is stored.
func (f *fixture) storedDelivery(webhook, id string) (d schedctl.Delivery) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) (err error) {
		d, err = r.Delivery(webhook, id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return d
}

const (
	pending   = schedctl.DeliveryPending
	delivered = schedctl.DeliveryDelivered
	failed    = schedctl.DeliveryFailed
)

func TestListDeliveries(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook, other := f.newWebhook().Webhook.ID, f.newWebhook().Webhook.ID
		if got := f.deliveries(hook, ""); len(got) != 0 {
			t.Fatalf("a new webhook has the deliveries %+v", got)
		}
		ids := f.addDeliveries(hook, delivered, failed, pending, failed, delivered, failed, failed)
		f.addDeliveries(other, delivered)
		slices.Reverse(ids)
		for query, want := range map[string][]string{
			"":                         ids,
			"limit=3":                  ids,
			"limit=7":                  ids,
			"limit=1":                  ids,
			"status=failed":            {ids[0], ids[1], ids[3], ids[5]},
			"status=failed&limit=1":    {ids[0], ids[1], ids[3], ids[5]},
			"status=failed&limit=4":    {ids[0], ids[1], ids[3], ids[5]},
			"status=delivered&limit=2": {ids[2], ids[6]},
			"status=pending":           {ids[4]},
		} {
			var got []string
			for _, d := range f.deliveries(hook, query) {
				got = append(got, d.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, -want +got:\n%s", query, diff)
			}
		}
		if diff := cmp.Diff(apiv1.NewDelivery(f.storedDelivery(hook, ids[4])), f.deliveries(hook, "status=pending")[0]); diff != "" {
			t.Errorf("-stored +listed:\n%s", diff)
		}
	})
}

// TestPagesOfDeliveriesStay guards that deliveries added between two pages do not
// change the pages.
func TestPagesOfDeliveriesStay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hook := f.newWebhook().Webhook.ID
	ids := f.addDeliveries(hook, delivered, delivered, delivered)
	path := "/webhooks/" + hook + "/deliveries?limit=2"
	first := decodeAs[apiv1.DeliveryList](t, f.do(nil, "GET", path, nil).want(200))
	f.addDeliveries(hook, delivered, delivered)
	second := decodeAs[apiv1.DeliveryList](t, f.do(nil, "GET", path+"&cursor="+*first.NextCursor, nil).want(200))
	if len(first.Results) != 2 || len(second.Results) != 1 || second.Results[0].ID != ids[0] || second.NextCursor != nil {
		t.Errorf("the pages are %+v and %+v", first, second)
	}
}

func TestDeliveriesFarApart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hook := f.newWebhook().Webhook.ID
	want := f.addDeliveries(hook, failed)[0]
	for range 21 {
		f.addDeliveries(hook, slices.Repeat([]schedctl.DeliveryStatus{delivered}, 500)...)
	}
	page := decodeAs[apiv1.DeliveryList](t, f.do(nil, "GET", "/webhooks/"+hook+"/deliveries?status=failed", nil).want(200))
	if page.Count != 0 || page.NextCursor == nil {
		t.Errorf("the first page has %d results", page.Count)
	}
	if got := f.deliveries(hook, "status=failed"); len(got) != 1 || got[0].ID != want {
		t.Errorf("got %+v", got)
	}
}

func TestListOfDeliveriesIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	hook, other := f.newWebhook().Webhook.ID, f.newWebhook().Webhook.ID
	f.addDeliveries(hook, failed, failed)
	path := "/webhooks/" + hook + "/deliveries"
	for _, query := range []string{"status=Failed", "status=", "status=failed&status=pending", "limit=0", "limit=101", "limit=x", "offset=1", "cursor"} {
		r := f.do(nil, "GET", path+"?"+query, nil)
		if query == "cursor" {
			r.refused(schedctl.InvalidCursor)
			continue
		}
		r.refused(schedctl.ValidationFailed)
	}
	next := *decodeAs[apiv1.DeliveryList](t, f.do(nil, "GET", path+"?limit=1", nil).want(200)).NextCursor
	for _, foreign := range []string{
		path + "?status=failed&cursor=" + next, "/webhooks/" + other + "/deliveries?cursor=" + next, "/posts?cursor=" + next,
		path + "?cursor=" + next[1:], path + "?cursor=" + strings.ToUpper(next), path + "?cursor=x",
	} {
		f.do(nil, "GET", foreign, nil).refused(schedctl.InvalidCursor)
	}
}

func TestTestOfAWebhook(t *testing.T) {
	t.Parallel()
	for name, enabled := range map[string]bool{"enabled": true, "disabled": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEveryEngine(t, func(t *testing.T, f *fixture) {
				hook := f.newWebhook().Webhook.ID
				f.changeWebhook(hook, func(w *schedctl.Webhook) { w.Enabled = enabled })
				before := f.storedWebhook(hook)
				asked := time.Now()
				d := f.testHook(hook)
				stored := f.storedDelivery(hook, d.ID)
				if stored.Status != pending || stored.NextAttemptAt.Sub(asked).Abs() > testsize.Patience || stored.Attempt != 0 || stored.EventType != schedctl.EventWebhookTest {
					t.Errorf("stored is %+v", stored)
				}
				if d.EventType != schedctl.EventWebhookTest || d.NextAttemptAt == nil || d.DurationMS != nil || d.AttemptedAt != nil {
					t.Errorf("answered is %+v", d)
				}
				var e schedctl.Event
				err := f.store.View(t.Context(), func(r storage.Reader) (err error) {
					e, err = r.Event(d.EventID)
					return err
				})
				if err != nil || e.WebhookID != hook || e.WorkspaceID != f.mine.workspace || e.Type != schedctl.EventWebhookTest {
					t.Errorf("the event is %+v: %v", e, err)
				}
				if diff := cmp.Diff(before, f.storedWebhook(hook)); diff != "" {
					t.Errorf("the webhook has changed, -before +after:\n%s", diff)
				}
			})
		})
	}
}

// TestCommitsNameTheWebhook guards that a commit names the webhook, even if the
// webhook has not changed. From the commit the dispatcher learns that there is
// something to send.
func TestCommitsNameTheWebhook(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := f.newWebhook().Webhook.ID
		id := f.addDeliveries(hook, failed, failed)[0]
		var named []string
		f.listen(func(c storage.Commit) { named = append(named, c.Webhooks...) })
		for _, path := range []string{"/test", "/deliveries/" + id + "/replay", "/replay"} {
			named = nil
			var b any
			if path == "/replay" {
				b = body{"since": in(-time.Hour)}
			}
			f.do(nil, "POST", "/webhooks/"+hook+path, b).want(202)
			if !slices.Contains(named, hook) {
				t.Errorf("the commit of %s names %v", path, named)
			}
		}
	})
}
