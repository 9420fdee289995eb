package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzTexts sends arbitrary texts where a special form is expected: cursors, keys
// and the ids of events. The first number chooses where.
func FuzzTexts(f *testing.F) {
	z := newFuzzed(f)
	p := newPages(f, z)
	for _, cursor := range p.given {
		f.Add(byte(0), cursor, "")
		f.Add(byte(0), cursor[:len(cursor)-1], "")
		f.Add(byte(0), cursor+"=", "")
	}
	for _, seed := range []string{"", "A", "%", "\xff", "AQ", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "=", " "} {
		f.Add(byte(0), seed, "")
	}
	for _, seed := range []string{
		"", "Bearer", "Bearer ", "Bearer " + z.key, "bearer   " + z.key, "Basic " + z.key, z.key, "Bearer " + z.key + " ", "Bearer " + z.key[:20],
		"Bearer sctl_" + strings.Repeat("0", 49), "Bearer\t" + z.key, "Bearer " + strings.ToLower(z.key), "Bearer \xff", "Bearer sctl_\x00",
	} {
		f.Add(byte(1), seed, "192.0.2.1:1")
	}
	for _, seed := range []string{
		"", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1", "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "evt_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "evt_00000000000000000000000000",
		"post_01K2M4N6P8QARCTDVEWFXGYHZ1", "evt_01K2M4N6P8QARCTDVEWFXGYHZI", "evt_", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1\x00", "\xff", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1, evt_01K2M4N6P8QARCTDVEWFXGYHZ2",
	} {
		f.Add(byte(2), seed, "")
	}
	f.Fuzz(func(t *testing.T, where byte, text, remote string) {
		defer cost.Check(t, len(text)+len(remote))()
		switch where % 3 {
		case 0:
			p.turned(t, text)
		case 1:
			z.authorized(t, text, remote)
		case 2:
			z.resumed(t, text)
		}
	})
}

// resumed resumes a stream with an arbitrary Last-Event-ID: it is the id of an
// event or rejected, and never causes an internal error.
func (z *fuzzed) resumed(t *testing.T, id string) {
	r := z.get("/events")
	r.Method = "HEAD" // GET would not end
	r.Header["Last-Event-Id"] = []string{id}
	want := http.StatusBadRequest
	if _, ok := schedctl.ParseID(schedctl.EventPrefix, id); ok {
		want = http.StatusOK
	}
	if w := z.serve(t, r); w.Code != want {
		t.Errorf("Last-Event-ID %q gets %d, want %d", id, w.Code, want)
	}
}

// pages are lists with the cursors that they returned.
type pages struct {
	z            *fuzzed
	lists, given []string
}

func newPages(f *testing.F, z *fuzzed) pages {
	f.Helper()
	z.create(f, "TEST", "/webhooks/WEBHOOK/test", "")
	p := pages{z: z, lists: []string{"/posts?limit=1", "/posts?limit=1&sort=publish_at", "/audit?limit=1", z.named("/webhooks/WEBHOOK/deliveries?limit=1")}}
	for _, list := range p.lists {
		w := httptest.NewRecorder()
		z.handler.ServeHTTP(w, z.get(list))
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.NextCursor == "" {
			f.Fatalf("GET %s: %v, %s", list, err, w.Body)
		}
		p.given = append(p.given, page.NextCursor)
	}
	return p
}

// turned requests pages with arbitrary cursors: a list accepts its own cursors and
// rejects all others with INVALID_CURSOR.
func (p pages) turned(t *testing.T, cursor string) {
	for i, list := range p.lists {
		w := p.z.serve(t, p.z.get(list+"&cursor="+url.QueryEscape(cursor)))
		if cursor == p.given[i] {
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
}

// get returns a request below the prefix with the key.
func (z *fuzzed) get(path string) *http.Request {
	r := httptest.NewRequest("GET", "/api/v1"+path, nil)
	r.Header.Set("Authorization", "Bearer "+z.key)
	return r
}
