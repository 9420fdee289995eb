package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/tui/printable"
)

var list = routes{
	"GET /social-accounts": twoAccounts,
	"GET /posts": apiv1.PostList{Results: []apiv1.Post{
		{ID: "post_2", Status: schedctl.Published, PublishAt: at(0), SocialAccountIDs: []string{demoID, "acct_gone"}, Content: "A text that is\nrather long for a column, but short for a post: and more"},
		{ID: "post_1", Status: schedctl.Draft, Content: "日本語のテキスト"},
	}},
}

func TestListIsTabSeparatedInAPipe(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list)
	m.want(t, 0, "post_2\tpublished\t2026-11-21T12:00:00Z\tdemo,acct_gone\tA text that is rather long for a column, but short for a post: and more\n"+
		"post_1\tdraft\t\t\t日本語のテキスト\n", "", "post", "list")
	m.want(t, 0, "post_2\npost_1\n", "", "post", "list", "-q")
}

func TestListIsATableOnATerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list).terminals().noColorEnv()
	m.Width = 80
	m.want(t, 0, `ID      STATUS     WHEN              TO              TEXT
post_2  published  2026-11-21 12:00  demo,acct_gone  A text that is rather long…
post_1  draft                                        日本語のテキスト
`, "", "post", "list")
	m.Width = 20 // narrower than the columns that are not shortened
	m.want(t, 0, `ID      STATUS     WHEN              TO       TEXT
post_2  published  2026-11-21 12:00  demo,a…  A text…
post_1  draft                                 日本語…
`, "", "post", "list")
}

// Lists of what people name fit as well, ids and times whole.
func TestListsOfLongNamesFit(t *testing.T) {
	t.Parallel()
	const name = "the account of the second team, for announcements"
	url := "https://social.test/@the-account-of-the-second-team/with/a/long/path"
	m := newMachine(t, routes{
		"GET /social-accounts": apiv1.AccountList{Results: []apiv1.Account{
			{ID: demoID, Platform: "mastodon", Name: name, Status: "connected", ProfileURL: &url},
		}},
		"GET /audit": apiv1.AuditList{Results: []apiv1.AuditEntry{
			{CreatedAt: at(0), Action: "removeSocialAccount", ResourceID: ptr(demoID), APIKeyName: name, RemoteAddr: ptr("127.0.0.1")},
		}},
	}).terminals().noColorEnv()
	for _, args := range [][]string{{"account", "list"}, {"audit"}} {
		for _, columns := range []int{80, 100, 120} {
			m.Width = columns
			m.run(t, args...)
			if args[0] == "account" && !strings.Contains(m.out.String(), demoID) || args[0] == "audit" && !strings.Contains(m.out.String(), "2026-11-21 12:00") {
				t.Errorf("%v: an id or a time is cut:\n%s", args, &m.out)
			}
			for _, line := range strings.Split(m.out.String(), "\n") {
				if cli.TextWidth(line) > columns {
					t.Errorf("%v: %q takes %d columns of %d", args, line, cli.TextWidth(line), columns)
				}
			}
		}
	}
}

// Real ids, and a post to many accounts, fit into the usual terminal.
func TestListFitsInto80Columns(t *testing.T) {
	t.Parallel()
	var many []string
	for range 9 {
		many = append(many, demoID)
	}
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts": apiv1.PostList{Results: []apiv1.Post{
		{ID: "post_01KAK3R9ZC4VBX1D2E3F4G5H6J", Status: schedctl.Publishing, PublishAt: at(0), SocialAccountIDs: many, Content: "Some words 👩‍👩‍👧👩‍👩‍👧"},
	}}}).terminals().noColorEnv()
	for _, columns := range []int{80, 81, 100, 120} {
		m.Width = columns
		m.run(t, "post", "list")
		for _, line := range strings.Split(m.out.String(), "\n") {
			if cli.TextWidth(line) > columns {
				t.Errorf("%d columns on a terminal with %d: %s", cli.TextWidth(line), columns, line)
			}
		}
	}
}

func TestColorOnlyOnATerminalAndWhereWanted(t *testing.T) {
	t.Parallel()
	colored := func(set func(*machine), args ...string) bool {
		m := newMachine(t, list)
		set(m)
		m.run(t, append([]string{"post", "list"}, args...)...)
		return strings.Contains(m.out.String(), "\x1b[32mpublished")
	}
	if !colored(func(m *machine) { m.terminals() }) {
		t.Error("no color on a terminal")
	}
	if colored(func(*machine) {}) {
		t.Error("color in a pipe")
	}
	if colored(func(m *machine) { m.terminals().noColorEnv() }) {
		t.Error("color with NO_COLOR")
	}
	if colored(func(m *machine) { m.terminals().env["TERM"] = "dumb" }) {
		t.Error("color on a dumb terminal")
	}
	if colored(func(m *machine) { m.terminals() }, "--no-color") {
		t.Error("color with --no-color")
	}
	for _, tc := range []struct {
		variables string
		terminal  bool
		want      bool
	}{
		{"CLICOLOR=0", true, false},
		{"CLICOLOR=1", true, true},
		{"CLICOLOR=1", false, false},
		{"CLICOLOR_FORCE=1", false, true},
		{"CLICOLOR_FORCE=0", false, false},
		{"FORCE_COLOR=1", false, true},
		{"FORCE_COLOR=3 TERM=dumb CLICOLOR=0", false, true},
		{"FORCE_COLOR=false", false, false},
		{"FORCE_COLOR=1 NO_COLOR=1", true, false},
	} {
		if got := colored(func(m *machine) {
			if tc.terminal {
				m.terminals()
			}
			for _, v := range strings.Fields(tc.variables) {
				name, value, _ := strings.Cut(v, "=")
				m.env[name] = value
			}
		}); got != tc.want {
			t.Errorf("%s, on a terminal %v: color %v", tc.variables, tc.terminal, got)
		}
	}
	if colored(func(m *machine) { m.env["FORCE_COLOR"] = "1" }, "--no-color") {
		t.Error("forced color with --no-color")
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list)
	m.want(t, 0, `[{"status":"published","id":"post_2"},{"status":"draft","id":"post_1"}]`+"\n", "", "post", "list", "--json=status,id")
	m.want(t, 2, "", "{\"error\":{\"code\":\"USAGE\",\"message\":\"--json: unknown field \\\"nme\\\"; the fields are id, platform, name, username, display_name, "+
		"status, profile_url, limits, expires_at, expires_at_assumed, options, error, waits, results, created_at, updated_at, warnings\",\"details\":null,\"request_id\":\"\"}}\n", "account", "list", "--json=id,nme")
	m.want(t, 2, "", `{"error":{"code":"USAGE","message":"unexpected argument \"id,status\": schedctl post list takes none; fields are joined to --json: write --json=id,status","details":null,"request_id":""}}`+"\n",
		"post", "list", "--json", "id,status")
	m.terminals().want(t, 0, "[\n  {\n    \"id\": \"post_2\"\n  },\n  {\n    \"id\": \"post_1\"\n  }\n]\n", "", "post", "list", "--json=id")

	m = newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Content: "<b> & \u2028"}}})
	m.want(t, 0, `{"id":"post_1","workspace_id":"","content":"<b> & \u2028","media":null,"media_asset_ids":null,"media_assets":null,"thread":null,"first_comment":null,"poll":null,"link_preview":"auto",`+
		`"content_warning":null,"visibility":null,"language":null,"status":"","publish_at":null,"social_account_ids":null,"targets":null,`+
		`"target_overrides":null,"target_summary":{"total":0,"draft":0,"scheduled":0,"publishing":0,"published":0,"failed":0,"canceled":0},"external_id":null,"managed":null,"labels":null,"queue_id":null,"slot":null,"not_before":null,"series_id":null,"occurrence":null,"detached":false,"title":null,"post_style":null,"approval":null,"proposed_at":null,"archived_at":null,"resend_of":null,"resent_as":null,"source_id":null,"source_item_id":null,"created_by":null,"updated_by":null,"version":0,"created_at":null,"updated_at":null,"notes":null}`+"\n",
		"", "post", "show", "post_1", "--json")
}

// A wrong field must be found before anything happens.
func TestUnknownFieldChangesNothing(t *testing.T) {
	t.Parallel()
	var sent capture
	m := newMachine(t, routes{"POST /posts": sent.answer(apiv1.PostEnvelope{})})
	if status := m.run(t, "post", "create", "Hello", "--json=ident"); status != 2 || sent.header != nil {
		t.Errorf("exit status %d, and the post was sent: %v", status, sent.body)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"post", "list"}, {"post", "list", "-q"}, {"post", "show", "post_1"}, {"version"}, {"completion", "bash"}, {"--help"}, {"help", "exit-codes"}, {"--version"}, {"post"}} {
		m := newMachine(t, routes{"GET /posts": list["GET /posts"], "GET /posts/post_1": apiv1.PostEnvelope{}})
		m.System.Out = fullDisk{}
		m.want(t, 1, "", "schedctl: write the result: no space left on device\n", args...)
	}
}

// What comes from elsewhere must not take the terminal over.
func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":      "plain\ttext\n",
		"\x1b]0;title\a":     "�]0;title�",
		"\u009b31m":          "�31m",
		"over\rwritten":      "over�written",
		"abc\u202edef\u2069": "abc␣U+202Edef␣U+2069",
		"emoji 👩‍👩‍👧 stay":   "emoji 👩‍👩‍👧 stay",
		"\xff":               "�",
	} {
		if diff := cmp.Diff(want, printable.Clean(in)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", in, diff)
		}
	}
}

// JSON escapes some control characters; on a terminal all of them must be, and
// the document must stay the same.
func TestJSONOnATerminalIsPrintable(t *testing.T) {
	t.Parallel()
	const content = "\x1b[31m \u009b2J \x7f \u202edlrow\u2069 👩‍👩‍👧\n"
	m := newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Content: content}}}).terminals()
	if status := m.run(t, "post", "show", "post_1", "--json=content"); status != 0 {
		t.Fatalf("exit status %d: %s", status, &m.err)
	}
	var got struct{ Content string }
	if err := json.Unmarshal(m.out.Bytes(), &got); err != nil || got.Content != content {
		t.Errorf("got %q (%v), want %q", got.Content, err, content)
	}
	m.run(t, "post", "show", content, "--json")
	if m.err.Len() == 0 {
		t.Error("no error about an invalid id")
	}
	for name, text := range map[string]string{"output": m.out.String(), "error": m.err.String()} {
		if text != printable.Clean(text) {
			t.Errorf("the %s would reach the terminal as it is: %q", name, text)
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 5, ""}, {"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 6, "日本語"}, {"日本語", 5, "日本…"},
		{"日本語", 4, "日…"}, {"👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"}, {"ab", 1, "…"},
	} {
		if got := cli.Clip(tc.text, tc.columns); got != tc.want {
			t.Errorf("%q in %d columns: got %q, want %q", tc.text, tc.columns, got, tc.want)
		}
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /me": apiv1.Me{
		Workspace: apiv1.Workspace{ID: "ws_1", Name: "default", Timezone: "UTC", Plan: "self-hosted", Approvals: "agents", Locale: "en"},
		APIKey:    apiv1.APIKey{ID: "key_1", Name: "admin", Scopes: []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite}},
	}})
	m.want(t, 0, "daemon\thttp://daemon.test\nworkspace\tdefault\nworkspace_id\tws_1\ntime_zone\tUTC\nplan\tself-hosted\napprovals\tagents\nlocale\ten\nkey\tadmin\nkey_id\tkey_1\nscopes\tposts:read posts:write\nexpires\tnever\n", "", "me")
	m.want(t, 0, "ws_1\n", "", "me", "-q")
}

func TestTime(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.want(t, 0, "2026-11-22T09:00:00Z\n", "at Sun 22 Nov 2026 09:00 UTC (in 21 hours)\n", "time", "tomorrow", "9am")
	m.want(t, 0, "2020-01-01T08:00:00Z\n", "at Wed 1 Jan 2020 09:00 CET (08:00 UTC, 2516 days ago)\n", "time", "2020-01-01 09:00", "--tz", "Europe/Berlin")
	m.want(t, 0, `{"input":"next friday noon","utc":"2026-11-27T12:00:00Z","local":"Fri 27 Nov 2026 12:00 UTC","zone":"UTC","unix":1795780800,"relative":"in 6 days",`+
		`"note":"\"next friday\" is the first Friday after today"}`+"\n", "", "time", "next friday noon", "--json")
	m.terminals().want(t, 0, "Sun 22 Nov 2026 09:00 UTC (in 21 hours)\n", "", "time", "tomorrow 9am")
}
