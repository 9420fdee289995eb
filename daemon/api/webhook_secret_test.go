package api_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// opened returns a secret as the dispatcher reads it.
func (f *fixture) opened(w schedctl.Webhook, sealed []byte) string {
	f.t.Helper()
	plain, err := f.sealer.Open(sealed, w.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(plain)
}

func TestWebhookSecretIsMadeAndSealed(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		one, two := f.newWebhook(), f.newWebhook()
		if _, err := signing.ParseSecret(one.Secret); err != nil || one.Secret == two.Secret {
			t.Errorf("the secrets are %q and %q", one.Secret, two.Secret)
		}
		stored := f.storedWebhook(one.Webhook.ID)
		if got := f.opened(stored, stored.Secret); got != one.Secret {
			t.Errorf("shown is %q, stored is %q", one.Secret, got)
		}
		if bytes.Contains(stored.Secret, []byte(strings.TrimPrefix(one.Secret, signing.Prefix))) || stored.PreviousSecret != nil || !stored.PreviousUntil.IsZero() {
			t.Errorf("stored is %+v", stored)
		}
		for _, path := range []string{"/webhooks", "/webhooks/" + one.Webhook.ID} {
			if r := f.do(nil, "GET", path, nil); bytes.Contains(r.body, []byte("whsec_")) {
				t.Errorf("GET %s shows a secret: %s", path, r.body)
			}
		}
		if strings.Contains(f.logs.String(), "whsec_") {
			t.Error("the log shows a secret")
		}
	})
}

func TestGivenWebhookSecret(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, size := range []int{24, 25, 64} {
		given := signing.Prefix + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, size))
		r := f.do(nil, "POST", "/webhooks", body{"url": hookURL, "event_types": []string{"post.created"}, "secret": given}).want(201)
		made := decodeAs[apiv1.WebhookSecret](t, r)
		stored := f.storedWebhook(made.Webhook.ID)
		if made.Secret != given || f.opened(stored, stored.Secret) != given {
			t.Errorf("given %s, shown %s, stored %s", given, made.Secret, f.opened(stored, stored.Secret))
		}
	}
}

func TestRotateWebhookSecret(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := f.newWebhook()
		rotate := func() string {
			r := f.do(nil, "POST", "/webhooks/"+made.Webhook.ID+"/rotate-secret", nil).want(200)
			return decodeAs[apiv1.WebhookSecret](t, r).Secret
		}
		previous := made.Secret
		for range 2 { // the second time the oldest is dropped
			asked := time.Now()
			secret := rotate()
			stored := f.storedWebhook(made.Webhook.ID)
			if got := f.opened(stored, stored.Secret); got != secret || secret == previous {
				t.Errorf("shown %q, stored %q, before %q", secret, got, previous)
			}
			if got := f.opened(stored, stored.PreviousSecret); got != previous {
				t.Errorf("%q signs as well, want %q", got, previous)
			}
			if kept := stored.PreviousUntil.Sub(asked); kept < 24*time.Hour-time.Second || kept > 24*time.Hour+time.Minute {
				t.Errorf("the former secret is kept for %s", kept)
			}
			previous = secret
		}
	})
}

// TestLostSecretIsRepeated repeats requests whose responses were lost.
func TestLostSecretIsRepeated(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		hook := body{"url": hookURL, "event_types": []string{"post.created"}}
		first := f.do(key("k"), "POST", "/webhooks", hook).want(201)
		again := f.do(key("k"), "POST", "/webhooks", hook).want(201)
		replays(t, first, again)
		path := "/webhooks/" + decodeAs[apiv1.WebhookSecret](t, first).Webhook.ID + "/rotate-secret"
		first = f.do(key("k"), "POST", path, nil).want(200)
		replays(t, first, f.do(key("k"), "POST", path, nil).want(200))
	})
}
