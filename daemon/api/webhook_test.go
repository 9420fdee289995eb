package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

const hookURL = "https://hooks.example/in"

// newWebhook creates a webhook of my workspace that receives events of new posts.
func (f *fixture) newWebhook() apiv1.WebhookSecret {
	f.t.Helper()
	r := f.do(nil, "POST", "/webhooks", body{"url": hookURL, "event_types": []string{"post.created"}})
	return decodeAs[apiv1.WebhookSecret](f.t, r.want(201))
}

// webhook returns the webhook of a response.
func (r *response) webhook() apiv1.Webhook {
	r.t.Helper()
	return decodeAs[apiv1.WebhookEnvelope](r.t, r.want(200)).Webhook
}

// storedWebhook returns a webhook of my workspace as it is stored.
func (f *fixture) storedWebhook(id string) (w schedctl.Webhook) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) (err error) {
		w, err = r.Webhook(f.mine.workspace, id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

// changeWebhook changes a stored webhook behind the API's back.
func (f *fixture) changeWebhook(id string, change func(*schedctl.Webhook)) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		w, err := tx.Webhook(f.mine.workspace, id)
		if err != nil {
			return err
		}
		change(&w)
		return tx.PutWebhook(w)
	})
}

func TestCreateWebhook(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		before := f.addEvents(1)[0]
		r := f.do(nil, "POST", "/webhooks", body{
			"url": "HTTPS://Hooks.Example/In?x=1#top", "event_types": []string{"post.published", "post.failed"}, "name": "Ünïcode",
		}).want(201)
		made := decodeAs[apiv1.WebhookSecret](t, r).Webhook
		after := f.addEvents(1)[0]
		name := "Ünïcode"
		want := apiv1.Webhook{
			ID: made.ID, Name: &name, URL: "https://hooks.example/In?x=1", Enabled: true, CreatedAt: made.CreatedAt, UpdatedAt: made.CreatedAt,
			EventTypes: []schedctl.EventType{schedctl.EventPostPublished, schedctl.EventPostFailed},
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if _, ok := schedctl.ParseID(schedctl.WebhookPrefix, made.ID); !ok || r.header.Get("Location") != "/api/v1/webhooks/"+made.ID {
			t.Errorf("id %s at %s", made.ID, r.header.Get("Location"))
		}
		if got := f.do(nil, "GET", "/webhooks/"+made.ID, nil).webhook(); !cmp.Equal(got, made) {
			t.Errorf("created %+v, read %+v", made, got)
		}
		stored := f.storedWebhook(made.ID)
		if _, ok := schedctl.ParseID(schedctl.EventPrefix, stored.Cursor); !ok || stored.Cursor <= before || stored.Cursor >= after {
			t.Errorf("the cursor %s is not between %s and %s", stored.Cursor, before, after)
		}
		plain := f.newWebhook().Webhook
		if plain.Name != nil || !plain.Enabled {
			t.Errorf("without a name: %+v", plain)
		}
		off := f.do(nil, "POST", "/webhooks", body{"url": hookURL, "event_types": []string{"post.created"}, "enabled": false, "name": nil}).want(201)
		if w := decodeAs[apiv1.WebhookSecret](t, off).Webhook; w.Enabled || w.Name != nil || w.DisabledReason != nil {
			t.Errorf("not enabled: %+v", w)
		}
		list := decodeAs[apiv1.WebhookList](t, f.do(nil, "GET", "/webhooks", nil).want(200))
		if list.Count != 3 || len(list.Results) != 3 || list.Results[0].ID != made.ID || list.Results[1].ID != plain.ID {
			t.Errorf("the list is %+v", list)
		}
	})
}

func TestWebhookIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	types := []string{"post.created"}
	for name, tt := range map[string]struct {
		body  body
		field string
	}{
		"no url":              {body{"event_types": types}, "url"},
		"an empty url":        {body{"url": "", "event_types": types}, "url"},
		"null for a url":      {body{"url": nil, "event_types": types}, "url"},
		"no scheme":           {body{"url": "hooks.example", "event_types": types}, "url"},
		"another scheme":      {body{"url": "ftp://hooks.example", "event_types": types}, "url"},
		"no host":             {body{"url": "https:///in", "event_types": types}, "url"},
		"no port there is":    {body{"url": "https://hooks.example:65536/k3y", "event_types": types}, "url"},
		"port zero":           {body{"url": "https://hooks.example:0/k3y", "event_types": types}, "url"},
		"a user":              {body{"url": "https://me:k3y@hooks.example", "event_types": types}, "url"},
		"a control character": {body{"url": "https://hooks.example/k3y\n", "event_types": types}, "url"},
		"a long url":          {body{"url": hookURL + "?k3y=" + strings.Repeat("x", 2048), "event_types": types}, "url"},
		"loopback":            {body{"url": "https://127.0.0.1/k3y", "event_types": types}, "url"},
		"localhost":           {body{"url": "http://localhost:8080/k3y", "event_types": types}, "url"},
		"a private address":   {body{"url": "https://10.1.2.3/k3y", "event_types": types}, "url"},
		"metadata":            {body{"url": "http://169.254.169.254/k3y", "event_types": types}, "url"},
		"private in IPv6":     {body{"url": "https://[::ffff:10.0.0.1]/k3y", "event_types": types}, "url"},
		"no types":            {body{"url": hookURL}, "event_types"},
		"empty types":         {body{"url": hookURL, "event_types": []string{}}, "event_types"},
		"null for types":      {body{"url": hookURL, "event_types": nil}, "event_types"},
		"an unknown type":     {body{"url": hookURL, "event_types": []string{"post.created", "post.publishd"}}, "event_types[1]"},
		"the type of tests":   {body{"url": hookURL, "event_types": []string{"webhook.test"}}, "event_types[0]"},
		"a type twice":        {body{"url": hookURL, "event_types": []string{"post.created", "post.failed", "post.created"}}, "event_types[2]"},
		"an empty name":       {body{"url": hookURL, "event_types": types, "name": ""}, "name"},
		"a long name":         {body{"url": hookURL, "event_types": types, "name": strings.Repeat("é", 81)}, "name"},
		"a name in lines":     {body{"url": hookURL, "event_types": types, "name": "a\nb"}, "name"},
		"a padded name":       {body{"url": hookURL, "event_types": types, "name": " a"}, "name"},
		"enabled in words":    {body{"url": hookURL, "event_types": types, "enabled": "yes"}, "enabled"},
		"a short secret":      {body{"url": hookURL, "event_types": types, "secret": "whsec_a3k="}, "secret"},
		"a secret of no kind": {body{"url": hookURL, "event_types": types, "secret": "k3yk3yk3yk3yk3yk3yk3yk3yk3yk3yk3yk3y"}, "secret"},
		"a null secret":       {body{"url": hookURL, "event_types": types, "secret": nil}, "secret"},
		"something unknown":   {body{"url": hookURL, "event_types": types, "types": types}, "types"},
	} {
		e := f.do(nil, "POST", "/webhooks", tt.body).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != tt.field {
			t.Errorf("%s: details %+v", name, e.Details)
		}
		if strings.Contains(e.Message, "k3y") {
			t.Errorf("%s: the message shows what may be a secret: %s", name, e.Message)
		}
	}
	e := f.do(nil, "POST", "/webhooks", body{"url": "x", "event_types": []string{"y", "z"}, "name": ""}).refused(schedctl.ValidationFailed)
	if len(e.Details) != 4 {
		t.Errorf("one response does not name all faults: %+v", e.Details)
	}
	if list := decodeAs[apiv1.WebhookList](t, f.do(nil, "GET", "/webhooks", nil)); list.Count != 0 || list.Results == nil {
		t.Errorf("after refusals there are %+v", list)
	}
}

func TestPrivateWebhooksWhereTheyAreAllowed(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Outbound = outbound.AllowPrivate })
	for _, url := range []string{"http://127.0.0.1:8080/in", "http://[::1]/in", "https://localhost/in"} {
		f.do(nil, "POST", "/webhooks", body{"url": url, "event_types": []string{"post.created"}}).want(201)
	}
	f.do(nil, "POST", "/webhooks", body{"url": "ftp://127.0.0.1", "event_types": []string{"post.created"}}).refused(schedctl.ValidationFailed)
}

func TestMaxWebhooks(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := body{"url": hookURL, "event_types": []string{"post.created"}}
		for range schedctl.MaxWebhooks {
			f.do(nil, "POST", "/webhooks", hook).want(201)
		}
		f.do(nil, "POST", "/webhooks", hook).refused(schedctl.ValidationFailed)
		f.do(as(f.other.key), "POST", "/webhooks", hook).want(201)
		list := decodeAs[apiv1.WebhookList](t, f.do(nil, "GET", "/webhooks", nil))
		f.do(nil, "DELETE", "/webhooks/"+list.Results[7].ID, nil).want(204)
		f.do(nil, "POST", "/webhooks", hook).want(201)
	})
}

func TestEditWebhook(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := f.newWebhook().Webhook
		path := "/webhooks/" + made.ID
		for _, tt := range []struct {
			body   body
			change func(*apiv1.Webhook)
		}{
			{body{"name": "new"}, func(w *apiv1.Webhook) { w.Name = new("new") }},
			{body{"url": "http://other.example"}, func(w *apiv1.Webhook) { w.URL = "http://other.example" }},
			{body{"event_types": []string{"post.failed"}}, func(w *apiv1.Webhook) { w.EventTypes = []schedctl.EventType{"post.failed"} }},
			{body{"enabled": false}, func(w *apiv1.Webhook) { w.Enabled = false }},
			{body{"name": nil, "enabled": true}, func(w *apiv1.Webhook) { w.Name, w.Enabled = nil, true }},
		} {
			want := made
			tt.change(&want)
			got := f.do(nil, "PATCH", path, tt.body).webhook()
			want.UpdatedAt = got.UpdatedAt
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v, -want +got:\n%s", tt.body, diff)
			}
			if read := f.do(nil, "GET", path, nil).webhook(); !cmp.Equal(read, got) {
				t.Errorf("the response has %+v, reading it again %+v", got, read)
			}
			made = got
		}
		for _, b := range []any{body{}, body{"secret": "x"}, body{"url": "x"}, body{"event_types": []string{}}, body{"event_types": []string{"x"}}, body{"name": ""}, body{"enabled": nil}} {
			f.do(nil, "PATCH", path, b).refused(schedctl.ValidationFailed)
		}
		if after := f.do(nil, "GET", path, nil).webhook(); !cmp.Equal(after, made) {
			t.Errorf("after refusals it is %+v", after)
		}
	})
}

func TestChangeThatChangesNothingKeepsTheTime(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := f.newWebhook().Webhook
		long := schedctl.Millis(time.Now().Add(-time.Hour))
		f.changeWebhook(made.ID, func(w *schedctl.Webhook) { w.UpdatedAt, w.Name = long, "x" })
		before := f.storedWebhook(made.ID)
		for _, b := range []body{
			{"name": "x"}, {"enabled": true}, {"url": "HTTPS://hooks.example/in#x"}, {"event_types": []string{"post.created"}, "name": "x"},
		} {
			f.do(nil, "PATCH", "/webhooks/"+made.ID, b).want(200)
			if diff := cmp.Diff(before, f.storedWebhook(made.ID)); diff != "" {
				t.Errorf("%v, -before +after:\n%s", b, diff)
			}
		}
		f.do(nil, "PATCH", "/webhooks/"+made.ID, body{"name": "y"}).want(200)
		if after := f.storedWebhook(made.ID); !after.UpdatedAt.After(long) {
			t.Errorf("a change keeps %s", after.UpdatedAt)
		}
	})
}

// TestEnablingSkipsMissedEvents guards that events from the time when it was
// disabled are not sent.
func TestEnablingSkipsMissedEvents(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		id := f.newWebhook().Webhook.ID
		failing := schedctl.Millis(time.Now().Add(-72 * time.Hour))
		f.changeWebhook(id, func(w *schedctl.Webhook) {
			w.Enabled, w.DisabledReason, w.FailingSince = false, "it failed for three days", failing
		})
		shown := f.do(nil, "GET", "/webhooks/"+id, nil).webhook()
		if shown.Enabled || shown.DisabledReason == nil || shown.FailingSince == nil {
			t.Errorf("a disabled one is shown as %+v", shown)
		}
		missed := f.addEvents(1)[0]
		if w := f.do(nil, "PATCH", "/webhooks/"+id, body{"name": "x"}).webhook(); w.DisabledReason == nil || w.FailingSince == nil {
			t.Errorf("a new name makes it forget: %+v", w)
		}
		on := f.do(nil, "PATCH", "/webhooks/"+id, body{"enabled": true}).webhook()
		if !on.Enabled || on.DisabledReason != nil || on.FailingSince != nil {
			t.Errorf("enabled it is %+v", on)
		}
		enabled := f.storedWebhook(id)
		if enabled.Cursor <= missed || enabled.Cursor >= f.addEvents(1)[0] {
			t.Errorf("the cursor is %s", enabled.Cursor)
		}
		f.do(nil, "PATCH", "/webhooks/"+id, body{"enabled": true, "name": "y"}).want(200)
		if again := f.storedWebhook(id); again.Cursor != enabled.Cursor {
			t.Error("enabling an enabled webhook skips events")
		}
	})
}

func TestNewAddressHasNotFailedYet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.newWebhook().Webhook.ID
	f.changeWebhook(id, func(w *schedctl.Webhook) { w.FailingSince = time.Now() })
	if w := f.do(nil, "PATCH", "/webhooks/"+id, body{"url": "https://other.example"}).webhook(); w.FailingSince != nil {
		t.Errorf("a new address fails since %s", w.FailingSince)
	}
}

func TestDeleteWebhook(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		id, other := f.newWebhook().Webhook.ID, f.newWebhook().Webhook.ID
		f.do(nil, "DELETE", "/webhooks/"+id, nil).want(204)
		f.do(nil, "DELETE", "/webhooks/"+id, nil).refused(schedctl.NotFound)
		f.do(nil, "GET", "/webhooks/"+id, nil).refused(schedctl.NotFound)
		if list := decodeAs[apiv1.WebhookList](t, f.do(nil, "GET", "/webhooks", nil)); list.Count != 1 || list.Results[0].ID != other {
			t.Errorf("left are %+v", list)
		}
		f.do(nil, "GET", "/webhooks?limit=1", nil).refused(schedctl.ValidationFailed)
	})
}

// TestWebhooksOfAnotherWorkspace tries every route with foreign ids: of the
// webhook, of the delivery, and of the own webhook with a foreign delivery.
func TestWebhooksOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		mine := f.newWebhook().Webhook.ID
		delivery := f.testHook(mine).ID
		own := decodeAs[apiv1.WebhookSecret](t, f.do(as(f.other.key), "POST", "/webhooks", body{"url": hookURL, "event_types": []string{"post.created"}}).want(201)).Webhook.ID
		before := fmt.Sprint(f.storedWebhook(mine), f.deliveries(mine, ""))
		for _, tt := range []struct {
			method, path string
			body         any
		}{
			{"GET", "/webhooks/" + mine, nil},
			{"PATCH", "/webhooks/" + mine, body{"name": "x"}},
			{"DELETE", "/webhooks/" + mine, nil},
			{"POST", "/webhooks/" + mine + "/test", nil},
			{"POST", "/webhooks/" + mine + "/rotate-secret", nil},
			{"GET", "/webhooks/" + mine + "/deliveries", nil},
			{"POST", "/webhooks/" + mine + "/deliveries/" + delivery + "/replay", nil},
			{"POST", "/webhooks/" + own + "/deliveries/" + delivery + "/replay", nil},
			{"POST", "/webhooks/" + mine + "/replay", body{"since": in(-time.Hour)}},
		} {
			foreign := f.do(as(f.other.key), tt.method, tt.path, tt.body).refused(schedctl.NotFound)
			missing := f.do(as(f.other.key), tt.method, strings.NewReplacer(mine, "wh_0", delivery, "whd_0").Replace(tt.path), tt.body).refused(schedctl.NotFound)
			if strings.ReplaceAll(foreign.Message, mine, "wh_0") != missing.Message {
				t.Errorf("%s %s reveals that it exists: %q instead of %q", tt.method, tt.path, foreign.Message, missing.Message)
			}
		}
		if after := fmt.Sprint(f.storedWebhook(mine), f.deliveries(mine, "")); after != before {
			t.Errorf("a stranger has changed %s to %s", before, after)
		}
		if list := decodeAs[apiv1.WebhookList](t, f.do(as(f.other.key), "GET", "/webhooks", nil)); list.Count != 1 || list.Results[0].ID != own {
			t.Errorf("a stranger's list is %+v", list)
		}
	})
}

func TestLimitedKeysAndWebhooks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.newWebhook().Webhook.ID
	delivery := f.testHook(id).ID
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} }))
	reads, writes := as(f.scoped(schedctl.ScopeWebhooksRead)), as(f.scoped(schedctl.ScopeWebhooksWrite))
	for _, tt := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/webhooks", nil},
		{"POST", "/webhooks", body{"url": hookURL, "event_types": []string{"post.created"}}},
		{"GET", "/webhooks/" + id, nil},
		{"PATCH", "/webhooks/" + id, body{"name": "x"}},
		{"POST", "/webhooks/" + id + "/test", nil},
		{"POST", "/webhooks/" + id + "/rotate-secret", nil},
		{"GET", "/webhooks/" + id + "/deliveries", nil},
		{"POST", "/webhooks/" + id + "/deliveries/" + delivery + "/replay", nil},
		{"POST", "/webhooks/" + id + "/replay", body{"since": in(-time.Hour)}},
		{"DELETE", "/webhooks/" + id, nil},
	} {
		f.do(limited, tt.method, tt.path, tt.body).refused(schedctl.AccountNotAllowed)
		allowed, refused := reads, writes
		if tt.method != "GET" {
			allowed, refused = writes, reads
		}
		f.do(refused, tt.method, tt.path, tt.body).refused(schedctl.InsufficientScope)
		if r := f.do(allowed, tt.method, tt.path, tt.body); r.status >= 300 {
			t.Errorf("%s %s gets %d", tt.method, tt.path, r.status)
		}
	}
}
