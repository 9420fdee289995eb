package wordpress_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*wordpress.Publisher)(nil)

// counting returns a site with a post that has 12 comments, one without comments, and one in
// the trash.
func counting() http.Handler {
	s := newServer()
	s.posts = []stored{{ID: 42, Status: "publish"}, {ID: 43, Status: "publish"}, {ID: 44, Status: "trash"}}
	s.comments = map[int]int{42: 12}
	return s
}

func TestResults(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{"44", "45"} {
		publishtest.RunResults(t, publishtest.ResultsSuite{
			New:         func(c *http.Client) publish.Publisher { return wordpress.New(c, outbound.AllowPrivate, "test") },
			Credentials: credentials, Network: counting(), Gone: gone, Counted: true,
			Want: map[string]schedctl.Metrics{"42": {Replies: new(int64(12))}, "43": {Replies: new(int64(0))}},
			Suspended: []publishtest.Recorded{
				{Status: 404, Body: `{"code":"rest_no_route","message":"No route was found matching the URL and request method.","data":{"status":404}}`},
				{Status: 401, Body: `{"code":"rest_forbidden_context","message":"Sorry, you are not allowed to edit this post.","data":{"status":401}}`},
			},
			Low: http.Header{"Ratelimit": {"limit=10, remaining=1, reset=30"}},
		})
	}
}

// TestResultsWithoutATotal guards that a site whose proxy removes the header with the number
// of comments has no number, and not 0.
func TestResultsWithoutATotal(t *testing.T) {
	t.Parallel()
	for _, total := range []string{"", "many", "-1", "0"} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/posts/42") {
				fmt.Fprint(w, `{"id":42,"status":"publish"}`)
				return
			}
			w.Header().Set("X-WP-Total", total)
			fmt.Fprint(w, `[{"id":7}]`)
		}))
		p := wordpress.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials(site.URL), IDs: []string{"42"}})
		if err != nil || len(reading.Results) > 0 || reading.Requests != 2 {
			t.Errorf("%q: %+v, %v", total, reading, err)
		}
		site.Close()
	}
}

// testSiteResults reads what a real site counts, and a post in its trash.
func testSiteResults(t *testing.T, w publishtest.WordPress) {
	p := newPublisher(t)
	receipt, err := p.Publish(t.Context(), siteRequest(w, "pt_results", "How many comments?"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(want publish.Result) {
		t.Helper()
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: loginOf(w, "alice"), IDs: []string{receipt.ID}})
		if diff := cmp.Diff(map[string]publish.Result{receipt.ID: want}, reading.Results); diff != "" || err != nil {
			t.Errorf("%v, results (-want +got):\n%s", err, diff)
		}
	}
	read(publish.Result{Metrics: schedctl.Metrics{Replies: new(int64(0))}})
	var comment struct{ ID int }
	_ = json.Unmarshal(send(t, w, http.MethodPost, "/wp-json/wp/v2/comments", `{"post":`+receipt.ID+`,"author_name":"Bob","author_email":"bob@example.org","content":"One."}`, http.StatusCreated), &comment)
	read(publish.Result{Metrics: schedctl.Metrics{Replies: new(int64(0))}}) // it waits for approval
	send(t, w, http.MethodPost, fmt.Sprintf("/wp-json/wp/v2/comments/%d", comment.ID), `{"status":"approved"}`, http.StatusOK)
	read(publish.Result{Metrics: schedctl.Metrics{Replies: new(int64(1))}})
	send(t, w, http.MethodDelete, "/wp-json/wp/v2/posts/"+receipt.ID, "", http.StatusOK)
	read(publish.Result{Gone: true})
	send(t, w, http.MethodDelete, "/wp-json/wp/v2/posts/"+receipt.ID+"?force=true", "", http.StatusOK)
	read(publish.Result{Gone: true})
}

// send sends a request of alice to a site, and returns the response.
func send(t *testing.T, w publishtest.WordPress, method, path, body string, want int) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("alice", w.Passwords["alice"])
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode != want {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	return text
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return wordpress.New(c, outbound.AllowPrivate, "test") },
		Credentials: credentials, Network: counting(), Want: map[string]schedctl.Metrics{"42": {}},
	}, cost.Check)
}
