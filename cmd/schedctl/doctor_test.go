package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/server"
)

// emptyKeyring is a keyring that works and holds nothing.
type emptyKeyring struct{ noKeyring }

func (emptyKeyring) Get(string, string) (string, error) { return "", keyring.ErrNotFound }

// clockDaemon serves /readyz with a clock that differs from noon.
func clockDaemon(skew time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", noon.Add(skew).Format(http.TimeFormat))
		w.Write([]byte(`{"status":"ok"}`))
	}
}

// notReady is a daemon that cannot publish, at noon.
var notReady = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", noon.Format(http.TimeFormat))
	routes{"GET /readyz": refused{http.StatusServiceUnavailable, "UNAVAILABLE"}}.ServeHTTP(w, r)
})

// webServer responds to every request with a page.
var webServer = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>Welcome</html>")) })

// healthy is a daemon without faults.
func healthy() routes {
	return routes{
		"GET /readyz":          clockDaemon(0),
		"GET /openapi.json":    map[string]any{"info": map[string]string{"version": "1.0.0", "x-schedctl-version": "1.2.3"}},
		"GET /me":              apiv1.Me{Workspace: apiv1.Workspace{Name: "default"}, APIKey: apiv1.APIKey{Name: "admin"}},
		"GET /social-accounts": apiv1.AccountList{Results: []apiv1.Account{blog}},
		"GET /posts":           apiv1.PostList{},
		"GET /blackouts":       apiv1.BlackoutList{},
	}
}

func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, healthy())
	m.Keyring = emptyKeyring{}
	m.want(t, 0, `ok	time zones	local time is 2026-11-21 12:00 UTC (UTC+00:00)	
ok	keyring	the keyring of this desktop can be used	
ok	configuration	http://daemon.test	
ok	daemon	http://daemon.test is ready, version 1.2.3	
ok	clock	the clocks here and there agree	
ok	key	admin, of workspace default	
ok	accounts	1 account connected	
ok	lag	no post is late	
`, "", "doctor")
	m.want(t, 0, "", "", "doctor", "-q")
	m.want(t, 0, "8\n", "", "doctor", "--jq", "map(select(.status == \"ok\")) | length")
	m.Keyring = noKeyring{}
	m.terminals().noColorEnv()
	if status := m.run(t, "doctor"); status != 0 || !strings.Contains(m.out.String(), "warn  keyring        there is no keyring that can be used: there is no keyring\n                     nothing has to be done: ") {
		t.Errorf("exit status %d:\n%s", status, &m.out)
	}
}

// TestDoctorNamesFactsThatAge checks that doctor names versions of APIs that end soon, once
// for each platform of an account.
func TestDoctorNamesFactsThatAge(t *testing.T) {
	t.Parallel()
	company, me := blog, blog
	company.Platform, me.Platform = "linkedin", "linkedin"
	daemon := healthy()
	daemon["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{company, me, blog}}
	m := newMachine(t, daemon)
	for at, want := range map[time.Time]int{noon: 0, noon.AddDate(1, 0, 0): 1} {
		m.Now = func() time.Time { return at }
		m.run(t, "doctor")
		if n := strings.Count(m.out.String(), "linkedin: version 202610 of the API, which this schedctl uses, may not be accepted after about October 2027"); n != want {
			t.Errorf("%s: named %d times:\n%s", at, n, &m.out)
		}
	}
}

// TestDoctorFinds checks the report and the exit status for each possible fault alone.
func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	broken := blog
	broken.Status, broken.Error = schedctl.AccountError, &apiv1.TargetError{Kind: schedctl.KindAuth, Message: "token revoked"}
	broke := blog
	broke.Status, broke.Error = schedctl.AccountError, &apiv1.TargetError{Kind: schedctl.KindAuth, Code: ptr("credits_depleted"), Message: "buy credits"}
	ending := blog
	ending.Warnings = []string{"its credentials end in 2 days"}
	shared := blog
	shared.Warnings = []string{"it logs in as the same user of mastodon as another"}
	paused := blog
	paused.Waits = &apiv1.Waits{Reason: apiv1.WaitsPause, Until: at(2 * time.Hour), Message: "it has asked for a pause"}
	unread := func(r apiv1.AccountResults) func(*machine, routes) {
		a := blog
		a.Results = r
		return func(_ *machine, r routes) { r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{a}} }
	}
	late := planned("post_1", "2026-11-21 11:50", schedctl.Scheduled, "Late", blog.ID)
	stuck := planned("post_1", "2026-11-21 11:50", schedctl.Publishing, "Stuck", blog.ID)
	expiring := apiv1.Me{Workspace: apiv1.Workspace{Name: "default"}, APIKey: apiv1.APIKey{Name: "old", ExpiresAt: at(48 * time.Hour)}}
	for name, tc := range map[string]struct {
		set    func(*machine, routes)
		check  string
		want   []string // status, detail, advice
		others int
	}{
		"no such zone":   {func(m *machine, _ routes) { m.Local = when.LocalZone("Mars/Olympus") }, "time zones", []string{"warn", `the local time zone is unknown: TZ is "Mars/Olympus"`, "set TZ"}, 8},
		"no server":      {func(m *machine, _ routes) { m.Transport = inProcess{nil} }, "daemon", []string{"fail", "the connection to http://daemon.test was cut before the response was complete: is it a schedctl daemon? check its log, and the limits of a proxy in front of it", ""}, 4},
		"not ready":      {func(_ *machine, r routes) { r["GET /readyz"] = notReady }, "daemon", []string{"fail", "the daemon says no", "look at its log"}, 8},
		"another server": {func(_ *machine, r routes) { delete(r, "GET /readyz") }, "daemon", []string{"fail", "http://daemon.test is not a schedctl daemon", "check the URL"}, 4},
		"a web server":   {func(_ *machine, r routes) { r["GET /readyz"] = webServer }, "daemon", []string{"fail", "http://daemon.test is not a schedctl daemon", "check the URL"}, 4},
		"no key": {func(m *machine, r routes) {
			m.env["SCHEDCTL_API_KEY"] = ""
			r["GET /me"] = refused{401, "AUTHENTICATION_REQUIRED"}
		}, "key", []string{"fail", "the daemon requires an API key", "schedctl login"}, 6},
		"a wrong key":     {func(_ *machine, r routes) { r["GET /me"] = refused{401, "INVALID_API_KEY"} }, "key", []string{"fail", "the daemon says no", ""}, 6},
		"an expiring key": {func(_ *machine, r routes) { r["GET /me"] = expiring }, "key", []string{"warn", "the key old of workspace default expires in 2 days", "schedctl key create"}, 8},
		"no key file":     {func(m *machine, _ routes) { m.env["SCHEDCTL_API_KEY"] = ""; m.env["SCHEDCTL_API_KEY_FILE"] = "/no/key" }, "key", []string{"fail", "the API key cannot be read", "give a readable file"}, 4},
		"a slow clock":    {func(_ *machine, r routes) { r["GET /readyz"] = clockDaemon(-20 * time.Second) }, "clock", []string{"warn", "differ by 20s", "NTP"}, 8},
		"a wrong clock":   {func(_ *machine, r routes) { r["GET /readyz"] = clockDaemon(time.Hour) }, "clock", []string{"fail", "differ by 1h0m", "NTP"}, 8},
		"no clock":        {func(_ *machine, r routes) { r["GET /readyz"] = map[string]string{"status": "ok"} }, "clock", []string{"warn", "has no Date header", "proxy"}, 8},
		"readings without a budget": {unread(apiv1.AccountResults{State: apiv1.AccountResultsDelayed, Reason: ptr(schedctl.ResultsBudget)}),
			"results", []string{"warn", "a limit of its readings is used up", "account show"}, 9},
		"a metric that is gone": {unread(apiv1.AccountResults{DroppedMetrics: []string{"post_clicks"}}), "results", []string{"warn", "the network no longer has post_clicks", "account show"}, 9},
		"no permission to read": {unread(apiv1.AccountResults{MissingScopes: []string{"read_insights"}}), "results", []string{"warn", "numbers need the permission read_insights", "account reconnect"}, 9},
		"a shared login": {func(_ *machine, r routes) {
			r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{shared}}
		}, "accounts", []string{"warn", "it logs in as the same user", "account show"}, 8},
		"a waiting account": {func(_ *machine, r routes) {
			r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{paused}}
		}, "accounts", []string{"warn", "waits until 2026-11-21T14:00:00Z: it has asked for a pause", "account show"}, 8},
		"a paused campaign": {func(_ *machine, r routes) {
			r["GET /blackouts"] = apiv1.BlackoutList{Results: []apiv1.Blackout{{Mode: schedctl.BlackoutHold, Label: new("launch"), SocialAccountIDs: []string{blog.ID}, EndsAt: at(time.Hour)}}}
		}, "pauses", []string{"warn", `no post with the label "launch" is published on blog until 2026-11-21T13:00:00Z`, `schedctl resume --label "launch"`}, 9},
		"no account": {func(_ *machine, r routes) { r["GET /social-accounts"] = apiv1.AccountList{} }, "accounts", []string{"warn", "there is no account yet", "account add"}, 8},
		"a broken account": {func(_ *machine, r routes) {
			r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{broken}}
		}, "accounts", []string{"fail", "blog (feed) is in status error: auth: token revoked", "schedctl account reconnect acct_blog"}, 8},
		"an account without credits": {func(_ *machine, r routes) {
			r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{broke}}
		}, "accounts", []string{"fail", "blog (feed) is in status error: auth: buy credits", "do that, then: schedctl account verify acct_blog"}, 8},
		"an account that ends": {func(_ *machine, r routes) {
			r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{ending}}
		}, "accounts", []string{"warn", "its credentials end in 2 days", "account show"}, 8},
		"a late post":      {func(_ *machine, r routes) { r["GET /posts"] = apiv1.PostList{Results: []apiv1.Post{late}} }, "lag", []string{"fail", "1 post is waiting for up to 10m0s", "log of the daemon"}, 8},
		"a stuck post":     {func(_ *machine, r routes) { r["GET /posts"] = ofStatus(stuck) }, "lag", []string{"fail", "1 post is waiting for up to 10m0s", "--status publishing"}, 8},
		"no configuration": {func(m *machine, _ routes) { m.env["SCHEDCTL_URL"] = ""; m.env["SCHEDCTL_CONTEXT"] = "x" }, "configuration", []string{"fail", `there is no context "x"`, "the contexts are local"}, 3},
		"no daemon":        {func(m *machine, _ routes) { m.env["SCHEDCTL_URL"], m.env["SCHEDCTL_API_KEY"] = "", "" }, "daemon", []string{"fail", "no daemon has run in", "schedctl daemon start"}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := healthy()
			m := newMachine(t, r)
			m.Keyring = emptyKeyring{}
			tc.set(m, r)
			status := m.run(t, "doctor", "--json")
			var found []server.Diagnosis
			if err := json.Unmarshal(m.out.Bytes(), &found); err != nil || len(found) != tc.others {
				t.Fatalf("%d findings, want %d (%v): %s", len(found), tc.others, err, &m.out)
			}
			if want := map[string]int{"fail": 1}[tc.want[0]]; status != want {
				t.Errorf("exit status %d, want %d: %s", status, want, &m.err)
			}
			for _, f := range found {
				switch {
				case f.Check != tc.check && f.Status != "ok":
					t.Errorf("%s is not well either: %+v", f.Check, f)
				case f.Check == tc.check && (f.Status != tc.want[0] || !strings.Contains(f.Detail, tc.want[1]) || !strings.Contains(f.Advice, tc.want[2])):
					t.Errorf("got %+v, want %q", f, tc.want)
				}
			}
		})
	}
}

// TestDoctorShowsWarnings checks that a warning of a daemon that is ready is a line of its
// own, as when posts of series should have been made for more than an hour.
func TestDoctorShowsWarnings(t *testing.T) {
	t.Parallel()
	r := healthy()
	r["GET /readyz"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", noon.Format(http.TimeFormat))
		w.Write([]byte(`{"status":"ok","warnings":["posts of series should have been made since 2026-11-21T10:00:00Z"]}`))
	})
	m := newMachine(t, r)
	m.Keyring = emptyKeyring{}
	m.want(t, 0, "posts of series should have been made since 2026-11-21T10:00:00Z\n", "", "doctor", "--jq", `.[] | select(.check == "daemon" and .status == "warn") | .detail`)
}

// ofStatus returns a post if the request asks for its status.
func ofStatus(p apiv1.Post) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		list := apiv1.PostList{Results: []apiv1.Post{}}
		if slices.Contains(r.URL.Query()["status"], string(p.Status)) {
			list.Results = append(list.Results, p)
		}
		json.NewEncoder(w).Encode(list)
	}
}

// TestDoctorKnowsWhyPostsWait guards that posts that wait for an account are reported
// once, with the account.
func TestDoctorKnowsWhyPostsWait(t *testing.T) {
	t.Parallel()
	broken := blog
	broken.Status = schedctl.AccountError
	r := healthy()
	r["GET /social-accounts"] = apiv1.AccountList{Results: []apiv1.Account{broken}}
	r["GET /posts"] = apiv1.PostList{Results: []apiv1.Post{planned("post_1", "2026-11-21 11:50", schedctl.Scheduled, "Late", blog.ID)}}
	m := newMachine(t, r)
	m.Keyring = emptyKeyring{}
	m.want(t, 1, "accounts\n", "schedctl: 1 of 8 checks failed: accounts\n", "doctor", "-q")
	if diff := cmp.Diff(1, m.run(t, "doctor", "--json")); diff != "" || !strings.HasPrefix(m.err.String(), `{"error":{"code":"ERROR","message":"1 of 8 checks failed: accounts"`) {
		t.Errorf("got %s", &m.err)
	}
}

// TestForecastThatIsCut guards that a forecast that did not check everything does not say that
// nothing will fail.
func TestForecastThatIsCut(t *testing.T) {
	t.Parallel()
	daemon := healthy()
	daemon["GET /forecast"] = apiv1.ForecastList{Results: []apiv1.ForecastEntry{}, Until: at(48 * time.Hour), Truncated: true}
	m := newMachine(t, daemon)
	const until = "nothing that was checked will fail or be late until 2026-11-23T12:00:00Z; later posts were not checked\n"
	m.want(t, 0, "", until, "forecast")
	m.want(t, 0, "", until, "forecast", "--quiet")
	m.want(t, 0, "[]\n", until, "forecast", "--json")
	m.want(t, 0, until, "", "doctor", "--jq", `.[] | select(.check == "forecast") | .detail`)
}
