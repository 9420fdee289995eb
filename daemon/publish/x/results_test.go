package x_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*x.Publisher)(nil)

// counting returns an X with a post of today, one of last year, whose private numbers X no
// longer has, and others between them that are not asked for.
func counting() *publishtest.FakeX {
	fake := publishtest.NewFakeX()
	today, old := time.Now(), time.Now().AddDate(-1, 0, 0)
	fake.Add(publishtest.XPost{ID: "1190", Text: "old", Created: old, Numbers: map[string]int64{"impression_count": 77}})
	fake.Add(publishtest.XPost{ID: "1191", Text: "by hand", Created: today, Numbers: map[string]int64{"impression_count": 55}})
	fake.Add(publishtest.XPost{ID: "1192", Text: "new", Created: today, Numbers: map[string]int64{
		"impression_count": 1204, "like_count": 31, "retweet_count": 4, "quote_count": 1, "reply_count": 2, "bookmark_count": 3, "url_link_clicks": 17, "user_profile_clicks": 5,
	}})
	return fake
}

func resultsSuite(fake *publishtest.FakeX) publishtest.ResultsSuite {
	n := func(v int64) *int64 { return &v }
	return publishtest.ResultsSuite{
		New: func(c *http.Client) publish.Publisher { return x.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials {
			c := publish.Credentials(fake.OAuth2(url))
			c["user_id"] = fake.UserID
			return c
		},
		Network: fake, Gone: "1193",
		Want: map[string]schedctl.Metrics{
			"1190": {Views: n(77), Reactions: n(0), Reposts: n(0), Quotes: n(0), Replies: n(0), Saves: n(0)},
			"1192": {Views: n(1204), Reactions: n(31), Reposts: n(4), Quotes: n(1), Replies: n(2), Saves: n(3), Clicks: n(17), Other: map[string]int64{"user_profile_clicks": 5}},
		},
		MissingScope: publishtest.Recorded{Status: 403, Body: `{"type":"about:blank","title":"Forbidden","status":403,"detail":"Forbidden"}`},
		Suspended: []publishtest.Recorded{
			{Status: 403, Body: `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Your account is suspended and is not permitted to access this feature."}`},
			{Status: 402, Body: `{"title":"CreditsDepleted","type":"https://api.x.com/2/problems/credits"}`},
			{Status: 429, Body: `{"title":"UsageCapExceeded","type":"https://api.x.com/2/problems/usage-capped"}`},
			{Status: 404, Body: `{"title":"Not Found Error","type":"https://api.x.com/2/problems/resource-not-found"}`},
		},
		Low: http.Header{"X-Rate-Limit-Limit": {"900"}, "X-Rate-Limit-Remaining": {"100"}, "X-Rate-Limit-Reset": {strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)}},
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	publishtest.RunResults(t, resultsSuite(counting()))
}

// TestResultsOfAMonth guards what the readings of a post cost: $0.005 if the account owns the
// app, and otherwise $0.025, and that the publisher and X agree about it.
func TestResultsOfAMonth(t *testing.T) {
	t.Parallel()
	for ownApp, want := range map[bool]int64{true: 5_000, false: 25_000} {
		fake := counting()
		fake.OwnApp = ownApp
		p, r := start(t, fake)
		account := schedctl.Account{Options: schedctl.Options{"own_app": ownApp}}
		rules, published := p.ResultsRules(account), time.Now()
		var cost int64
		reads := 0
		for at := rules.Next(published, published); !at.IsZero(); at = rules.Next(published, at) {
			reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: account, Credentials: r.Credentials, IDs: []string{"1192"}})
			if err != nil {
				t.Fatal(err)
			}
			cost, reads = cost+reading.Cost, reads+1
		}
		if cost != want || fake.Charged() != want || reads != 5 || !rules.Off {
			t.Errorf("own app %v: %d readings cost %d, and X charged %d; want %d", ownApp, reads, cost, fake.Charged(), want)
		}
	}
}

// TestResultsOfAPostThatIsNotListed guards that a post that the list leaves out, but that X
// has, is not gone.
func TestResultsOfAPostThatIsNotListed(t *testing.T) {
	t.Parallel()
	fake := counting()
	p, r := start(t, fake)
	fake.Respond(func(r *http.Request) publishtest.Mishap {
		if r.URL.Path == "/2/users/2244994945/tweets" {
			return publishtest.Mishap{Status: 200, Body: `{"meta":{"result_count":0}}`}
		}
		return publishtest.Mishap{}
	})
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{"1192"}})
	if got := reading.Results["1192"]; err != nil || got.Gone || got.Metrics.Views == nil || *got.Metrics.Views != 1204 || reading.Cost != 5_000 {
		t.Errorf("%+v, %v", reading, err)
	}
	// X does not show a post of a closed account, which is not gone.
	fake.Respond(func(*http.Request) publishtest.Mishap {
		return publishtest.Mishap{Status: 200, Body: `{"meta":{"result_count":0},"errors":[{"resource_id":"1192","type":"https://api.x.com/2/problems/not-authorized-for-resource"}]}`}
	})
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{"1192"}})
	if err != nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// TestCostOfLostResponses guards that a response that is lost or cannot be read is booked: X
// may have charged it.
func TestCostOfLostResponses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mishap publishtest.Mishap
		cost   int64
	}{
		"lost":       {publishtest.Mishap{Accept: true, Cut: true}, 1_000},
		"unreadable": {publishtest.Mishap{Status: 200, Body: `{"data":[`}, 1_000},
		"no meta":    {publishtest.Mishap{Status: 200, Body: `{"data":[{"id":"1192"}]}`}, 1_000},
		"refused":    {publishtest.Mishap{Status: 503}, 0},
	} {
		fake := counting()
		p, r := start(t, fake)
		fake.Respond(func(*http.Request) publishtest.Mishap { return tt.mishap })
		account := schedctl.Account{Options: schedctl.Options{"own_app": true}}
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Account: account, Credentials: r.Credentials, IDs: []string{"1192"}})
		if err == nil || reading.Cost != tt.cost {
			t.Errorf("%s: cost %d, want %d; error %v", name, reading.Cost, tt.cost, err)
		}
	}
}

// TestResultsOfAnExpiredSession guards that a session that has ended is renewed.
func TestResultsOfAnExpiredSession(t *testing.T) {
	t.Parallel()
	fake := counting()
	fake.ExpireSession()
	p, r := start(t, fake)
	credentials := publish.Credentials(fake.OAuth2(r.Credentials["api_url"]))
	credentials["user_id"] = fake.UserID
	_, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: credentials, IDs: []string{"1192"}})
	if e := publish.AsError(err); e.Code != publish.CodeSessionExpired {
		t.Errorf("%+v", e)
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, resultsSuite(counting()), cost.Check)
}

// TestResultsOfAPublishedPost reads the post of a receipt, and misses it when it is deleted.
func TestResultsOfAPublishedPost(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	read := func() publish.Result {
		t.Helper()
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{receipt.ID}})
		if err != nil {
			t.Fatal(err)
		}
		return reading.Results[receipt.ID]
	}
	if got := read(); got.Gone || got.Metrics.Views == nil || *got.Metrics.Views != 0 {
		t.Errorf("%+v", got)
	}
	if fake.Delete(receipt.ID); !read().Gone {
		t.Error("the deleted post is not gone")
	}
}
