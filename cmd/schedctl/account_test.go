package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestAccountAddSends(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("t0ken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(m *machine) {
		m.terminals()
		m.ReadSecret = func(context.Context) (string, error) { return "typed\n", nil }
	}
	for name, tc := range map[string]struct {
		set  func(*machine)
		args []string
		want map[string]any
	}{
		"a feed": {nil, []string{"feed", "--name", "demo"}, map[string]any{"platform": "feed", "name": "demo"}},
		"typed options": {nil, []string{"http", "--set", "url=https://x.test/?a=b", "--set", "idempotent=true", "--set", "pacing=2s"},
			map[string]any{"platform": "http", "credentials": map[string]any{"url": "https://x.test/?a=b"}, "options": map[string]any{"idempotent": true, "pacing": "2s"}}},
		"a secret from a file": {nil, []string{"mastodon", "--set", "instance_url=https://m.test", "--secret-file", token},
			map[string]any{"platform": "mastodon", "credentials": map[string]any{"instance_url": "https://m.test", "access_token": "t0ken"}}},
		"a secret from standard input": {func(m *machine) { m.In = strings.NewReader("piped\r\n") }, []string{"mastodon", "--set", "instance_url=m.test", "--secret-file", "-"},
			map[string]any{"platform": "mastodon", "credentials": map[string]any{"instance_url": "m.test", "access_token": "piped"}}},
		"a secret from the environment": {func(m *machine) { m.env["SCHEDCTL_SECRET"] = "fromenv" }, []string{"http", "--set", "url=https://x.test"},
			map[string]any{"platform": "http", "credentials": map[string]any{"url": "https://x.test", "secret": "fromenv"}}},
		"a file before the environment": {func(m *machine) { m.env["SCHEDCTL_SECRET"] = "fromenv" }, []string{"mastodon", "--set", "instance_url=m.test", "--secret-file", token},
			map[string]any{"platform": "mastodon", "credentials": map[string]any{"instance_url": "m.test", "access_token": "t0ken"}}},
		"no secret for a feed": {func(m *machine) { m.env["SCHEDCTL_SECRET"] = "fromenv" }, []string{"feed", "--name", "f"}, map[string]any{"platform": "feed", "name": "f"}},
		"a secret that is typed": {ask, []string{"http", "--set", "url=https://x.test"},
			map[string]any{"platform": "http", "credentials": map[string]any{"url": "https://x.test", "secret": "typed"}}},
		"none typed where none is needed": {func(m *machine) {
			m.terminals()
			m.ReadSecret = func(context.Context) (string, error) { return "", nil }
		}, []string{"http", "--set", "url=https://x.test"}, map[string]any{"platform": "http", "credentials": map[string]any{"url": "https://x.test"}}},
		"a platform of a later version": {nil, []string{"newnet", "--set", "host=x.test"}, map[string]any{"platform": "newnet", "credentials": map[string]any{"host": "x.test"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{"POST /social-accounts": sent.answer(apiv1.AccountEnvelope{SocialAccount: apiv1.Account{ID: "acct_1"}})})
			if tc.set != nil {
				tc.set(m)
			}
			if status := m.run(t, append([]string{"account", "add", "-q"}, tc.args...)...); status != 0 {
				t.Fatalf("exit status %d: %s", status, &m.err)
			}
			if got := m.out.String(); got != "acct_1\n" {
				t.Errorf("got %q", got)
			}
			if diff := cmp.Diff(tc.want, sent.body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAccountAddRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "--set access_token would show a secret", []string{"mastodon", "--set", "access_token=hunter2"}},
		{2, "--set secret would show a secret", []string{"http", "--set", "secret=hunter2"}},
		{2, "--set password would show a secret", []string{"newnet", "--set", "password=hunter2"}},
		{2, `--set "url": write key=value`, []string{"http", "--set", "url"}},
		{2, `--set "=x": write key=value`, []string{"http", "--set", "=x"}},
		{2, "--set url is given twice", []string{"http", "--set", "url=a", "--set", "url=b"}},
		{2, "mastodon needs instance_url and access_token; give them with --set instance_url=VALUE and --secret-file FILE, --secret-file - or SCHEDCTL_SECRET", []string{"mastodon"}},
		{2, "platform newnet has no secret that schedctl knows of", []string{"newnet", "--secret-file", "-"}},
		{2, "mastodon needs access_token; give it with --secret-file FILE", []string{"mastodon", "--set", "instance_url=m.test", "--no-input"}},
		{2, "x needs access_token; give it with --secret-file FILE, --secret-file - or SCHEDCTL_SECRET; see: schedctl help connect-x", []string{"x"}},
		{2, "feed needs a name; give it with --name NAME", []string{"feed"}},
		{2, "--login needs a terminal", []string{"mastodon", "--set", "instance_url=m.test", "--login"}},
		{2, "--login is for linkedin, mastodon, matrix and x: http has no such login", []string{"http", "--login"}},
		{2, "--login and --app-of exclude each other", []string{"x", "--login", "--app-of", "me"}},
		{2, "--login-port 0: use a number from 1 to 65535", []string{"x", "--login-port", "0"}},
		{2, "accounts of http use no developer app", []string{"http", "--app-of", "me"}},
		{2, "--set webhook_url would show a secret", []string{"discord", "--set", "webhook_url=hunter2"}},
		{2, "standard input holds no secret: it has 0 bytes", []string{"mastodon", "--secret-file", "-"}},
		{1, "read the secret: open /no/such/file", []string{"mastodon", "--secret-file", "/no/such/file"}},
		{2, "needs a platform", nil},
	} {
		t.Run(tc.want, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, routes{})
			if status := m.run(t, append([]string{"account", "add"}, tc.args...)...); status != tc.status {
				t.Errorf("exit status %d, want %d", status, tc.status)
			}
			if !strings.Contains(m.err.String(), tc.want) {
				t.Errorf("got %q, want it to say %q", &m.err, tc.want)
			}
			if strings.Contains(m.err.String(), "hunter2") {
				t.Errorf("the error shows the secret: %q", &m.err)
			}
		})
	}
}

func TestAccountAddNamesStandardInput(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{})
	m.In = strings.NewReader("a-token\n")
	m.want(t, 2, "", "schedctl: standard input must hold JSON: slack has several secrets; write an object of strings, with any of webhook_url, bot_token\n",
		"account", "add", "slack", "--secret-file", "-")
}

var broken = apiv1.Account{
	ID: hookID, Platform: "http", Name: "hook", Username: "bot", Status: schedctl.AccountError,
	Limits: apiv1.Limits{MaxCharacters: ptr(500), Unit: "characters"}, Options: map[string]any{"pacing": "2s", "idempotent": true},
	Error: &apiv1.TargetError{Kind: schedctl.KindAuth, Message: "401 Unauthorized"}, CreatedAt: at(0),
}

func TestAccountShow(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /social-accounts":           apiv1.AccountList{Results: []apiv1.Account{broken}},
		"GET /social-accounts/" + hookID: apiv1.AccountEnvelope{SocialAccount: broken},
	})
	m.want(t, 0, `id	`+hookID+`
platform	http
name	hook
username	bot
display_name	
status	error
profile	
limit	500 characters
credentials_end	
options	{"idempotent":true,"pacing":"2s"}
results	
error	auth: 401 Unauthorized
created	2026-11-21T12:00:00Z
updated	
`, "", "account", "show", hookID)
	m.want(t, 0, hookID+"\n", "", "account", "show", "http:hook", "-q")
	m.want(t, 3, "", `schedctl: there is no account "nobody"; the accounts are http:hook`+"\n", "account", "show", "nobody")
}

// A person sees what is wrong with an account, and what to do.
func TestAccountHealth(t *testing.T) {
	t.Parallel()
	limited := broken
	limited.Limits.URLCharacters = ptr(23)
	gone := broken
	gone.Status, gone.Error = schedctl.AccountDisconnected, nil
	down := broken
	down.Error = &apiv1.TargetError{Kind: schedctl.KindNetwork, Message: "no answer"}
	broke := broken
	broke.Error = &apiv1.TargetError{Kind: schedctl.KindAuth, Code: ptr("credits_depleted"), Message: "buy credits"}
	ending := broken
	ending.ExpiresAt, ending.ExpiryAssumed = at(2*time.Hour), true
	held := broke
	held.Waits = &apiv1.Waits{Reason: apiv1.WaitsHold, Until: at(2 * time.Hour), Message: "its network refuses the account"}
	read := broken
	read.Status, read.Error = schedctl.AccountConnected, nil
	read.Results = apiv1.AccountResults{
		State: apiv1.AccountResultsReconnectRequired, Reason: ptr(schedctl.ResultsMissingScope), LastReadAt: at(-time.Hour), RequestsLastDay: 3, CostUSDMonth: 0.0254,
		DroppedMetrics: []string{"post_clicks"}, MissingScopes: []string{"read_insights"},
	}
	for name, tc := range map[string]struct {
		acct apiv1.Account
		want []string
	}{
		"without a permission": {read, []string{
			"Results          reconnect required (a permission is missing); the token lacks read_insights; the network refused post_clicks; last read Sat 21 Nov 2026 11:00 UTC (1 hour ago); 3 requests in a day; $0.025 this month",
			"Next             schedctl account reconnect " + hookID + " with the permission read_insights to read results",
		}},
		"refused": {limited, []string{"Status           error", "Limit            500 characters, 23 for an URL", "Error            auth: 401 Unauthorized",
			"Next             schedctl account reconnect " + hookID + " with new credentials; its posts wait until then"}},
		"without credits": {broke, []string{"Error            auth: buy credits", "Next             schedctl account verify " + hookID + " after you have done what the error says; its posts wait until then"}},
		"with an end":     {ending, []string{"Credentials end  Sat 21 Nov 2026 14:00 UTC (in 2 hours) (assumed)"}},
		"out of reach":    {down, []string{"Next             schedctl account verify " + hookID}},
		"held to a date":  {held, []string{"Waits until      Sat 21 Nov 2026 14:00 UTC (in 2 hours)", "Waits because    its network refuses the account"}},
		"removed":         {gone, []string{"Next             schedctl account reconnect " + hookID + " to use it again"}},
	} {
		m := newMachine(t, routes{"GET /social-accounts/" + hookID: apiv1.AccountEnvelope{SocialAccount: tc.acct}}).terminals()
		m.env["NO_COLOR"] = "1"
		if status := m.run(t, "account", "show", hookID); status != 0 {
			t.Fatalf("%s: exit status %d: %s", name, status, &m.err)
		}
		for _, line := range tc.want {
			if !strings.Contains(m.out.String(), line+"\n") {
				t.Errorf("%s: it does not show %q:\n%s", name, line, &m.out)
			}
		}
	}
	counted := held
	counted.Waits = &apiv1.Waits{Reason: apiv1.WaitsHold, Until: at(2 * time.Hour), Message: "its network refuses the account; scheduled posts that are due before: 3"}
	m := newMachine(t, routes{
		"GET /social-accounts":           apiv1.AccountList{Results: []apiv1.Account{held}},
		"GET /social-accounts/" + hookID: apiv1.AccountEnvelope{SocialAccount: counted},
	})
	if m.run(t, "account", "show", "hook"); !strings.Contains(m.out.String(), "due before: 3") {
		t.Errorf("an account that is shown by its name lacks the posts that wait for it:\n%s", &m.out)
	}
	m = newMachine(t, routes{"GET /social-accounts": apiv1.AccountList{Results: []apiv1.Account{broken}}}).terminals()
	m.run(t, "account", "list")
	if want := "hook: auth: 401 Unauthorized; see: schedctl account show " + hookID + "\n"; m.err.String() != want {
		t.Errorf("got %q, want %q", &m.err, want)
	}
}

// A script must see that an account does not work.
func TestAccountVerifyOfARefusedAccountFails(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /social-accounts/" + hookID:              apiv1.AccountEnvelope{SocialAccount: broken},
		"POST /social-accounts/" + hookID + "/verify": apiv1.AccountEnvelope{SocialAccount: broken},
	})
	m.want(t, 1, hookID+"\n", "schedctl: hook is refused by its network: 401 Unauthorized; its posts wait until it works again; give it new credentials with: schedctl account reconnect "+hookID+"\n",
		"account", "verify", hookID, "-q")
}

// A name that was used again means the account that can be used.
func TestAccountNamesOfRemovedAccounts(t *testing.T) {
	t.Parallel()
	gone := apiv1.Account{ID: "acct_1", Platform: "http", Name: "hook", Status: schedctl.AccountDisconnected}
	also := gone
	also.ID = "acct_2"
	for name, tc := range map[string]struct {
		accounts []apiv1.Account
		status   int
		out      string
	}{
		"one is connected": {[]apiv1.Account{gone, broken, also}, 0, hookID + "\n"},
		"one is gone":      {[]apiv1.Account{gone}, 0, "acct_1\n"},
		"two are gone":     {[]apiv1.Account{gone, also}, 5, ""},
	} {
		m := newMachine(t, routes{"GET /social-accounts": apiv1.AccountList{Results: tc.accounts}})
		if status := m.run(t, "account", "show", "hook", "-q"); status != tc.status || m.out.String() != tc.out {
			t.Errorf("%s: exit status %d and %q", name, status, &m.out)
		}
	}
}

func TestAccountList(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts})
	m.want(t, 0, demoID+"\tfeed\tdemo\tconnected\t\n"+hookID+"\thttp\thook\tconnected\t\n", "", "account", "list")
	m = newMachine(t, routes{"GET /social-accounts": apiv1.AccountList{}})
	m.want(t, 0, "", "", "account", "list")
	m.want(t, 0, "[]\n", "", "account", "list", "--json")
	m.terminals().want(t, 0, "", "no accounts; add one, for example with: schedctl account add feed --name demo\n", "account", "list")
}

func TestAccountRemoveAsks(t *testing.T) {
	t.Parallel()
	daemon := routes{"GET /social-accounts": twoAccounts, "DELETE /social-accounts/" + demoID: nil}
	const question = "Disconnect demo (feed) and erase its secrets? [y/N] "
	for answer, status := range map[string]int{"y\n": 0, "YES\n": 0, "n\n": 130, "\n": 130, "": 130, "yup\n": 130} {
		m := newMachine(t, daemon).terminals()
		m.In = strings.NewReader(answer)
		out, err := "Disconnected "+demoID+"\n", question
		if status != 0 {
			out, err = "", question+"schedctl: no changes were made\n"
		}
		m.want(t, status, out, err, "account", "remove", "demo")
	}
	for _, args := range [][]string{{"--yes"}, {"--no-input"}} {
		m := newMachine(t, daemon).terminals()
		m.want(t, 0, "Disconnected "+demoID+"\n", "", append([]string{"account", "remove", "demo"}, args...)...)
	}
	newMachine(t, daemon).want(t, 0, demoID+"\n", "", "account", "remove", "demo")
}

// TestAccountWarnings guards that warnings about an account go to standard error.
func TestAccountWarnings(t *testing.T) {
	t.Parallel()
	shared := blog
	shared.ID = hookID
	shared.Warnings = []string{"it logs in as the same user"}
	m := newMachine(t, routes{
		"POST /social-accounts":             apiv1.AccountEnvelope{SocialAccount: shared},
		"GET /social-accounts/" + shared.ID: apiv1.AccountEnvelope{SocialAccount: shared},
	})
	m.want(t, 0, shared.ID+"\n", "warning: "+shared.Name+": it logs in as the same user\n", "account", "add", "feed", "--name", "demo", "-q")
	if status := m.run(t, "account", "show", shared.ID); status != 0 || !strings.Contains(m.out.String(), "warning\tit logs in as the same user\n") {
		t.Errorf("exit status %d, %s", status, &m.out)
	}
}
