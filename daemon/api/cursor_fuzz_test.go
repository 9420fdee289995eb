package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// FuzzCursor turns pages with whatever a client sends: a list takes the cursor
// that it gave itself, and refuses every other one by name.
func FuzzCursor(f *testing.F) {
	z := newFuzzed(f)
	z.create(f, "TEST", "/webhooks/WEBHOOK/test", "")
	lists := []string{"/posts?limit=1", "/posts?limit=1&sort=publish_at", "/audit?limit=1", z.named("/webhooks/WEBHOOK/deliveries?limit=1")}
	given := make([]string, len(lists))
	for i, list := range lists {
		w := httptest.NewRecorder()
		z.handler.ServeHTTP(w, z.get(list))
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.NextCursor == "" {
			f.Fatalf("GET %s: %v, %s", list, err, w.Body)
		}
		given[i] = page.NextCursor
		f.Add(given[i])
		f.Add(given[i][:len(given[i])-1])
		f.Add(given[i] + "=")
	}
	for _, seed := range []string{"", "A", "%", "\xff", "AQ", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "=", " "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		for i, list := range lists {
			w := z.serve(t, z.get(list+"&cursor="+url.QueryEscape(cursor)))
			if cursor == given[i] {
				if w.Code != http.StatusOK {
					t.Errorf("GET %s refuses its own cursor: %s", list, w.Body)
				}
				continue
			}
			var refusal apiv1.ErrorEnvelope
			err := json.Unmarshal(w.Body.Bytes(), &refusal)
			if code := refusal.Error.Code; err != nil || w.Code != http.StatusBadRequest || (code != schedctl.InvalidCursor && code != schedctl.ValidationFailed) {
				t.Errorf("GET %s with cursor %q: %d %s", list, cursor, w.Code, w.Body)
			}
		}
	})
}

// get returns a request below the prefix with the key.
func (z *fuzzed) get(path string) *http.Request {
	r := httptest.NewRequest("GET", "/api/v1"+path, nil)
	r.Header.Set("Authorization", "Bearer "+z.key)
	return r
}
