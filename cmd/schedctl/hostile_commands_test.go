package main

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/tui/printable"
)

// The ids in the examples of the API.
const (
	postOf    = "post_01K2M4N6P8QARCTDVEWFXGYHZ1"
	ulid      = "_01K2M4N6P8QARCTDVEWFXGYHZ1"
	plainName = "demo"
)

// hostileLines has command lines for each command that talks to a daemon. DIR is a
// directory with files.
var hostileLines = map[string][]string{
	"account add":            {"feed --name x", "mastodon --set instance_url=https://m.example --set access_token=x"},
	"account edit":           {"acct" + ulid + " --name x"},
	"account list":           {"", "--all"},
	"account reconnect":      {"acct" + ulid + " --set access_token=x"},
	"account remove":         {"acct" + ulid},
	"account show":           {"acct" + ulid, plainName},
	"account verify":         {"acct" + ulid},
	"agent check":            {""},
	"agent setup":            {"generic --key-file DIR/agent.key"},
	"api":                    {"GET /posts", "GET /nothing", "GET /me"},
	"apply":                  {"DIR/posts --yes", "DIR/posts"},
	"audit":                  {"", "--all"},
	"backup":                 {"DIR/backup.tar"},
	"collection adopt":       {"website DIR"},
	"collection list":        {""},
	"collection remove":      {"website"},
	"collection show":        {"website"},
	"account group create":   {"brand --account acct" + ulid},
	"account group edit":     {"brand --account acct" + ulid},
	"account group list":     {""},
	"account group remove":   {"brand"},
	"snippet list":           {""},
	"snippet remove":         {"tags"},
	"snippet set":            {"tags x"},
	"snippet show":           {"tags"},
	"blackout add":           {"--from 2036-01-01 --to 2036-01-02 --reason x"},
	"blackout edit":          {"blk" + ulid + " --to 2036-01-03"},
	"blackout import":        {"DIR/days.ics"},
	"blackout list":          {""},
	"blackout remove":        {"blk" + ulid},
	"blackout show":          {"blk" + ulid},
	"calendar":               {"", "--month", "--slots"},
	"calendar feed create":   {"x"},
	"calendar feed list":     {""},
	"share calendar":         {"--name x"},
	"share list":             {""},
	"share review":           {"--name x"},
	"share revoke":           {"shr" + ulid},
	"share show":             {"shr" + ulid},
	"calendar feed revoke":   {"cal" + ulid},
	"capabilities":           {"", "feed"},
	"doctor":                 {""},
	"forecast":               {"", "--days 7"},
	"results refresh":        {"post_01KAK3R9ZC4VBX1D2E3F4G5H6J", "post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target demo"},
	"results report":         {"post_01KAK3R9ZC4VBX1D2E3F4G5H6J --set clicks=1 --target pt_01KAK3R9ZC4VBX1D2E3F4G5H6J"},
	"results":                {"post_01KAK3R9ZC4VBX1D2E3F4G5H6J", "", "--month --by weekday", "--month --by account", "--removed", "--export - --format jsonl", "--export -"},
	"key create":             {"--name x"},
	"key list":               {""},
	"key revoke":             {"key" + ulid},
	"label list":             {""},
	"lint":                   {"DIR/posts"},
	"listen":                 {"", "--forward-to http://127.0.0.1:1/x"},
	"login":                  {"--url http://daemon.test --context x --no-keyring"},
	"me":                     {""},
	"media delete":           {"med" + ulid},
	"media download":         {"med" + ulid + " DIR/out"},
	"media edit":             {"med" + ulid + " --alt x"},
	"media from-url":         {"https://example.org/cat.png"},
	"media list":             {""},
	"media show":             {"med" + ulid},
	"media upload":           {"DIR/cat.png"},
	"media upload-link":      {""},
	"notify add":             {"--to acct" + ulid + " --name x"},
	"notify edit":            {"ntf" + ulid + " --name x"},
	"notify list":            {""},
	"notify remove":          {"ntf" + ulid},
	"notify show":            {"ntf" + ulid},
	"notify test":            {"ntf" + ulid},
	"pause":                  {"", "--until 2036-01-01", "--label launch --yes"},
	"pause list":             {""},
	"plan":                   {"DIR/posts"},
	"post approve":           {postOf},
	"post archive":           {postOf},
	"post cancel":            {postOf},
	"post copy":              {postOf},
	"post create":            {"hello --to acct" + ulid + " --at 2036-01-01T09:00Z", "hello --to " + plainName, "hello --to acct" + ulid + " --at 2036-01-01T09:00Z --repeat daily --name x", "hello"},
	"post delete":            {postOf},
	"post edit":              {postOf + " x"},
	"post export":            {"-", "--format jsonl", "--format ics", "--files DIR/exported --collection x", "DIR/out.csv"},
	"post import":            {"DIR/import.csv", "DIR/import.csv --dry-run"},
	"post list":              {"", "--all", "--by account"},
	"post note":              {postOf + " x"},
	"post publish":           {postOf},
	"post request-changes":   {postOf + " --note x"},
	"post resend":            {postOf + " x"},
	"post retry":             {postOf, postOf + " --force"},
	"post schedule":          {postOf + " --at 2036-01-01T09:00Z"},
	"post show":              {postOf},
	"post submit":            {postOf},
	"post timeline":          {postOf},
	"post unarchive":         {postOf},
	"post unschedule":        {postOf},
	"post validate":          {"hello --to acct" + ulid},
	"post wait":              {postOf + " --timeout 1ms"},
	"post watch":             {"", postOf},
	"post withdraw":          {postOf},
	"queue create":           {`x --slot "daily 09:00"`},
	"queue delete":           {"queue" + ulid},
	"queue edit":             {"queue" + ulid + " --name x"},
	"queue list":             {""},
	"queue move":             {postOf + " --top", postOf + " --bottom"},
	"queue reflow":           {"queue" + ulid, "queue" + ulid + " --yes"},
	"queue show":             {"queue" + ulid},
	"queue slots":            {"queue" + ulid},
	"resume":                 {"", "--label launch --shift-missed --yes"},
	"review":                 {""},
	"series approve":         {"series" + ulid},
	"series create":          {"hello --to acct" + ulid + ` --name x --repeat "daily at 9:00"`},
	"series delete":          {"series" + ulid},
	"series edit":            {"series" + ulid + " --name x"},
	"series end":             {"series" + ulid},
	"series list":            {""},
	"series occurrences":     {"series" + ulid},
	"series pause":           {"series" + ulid},
	"series request-changes": {"series" + ulid + " --note x"},
	"series resume":          {"series" + ulid},
	"series show":            {"series" + ulid},
	"series skip":            {"series" + ulid + " 2036-01-01T09:00Z"},
	"series submit":          {"series" + ulid},
	"series withdraw":        {"series" + ulid},
	"source add":             {"https://example.org/feed --name x --to acct" + ulid},
	"source edit":            {"src" + ulid + " --mode draft"},
	"source item skip":       {"src" + ulid + " itm" + ulid},
	"source fetch":           {"src" + ulid},
	"source item post":       {"src" + ulid + " itm" + ulid},
	"source test":            {"https://example.org/feed"},
	"source items":           {"src" + ulid},
	"source list":            {""},
	"source pause":           {"src" + ulid},
	"source release":         {"src" + ulid + " --take 1"},
	"source remove":          {"src" + ulid},
	"source resume":          {"src" + ulid},
	"source show":            {"src" + ulid},
	"webhook create":         {"--url https://example.org/x --event all"},
	"webhook delete":         {"wh" + ulid},
	"webhook deliveries":     {"wh" + ulid},
	"webhook edit":           {"wh" + ulid + " --url https://example.org/y"},
	"webhook list":           {""},
	"webhook replay":         {"wh" + ulid + " --since 1d", "wh" + ulid + " del" + ulid},
	"webhook rotate-secret":  {"wh" + ulid},
	"webhook show":           {"wh" + ulid},
	"webhook test":           {"wh" + ulid},
	"workspace add":          {"x"},
	"workspace edit":         {"ws" + ulid + " --approvals all"},
	"workspace list":         {""},
}

// notHostile are the commands that show nothing of a daemon: they work on this computer,
// or speak a protocol to a program. The screens of tui have a test in its package.
var notHostile = []string{
	"completion", "context add", "context list", "context remove", "context use", "daemon check", "daemon health",
	"daemon install", "daemon restart", "daemon run", "daemon salvage", "daemon start", "daemon status", "daemon stop", "daemon uninstall",
	"man", "mcp", "restore", "store copy", "store use", "time", "trigger", "tui", "version",
}

// ownSequences are the control sequences of the program: its styles, and the line of
// progress that it replaces.
var ownSequences = regexp.MustCompile("\x1b\\[(0|1|2|3[1-6])m|\r\x1b\\[K")

// TestNoResponseControlsATerminal guards that no command lets a text of a daemon through to
// a terminal that could control it, or that looks like a line of the program.
func TestNoResponseControlsATerminal(t *testing.T) {
	t.Parallel()
	for _, name := range allCommands(t) {
		if hostileLines[name] == nil && !slices.Contains(notHostile, name) {
			t.Errorf("schedctl %s has no command line in hostileLines, and is not in notHostile", name)
		}
	}
	operations := apiOperations(t)
	for name, lines := range hostileLines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := false
			dir := hostileFiles(t)
			for _, line := range lines {
				line = strings.ReplaceAll(name+" "+line, "DIR", dir)
				for choice := range 3 {
					for _, kinds := range []kindOfText{freeText, wordText, idText} {
						d := &hostileDaemon{operations: operations, kinds: kinds, choice: choice}
						reached = wantTamed(t, d, line) || reached
					}
				}
				for _, format := range []string{"", " --json", " -q"} {
					for _, refuses := range []bool{false, true} {
						d := &hostileDaemon{operations: operations, kinds: freeText | wordText | idText, refuses: refuses}
						reached = wantTamed(t, d, line+format) || reached
					}
				}
			}
			if !reached {
				t.Errorf("no command line showed anything of the daemon")
			}
		})
	}
}

// wantTamed runs a command line. It reports whether a text of the daemon was shown.
func wantTamed(t *testing.T, d *hostileDaemon, line string) (reached bool) {
	t.Helper()
	m := newMachine(t, nil).terminals()
	m.In, m.Transport = strings.NewReader("y\ny\ny\n"), d
	m.env["TERM"], m.env["ACCESSIBLE"] = "xterm", "1"
	m.ReadSecret = func(context.Context) (string, error) { return "sctl_test", nil }
	m.HasTool = func(string) bool { return false }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d.end = cancel
	status := run(ctx, m.System, splitWords(line))
	shown := m.out.String() + m.err.String()
	for l := range strings.Lines(shown) {
		if strings.HasPrefix(l, "FORGED") && !strings.HasPrefix(line, "post export") { // the texts of CSV may have several lines
			t.Fatalf("%s: exit status %d, shows a line of the daemon as its own:\n%q", line, status, shown)
		}
	}
	if rest := ownSequences.ReplaceAllString(shown, ""); rest != printable.Clean(rest) {
		t.Fatalf("%s: exit status %d, lets control characters through:\n%q", line, status, shown)
	}
	return strings.Contains(shown, tamed)
}

// hostileFiles returns a new directory with the files that command lines name.
func hostileFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cat.png":             picture.String(),
		"import.csv":          "content,accounts,publish_at\nhello,acct" + ulid + ",2036-01-01T09:00:00Z\n",
		"days.ics":            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20360101T000000Z\r\nDTSTART;VALUE=DATE:20360101\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
		"posts/schedctl.yaml": "collection: x\n",
		"posts/a.md":          "---\nto: [acct" + ulid + "]\nat: 2036-01-01T09:00:00Z\n---\nhello\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
