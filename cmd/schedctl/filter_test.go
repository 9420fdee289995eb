package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func TestJQ(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list)
	m.env["WANTED"] = "post_1"
	for _, tc := range []struct{ expr, want string }{
		{".[].id", "post_2\npost_1\n"},
		{".[0].publish_at", "2026-11-21T12:00:00Z\n"},
		{".[1].publish_at", "null\n"},
		{"length", "2\n"},
		{".[0].version + 1", "1\n"},
		{"map({id, status})[0]", `{"id":"post_2","status":"published"}` + "\n"},
		{`.[] | select(.id == env.WANTED) | .status`, "draft\n"},
		{`.[0].content | contains("\n")`, "true\n"},
		{"empty", ""},
		{`.[0].id, halt, .[1].id`, "post_2\n"},
		{`"<b> & \u2028"`, "<b> & \u2028\n"},
		{`["<b>"]`, `["<b>"]` + "\n"},
	} {
		m.want(t, 0, tc.want, "", "post", "list", "--jq", tc.expr)
	}
	m.want(t, 0, "post_2\n", "", "post", "list", "--json=id", "--jq", ".[0][]")
	m.terminals().want(t, 0, "{\n  \"id\": \"post_2\"\n}\n", "", "post", "list", "--jq", ".[0] | {id}")
	m.want(t, 0, "\ufffd[2J\n[\n  \"\\u001b\"\n]\n", "", "post", "list", "--jq", `"\u001b[2J", ["\u001b"]`)
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list)
	m.Local = time.FixedZone("EET", 2*3600)
	for _, tc := range []struct{ template, want string }{
		{`{{range .}}{{.id}} {{end}}`, "post_2 post_1 "},
		{`{{range .}}[{{.publish_at}}]{{end}}`, "[2026-11-21T12:00:00Z][]"},
		{`{{range .}}{{if .publish_at}}{{timefmt "2 Jan 15:04 MST" .publish_at}}{{else}}draft{{end}} {{end}}`, "21 Nov 14:00 EET draft "},
		{`{{range .}}<{{timeago .publish_at}}>{{end}}`, "<now><>"},
		{`{{timeago "2026-11-21T14:30:00Z"}}`, "in 2 hours 30 minutes"},
		{`{{range .}}{{truncate 7 .content}}|{{end}}`, "A text…|日本語…|"},
		{`{{truncate 0 "abc"}}`, ""},
		{`{{pluck "id" . | join ", "}}`, "post_2, post_1"},
		{`{{range .}}{{join "+" .social_account_ids}};{{end}}`, demoID + "+acct_gone;;"},
		{`{{range .}}{{tablerow .id .status .version}}{{end}}{{tablerender}}end`, "post_2\tpublished\t0\npost_1\tdraft\t0\nend"},
		{`{{range .}}{{tablerow .id "a\nb"}}{{end}}`, "post_2\ta b\npost_1\ta b\n"},
		{`{{color "green+bh" "x"}}{{color "white+u:red" "y"}}{{color "" "z"}}{{color "gray" ""}}`, "\x1b[1;92mx\x1b[0m\x1b[4;37;41my\x1b[0mz"},
		{`{{autocolor "green" "x"}}{{hyperlink "https://social.test" "y"}}{{hyperlink "https://social.test" ""}}`, "xyhttps://social.test"},
		{`{{if eq (index . 0).version 0}}int{{end}}`, "int"},
		{`{{range .}}{{if .status | hasPrefix "pub"}}{{.id}}{{end}}{{end}}`, "post_2"},
		{`{{range .}}{{if hasSuffix "1" .id}}{{.id}}{{end}}{{end}}`, "post_1"},
		{`{{range .}}{{if contains "text" .content}}{{.id}}{{end}}{{end}}`, "post_2"},
		{`{{range .}}{{regexMatch "^2026-11" .publish_at}} {{end}}`, "true false "},
	} {
		m.want(t, 0, tc.want, "", "post", "list", "--template", tc.template)
	}
}

func TestTemplateOnATerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, list).terminals()
	m.want(t, 0, "\x1b[32mx\x1b[0m\x1b]8;;https://social.test\ay\x1b]8;;\a\n", "", "post", "list", "--template", `{{autocolor "green" "x"}}{{hyperlink "https://social.test" "y"}}`)
	m.Width = 24
	m.want(t, 0, "post_2  \x1b[32mpublis…\x1b[0m  A text…\npost_1  \x1b[32mdraft\x1b[0m    日本語…\n", "",
		"post", "list", "--template", `{{range .}}{{tablerow .id (color "green" .status) .content}}{{end}}`)
	for _, line := range strings.Split(strings.TrimSpace(m.out.String()), "\n") {
		if got := len([]rune(line)); got > 24+len("\x1b[32m\x1b[0m") {
			t.Errorf("%q takes %d columns", line, got)
		}
	}
	m = newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{Content: "\x1b]0;title\a"}}}).terminals()
	m.want(t, 0, "\ufffd]0;title\ufffd\n", "", "post", "show", "post_1", "--template", "{{.content}}")
}

// What is wrong with an expression is found before anything is done.
func TestFiltersAreCheckedFirst(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--jq: unexpected token \"}\"":                        {"--jq", ".a}"},
		"--jq: unexpected EOF":                                {"--jq", ".["},
		"--jq: function not defined: frobnicate/0":            {"--jq", "frobnicate"},
		"--jq: input(s)/0 is not allowed":                     {"--jq", "input"},
		"--jq: variable not defined: $x":                      {"--jq", "$x"},
		"--template: 1: unclosed action":                      {"--template", "{{.id"},
		"--template: 1: function \"frobnicate\" not defined":  {"--template", "{{frobnicate .id}}"},
		"--jq and --template exclude each other: give one":    {"--jq", ".", "--template", "x"},
		"--jq and --quiet exclude each other: give one":       {"--jq", ".", "-q"},
		"--template and --quiet exclude each other: give one": {"--template", "x", "-q"},
		"--jq is empty; give it a value or leave it out":      {"--jq", ""},
		"--jq has 65537 bytes, and at most 65536 can be read": {"--jq", strings.Repeat(" ", 64<<10) + "."},
	} {
		var sent capture
		m := newMachine(t, routes{"POST /posts": sent.answer(apiv1.PostEnvelope{})})
		status := m.run(t, append([]string{"post", "create", "Hello"}, args...)...)
		if status != 2 || sent.header != nil || !strings.HasPrefix(m.err.String(), "schedctl: "+want) || m.out.Len() > 0 {
			t.Errorf("%.60q: exit status %d, want 2; a request was sent: %v; standard error: %s", args, status, sent.header != nil, &m.err)
		}
	}
	m := newMachine(t, nil)
	m.want(t, 2, "", "schedctl: schedctl completion has no JSON for --jq to work on\n", "completion", "bash", "--jq", ".")
}

// TestFiltersThatDoNotFit guards that a command that did its work, but cannot show the
// result, does not look like wrong usage. On a slow machine, endless filters are stopped
// by their time limit before they reach their size limit.
func TestFiltersThatDoNotFit(t *testing.T) {
	skipShort(t)
	t.Parallel()
	const hint = "; the command itself was carried out; --json shows what there is to choose from\n"
	m := newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}, "GET /me": refused{http.StatusUnauthorized, "INVALID_API_KEY"}})
	for _, tc := range []struct{ flag, text, want string }{
		{"--jq", ".[0]", "--jq: expected an array but got: object ("},
		{"--jq", `error("no")`, "--jq: error: no"},
		{"--jq", `"x" * 1000000 | range(infinite) as $i | .`, "--jq: it was stopped after "},
		{"--template", "{{.titel}}", `--template: 1:2: executing "--template" at <.titel>: map has no entry for key "titel"`},
		{"--template", `{{color "puce" .id}}`, "the colors are black, red, green, yellow, blue, magenta, cyan, white and gray"},
		{"--template", `{{color "red+x" .id}}`, "no attribute is called 'x'"},
		{"--template", `{{timeago .id}}`, `timeago takes a time as the API returns it, not "post_1"`},
		{"--template", `{{join "," .id}}`, "join takes a list"},
		{"--template", `{{pluck "id" .social_account_ids}}{{pluck "x" .target_summary}}`, "pluck takes a list"},
		{"--template", "{{range 100000000}}1234567890{{end}}", "--template: it was stopped after "},
	} {
		t.Run(tc.text, func(t *testing.T) {
			status := m.run(t, "post", "show", "post_1", tc.flag, tc.text)
			got := m.err.String()
			if status != 1 || !strings.Contains(got, tc.want) || !strings.HasSuffix(got, hint) || m.out.Len() > 0 {
				t.Errorf("exit status %d, standard error %q", status, got)
			}
		})
	}
	m.want(t, 4, "", "schedctl: the daemon says no\n", "me", "--jq", ".")
	m.want(t, 4, "", `{"error":{"code":"INVALID_API_KEY","message":"the daemon says no","details":null,"request_id":"req_1"}}`+"\n", "me", "--json", "--jq", ".")
}

func TestShortRelative(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "now", 400 * time.Millisecond: "now", 59 * time.Second: "in 59s", -90 * time.Second: "1m ago", 59 * time.Minute: "in 59m",
		23*time.Hour + 59*time.Minute: "in 23h", 24 * time.Hour: "in 1d", -400 * 24 * time.Hour: "400d ago",
	} {
		if diff := cmp.Diff(want, cli.ShortRelative(d)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", d, diff)
		}
	}
}

func TestListsSayHowFarTimesAreWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /posts": apiv1.PostList{Results: []apiv1.Post{{ID: "post_1", Status: schedctl.Scheduled, PublishAt: at(26 * time.Hour), Content: "Hello"}}}})
	m.terminals().noColorEnv()
	m.want(t, 0, "ID      STATUS     WHEN                      TO  TEXT\npost_1  scheduled  2026-11-22 14:00 (in 1d)      Hello\n", "", "post", "list")
}
