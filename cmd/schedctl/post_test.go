package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	demoID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6A"
	hookID = "acct_01KAK3R9ZC4VBX1D2E3F4G5H6B"
)

var twoAccounts = apiv1.AccountList{Results: []apiv1.Account{
	{ID: demoID, Platform: "feed", Name: "demo", Status: schedctl.AccountConnected},
	{ID: hookID, Platform: "http", Name: "hook", Status: schedctl.AccountConnected},
}}

// capture records the body of the last request and responds.
type capture struct {
	body   map[string]any
	header http.Header
}

func (c *capture) answer(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.body, c.header = nil, r.Header
		data, err := io.ReadAll(r.Body)
		if err == nil && len(data) > 0 {
			err = json.Unmarshal(data, &c.body)
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		json.NewEncoder(w).Encode(v)
	}
}

func TestPostCreateSends(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		stdin string
		args  []string
		want  map[string]any
	}{
		"a draft":                {"", []string{"Hello"}, map[string]any{"content": "Hello"}},
		"at a local time":        {"", []string{"Hello", "--to", demoID, "--at", "2026-12-08 09:00", "--tz", "Europe/Berlin"}, map[string]any{"content": "Hello", "social_account_ids": []any{demoID}, "publish_at": "2026-12-08T08:00:00Z"}},
		"in a while":             {"", []string{"Hello", "--to", demoID, "--in", "2h30m"}, map[string]any{"content": "Hello", "social_account_ids": []any{demoID}, "publish_at": "2026-11-21T14:30:00Z"}},
		"now":                    {"", []string{"Hello", "--to", demoID, "--now"}, map[string]any{"content": "Hello", "social_account_ids": []any{demoID}, "publish_at": "now"}},
		"an argument":            {"", []string{" Hello\n"}, map[string]any{"content": " Hello"}},
		"after two dashes":       {"", []string{"--", "--Hello"}, map[string]any{"content": "--Hello"}},
		"a file":                 {"not this", []string{"-F", file("a", "Hello\n\n")}, map[string]any{"content": "Hello"}},
		"a file from Windows":    {"", []string{"--file", file("b", "\ufeffHello\r\nyou\r\n")}, map[string]any{"content": "Hello\nyou"}},
		"a pipe":                 {"Hello\n", nil, map[string]any{"content": "Hello"}},
		"a pipe named as -":      {"Hello", []string{"-"}, map[string]any{"content": "Hello"}},
		"a pipe named as -F -":   {"Hello", []string{"-F", "-"}, map[string]any{"content": "Hello"}},
		"to an id":               {"", []string{"Hello", "--to", hookID}, map[string]any{"content": "Hello", "social_account_ids": []any{hookID}}},
		"to names":               {"", []string{"Hello", "--to", "hook", "--to", "feed:demo"}, map[string]any{"content": "Hello", "social_account_ids": []any{hookID, demoID}}},
		"to a name in any case":  {"", []string{"Hello", "--to", "@HOOK"}, map[string]any{"content": "Hello", "social_account_ids": []any{hookID}}},
		"to all":                 {"", []string{"Hello", "--to", "all"}, map[string]any{"content": "Hello", "social_account_ids": []any{demoID, hookID}}},
		"to one in several ways": {"", []string{"Hello", "--to", "hook", "--to", "all", "--to", hookID}, map[string]any{"content": "Hello", "social_account_ids": []any{hookID, demoID}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{
				"GET /social-accounts": twoAccounts,
				"POST /posts":          sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Draft}}),
			})
			m.In = strings.NewReader(tc.stdin)
			if status := m.run(t, append([]string{"post", "create", "-q"}, tc.args...)...); status != 0 {
				t.Fatalf("exit status %d: %s", status, &m.err)
			}
			if got := m.out.String(); got != "post_1\n" {
				t.Errorf("got %q", got)
			}
			if diff := cmp.Diff(tc.want, sent.body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestPostCreateSaysWhatItUnderstood(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"POST /posts": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}})
	m.want(t, 0, "post_1\n", "at Tue 8 Dec 2026 09:00 CET (08:00 UTC, in 17 days)\n",
		"post", "create", "Hello", "--to", demoID, "-q", "--at", "2026-12-08 09:00", "--tz", "Europe/Berlin")
	m.want(t, 0, "post_1\n", "at Sun 28 Mar 2027 03:00 CEST (01:00 UTC, in 127 days)\n"+
		"note: clocks in Europe/Berlin skip 02:30 on that day, so this is the first instant after the gap\n",
		"post", "create", "Hello", "--to", demoID, "-q", "--at", "2027-03-28 02:30 Europe/Berlin")
}

func TestPostCreateRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	latin1 := filepath.Join(dir, "latin1.txt")
	if err := os.WriteFile(latin1, []byte("caf\xe9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon := routes{"GET /social-accounts": apiv1.AccountList{Results: append([]apiv1.Account{
		{ID: "acct_3", Platform: "http", Name: "HOOK", Status: schedctl.AccountConnected},
	}, twoAccounts.Results...)}}
	for _, tc := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "read the text: open " + dir + "/none: no such file or directory", []string{"-F", dir + "/none"}},
		{1, "read the text: read " + dir + ": is a directory", []string{"-F", dir}},
		{2, "the text is given twice: as an argument and with -F", []string{"Hello", "-F", latin1}},
		{2, "--in and --now exclude each other: give one", []string{"Hello", "--to", "hook", "--in", "2h", "--now"}},
		{2, "\"now\" is not a time in the future: to publish a new post at once use --now; for an existing post: schedctl post publish", []string{"Hello", "--to", "hook", "--at", "now"}},
		{2, "--at and --in exclude each other: give one", []string{"Hello", "--to", "hook", "--in", "2h", "--at", "tomorrow 9am"}},
		{2, `"tomorrow" has no time of day: write "tomorrow 9am"`, []string{"Hello", "--to", "hook", "--at", "tomorrow"}},
		{2, `--in: "2" has no unit; write 2s, 2m, 2h or 2d`, []string{"Hello", "--to", "hook", "--in", "2"}},
		{2, `unknown time zone "Mars": zones are IANA names, such as Europe/Berlin, America/New_York or UTC, cities such as Berlin, or offsets such as +05:30`, []string{"Hello", "--tz", "Mars"}},
		{5, "Sat 21 Nov 2026 09:00 UTC has passed (3 hours ago): use a time in the future, such as \"in 1h\" or \"tomorrow 9am\"", []string{"Hello", "--to", "hook", "--at", "today 9am"}},
		{5, "a post with a time needs an account; give --to ACCOUNT, or --to all", []string{"Hello", "--now"}},
		{5, "standard input is empty: a post needs a text", nil},
		{5, "the text is empty: a post needs a text", []string{" \n\t"}},
		{5, latin1 + " is not UTF-8 text: convert it first, for example with iconv", []string{"-F", latin1}},
		{5, `there is no account "nobody"; the accounts are http:HOOK (acct_3), feed:demo, http:hook (` + hookID + `)`, []string{"Hello", "--to", "nobody"}},
		{5, `"hOOk" matches several accounts; use one of http:HOOK (acct_3), http:hook (` + hookID + `)`, []string{"Hello", "--to", "hOOk"}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, daemon)
			m.want(t, tc.status, "", "schedctl: "+tc.want+"\n", append([]string{"post", "create"}, tc.args...)...)
		})
	}
}

// There is no file for a text that is empty, such as that of a post with media.
func TestPostCreateKeepsNoEmptyText(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"POST /posts": refused{503, "UNAVAILABLE"}})
	m.In = strings.NewReader("")
	if status := m.run(t, "post", "create", "--media", "med_1"); status != 7 {
		t.Errorf("exit status %d, want 7:\n%s", status, &m.err)
	}
	if kept, _ := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "draft-*.txt")); len(kept) != 0 {
		t.Errorf("kept %v:\n%s", kept, &m.err)
	}
}

// A text that was typed or piped must not be lost to an error.
func TestPostCreateKeepsTheTextThatCouldNotBeSent(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"POST /posts": refused{503, "UNAVAILABLE"}})
	m.In = strings.NewReader("a long text\n")
	if status := m.run(t, "post", "create", "-"); status != 7 {
		t.Errorf("exit status %d, want 7", status)
	}
	kept, err := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "draft-*.txt"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v (%v), want one file:\n%s", kept, err, &m.err)
	}
	if !strings.Contains(m.err.String(), "send it with: schedctl post create -F "+kept[0]) {
		t.Errorf("the file is not named:\n%s", &m.err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil || string(text) != "a long text\n" {
		t.Errorf("kept %q (%v)", text, err)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}

	m.run(t, "post", "create", "an argument")
	if again, _ := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "*")); len(again) != 1 {
		t.Errorf("an argument, which the shell remembers, was kept as well: %v", again)
	}
}

func TestPostEditKeepsTheTextThatCouldNotBeSent(t *testing.T) {
	t.Parallel()
	for name, daemon := range map[string]routes{
		"the daemon refuses":     {"PATCH /posts/post_1": refused{503, "UNAVAILABLE"}},
		"the account is unknown": {"GET /social-accounts": apiv1.AccountList{}},
	} {
		m := newMachine(t, daemon)
		m.In = strings.NewReader("better words\n")
		args := []string{"post", "edit", "post_1", "-"}
		if daemon["GET /social-accounts"] != nil {
			args = append(args, "--to", "nobody")
		}
		if m.run(t, args...) == 0 {
			t.Errorf("%s: no error", name)
		}
		kept, _ := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "draft-*.txt"))
		if len(kept) != 1 {
			t.Errorf("%s: kept %v, want one file:\n%s", name, kept, &m.err)
			continue
		}
		text, _ := os.ReadFile(kept[0])
		if string(text) != "better words\n" || !strings.Contains(m.err.String(), "send it with: schedctl post edit post_1 -F "+kept[0]+"\n") {
			t.Errorf("%s: kept %q and said\n%s", name, text, &m.err)
		}
	}
}

// TestPostCreateKeepsTheTextOfAPipeWithAName guards that the text of a named pipe is
// saved. A file still exists and needs no copy.
func TestPostCreateKeepsTheTextOfAPipeWithAName(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"POST /posts": refused{503, "UNAVAILABLE"}})
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("in a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 7, "", "schedctl: the daemon says no\n", "post", "create", "-F", file)

	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skipf("no pipes with names here: %v", err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte("through a pipe\n"), 0o600) }()
	m.run(t, "post", "create", "-F", pipe)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "drafts", "draft-*.txt"))
	if len(kept) != 1 {
		t.Errorf("kept %v, want one file:\n%s", kept, &m.err)
	}
}

// Where nothing can be written the text is shown: not in t.Parallel, because
// the directory for temporary files is the process's.
func TestPostCreateShowsTheTextThatCannotBeKept(t *testing.T) {
	m := newMachine(t, routes{"POST /posts": refused{503, "UNAVAILABLE"}})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.env["SCHEDCTL_DATA_DIR"] = filepath.Join(file, "below")
	m.In = strings.NewReader("words")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	m.run(t, "post", "create")
	if kept, _ := filepath.Glob(filepath.Join(temporary, "draft-*.txt")); len(kept) != 1 {
		t.Errorf("kept %v, want one file:\n%s", kept, &m.err)
	}

	t.Setenv("TMPDIR", filepath.Join(file, "below"))
	m.In = strings.NewReader("words\n\x1b[2Jand more\n")
	m.want(t, 7, "", "the text cannot be kept in a file; this is it:\nwords\n\ufffd[2Jand more\nschedctl: the daemon says no\n", "post", "create")
}

func TestPostCreatePassesTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	var sent capture
	m := newMachine(t, routes{"POST /posts": sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}})})
	if m.run(t, "post", "create", "Hello", "--idempotency-key", "release-1.0"); sent.header.Get("Idempotency-Key") != "release-1.0" {
		t.Errorf("sent %v", sent.header)
	}
}

func TestPostCreateToAllLeavesOutWhatIsBroken(t *testing.T) {
	t.Parallel()
	broken := apiv1.AccountList{Results: append([]apiv1.Account{
		{ID: "acct_3", Platform: "mastodon", Name: "me", Status: schedctl.AccountError},
	}, twoAccounts.Results...)}
	var sent capture
	m := newMachine(t, routes{"GET /social-accounts": broken, "POST /posts": sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}})})
	m.want(t, 0, "post_1\n", "left out: me (mastodon) is in status error; see: schedctl account show acct_3\n", "post", "create", "Hello", "--to", "all", "-q")
	if diff := cmp.Diff([]any{demoID, hookID}, sent.body["social_account_ids"]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m = newMachine(t, routes{"GET /social-accounts": apiv1.AccountList{Results: broken.Results[:1]}})
	m.want(t, 5, "", "left out: me (mastodon) is in status error; see: schedctl account show acct_3\n"+
		"schedctl: no account is connected; add one, for example with: schedctl account add feed --name demo\n", "post", "create", "Hello", "--to", "all")
}

func TestPostEditSendsOnlyWhatIsGiven(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stdin    string
		terminal bool
		args     []string
		want     map[string]any
	}{
		"text":                      {"", false, []string{"Hello"}, map[string]any{"content": "Hello"}},
		"time, not the input":       {"ignored", false, []string{"--at", "tomorrow 9am"}, map[string]any{"publish_at": "2026-11-22T09:00:00Z"}},
		"accounts, not the input":   {"ignored", false, []string{"--to", "demo"}, map[string]any{"social_account_ids": []any{demoID}}},
		"a bare pipe":               {"Hello\n", false, nil, map[string]any{"content": "Hello"}},
		"a named pipe and a time":   {"Hello\n", false, []string{"-", "--in", "1h"}, map[string]any{"content": "Hello", "publish_at": "2026-11-21T13:00:00Z"}},
		"from a terminal, a time":   {"", true, []string{"--in", "1h"}, map[string]any{"publish_at": "2026-11-21T13:00:00Z"}},
		"from a terminal, the text": {"typed\n", true, []string{"-"}, map[string]any{"content": "typed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{
				"GET /social-accounts": twoAccounts,
				"PATCH /posts/post_1":  sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}),
			})
			m.In, m.InTerminal = strings.NewReader(tc.stdin), tc.terminal
			if status := m.run(t, append([]string{"post", "edit", "post_1", "-q"}, tc.args...)...); status != 0 {
				t.Fatalf("exit status %d: %s", status, &m.err)
			}
			if diff := cmp.Diff(tc.want, sent.body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	m := newMachine(t, nil).terminals()
	m.want(t, 2, "", "schedctl: nothing to change; give a text, --editor, --to, --media, --part, --override, --label, --at, --in, --next-slot or --propose\n", "post", "edit", "post_1")
}

func TestPostListAsksForWhatTheFlagsSay(t *testing.T) {
	t.Parallel()
	var queries []string
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.RawQuery)
		var page apiv1.PostList
		for range 100 {
			page.Results = append(page.Results, apiv1.Post{ID: "post_1"})
		}
		if len(queries)%3 != 0 {
			page.NextCursor = ptr(fmt.Sprint("page", len(queries)))
		}
		json.NewEncoder(w).Encode(page)
	})
	m := newMachine(t, routes{"GET /posts": pages, "GET /social-accounts": twoAccounts})
	count := func(args ...string) int {
		t.Helper()
		queries = nil
		if status := m.run(t, append([]string{"post", "list", "-q"}, args...)...); status != 0 {
			t.Fatalf("exit status %d: %s", status, &m.err)
		}
		return strings.Count(m.out.String(), "\n")
	}
	const open = "&sort=publish_at&status=draft&status=scheduled&status=publishing"
	if n := count(); n != 300 || queries[0] != "limit=100"+open {
		t.Errorf("by default: %d posts with %q", n, queries)
	}
	if n := count("--limit", "7"); n != 7 || len(queries) != 1 || queries[0] != "limit=7"+open {
		t.Errorf("--limit 7: %d posts with %q", n, queries)
	}
	if n := count("--status", "failed", "--limit", "7"); n != 7 || queries[0] != "limit=7&status=failed" {
		t.Errorf("--status failed: %d posts with %q", n, queries)
	}
	if n := count("--all", "--limit", "7"); n != 7 || queries[0] != "limit=7" {
		t.Errorf("--all --limit 7: %d posts with %q", n, queries)
	}
	if n := count("--limit", "150"); n != 150 || len(queries) != 2 {
		t.Errorf("--limit 150: %d posts with %q", n, queries)
	}
	if n := count("--all"); n != 300 || len(queries) != 3 {
		t.Errorf("--all: %d posts with %q", n, queries)
	}
	count("--status", "draft,failed", "--status", "scheduled", "--account", "hook", "--search", "a b", "--sort", "publish_at",
		"--after", "2026-12-08 09:00", "--before", "@1800000000", "--tz", "Europe/Berlin", "--limit", "1")
	want := "limit=1&publish_after=2026-12-08T08%3A00%3A00Z&publish_before=2027-01-15T08%3A00%3A00Z&q=a+b&social_account_id=" + hookID +
		"&sort=publish_at&status=draft&status=failed&status=scheduled"
	if diff := cmp.Diff(want, queries[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	count("--after", "2026-12-08", "--before", "yesterday", "--tz", "Europe/Berlin")
	if !strings.Contains(queries[0], "publish_after=2026-12-07T23%3A00%3A00Z&publish_before=") || strings.Count(queries[0], "T23%3A00%3A00Z") != 2 {
		t.Errorf("days alone: %s", queries[0])
	}
	for _, args := range [][]string{{"--status", "done"}, {"--sort", "id"}, {"--limit", "0"}, {"--after", "soon"}} {
		if status := m.run(t, append([]string{"post", "list"}, args...)...); status != 2 {
			t.Errorf("%q: exit status %d, want 2: %s", args, status, &m.err)
		}
	}
}

// A terminal shows the beginning of a list, and says what is not shown.
func TestListsOnATerminalSayHowManyMoreThereAre(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		posts int
		args  string
		shown int
		told  string
	}{
		{20, "", 20, ""},
		{21, "", 20, "1 more post: give --limit 21 to see all\n"},
		{350, "", 20, "330 more posts: give --limit 350 to see all\n"},
		{350, "--limit 340", 340, "10 more posts: give --limit 350 to see all\n"},
		{350, "--all", 350, ""},
		{1500, "", 20, "more than 1000 more posts: give a higher --limit, or write the list to a file or a pipe\n"},
		{0, "", 0, "no open posts; --all lists finished and canceled ones too\n"},
		{0, "--all", 0, "no posts\n"},
		{0, "--status failed", 0, "no posts\n"},
	} {
		pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
			page := apiv1.PostList{Results: slices.Repeat([]apiv1.Post{{ID: "post_1"}}, min(100, tc.posts-start))}
			if start+100 < tc.posts {
				page.NextCursor = ptr(strconv.Itoa(start + 100))
			}
			json.NewEncoder(w).Encode(page)
		})
		m := newMachine(t, routes{"GET /posts": pages}).terminals()
		m.Height = 0
		want := strings.Repeat("post_1\n", tc.shown)
		m.want(t, 0, want, tc.told, append([]string{"post", "list", "-q"}, strings.Fields(tc.args)...)...)
	}
}

func TestDoubtsHaveWordsInLists(t *testing.T) {
	t.Parallel()
	doubt := apiv1.Post{ID: "post_1", Content: "Hello", Status: schedctl.Publishing, SocialAccountIDs: []string{demoID}, Targets: []apiv1.Target{{
		ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Publishing, Attempts: 1, NextAttemptAt: at(time.Minute),
		Error: &apiv1.TargetError{Kind: schedctl.KindNetwork, Message: "connection reset", Outcome: schedctl.OutcomeUnknown}}}}
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts": apiv1.PostList{Results: []apiv1.Post{doubt}}})
	m.want(t, 0, "post_1\tpublishing\t\tdemo\tHello\n", "", "post", "list")
	m.terminals().noColorEnv()
	m.want(t, 0, "ID      STATUS       WHEN  TO    TEXT\npost_1  unconfirmed        demo  Hello\n",
		"post_1: demo (feed): network: connection reset (it is not known whether the network has it); the network is asked next Sat 21 Nov 2026 12:01 UTC (in 1 minute)\n",
		"post", "list")
}

// People see in a list which posts a pause holds, and until when in the post. Programs see
// the status of the API.
func TestHeldPostsInLists(t *testing.T) {
	t.Parallel()
	held := apiv1.Post{ID: "post_1", Content: "Hello", Status: schedctl.Scheduled, SocialAccountIDs: []string{demoID}, Labels: []string{"launch"}, Targets: []apiv1.Target{{
		ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Scheduled,
		Waits: &apiv1.Waits{Reason: apiv1.WaitsLabel, Until: at(time.Hour), Message: `held by label "launch"`}}}}
	m := newMachine(t, routes{
		"GET /social-accounts": twoAccounts, "GET /posts": apiv1.PostList{Results: []apiv1.Post{held}}, "GET /posts/post_1": apiv1.PostEnvelope{Post: held},
	})
	m.want(t, 0, "post_1\tscheduled\t\tdemo\tHello\n", "", "post", "list")
	m.run(t, "post", "show", "post_1")
	if shown := m.out.String(); !strings.Contains(shown, "held by label \"launch\" until 2026-11-21T13:00:00Z\n") {
		t.Errorf("post show prints %q", shown)
	}
	m.terminals().noColorEnv()
	m.want(t, 0, "ID      STATUS  WHEN  TO    TEXT\npost_1  held          demo  Hello\n", "", "post", "list")
}

var published = apiv1.Post{
	ID: "post_1", Content: "Hello,\n\tworld\x1b[31m", Status: schedctl.Failed, PublishAt: at(-time.Hour), SocialAccountIDs: []string{demoID, hookID}, Version: 4,
	CreatedAt: at(-2 * time.Hour), UpdatedAt: at(-time.Hour), TargetSummary: apiv1.TargetSummary{Total: 2, Published: 1, Failed: 1},
	Targets: []apiv1.Target{
		{ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Published, PlatformPostURL: ptr("http://feeds.test/1"), Attempts: 1},
		{ID: "pt_2", SocialAccountID: hookID, Platform: "http", Status: schedctl.Failed, Attempts: 1,
			Error: &apiv1.TargetError{Kind: schedctl.KindNetwork, Message: "connection reset", Outcome: schedctl.OutcomeUnknown}},
	},
}

// TestPostShowWarnsOfWhatTheNetworkChanged guards that a published target with a
// warning is shown with it, and as published.
func TestPostShowWarnsOfWhatTheNetworkChanged(t *testing.T) {
	t.Parallel()
	p := published
	p.Status = schedctl.Published
	p.Targets = []apiv1.Target{p.Targets[0]}
	p.Targets[0].Error = &apiv1.TargetError{Kind: schedctl.KindDegraded, Code: ptr("visibility"), Message: "it is public there", Outcome: schedctl.OutcomePublished}
	m := newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: p}, "GET /social-accounts": twoAccounts})
	if m.run(t, "post", "show", "post_1"); !strings.Contains(m.out.String(), "target\tpt_1\tdemo\tfeed\tpublished\thttp://feeds.test/1; warning: it is public there\n") {
		t.Errorf("got\n%s", m.out.String())
	}
}

func TestPostShow(t *testing.T) {
	t.Parallel()
	daemon := routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: published}, "GET /social-accounts": twoAccounts}
	m := newMachine(t, daemon)
	m.want(t, 0, `id	post_1
status	failed
publish_at	2026-11-21T11:00:00Z
created_at	2026-11-21T10:00:00Z
updated_at	2026-11-21T11:00:00Z
version	4
labels	
external_id	
collection	
file	
queue	
slot	
series	
archived	
resend_of	
resent_as	
source	
source_item	
created_by	
updated_by	
approval	
note	
changes_requested	
proposed	
content	Hello, world�[31m
target	pt_1	demo	feed	published	http://feeds.test/1
target	pt_2	hook	http	failed	network: connection reset (it is not known whether the network has it)
`, "", "post", "show", "post_1")

	m.terminals().noColorEnv().want(t, 0, `ID          post_1
Status      failed
Publish at  Sat 21 Nov 2026 11:00 UTC (1 hour ago)
Created at  Sat 21 Nov 2026 10:00 UTC (2 hours ago)
Updated at  Sat 21 Nov 2026 11:00 UTC (1 hour ago)
Version     4

  Hello,
  	world�[31m

TARGET  ACCOUNT  PLATFORM  STATUS     DETAIL
pt_1    demo     feed      published  http://feeds.test/1
pt_2    hook     http      failed     network: connection reset (it is not known whether the network has it)
next: look whether the account has the post; if not: schedctl post retry post_1 --force
`, "", "post", "show", "post_1")
	m.want(t, 3, "", "schedctl: there is no post \"post_2\"; see: schedctl post list\n", "post", "show", "post_2")
}

func (m *machine) noColorEnv() *machine { m.env["NO_COLOR"] = "1"; return m }

// TestSeveralIDs guards that valid ids are shown and invalid ids are reported.
func TestSeveralIDs(t *testing.T) {
	t.Parallel()
	post := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Canceled}}
	m := newMachine(t, routes{
		"GET /posts/post_1": post, "POST /posts/post_1/cancel": post, "DELETE /posts/post_1": nil,
		"POST /posts/post_2/cancel": refused{409, "POST_NOT_CANCELABLE"}, "DELETE /posts/post_2": refused{409, "POST_NOT_DELETABLE"},
	})
	m.want(t, 3, "post_1\n", "schedctl: there is no post \"post_2\"; see: schedctl post list\n", "post", "show", "post_2", "post_1", "-q")
	m.want(t, 6, "post_1\n", "schedctl: post_2: the daemon says no\n", "post", "cancel", "post_2", "post_1", "-q")
	m.want(t, 6, "post_1\n", "schedctl: post_2: the daemon says no\n", "post", "delete", "post_2", "post_1")
	m.want(t, 0, `{"id":"post_1","status":"canceled"}`+"\n", "", "post", "show", "post_1", "--json=id,status")
	m.want(t, 0, `[{"id":"post_1"},{"id":"post_1"}]`+"\n", "", "post", "show", "post_1", "post_1", "--json=id")
	m.want(t, 0, `{"id":"post_1","deleted":true}`+"\n", "", "post", "delete", "post_1", "--json")
	m.want(t, 0, `[{"id":"post_1"},{"id":"post_1"}]`+"\n", "", "post", "delete", "post_1", "post_1", "--json=id")
}

func TestSentences(t *testing.T) {
	t.Parallel()
	two := apiv1.TargetSummary{Total: 2, Failed: 1, Published: 1}
	for status, want := range map[schedctl.Status]string{
		schedctl.Draft:      "post_1 is a draft; schedule it with: schedctl post schedule post_1 --to ACCOUNT --at TIME",
		schedctl.Scheduled:  "post_1 is scheduled for Sat 21 Nov 2026 14:00 UTC (in 2 hours) on 2 accounts",
		schedctl.Publishing: "post_1 is publishing to 2 accounts; follow it with: schedctl post wait post_1",
		schedctl.Published:  "post_1 is published on 2 accounts",
		schedctl.Failed:     "post_1 has failed on 1 of 2 accounts",
		schedctl.Canceled:   "post_1 is canceled; it stays published on 1 of 2 accounts",
	} {
		post := apiv1.Post{ID: "post_1", Status: status, PublishAt: at(2 * time.Hour), TargetSummary: two}
		m := newMachine(t, routes{"POST /posts": apiv1.PostEnvelope{Post: post}}).terminals().noColorEnv()
		m.want(t, 0, want+"\n", "", "post", "create", "Hello")
	}
	pending := apiv1.Post{ID: "post_1", Status: schedctl.Draft, Approval: &apiv1.Approval{State: schedctl.ApprovalPending}}
	m := newMachine(t, routes{"POST /posts": apiv1.PostEnvelope{Post: pending}}).terminals().noColorEnv()
	m.want(t, 0, "post_1 waits for approval; someone else approves it with: schedctl post approve post_1\n", "", "post", "create", "Hello")
}

// A refusal says what to do on the command line, not with the API.
func TestRefusalsInWordsOfTheCommandLine(t *testing.T) {
	t.Parallel()
	invalid := refused{400, "INVALID_SOCIAL_ACCOUNTS"}
	m := newMachine(t, routes{
		"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}, "PATCH /posts/post_1": invalid,
		"POST /posts/post_1/schedule": invalid, "POST /posts/post_1/publish-now": invalid,
		"GET /posts/post_2":           apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_2", SocialAccountIDs: []string{hookID}}},
		"POST /posts/post_2/schedule": invalid,
	})
	const none = "schedctl: the post has no account; give --to ACCOUNT, or --to all\n"
	m.want(t, 5, "", none, "post", "publish", "post_1")
	for _, verb := range []string{"schedule", "edit"} {
		m.want(t, 5, "", "at Sat 21 Nov 2026 13:00 UTC (in 1 hour)\n"+none, "post", verb, "post_1", "--in", "1h")
	}
	m.want(t, 5, "", "schedctl: the daemon says no\n", "post", "publish", "post_1", "--to", hookID)
	m.want(t, 5, "", "at Sat 21 Nov 2026 13:00 UTC (in 1 hour)\nschedctl: the daemon says no\n", "post", "schedule", "post_2", "--in", "1h")

	const missing = "schedctl: there is no post \"post_3\"; see: schedctl post list\n"
	for _, verb := range []string{"show", "publish", "cancel", "delete", "retry", "wait"} {
		m.want(t, 3, "", missing, "post", verb, "post_3")
	}
	m.want(t, 3, "", "schedctl: there is no account \""+hookID+"\"; see: schedctl account list --all\n", "account", "show", hookID)
}
