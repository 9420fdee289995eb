package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

func TestIfMatch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for value, want := range map[string]schedctl.Code{
		`"1"`:        "",
		`*`:          "",
		`"0", "1"`:   "",
		`"0","1"`:    "",
		` , "1" ,`:   "",
		`W/"0", "1"`: "",
		`"2"`:        schedctl.VersionMismatch,
		`"01"`:       schedctl.VersionMismatch,
		`""`:         schedctl.VersionMismatch,
		`W/"1"`:      schedctl.VersionMismatch,
		`"a,b"`:      schedctl.VersionMismatch,
		`1`:          schedctl.ValidationFailed,
		`"1`:         schedctl.ValidationFailed,
		`1"`:         schedctl.ValidationFailed,
		`"1" "2"`:    schedctl.ValidationFailed,
		`*, "1"`:     schedctl.ValidationFailed,
		`w/"1"`:      schedctl.ValidationFailed,
		`"1 2"`:      schedctl.ValidationFailed,
		``:           schedctl.ValidationFailed,
		` `:          schedctl.ValidationFailed,
	} {
		r := f.do(header("If-Match", value), "PATCH", "/posts/"+f.draft().ID, body{"content": "y"})
		if want == "" {
			r.want(200)
		} else if r.refused(want); t.Failed() {
			t.Fatalf("If-Match: %s", value)
		}
	}
}

func TestIfMatchOnEveryChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, tt := range []struct {
		method, path string
		from         schedctl.Status
		body         any
	}{
		{"PATCH", "", schedctl.Draft, body{"content": "y"}},
		{"DELETE", "", schedctl.Draft, nil},
		{"POST", "/schedule", schedctl.Draft, body{"publish_at": in(time.Hour)}},
		{"POST", "/publish-now", schedctl.Scheduled, nil},
		{"POST", "/cancel", schedctl.Scheduled, nil},
		{"POST", "/retry", schedctl.Failed, nil},
	} {
		p := f.inStatus(tt.from)
		current := f.do(nil, "GET", "/posts/"+p.ID, nil).header.Get("ETag")
		f.do(header("If-Match", `"99"`), tt.method, "/posts/"+p.ID+tt.path, tt.body).refused(schedctl.VersionMismatch)
		if r := f.do(header("If-Match", current), tt.method, "/posts/"+p.ID+tt.path, tt.body); r.status >= 300 {
			t.Errorf("%s %s with the current version gets %d: %s", tt.method, tt.path, r.status, r.body)
		} else if r.status != http.StatusNoContent && r.header.Get("ETag") == current {
			t.Errorf("%s %s keeps the ETag %s", tt.method, tt.path, current)
		}
	}
}

func TestLostUpdateIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	both := header("If-Match", `"1"`)
	f.do(both, "PATCH", "/posts/"+p.ID, body{"content": "mine"}).want(200)
	f.do(both, "PATCH", "/posts/"+p.ID, body{"content": "yours"}).refused(schedctl.VersionMismatch)
	if got := f.do(nil, "GET", "/posts/"+p.ID, nil).post(); got.Content != "mine" {
		t.Errorf("content %q", got.Content)
	}
}
