package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/scripts/cost"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fuzzed is an API over a store in memory for fuzzing, with one key.
type fuzzed struct {
	handler *api.Server
	logs    *syncBuffer
	key     string
	store   storage.Store
	ids     []string // words in targets and bodies, and the ids they stand for
}

func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		f.Fatal(err)
	}
	z := &fuzzed{logs: &syncBuffer{}, store: storagetest.NewMemory()}
	f.Cleanup(func() { z.store.Close() })
	publishers := publish.NewRegistry(publishtest.NewFake("fake"))
	logger := slog.New(slog.NewTextHandler(z.logs, &slog.HandlerOptions{Level: slog.LevelError}))
	z.handler = api.New(api.Config{
		Store: z.store, Publishers: publishers, Sealer: sealer, Logger: logger, Notifier: &fakeNotifier{},
		Connector: connect.New(connect.Config{Store: z.store, Publishers: publishers, Sealer: sealer, Logger: logger}),
	})
	z.store.Notify(z.handler.Committed)
	secret, hash := schedctl.NewKeySecret()
	z.key = secret
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	err = z.store.Update(f.Context(), func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: ws, Name: "fuzz", CreatedAt: now}); err != nil {
			return err
		}
		return tx.PutKey(schedctl.APIKey{
			ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws, Hash: hash, Scopes: schedctl.Scopes(), CreatedAt: now,
		})
	})
	if err != nil {
		f.Fatal(err)
	}
	z.create(f, "ACCOUNT", "/social-accounts", `{"platform":"fake","name":"x"}`)
	z.create(f, "POST", "/posts", `{"content":"x","social_account_ids":["ACCOUNT"]}`)
	z.create(f, "PLAN", "/posts", `{"content":"x","social_account_ids":["ACCOUNT"],"publish_at":"2036-06-02T15:00:00Z"}`)
	z.create(f, "WEBHOOK", "/webhooks", `{"url":"https://hooks.example","event_types":["post.created"]}`)
	z.create(f, "DELIVERY", "/webhooks/WEBHOOK/test", "")
	z.create(f, "KEY", "/api-keys", `{"name":"x"}`)
	return z
}

// create creates an object and lets a word stand for its id.
func (z *fuzzed) create(f *testing.F, word, path, body string) {
	f.Helper()
	r := httptest.NewRequest("POST", "/api/v1"+z.named(path), strings.NewReader(z.named(body)))
	r.Header.Set("Authorization", "Bearer "+z.key)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	z.handler.ServeHTTP(w, r)
	var made map[string]struct{ ID string }
	json.Unmarshal(w.Body.Bytes(), &made) // only this field, because a secret is not redacted
	for _, name := range []string{"social_account", "post", "delivery", "webhook", "api_key"} {
		if id := made[name].ID; id != "" {
			z.ids = append(z.ids, word, id)
			return
		}
	}
	f.Fatalf("POST %s: %d %s", path, w.Code, w.Body)
}

// named replaces words in a text by the ids that they stand for.
func (z *fuzzed) named(text string) string { return strings.NewReplacer(z.ids...).Replace(text) }

// serve handles a request and fails the test on an internal error. It cancels
// requests that do not end.
func (z *fuzzed) serve(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if strings.HasPrefix(r.URL.Path, "/api/v1/events") && r.Method != http.MethodHead {
		cancel() // a stream
	}
	w := httptest.NewRecorder()
	z.handler.ServeHTTP(w, r.WithContext(ctx))
	if w.Code == http.StatusInternalServerError {
		t.Fatalf("%s %s %v: %s\n%s", r.Method, r.URL, r.Header, w.Body, z.logs)
	}
	return w
}

// authorized sends an arbitrary Authorization header: only the key itself is
// accepted.
func (z *fuzzed) authorized(t *testing.T, authorization, remote string) {
	r := httptest.NewRequest("GET", "/api/v1/me", nil)
	r.Header["Authorization"] = []string{authorization}
	r.RemoteAddr = remote
	w := z.serve(t, r)
	scheme, rest, _ := strings.Cut(authorization, " ")
	granted := strings.EqualFold(scheme, "Bearer") && strings.TrimLeft(rest, " ") == z.key
	switch {
	case granted != (w.Code == http.StatusOK):
		t.Fatalf("%q gets %d", authorization, w.Code)
	case !granted && w.Code != http.StatusUnauthorized && w.Code != http.StatusTooManyRequests:
		t.Fatalf("%q gets %d", authorization, w.Code)
	case w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "":
		t.Fatalf("%q gets 429 without Retry-After", authorization)
	case !granted && len(authorization) > 20 && strings.Contains(w.Body.String(), authorization[8:]):
		t.Fatalf("%q is shown: %s", authorization, w.Body)
	}
}

// FuzzRequest sends arbitrary requests with a key that has all scopes. None gets
// 500, and every error is an envelope, or a page where a person with a browser asks.
func FuzzRequest(f *testing.F) {
	z := newFuzzed(f)
	for path, b := range map[string]string{
		"POST /api/v1/posts":                                       `{"content":"x","publish_at":"2036-06-02T15:00:00Z"}`,
		"GET /api/v1/posts?limit=1&status=draft":                   "",
		"PATCH /api/v1/posts/POST":                                 `{"content":"y","social_account_ids":["ACCOUNT"],"target_overrides":[]}`,
		"POST /api/v1/posts/POST/schedule":                         `{"publish_at":"2036-06-02T15:00:00Z"}`,
		"POST /api/v1/posts/PLAN/cancel":                           "",
		"POST /api/v1/posts/PLAN/publish-now":                      `{"social_account_ids":["ACCOUNT"]}`,
		"POST /api/v1/posts/PLAN/retry":                            `{"target_ids":["pt_0"],"force":true}`,
		"GET /api/v1/posts/PLAN/timeline":                          "",
		"PATCH /api/v1/social-accounts/ACCOUNT":                    `{"name":"y","options":{"pacing":null}}`,
		"POST /api/v1/posts/validate":                              `{"content":"x","social_account_ids":["acct_0"]}`,
		"POST /api/v1/social-accounts":                             `{"platform":"fake","credentials":{"token":"x"},"options":{"pacing":"1s"}}`,
		"POST /api/v1/api-keys":                                    `{"name":"x","scopes":["posts:read"],"expires_at":null,"social_account_ids":["ACCOUNT"]}`,
		"DELETE /api/v1/api-keys/KEY":                              "",
		"POST /api/v1/workspaces":                                  `{"name":"x","timezone":"Europe/Rome"}`,
		"GET /api/v1/audit?cursor=x":                               "",
		"POST /api/v1/webhooks":                                    `{"url":"https://example.com","event_types":["post.created"],"secret":"whsec_x"}`,
		"PATCH /api/v1/webhooks/WEBHOOK":                           `{"url":"https://example.com","enabled":false,"name":"x"}`,
		"POST /api/v1/webhooks/WEBHOOK/replay":                     `{"since":"2026-06-02T15:00:00Z"}`,
		"GET /api/v1/webhooks/WEBHOOK/deliveries?":                 "",
		"POST /api/v1/webhooks/WEBHOOK/deliveries/DELIVERY/replay": "",
		"POST /api/v1/webhooks/WEBHOOK/rotate-secret":              "",
		"GET /api/v1/events":                                       "",
		"HEAD /api/v1/backup":                                      "",
		"PUT /api/v1/%2e%2e/x":                                     "[]",
		"GET /openapi.json":                                        "",
		"TRACE /healthz":                                           "\x00",
		"GET /s/TOKEN":                                             "",
		"POST /s/TOKEN/POST":                                       "decision=approve",
	} {
		method, target, _ := strings.Cut(path, " ")
		f.Add(method, target, "application/json", "key", "Last-Event-ID: evt_0\nIf-Match: \"1\"", []byte(b))
	}
	f.Fuzz(func(t *testing.T, method, target, contentType, idempotencyKey, headers string, body []byte) {
		defer requestCost.Check(t, len(method)+len(target)+len(contentType)+len(idempotencyKey)+len(headers)+len(body))()
		r, err := newFuzzRequest(method, z.named(target), []byte(z.named(string(body))))
		if err != nil {
			t.Skip("no such request can be made")
		}
		r.Header["Content-Type"] = []string{contentType}
		if idempotencyKey != "" {
			r.Header["Idempotency-Key"] = []string{idempotencyKey}
		}
		for line := range strings.SplitSeq(headers, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			r.Header[http.CanonicalHeaderKey(name)] = append(r.Header[http.CanonicalHeaderKey(name)], value)
		}
		r.Header["Authorization"] = []string{"Bearer " + z.key}
		w := z.serve(t, r)
		page := strings.HasPrefix(r.URL.Path, "/s/") && w.Header().Get("Content-Type") == "text/html; charset=utf-8" &&
			w.Header().Get("Content-Security-Policy") != "" && strings.HasPrefix(w.Body.String(), "<!doctype html>")
		if w.Code >= 400 && r.Method != http.MethodHead && !page && !strings.Contains(w.Body.String(), `"request_id":`) {
			t.Fatalf("%s %q gets %d: %s", method, target, w.Code, w.Body)
		}
	})
}

// requestCost bounds a request. The first one for the API document makes it, in 31 MB.
var requestCost = cost.Limit{Base: 64 << 20, PerByte: cost.Default.PerByte, Processor: cost.Default.Processor, ProcessorPerByte: cost.Default.ProcessorPerByte}

// newFuzzRequest returns a request as a server would read it.
func newFuzzRequest(method, target string, body []byte) (*http.Request, error) {
	if !strings.HasPrefix(target, "/") || strings.ContainsAny(target+method, " \r\n") {
		return nil, fmt.Errorf("%s %s is not the head of a request", method, target)
	}
	r, err := http.NewRequest(method, "http://schedctl"+target, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(body))
	r.RequestURI, r.RemoteAddr = target, "192.0.2.1:1"
	return r, nil
}
