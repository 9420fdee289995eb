package linkedin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*linkedin.Publisher)(nil)

const (
	share   = "urn:li:share:7000000000000000001"
	ugc     = "urn:li:ugcPost:7000000000000000002"
	unseen  = "urn:li:share:7000000000000000003"
	missing = "urn:li:share:7000000000000000009"
)

func n(v int64) *int64 { return &v }

// counting returns a LinkedIn with posts of the organization, one of which nobody has seen,
// or of the person.
func counting(author string) *publishtest.FakeLinkedIn {
	fake := publishtest.NewFakeLinkedIn()
	numbers := map[string]int64{
		"impressionCount": 1204, "uniqueImpressionsCount": 803, "clickCount": 17, "likeCount": 31, "commentCount": 12, "shareCount": 4,
		"IMPRESSION": 1204, "MEMBERS_REACHED": 803, "REACTION": 31, "COMMENT": 12, "RESHARE": 4, "POST_SAVE": 11, "POST_SEND": 13,
	}
	fake.Add(publishtest.LinkedInPost{ID: share, Author: author, Created: time.Now(), Numbers: numbers})
	fake.Add(publishtest.LinkedInPost{ID: ugc, Author: author, Created: time.Now(), Numbers: map[string]int64{}})
	fake.Add(publishtest.LinkedInPost{ID: unseen, Author: author, Created: time.Now()})
	return fake
}

func suiteOf(fake *publishtest.FakeLinkedIn, organization bool) publishtest.ResultsSuite {
	return publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return linkedin.New(c, outbound.AllowPrivate, nil, "test") },
		Credentials: func(url string) publish.Credentials {
			c := publish.Credentials(fake.Credentials(url, organization))
			if !organization {
				c["author"] = "urn:li:person:782bbtaQ"
			}
			return c
		},
		Network:      fake,
		MissingScope: publishtest.Recorded{Status: 403, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: organizationalEntityShareStatistics.FINDER-organizationalEntity.20251001"}`},
		Suspended: []publishtest.Recorded{
			{Status: 401, Body: `{"status":401,"serviceErrorCode":65600,"code":"REVOKED_ACCESS_TOKEN","message":"The token used in the request has been revoked by the user"}`},
			{Status: 403, Body: `{"status":403,"code":"ACCESS_DENIED","message":"The member is restricted"}`},
			{Status: 404, Body: `{"status":404,"code":"RESOURCE_NOT_FOUND","message":"No virtual resource found"}`},
		},
	}
}

func TestResultsOfAnOrganization(t *testing.T) {
	t.Parallel()
	s := suiteOf(counting("urn:li:organization:5515715"), true)
	s.Account = schedctl.Account{ProfileURL: "https://www.linkedin.com/company/5515715/"}
	s.Gone, s.Hidden = missing, unseen
	s.Want = map[string]schedctl.Metrics{
		share: {Views: n(1204), Reach: n(803), Clicks: n(17), Reactions: n(31), Replies: n(12), Reposts: n(4)},
		ugc:   {Views: n(0), Reach: n(0), Clicks: n(0), Reactions: n(0), Replies: n(0), Reposts: n(0)},
	}
	publishtest.RunResults(t, s)
}

func TestResultsOfAPerson(t *testing.T) {
	t.Parallel()
	s := suiteOf(counting("urn:li:person:782bbtaQ"), false)
	s.Hidden = missing
	s.Want = map[string]schedctl.Metrics{
		share: {Views: n(1204), Reach: n(803), Reactions: n(31), Replies: n(12), Reposts: n(4), Saves: n(11), Other: map[string]int64{"sends": 13}},
		ugc:   {Views: n(0), Reach: n(0), Reactions: n(0), Replies: n(0), Reposts: n(0), Saves: n(0), Other: map[string]int64{"sends": 0}},
	}
	publishtest.RunResults(t, s)
}

// TestResultsOfAnOlderVersion guards that a number that a version does not have yet does not
// take the others with it, and is not asked for again.
func TestResultsOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	fake := counting("urn:li:person:782bbtaQ")
	fake.Unknown = []string{"POST_SAVE", "POST_SEND"}
	p, r := start(t, fake, false)
	r.Credentials["author"] = "urn:li:person:782bbtaQ"
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{share}})
	want := map[string]publish.Result{share: {Metrics: schedctl.Metrics{Views: n(1204), Reach: n(803), Reactions: n(31), Replies: n(12), Reposts: n(4)}}}
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil || !slices.Equal(reading.Dropped, []string{"POST_SAVE", "POST_SEND"}) || reading.Requests != 7 {
		t.Errorf("%v, %+v (-want +got):\n%s", err, reading, diff)
	}
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{share}, Dropped: reading.Dropped})
	if err != nil || reading.Requests != 5 || len(reading.Dropped) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// TestResultsWithoutReadingPosts guards that a post without numbers, which the token may not
// read, does not take the numbers of the others with it.
func TestResultsWithoutReadingPosts(t *testing.T) {
	t.Parallel()
	fake := counting("urn:li:organization:5515715")
	fake.Respond(func(r *http.Request) publishtest.Mishap {
		if strings.Contains(r.URL.Path, "/posts/") {
			return publishtest.Mishap{Status: 403, Body: `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: posts.GET.20260801"}`}
		}
		return publishtest.Mishap{}
	})
	p, r := start(t, fake, true)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{share, unseen}})
	if _, told := reading.Results[unseen]; err != nil || told || reading.Results[share].Metrics.Views == nil {
		t.Errorf("%+v, %v", reading, err)
	}
}

// TestResultsCountVersions guards that requests with versions that have ended count.
func TestResultsCountVersions(t *testing.T) {
	t.Parallel()
	fake := counting("urn:li:organization:5515715")
	fake.Last = 202608
	p, r := start(t, fake, true)
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{share}})
	if err != nil || reading.Requests != len(fake.Versions()) || reading.Requests < 2 || len(reading.Results) != 1 {
		t.Errorf("%+v, %v; sent %d", reading, err, len(fake.Versions()))
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	s := suiteOf(counting("urn:li:organization:5515715"), true)
	s.Account = schedctl.Account{ProfileURL: "https://www.linkedin.com/company/5515715/"}
	s.Want = map[string]schedctl.Metrics{share: {}}
	publishtest.FuzzResults(f, s, cost.Check)
}

// FuzzResultsOfAPerson reads results from any responses.
func FuzzResultsOfAPerson(f *testing.F) {
	s := suiteOf(counting("urn:li:person:782bbtaQ"), false)
	s.Want = map[string]schedctl.Metrics{share: {}}
	publishtest.FuzzResults(f, s, cost.Check)
}

// TestResultsOfAPublishedPost reads the post of a receipt, and misses it when it is deleted. It
// says nothing about a comment.
func TestResultsOfAPublishedPost(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	p, r := start(t, fake, true)
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{receipt.ID, "6636062862760562689"}
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: ids})
	if err != nil || len(reading.Results) > 0 || reading.Requests != 2 {
		t.Errorf("a post that nobody has seen: %+v, %v", reading, err)
	}
	fake.Delete(receipt.ID)
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: ids})
	if want := map[string]publish.Result{receipt.ID: {Gone: true}}; err != nil || !cmp.Equal(want, reading.Results) {
		t.Errorf("a deleted post: %+v, %v", reading, err)
	}
}
