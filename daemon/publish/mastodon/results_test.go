package mastodon_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var _ publish.ResultsReader = (*mastodon.Publisher)(nil)

// counted are statuses with the numbers of Mastodon 4.5: 109 has a poll, and the server of
// 110 is older and does not know quotes.
var counted = map[string]string{
	"109": `{"id":"109","favourites_count":31,"reblogs_count":4,"replies_count":2,"quotes_count":1,"poll":{"votes_count":12}}`,
	"110": `{"id":"110","favourites_count":0,"reblogs_count":0,"replies_count":-1,"poll":null}`,
}

func wantCounted() map[string]schedctl.Metrics {
	return map[string]schedctl.Metrics{
		"109": {Reactions: new(int64(31)), Reposts: new(int64(4)), Replies: new(int64(2)), Quotes: new(int64(1)), Other: map[string]int64{"poll_votes": 12}},
		"110": {Reactions: new(int64(0)), Reposts: new(int64(0))},
	}
}

// countingServer serves counted. Without batch it does not know the request for several
// statuses, as before Mastodon 4.3.
func countingServer(batch bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, one := strings.CutPrefix(r.URL.Path, "/api/v1/statuses/")
		switch status, known := counted[id]; {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(401)
			io.WriteString(w, `{"error":"The access token is invalid"}`)
		case one && known:
			io.WriteString(w, status)
		case one:
			w.WriteHeader(404)
			io.WriteString(w, `{"error":"Record not found"}`)
		case batch && r.URL.Path == "/api/v1/statuses":
			var list []string
			for _, id := range r.URL.Query()["id[]"] {
				if status, known := counted[id]; known {
					list = append(list, status)
				}
			}
			fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
		default:
			http.NotFound(w, r)
		}
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		server  http.HandlerFunc
		account schedctl.Account
	}{
		"Mastodon":            {countingServer(true), schedctl.Account{Limits: schedctl.Limits{URLCharacters: 23}}},
		"Mastodon before 4.3": {countingServer(false), schedctl.Account{Limits: schedctl.Limits{URLCharacters: 23}}},
		"one status each":     {countingServer(false), schedctl.Account{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			publishtest.RunResults(t, publishtest.ResultsSuite{
				New: func(c *http.Client) publish.Publisher { return mastodon.New(c, "test") }, Account: tt.account,
				Credentials: func(url string) publish.Credentials { return connection(url).Credentials },
				Network:     tt.server, Want: wantCounted(), Gone: "404",
				MissingScope: publishtest.Recorded{Status: 403, Body: `{"error":"This action is outside the authorized scopes"}`},
				Suspended:    []publishtest.Recorded{{Status: 403, Body: `{"error":"Your login is currently disabled"}`}, {Status: 404, Body: `"Record not found"`}},
				Low:          http.Header{"X-Ratelimit-Limit": {"300"}, "X-Ratelimit-Remaining": {"30"}, "X-Ratelimit-Reset": {time.Now().Add(time.Minute).UTC().Format(time.RFC3339)}},
			})
		})
	}
}

// TestResultsOfATokenWithoutTheScope guards that a missing permission is told apart from
// other refusals, because only a person can add it.
func TestResultsOfATokenWithoutTheScope(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(routes{"GET /api/v1/statuses/109": {403, `{"error":"This action is outside the authorized scopes"}`}})
	defer server.Close()
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	_, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: connection(server.URL).Credentials, IDs: []string{"109"}})
	if e := publish.AsError(err); e.Code != string(publish.HoldScope) || e.Kind == schedctl.KindAuth {
		t.Errorf("%+v", e)
	}
}

// TestSnacResults reads what a real server counts.
func TestSnacResults(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	credentials := publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken}
	receipt, err := p.Publish(t.Context(), publish.Request{TargetID: "pt_1", Key: "pt_1", Attempt: 1, Content: "How many like this?", Credentials: credentials})
	if err != nil {
		t.Fatal(err)
	}
	like, err := http.NewRequestWithContext(t.Context(), http.MethodPost, snac.URL+"/api/v1/statuses/"+receipt.ID+"/favourite", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	like.Header, like.Close = http.Header{"Authorization": {"Bearer " + snac.AccessToken}}, true
	response, err := http.DefaultClient.Do(like)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%+v, %v", response, err)
	}
	response.Body.Close()
	want := map[string]publish.Result{receipt.ID: {Metrics: schedctl.Metrics{Reactions: new(int64(1)), Reposts: new(int64(0)), Replies: new(int64(0))}}}
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials, IDs: []string{receipt.ID}})
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil {
		t.Errorf("%v, results (-want +got):\n%s", err, diff)
	}
	// snac has a page for what it does not have, which proves nothing.
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials, IDs: []string{strings.Repeat("1", len(receipt.ID))}})
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}
