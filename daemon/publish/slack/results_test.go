package slack_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/slack"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*slack.Publisher)(nil)

const (
	reacted   = "1780412400.000247"
	silent    = "1780412400.000248"
	tombstone = "1780412400.000249"
)

func counting(t *testing.T) *slackChannel {
	s := newChannel(t)
	reaction := func(n int) map[string]any { return map[string]any{"name": "fire", "count": n, "users": []string{"U1"}} }
	s.messages = []*slackMessage{
		{TS: reacted, Reactions: []map[string]any{reaction(31), reaction(12)}, Replies: 2},
		{TS: silent},
		{TS: tombstone, Subtype: "tombstone", Replies: 1},
	}
	return s
}

func TestResults(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	for _, gone := range []string{tombstone, "1780412400.000250"} {
		publishtest.RunResults(t, publishtest.ResultsSuite{
			New:         func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
			Account:     schedctl.Account{ProfileURL: "https://example.slack.com/archives/C0123456789"},
			Credentials: func(url string) publish.Credentials { return bot(url + "/api") },
			Network:     counting(t), Gone: gone, Sums: true,
			Want:         map[string]schedctl.Metrics{reacted: {Reactions: n(43), Replies: n(2)}, silent: {Reactions: n(0), Replies: n(0)}},
			MissingScope: publishtest.Recorded{Status: 200, Body: `{"ok":false,"error":"missing_scope","needed":"channels:history","provided":"chat:write"}`},
			Suspended: []publishtest.Recorded{
				{Status: 200, Body: `{"ok":false,"error":"account_inactive"}`}, {Status: 200, Body: `{"ok":false,"error":"not_in_channel"}`},
				{Status: 200, Body: `{"ok":false,"error":"channel_not_found"}`}, {Status: 200, Body: `{"ok":true}`},
			},
			Low: http.Header{"X-Ratelimit-Limit": {"50"}, "X-Ratelimit-Remaining": {"3"}, "X-Ratelimit-Reset": {"30"}},
		})
	}
}

// TestResultsOfAWebhook guards that the account of a webhook has no results, and that its rules
// say what to do.
func TestResultsOfAWebhook(t *testing.T) {
	t.Parallel()
	p := slack.New(http.DefaultClient, outbound.AllowPrivate, "test")
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: hook("https://hooks.slack.com/services/T0/B0/x")})
	if err != nil {
		t.Fatal(err)
	}
	if refused := p.ResultsRules(schedctl.Account{ProfileURL: profile.URL}).Refused; !strings.Contains(refused, "connect a bot") {
		t.Errorf("the rules say %q", refused)
	}
	if refused := p.ResultsRules(schedctl.Account{}).Refused; refused != "" {
		t.Errorf("the rules of a bot say %q", refused)
	}
	if reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: hook("https://hooks.slack.com/services/T0/B0/x"), IDs: []string{reacted}}); err == nil {
		t.Errorf("%+v", reading)
	}
}

// TestResultsOfALimitedWorkspace guards that a message that the plan of the workspace hides
// is not gone.
func TestResultsOfALimitedWorkspace(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(publishtest.Recorded{Status: 200, Body: `{"ok":true,"messages":[],"is_limited":true}`})
	defer server.Close()
	p := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: bot(server.URL + "/api"), IDs: []string{reacted}})
	if err != nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// FuzzResults reads results from any responses.
func FuzzResults(f *testing.F) {
	publishtest.FuzzResults(f, publishtest.ResultsSuite{
		New:         func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
		Credentials: func(url string) publish.Credentials { return bot(url + "/api") }, Network: &slackChannel{messages: []*slackMessage{{TS: reacted, Replies: 2}}}, Want: map[string]schedctl.Metrics{reacted: {}},
	}, cost.Check)
}

// TestResultsOfAPublishedPost reads the message of a receipt, and misses it when it is deleted,
// also if the channel has an older message.
func TestResultsOfAPublishedPost(t *testing.T) {
	t.Parallel()
	s := counting(t)
	p, c := serve(t, s)
	receipt, err := p.Publish(t.Context(), request(c))
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []bool{false, true} {
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: c, IDs: []string{receipt.ID}})
		if got, told := reading.Results[receipt.ID]; err != nil || !told || got.Gone != gone {
			t.Errorf("%+v, %v", reading, err)
		}
		if !gone {
			s.remove(receipt.ID)
		}
	}
}
