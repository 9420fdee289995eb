package matrix_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

// since is when the attempt of the recorded exchanges started.
var since = time.UnixMilli(1780412400000)

func TestFindReadsBackwards(t *testing.T) {
	t.Parallel()
	p := matrix.New(recorded.Client(t, "testdata/find.json"), outbound.PublicOnly, "1.2.3")
	got, found, err := p.Find(t.Context(), request(), since)
	if err != nil || !found || !got.Equal(receipt) {
		t.Errorf("got %+v, %v, %v; want %+v", got, found, err, receipt)
	}
}

func TestFindEnds(t *testing.T) {
	t.Parallel()
	event := func(at time.Time) string {
		return fmt.Sprintf(`{"event_id":"$1","sender":"@alice:example.org","origin_server_ts":%d,"content":{"body":"x"}}`, at.UnixMilli())
	}
	for _, tt := range []struct {
		name  string
		pages string // %d is the number of the page
		calls int64
		kind  schedctl.ErrorKind // empty if the room could be read
		says  string
	}{
		{"at the start of the room", `200 {"chunk":[]}`, 1, "", ""},
		{"without new messages", `200 {"chunk":[],"end":""}`, 1, "", ""},
		{"before the attempt", `200 {"chunk":[` + event(since.Add(-3*time.Hour)) + `],"end":"t%d"}`, 1, "", ""},
		{"not while the clock may have been set", `200 {"chunk":[` + event(since.Add(-time.Hour)) + `],"end":"t%d"}`, 20, schedctl.KindPlatform, "too many"},
		{"not at an empty page", `200 {"chunk":[],"end":"t%d"}`, 20, schedctl.KindPlatform, "too many"},
		{"at a page that leads to itself", `200 {"chunk":[],"end":"t"}`, 2, "", ""},
		{"without the right to read", `403 {"errcode":"M_FORBIDDEN","error":"no"}`, 1, schedctl.KindPlatform, "does not let schedctl look"},
		{"without the room", `404 {"errcode":"M_NOT_FOUND"}`, 1, schedctl.KindPlatform, "does not show"},
		{"at nonsense", `200 <html>`, 1, schedctl.KindContent, "no Matrix client API"},
	} {
		var calls atomic.Int64
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			status, body, _ := strings.Cut(tt.pages, " ")
			n := calls.Add(1)
			w.WriteHeader(map[string]int{"200": 200, "403": 403, "404": 404}[status])
			fmt.Fprint(w, strings.ReplaceAll(body, "%d", fmt.Sprint(n)))
		}))
		r := request()
		r.Credentials["homeserver_url"] = web.URL
		got, found, err := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test").Find(t.Context(), r, since)
		web.Close()
		if found || !got.Equal(schedctl.Receipt{}) || calls.Load() != tt.calls {
			t.Errorf("%s: got %+v, %v after %d requests, want %d", tt.name, got, found, calls.Load(), tt.calls)
		}
		if tt.kind == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		} else if e := publish.AsError(err); e.Kind != tt.kind || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}
