package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// TestSecretsInResponsesAreSealed repeats requests whose responses contain a
// secret, and searches the file for the secrets.
func TestSecretsInResponsesAreSealed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "schedctl.db")
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := newFixtureOn(t, store)
	webhook := decodeAs[apiv1.WebhookSecret](t, f.do(nil, "POST", "/webhooks", body{"url": "https://hooks.example/", "event_types": []string{"post.created"}}).want(201)).Webhook.ID
	var secrets []string
	for path, b := range map[string]any{
		"/api-keys":   body{"name": "x"},
		"/workspaces": body{"name": "x"},
		"/webhooks":   body{"url": "https://hooks.example/", "event_types": []string{"post.created"}},
		"/webhooks/" + webhook + "/rotate-secret": nil,
	} {
		first := f.do(key("k"), "POST", path, b)
		var shown struct{ Secret string }
		if err := json.Unmarshal(first.body, &shown); err != nil || shown.Secret == "" || first.status >= 300 {
			t.Fatalf("POST %s: %d %s (%v)", path, first.status, first.body, err)
		}
		secrets = append(secrets, shown.Secret)
		replays(t, first, f.do(key("k"), "POST", path, b))
	}
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file, []byte("/api/v1/api-keys")) && !bytes.Contains(file, []byte("createAPIKey")) {
		t.Error("the file does not hold what was done")
	}
	for _, secret := range secrets {
		random := secret[strings.IndexByte(secret, '_')+1:]
		if bytes.Contains(file, []byte(random)) || bytes.Contains(file, []byte(random[:16])) {
			t.Errorf("the file holds %s", secret)
		}
	}
}

// TestSealedResponsesAreForTheirKey guards that a secret is returned again only to
// the key that made the request. Other keys may have fewer permissions than the
// secret grants.
func TestSealedResponsesAreForTheirKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.do(key("k"), "POST", "/api-keys", body{"name": "x"}).want(201)
	another := as(f.scoped(schedctl.ScopeKeysWrite))
	f.do(all(another, key("k")), "POST", "/api-keys", body{"name": "x"}).refused(schedctl.IdempotencyKeyReused)
	replays(t, first, f.do(key("k"), "POST", "/api-keys", body{"name": "x"}))
	f.do(key("k"), "POST", "/api-keys", body{"name": "y"}).refused(schedctl.IdempotencyKeyReused)
}

// TestSealedResponsesAreBoundToTheirRequest moves a sealed response to a different
// request, as an attacker with write access to the file could.
func TestSealedResponsesAreBoundToTheirRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(key("k"), "POST", "/api-keys", body{"name": "x"}).want(201)
	f.update(func(tx storage.Tx) error {
		k := storage.IdempotencyScope{WorkspaceID: f.mine.workspace, Method: "POST", Path: "/api/v1/api-keys", IdempotencyKey: "k"}
		a, err := tx.IdempotencyRecord(k)
		if err != nil {
			return err
		}
		if !a.Sealed || bytes.Contains(a.Body, []byte("secret")) {
			t.Errorf("sealed: %v, %q", a.Sealed, a.Body)
		}
		k.IdempotencyKey = "another"
		return tx.PutIdempotencyRecord(k, a)
	})
	f.do(key("another"), "POST", "/api-keys", body{"name": "x"}).refused(schedctl.IdempotencyKeyReused)
}
