package threads_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/threads"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*threads.Publisher)(nil)

const counted = "18000000000001"

// counting returns a Threads with two posts.
func counting() *publishtest.FakeContainers {
	fake := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	fake.Add(publishtest.ContainerPost{ID: counted, Text: "a", At: time.Now(), Numbers: map[string]int64{"views": 1204, "likes": 31, "replies": 12, "reposts": 4, "quotes": 1, "shares": 3}})
	fake.Add(publishtest.ContainerPost{ID: "18000000000002", Text: "b", At: time.Now()})
	return fake
}

func TestResults(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	publishtest.RunResults(t, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return threads.New(c, outbound.AllowPrivate, "test", "") },
		Credentials: func(url string) publish.Credentials {
			return publish.Credentials{"access_token": "threads-token", "api_url": url}
		},
		Network: counting(), Gone: "18000000000009",
		Want: map[string]schedctl.Metrics{
			counted:          {Views: n(1204), Reactions: n(31), Replies: n(12), Reposts: n(4), Quotes: n(1), Other: map[string]int64{"shares": 3}},
			"18000000000002": {Views: n(0), Reactions: n(0), Replies: n(0), Reposts: n(0), Quotes: n(0), Other: map[string]int64{"shares": 0}},
		},
		MissingScope: publishtest.Recorded{Status: 403, Body: publishtest.MetaError(10, 0, "(#10) Application does not have permission for this action")},
		Suspended: []publishtest.Recorded{
			{Status: 400, Body: publishtest.MetaError(190, 460, "Error validating access token")},
			{Status: 403, Body: publishtest.MetaError(368, 0, "The action attempted has been deemed abusive or is otherwise disallowed")},
			{Status: 400, Body: publishtest.MetaError(100, 33, "Unsupported get request. Object with ID 'x' does not exist, cannot be loaded due to missing permissions")},
			{Status: 400, Body: publishtest.MetaError(4, 0, "Application request limit reached")},
		},
		Low: http.Header{"X-App-Usage": {`{"call_count":90,"total_time":1,"total_cputime":1}`}},
	})
}

// TestResultsWithoutPermission guards that a token without the permission for numbers is told
// apart, and that a retired metric does not take the others with it.
func TestResultsWithoutPermission(t *testing.T) {
	t.Parallel()
	fake := counting()
	fake.Scopes = []string{"threads_basic", "threads_content_publish"}
	p, r := start(t, fake)
	_, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}})
	if e := publish.AsError(err); err == nil || e.Code != string(publish.HoldScope) || e.Kind == schedctl.KindAuth {
		t.Errorf("%+v", e)
	}
	fake = counting()
	fake.Retired = []string{"shares"}
	p, r = start(t, fake)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}})
	if got := reading.Results[counted].Metrics; err != nil || got.Views == nil || got.Other != nil || len(reading.Dropped) != 1 || reading.Dropped[0] != "shares" || reading.Requests != 2 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// TestResultsOfTheOnlyPost guards that a post is not gone if the account shows no other one:
// Meta responds so to a token that may no longer read.
func TestResultsOfTheOnlyPost(t *testing.T) {
	t.Parallel()
	fake := counting()
	fake.Remove(counted)
	fake.Remove("18000000000002")
	p, r := start(t, fake)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{counted}})
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return threads.New(c, outbound.AllowPrivate, "test", "") },
		Credentials: func(url string) publish.Credentials {
			return publish.Credentials{"access_token": "threads-token", "api_url": url}
		}, Network: counting(), Want: map[string]schedctl.Metrics{counted: {}},
	}, cost.Check)
}

// TestResultsOfAPublishedPost reads the post of a receipt, and misses it when it is deleted.
func TestResultsOfAPublishedPost(t *testing.T) {
	t.Parallel()
	fake := counting()
	p, r := start(t, fake)
	receipt := publishStaged(t, p, r)
	for _, gone := range []bool{false, true} {
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{receipt.ID}})
		if got := reading.Results[receipt.ID]; err != nil || got.Gone != gone || gone == (got.Metrics.Views != nil) {
			t.Errorf("%+v, %v", got, err)
		}
		fake.Remove(receipt.ID)
	}
}
