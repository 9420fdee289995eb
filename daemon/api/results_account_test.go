package api_test

import (
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/x"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestAccountResults checks what accounts show of their readings.
func TestAccountResults(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers = maps.Clone(c.Publishers)
		c.Publishers["mastodon"], c.Publishers["x"] = mastodon.New(nil, "test"), x.New(nil, outbound.AllowPrivate, "test")
	})
	now := time.Now()
	for name, tt := range map[string]struct {
		platform string
		options  schedctl.Options
		status   schedctl.AccountStatus
		log      schedctl.AccountResults
		state    string
		reason   schedctl.ResultsReason
		scopes   []string
	}{
		"a network without":  {platform: "feed", state: "unavailable", reason: "unsupported"},
		"by default":         {platform: "mastodon", state: "on"},
		"off":                {platform: "mastodon", options: schedctl.Options{"results": "off"}, state: "off", reason: "off"},
		"off, without scope": {platform: "mastodon", options: schedctl.Options{"results": "off"}, log: schedctl.AccountResults{Lacks: []string{"other"}}, state: "off", reason: "off"},
		"where it costs":     {platform: "x", state: "off", reason: "off"},
		"on where it costs":  {platform: "x", options: schedctl.Options{"results": "on"}, state: "on"},
		"no budget":          {platform: "x", options: schedctl.Options{"results": "on"}, log: schedctl.AccountResults{Reason: schedctl.ResultsBudget}, state: "delayed", reason: "budget"},
		"no scope":           {platform: "mastodon", log: schedctl.AccountResults{Reason: schedctl.ResultsMissingScope}, state: "unavailable", reason: "missing_scope", scopes: []string{"read:statuses"}},
		"no scope, and on":   {platform: "mastodon", options: schedctl.Options{"results": "on"}, log: schedctl.AccountResults{Reason: schedctl.ResultsMissingScope}, state: "reconnect_required", reason: "missing_scope", scopes: []string{"read:statuses"}},
		"a part is missing":  {platform: "mastodon", log: schedctl.AccountResults{Lacks: []string{"other"}}, state: "on", scopes: []string{"other"}},
		"refused by network": {platform: "mastodon", status: schedctl.AccountError, state: "reconnect_required", reason: "disconnected"},
	} {
		f.update(func(tx storage.Tx) error {
			a, err := tx.Account(f.mine.workspace, f.mine.account)
			if err != nil {
				return err
			}
			a.Platform, a.Options, a.Status = tt.platform, tt.options, schedctl.AccountConnected
			if tt.status != "" {
				a.Status = tt.status
			}
			if err := tx.PutAccount(a); err != nil {
				return err
			}
			log := tt.log // the transaction may run again
			log.WorkspaceID, log.AccountID = a.WorkspaceID, a.ID
			log.CountRequests(2, now)
			log.Spend(25_400, now)
			log.Drop([]string{"post_clicks"}, now)
			return tx.PutAccountResults(log)
		})
		got := decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "GET", "/social-accounts/"+f.mine.account, nil).want(200)).SocialAccount.Results
		want := apiv1.AccountResults{State: tt.state, RequestsLastDay: 2, CostUSDMonth: 0.0254, DroppedMetrics: []string{"post_clicks"}, MissingScopes: append([]string{}, tt.scopes...), Metrics: got.Metrics}
		if tt.reason != "" {
			want.Reason = &tt.reason
		}
		if diff := cmp.Diff(want, got); diff != "" || (len(got.Metrics) > 0) != (tt.platform != "feed") {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	can := decodeAs[apiv1.Capabilities](t, f.do(nil, "GET", "/capabilities", nil).want(200))
	if r := can.Platforms["x"].Results; r == nil || r.CostUSD == nil || *r.CostUSD != 0.005 || r.WindowDays == nil || *r.WindowDays != 30 || len(r.Points) != 5 || r.Points[0] != 3600 {
		t.Errorf("capabilities of x: %+v", r)
	}
	if r := can.Platforms["feed"].Results; r != nil {
		t.Errorf("capabilities of feed: %+v", r)
	}
}

// TestResultsOptions checks the options of accounts about results.
func TestResultsOptions(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers = maps.Clone(c.Publishers)
		c.Publishers["x"] = x.New(nil, outbound.AllowPrivate, "test")
	})
	edit := func(options body) *response {
		return f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"options": options})
	}
	edit(body{"results": "on"}).refused(schedctl.ValidationFailed) // a feed has no such option
	f.update(func(tx storage.Tx) error {
		a, err := tx.Account(f.mine.workspace, f.mine.account)
		a.Platform = "x"
		if err != nil {
			return err
		}
		return tx.PutAccount(a)
	})
	edit(body{"results_budget": 0.02}).refused(schedctl.ValidationFailed)
	edit(body{"results_per_hour": 0.5}).refused(schedctl.ValidationFailed)
	a := decodeAs[apiv1.AccountEnvelope](t, edit(body{"results": "on", "results_budget": 0.02, "own_app": true, "results_per_hour": 10}).want(200)).SocialAccount
	if a.Results.State != "on" || a.Options["results_budget"] != 0.02 {
		t.Errorf("%+v", a)
	}
	edit(body{"own_app": nil}).refused(schedctl.ValidationFailed) // a reading costs more then
}

// TestGainsOfAWorkspace checks that gains are those of the hours, of all targets, and that the
// windows and the days add up to the total.
func TestGainsOfAWorkspace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.readBy("new", 30*time.Minute, [2]int64{30, 8})
	f.readBy("old", 26*time.Hour, [2]int64{60, 5}, [2]int64{26 * 60, 30})
	got := decodeAs[apiv1.AnalyticsWorkspace](t, f.do(nil, "GET", "/analytics/workspace", nil).want(200))
	day, hour := got.Metrics.EngagementsLastDay, got.Metrics.EngagementsLastHour
	if day.PreviousValue == nil || day.Value+*day.PreviousValue != 38 || day.KnownTargets != 2 || !day.Estimated {
		t.Errorf("last day %+v, want windows that add up to 38", day)
	}
	if hour.Value < 8 || hour.Value > 10 || hour.KnownTargets != 2 || !hour.Estimated {
		t.Errorf("last hour %+v, want 8 and one of 25 hours", hour)
	}
	var sum int64
	for _, d := range got.Sparkline {
		sum += d.Value
	}
	if sum != 38 {
		t.Errorf("the days gained %d, want 38", sum)
	}
	if v := got.Metrics.ViewsLastDay; v.Value != 0 || v.PreviousValue != nil || v.KnownTargets != 0 || v.Estimated {
		t.Errorf("views %+v", v)
	}
}
