package instagram_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/instagram"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*instagram.Publisher)(nil)

const (
	reel    = "18000000000001"
	picture = "18000000000002"
)

// counting returns an Instagram with a reel, and a picture, which has no shares.
func counting() *publishtest.FakeContainers {
	f := fake()
	numbers := map[string]int64{"views": 1204, "reach": 803, "saved": 12, "shares": 14, "like_count": 31, "comments_count": 2}
	f.Add(publishtest.ContainerPost{ID: reel, At: time.Now(), Numbers: numbers, Form: map[string]string{"media_type": "REELS"}})
	f.Add(publishtest.ContainerPost{ID: picture, At: time.Now(), Numbers: numbers})
	return f
}

func n(v int64) *int64 { return &v }

func TestResults(t *testing.T) {
	t.Parallel()
	of := schedctl.Metrics{Views: n(1204), Reach: n(803), Saves: n(12), Reactions: n(31), Replies: n(2)}
	withShares := of
	withShares.Other = map[string]int64{"shares": 14}
	network := counting()
	publishtest.RunResults(t, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return instagram.New(c, outbound.AllowPrivate, "test", "") },
		Credentials: func(url string) publish.Credentials {
			return publish.Credentials{"access_token": "instagram-token", "api_url": url, "user_id": "17841400000000001"}
		},
		Network: network, Gone: "18000000000009", Want: map[string]schedctl.Metrics{reel: withShares, picture: of},
		MissingScope: publishtest.Recorded{Status: 400, Body: publishtest.MetaError(10, 0, "(#10) Application does not have permission for this action")},
		Suspended: []publishtest.Recorded{
			{Status: 400, Body: publishtest.MetaError(25, 2207050, "The Instagram account is restricted")},
			{Status: 400, Body: publishtest.MetaError(100, 33, "Unsupported get request. Object with ID 'x' does not exist")},
		},
		Low: http.Header{"X-Business-Use-Case-Usage": {`{"17841400000000001":[{"type":"instagram","call_count":99,"total_cputime":1,"total_time":1,"estimated_time_to_regain_access":0}]}`}},
	})
}

// TestResultsOfFewViewers guards that likes and comments are read although too few people
// have seen the post for the other numbers, and that they are not 0 then.
func TestResultsOfFewViewers(t *testing.T) {
	t.Parallel()
	f := counting()
	f.Few = true
	p, r := start(t, f)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{picture}})
	want := map[string]publish.Result{picture: {Metrics: schedctl.Metrics{Reactions: n(31), Replies: n(2)}}}
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil || len(reading.Lacks)+len(reading.Dropped) > 0 {
		t.Errorf("%v, %+v (-want +got):\n%s", err, reading, diff)
	}
}

// TestResultsWithoutPermission guards that a token without the permission for all numbers
// still reads likes and comments, and that the reading says what is missing.
func TestResultsWithoutPermission(t *testing.T) {
	t.Parallel()
	f := counting()
	f.Scopes = []string{"instagram_business_basic", "instagram_business_content_publish"}
	p, r := start(t, f)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{reel}})
	want := map[string]publish.Result{reel: {Metrics: schedctl.Metrics{Reactions: n(31), Replies: n(2)}}}
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil || len(reading.Lacks) != 1 || reading.Lacks[0] != "instagram_business_manage_insights" {
		t.Errorf("%v, %+v (-want +got):\n%s", err, reading, diff)
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return instagram.New(c, outbound.AllowPrivate, "test", "") },
		Credentials: func(url string) publish.Credentials {
			return publish.Credentials{"access_token": "instagram-token", "api_url": url}
		}, Network: counting(), Want: map[string]schedctl.Metrics{reel: {}},
	}, cost.Check)
}
