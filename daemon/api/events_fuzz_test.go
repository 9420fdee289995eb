package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/schedctl/schedctl"
)

// FuzzLastEventID resumes after whatever a client sends: it is the id of an
// event or refused, and never an error of the daemon's own.
func FuzzLastEventID(f *testing.F) {
	for _, seed := range []string{
		"", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1", "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "evt_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "evt_00000000000000000000000000",
		"post_01K2M4N6P8QARCTDVEWFXGYHZ1", "evt_01K2M4N6P8QARCTDVEWFXGYHZI", "evt_", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1\x00", "\xff", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1, evt_01K2M4N6P8QARCTDVEWFXGYHZ2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		fix := newFixture(t)
		left, cancel := context.WithCancel(t.Context())
		cancel() // the stream ends as soon as it has begun
		r := fix.do(all(resume(id), func(r *http.Request) { *r = *r.WithContext(left) }), "GET", "/events", nil)
		if _, ok := schedctl.ParseID(schedctl.EventPrefix, id); !ok {
			r.refused(schedctl.ValidationFailed)
			return
		}
		r.want(http.StatusOK)
	})
}
