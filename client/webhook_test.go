package client_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestWebhookMethods(t *testing.T) {
	t.Parallel()
	hook := apiv1.Webhook{ID: "wh_1"}
	delivery := apiv1.Delivery{ID: "whd_1"}
	for name, tc := range map[string]struct {
		answer any
		call   func(context.Context, *client.Client) (string, error)
		want   string // method, path, body
		id     string
	}{
		"list": {apiv1.WebhookList{Results: []apiv1.Webhook{hook}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Webhooks(ctx)
			return list[0].ID, err
		}, "GET /api/v1/webhooks ", "wh_1"},
		"get": {apiv1.WebhookEnvelope{Webhook: hook}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.Webhook(ctx, "wh_1")
			return w.ID, err
		}, "GET /api/v1/webhooks/wh_1 ", "wh_1"},
		"create": {apiv1.WebhookSecret{Webhook: hook, Secret: "s"}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.CreateWebhook(ctx, apiv1.CreateWebhook{URL: "https://x", EventTypes: []schedctl.EventType{"post.failed"}, Enabled: new(false)})
			return w.Webhook.ID + w.Secret, err
		}, `POST /api/v1/webhooks {"url":"https://x","event_types":["post.failed"],"enabled":false}`, "wh_1s"},
		"edit": {apiv1.WebhookEnvelope{Webhook: hook}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.EditWebhook(ctx, "wh_1", apiv1.EditWebhook{Enabled: new(true)})
			return w.ID, err
		}, `PATCH /api/v1/webhooks/wh_1 {"enabled":true}`, "wh_1"},
		"delete": {nil, func(ctx context.Context, c *client.Client) (string, error) { return "", c.DeleteWebhook(ctx, "wh_1") },
			"DELETE /api/v1/webhooks/wh_1 ", ""},
		"test": {apiv1.WebhookTest{Webhook: hook, Delivery: delivery}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.TestWebhook(ctx, "wh_1")
			return w.Delivery.ID, err
		}, "POST /api/v1/webhooks/wh_1/test ", "whd_1"},
		"rotate": {apiv1.WebhookSecret{Webhook: hook, Secret: "s"}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.RotateWebhookSecret(ctx, "wh_1")
			return w.Secret, err
		}, "POST /api/v1/webhooks/wh_1/rotate-secret ", "s"},
		"replay all": {apiv1.WebhookReplay{Webhook: hook, Count: 7}, func(ctx context.Context, c *client.Client) (string, error) {
			w, err := c.ReplayWebhook(ctx, "wh_1", time.Date(2026, 12, 8, 10, 0, 0, 0, time.FixedZone("", 3600)))
			return w.Webhook.ID, err
		}, `POST /api/v1/webhooks/wh_1/replay {"since":"2026-12-08T09:00:00Z"}`, "wh_1"},
		"deliveries": {apiv1.DeliveryList{Results: []apiv1.Delivery{delivery}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Deliveries(ctx, "wh_1", client.DeliveryQuery{Status: schedctl.DeliveryFailed, Limit: 3, Cursor: "c"})
			return list.Results[0].ID, err
		}, "GET /api/v1/webhooks/wh_1/deliveries?cursor=c&limit=3&status=failed ", "whd_1"},
		"replay one": {apiv1.DeliveryEnvelope{Delivery: delivery}, func(ctx context.Context, c *client.Client) (string, error) {
			d, err := c.ReplayDelivery(ctx, "wh_1", "whd/1")
			return d.ID, err
		}, "POST /api/v1/webhooks/wh_1/deliveries/whd%2F1/replay ", "whd_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer{status: http.StatusNoContent}
			if tc.answer != nil {
				a = ok(tc.answer)
			}
			f, c := serve(t, a)
			id, err := tc.call(t.Context(), c)
			if err != nil || id != tc.id {
				t.Errorf("got %q and %v, want %q", id, err, tc.id)
			}
			r := f.only(t)
			checkDocumented(t, r)
			path := r.Path
			if r.Query != "" {
				path += "?" + r.Query
			}
			if diff := cmp.Diff(tc.want, r.Method+" "+path+" "+r.Body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if wrote := r.Header.Get("Idempotency-Key") != ""; wrote != (r.Method != http.MethodGet) {
				t.Errorf("%s with idempotency key: %v", r.Method, wrote)
			}
		})
	}
}

func TestWebhookIDsThatWouldLeadElsewhere(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(struct{}{}))
	for _, id := range []string{"", ".", ".."} {
		_, get := c.Webhook(t.Context(), id)
		_, test := c.TestWebhook(t.Context(), id)
		_, list := c.Deliveries(t.Context(), id, client.DeliveryQuery{})
		_, replay := c.ReplayDelivery(t.Context(), id, "whd_1")
		_, replayed := c.ReplayDelivery(t.Context(), "wh_1", id)
		for _, err := range []error{get, test, list, replay, replayed, c.DeleteWebhook(t.Context(), id)} {
			if schedctl.CodeOf(err) != schedctl.NotFound {
				t.Errorf("%q: got %v, want not found", id, err)
			}
		}
	}
	if seen := f.seen(); len(seen) > 0 {
		t.Errorf("requests were made: %v", seen)
	}
}

func TestEachDelivery(t *testing.T) {
	t.Parallel()
	page := func(next *string, ids ...string) answer {
		list := apiv1.DeliveryList{NextCursor: next}
		for _, id := range ids {
			list.Results = append(list.Results, apiv1.Delivery{ID: id})
		}
		return ok(list)
	}
	collect := func(c *client.Client, stopAt string) (ids string, err error) {
		for d, e := range c.EachDelivery(t.Context(), "wh_1", client.DeliveryQuery{Limit: 2}) {
			if e != nil {
				return ids, e
			}
			if ids += d.ID; d.ID == stopAt {
				break
			}
		}
		return ids, nil
	}
	pages := []answer{page(new("two"), "a", "b"), page(new("three")), page(nil, "c")}
	f, c := serve(t, pages...)
	if ids, err := collect(c, ""); err != nil || ids != "abc" || f.seen()[1].Query != "cursor=two&limit=2" {
		t.Errorf("got %q, %v, %+v", ids, err, f.seen())
	}
	f, c = serve(t, pages...)
	if ids, err := collect(c, "a"); err != nil || ids != "a" || len(f.seen()) != 1 {
		t.Errorf("stopped early: %q, %v, %d requests", ids, err, len(f.seen()))
	}
	_, c = serve(t, page(new("two"), "a"), refusal(400, "INVALID_CURSOR", nil))
	if ids, err := collect(c, ""); schedctl.CodeOf(err) != schedctl.InvalidCursor || ids != "a" {
		t.Errorf("an error on the second page: %q and %v", ids, err)
	}
}
