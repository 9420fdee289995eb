package api_test

import (
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
		r := fix.do(resume(id), "HEAD", "/events", nil) // GET would not end
		if _, ok := schedctl.ParseID(schedctl.EventPrefix, id); !ok {
			r.refused(schedctl.ValidationFailed)
			return
		}
		r.want(http.StatusOK)
	})
}
