package matrix_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*matrix.Publisher)(nil)

// TestResults reads events with reactions on several pages, as many as are counted, and
// none, and one that was redacted. An event that the homeserver does not have proves nothing.
func TestResults(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	s := newRoomServer(t)
	s.events = []*roomEvent{{id: "$1", thread: 12}, {id: "$2"}, {id: "$3"}, {id: "$4", redacted: true}}
	s.reacted = map[string]int{"$1": 231, "$3": 500}
	publishtest.RunResults(t, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials { return credentials(url, room) },
		Network:     s, Gone: "$4", Hidden: "$5", Counted: true,
		Want: map[string]schedctl.Metrics{
			"$1": {Reactions: n(231), Replies: n(12)}, "$2": {Reactions: n(0)}, "$3": {Reactions: n(500)},
		},
		Suspended: []publishtest.Recorded{
			{Status: 403, Body: `{"errcode":"M_FORBIDDEN","error":"You are not in the room"}`}, {Status: 403, Body: `{"errcode":"M_USER_SUSPENDED","error":"suspended"}`},
			{Status: 404, Body: `{"errcode":"M_NOT_FOUND","error":"Event not found."}`}, {Status: 401, Body: `{"errcode":"M_UNKNOWN_TOKEN","error":"Unknown token"}`},
		},
	})
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials { return credentials(url, room) }, Network: &roomServer{events: []*roomEvent{{id: "$1", thread: 12}}, reacted: map[string]int{"$1": 3}}, Want: map[string]schedctl.Metrics{"$1": {}},
	}, cost.Check)
}

// TestResultsOfManyReactions guards that a number that was not counted to its end is marked.
func TestResultsOfManyReactions(t *testing.T) {
	t.Parallel()
	s := newRoomServer(t)
	s.events, s.reacted = []*roomEvent{{id: "$1"}}, map[string]int{"$1": 700}
	server := httptest.NewServer(s)
	defer server.Close()
	p := matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials(server.URL, room), IDs: []string{"$1"}})
	if got := reading.Results["$1"]; err != nil || !got.Estimated || got.Metrics.Reactions == nil || *got.Metrics.Reactions != 500 || reading.Requests != 6 {
		t.Errorf("%+v, %v", reading, err)
	}
}
