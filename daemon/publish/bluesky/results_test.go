package bluesky_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var _ publish.ResultsReader = (*bluesky.Publisher)(nil)

const getPosts = "app.bsky.feed.getPosts"

// counts are views of posts as the app of Bluesky returns them. The account's server also has
// hiddenKey, which the app does not show.
var counts = map[string]string{
	uri(key):             fmt.Sprintf(`{"uri":%q,"likeCount":31,"repostCount":4,"replyCount":2,"quoteCount":1,"bookmarkCount":3}`, uri(key)),
	uri("3mnbxyhbs2k2b"): fmt.Sprintf(`{"uri":%q,"likeCount":0,"repostCount":0,"replyCount":"many"}`, uri("3mnbxyhbs2k2b")),
}

const hiddenKey = "3mnbxyhbs2k2c"

// counting returns a network with the posts of counts.
func counting() *network {
	n := newNetwork()
	n.records[hiddenKey] = json.RawMessage(`{}`)
	n.on(getPosts, func(w http.ResponseWriter, r *http.Request) {
		posts := []string{}
		for _, uri := range r.URL.Query()["uris"] {
			if view, known := counts[uri]; known {
				posts = append(posts, view)
			}
		}
		fmt.Fprintf(w, `{"posts":[%s]}`, strings.Join(posts, ","))
	})
	return n
}

func TestResults(t *testing.T) {
	t.Parallel()
	publishtest.RunResults(t, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return bluesky.New(c, nil, "test") },
		Credentials: func(url string) publish.Credentials {
			c := connection(url).Credentials
			c["did"], c["access_jwt"] = did, "access-1-0123456789"
			return c
		},
		Network: counting(), Gone: uri("3mnbxyhbs2k2d"), Hidden: uri(hiddenKey),
		Suspended: []publishtest.Recorded{{Status: 400, Body: `{"error":"AccountTakedown","message":"Account has been taken down"}`}, {Status: 400, Body: `{"error":"InvalidRequest","message":"could not resolve"}`}},
		Low:       http.Header{"Ratelimit-Limit": {"3000"}, "Ratelimit-Remaining": {"599"}, "Ratelimit-Reset": {strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)}},
		Want: map[string]schedctl.Metrics{
			uri(key):             {Reactions: new(int64(31)), Reposts: new(int64(4)), Replies: new(int64(2)), Quotes: new(int64(1)), Saves: new(int64(3))},
			uri("3mnbxyhbs2k2b"): {Reactions: new(int64(0)), Reposts: new(int64(0))},
		},
	})
}

// TestHiddenPostIsNotGone guards that a post that the app does not show, but that the account
// still has, is not reported as gone.
func TestHiddenPostIsNotGone(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	hidden := counting()
	n.on(getPosts, hidden.handlers[getPosts])
	n.records[hiddenKey] = json.RawMessage(`{}`)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials(n, 1), IDs: []string{uri(hiddenKey), "at://did:plc:someone/app.bsky.feed.post/" + key}})
	if err != nil || len(reading.Results) > 0 || reading.Requests != 2 {
		t.Errorf("%+v, %v", reading, err)
	}
}

func TestResultsWithAnExpiredSession(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	n.refuse(getPosts, 400, "ExpiredToken")
	_, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials(n, 1), IDs: []string{uri(key)}})
	if e := publish.AsError(err); e.Code != publish.CodeSessionExpired {
		t.Errorf("%+v", e)
	}
}

// testResultsWithoutTheApp checks with a real server, which has no app of Bluesky to count,
// that such a reading is an error and reports nothing about the post.
func (r rig) testResultsWithoutTheApp(t *testing.T) {
	receipt, err := r.Publish(t.Context(), r.request("Still there?"))
	if err != nil {
		t.Fatal(err)
	}
	reading, err := r.Results(t.Context(), publish.ResultsRequest{Credentials: r.profile.Credentials, IDs: []string{receipt.ID}})
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}
