package discord_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*discord.Publisher)(nil)

const (
	reacted = "1180000000000000042"
	silent  = "1180000000000000043"
)

// counting returns a channel with a message that has reactions, and one that has none.
func counting(t *testing.T) *server {
	s := newServer(t)
	reaction := func(n int) map[string]any { return map[string]any{"count": n, "emoji": map[string]any{"name": "🔥"}} }
	s.messages = []map[string]any{
		{"id": reacted, "channel_id": reacted, "reactions": []any{reaction(31), reaction(12)}},
		{"id": silent, "channel_id": silent},
	}
	return s
}

func TestResults(t *testing.T) {
	t.Parallel()
	for name, forum := range map[string]bool{"channel": false, "forum": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := counting(t)
			s.forum = forum
			publishtest.RunResults(t, publishtest.ResultsSuite{
				New:         func(c *http.Client) publish.Publisher { return discord.New(c, outbound.AllowPrivate, "test") },
				Account:     schedctl.Account{Options: schedctl.Options{"forum": forum}},
				Credentials: func(url string) publish.Credentials { return connection(url + webhookV10).Credentials },
				Network:     only(s), Gone: "1180000000000000049",
				Want: map[string]schedctl.Metrics{reacted: {Reactions: new(int64(43))}, silent: {}},
				Sums: true,
				Suspended: []publishtest.Recorded{
					{Status: 404, Body: `{"message": "Unknown Webhook", "code": 10015}`}, {Status: 401, Body: `{"message": "Invalid Webhook Token", "code": 50027}`},
					{Status: 403, Body: `{"message": "internal network error", "code": 40333}`}, {Status: 404, Body: `{"message": "404: Not Found", "code": 0}`},
				},
				Low: http.Header{"X-Ratelimit-Limit": {"5"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {"60"}},
			})
		})
	}
}

// only serves the messages of a channel: a reading sends nothing else.
func only(s *server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !readsMessage(r) {
			http.Error(w, "not a message", http.StatusTeapot)
			return
		}
		s.ServeHTTP(w, r)
	})
}

// TestResultsOfAnotherWebhook guards that a message of a webhook that the account had before
// is not gone: the new one cannot read it.
func TestResultsOfAnotherWebhook(t *testing.T) {
	t.Parallel()
	p, r := newServer(t).start(t)
	old := "199999999999999999" // before the webhook was made
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{old, "not an id"}})
	if diff := cmp.Diff(map[string]publish.Result{}, reading.Results); diff != "" || err != nil || reading.Requests != 1 {
		t.Errorf("%v, %+v (-want +got):\n%s", err, reading, diff)
	}
}

// TestResultsOfADeletedThread guards that a post of a forum is gone with its thread.
func TestResultsOfADeletedThread(t *testing.T) {
	t.Parallel()
	p, r := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		w.Write([]byte(`{"message": "Unknown Channel", "code": 10003}`))
	}))
	for forum, gone := range map[bool]bool{true: true, false: false} {
		account := schedctl.Account{Options: schedctl.Options{"forum": forum}}
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: account, Credentials: r.Credentials, IDs: []string{reacted}})
		if reading.Results[reacted].Gone != gone || gone != (err == nil) {
			t.Errorf("forum %v: %+v, %v", forum, reading, err)
		}
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return discord.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials { return connection(url + webhookV10).Credentials }, Network: &server{messages: []map[string]any{{"id": reacted, "reactions": []any{map[string]any{"count": 31}}}}}, Want: map[string]schedctl.Metrics{reacted: {}},
	}, cost.Check)
}

// TestResultsOfAPublishedPost reads the message of a receipt, in a channel and in a forum.
func TestResultsOfAPublishedPost(t *testing.T) {
	t.Parallel()
	for _, forum := range []bool{false, true} {
		s := newServer(t)
		s.forum = forum
		p, r := s.start(t)
		r.Account.Options = schedctl.Options{"forum": forum}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range []bool{false, true} {
			reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: r.Account, Credentials: r.Credentials, IDs: []string{receipt.ID}})
			if got, told := reading.Results[receipt.ID]; err != nil || !told || got.Gone != gone {
				t.Errorf("forum %v: %+v, %v", forum, reading, err)
			}
			s.deleted[receipt.ID] = true
		}
	}
}
