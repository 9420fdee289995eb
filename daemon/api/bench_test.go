package api_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
)

// weightless is a store that knows one key and one account and keeps nothing,
// so that a benchmark over it measures the API alone.
type weightless struct {
	storage.Store
	storage.Tx
	key     schedctl.APIKey
	account schedctl.Account
}

func (s *weightless) View(_ context.Context, fn func(storage.Reader) error) error { return fn(s) }
func (s *weightless) Update(_ context.Context, fn func(storage.Tx) error) error   { return fn(s) }

func (s *weightless) KeyByHash([32]byte) (schedctl.APIKey, error)      { return s.key, nil }
func (s *weightless) Account(string, string) (schedctl.Account, error) { return s.account, nil }
func (s *weightless) PutPost(schedctl.Post) error                      { return nil }
func (s *weightless) AddEvents(...schedctl.Event) error                { return nil }
func (s *weightless) AddAudit(schedctl.AuditEntry) error               { return nil }
func (s *weightless) PutIdempotencyRecord(storage.IdempotencyScope, storage.IdempotencyRecord) error {
	return nil
}
func (s *weightless) IdempotencyRecord(storage.IdempotencyScope) (storage.IdempotencyRecord, error) {
	return storage.IdempotencyRecord{}, errNotFound
}

var errNotFound = schedctl.Errorf(schedctl.NotFound, "", "not found")

// BenchmarkCreatePost creates one scheduled post for one account, without a network
// and without a database.
func BenchmarkCreatePost(b *testing.B) {
	now := time.Now()
	secret, hash := schedctl.NewKeySecret()
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	store := &weightless{
		key:     schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: ws, Hash: hash, Scopes: schedctl.Scopes()},
		account: schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Platform: "feed", Status: schedctl.AccountConnected},
	}
	handler := api.New(api.Config{Store: store, Logger: slog.New(slog.DiscardHandler)})
	text := `{"content":"` + strings.Repeat("A post of the usual length. ", 8) + `","social_account_ids":["` + store.account.ID + `"],"publish_at":"2036-06-02T15:00:00Z"}`
	for name, repeatable := range map[string]bool{"plain": false, "idempotent": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r := httptest.NewRequest("POST", "/api/v1/posts", strings.NewReader(text))
				r.Header["Authorization"] = []string{"Bearer " + secret}
				r.Header["Content-Type"] = []string{"application/json"}
				if repeatable {
					r.Header["Idempotency-Key"] = []string{"key-" + strconv.Itoa(i)}
				}
				w := &sink{header: http.Header{}}
				handler.ServeHTTP(w, r)
				if w.status != http.StatusCreated {
					b.Fatal(w.status)
				}
			}
		})
	}
}

// sink is a response writer that discards everything.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
