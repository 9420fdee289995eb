package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/files"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

func tree(t *testing.T) *cobra.Command {
	t.Helper()
	a := &cli.App{System: newMachine(t, nil).System}
	root := cli.NewRoot(a, branches)
	walk(root, a.WriteLazyHelp)
	return root
}

func walk(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, c := range cmd.Commands() {
		walk(c, fn)
	}
}

// A branch that is made alone is the branch of the whole tree, and no branch has
// another name than that of its command.
func TestBranchesAreMadeAlone(t *testing.T) {
	t.Parallel()
	whole := tree(t)
	for _, b := range post.Branches(files.PostBranches...) {
		a := &cli.App{System: newMachine(t, nil).System}
		post := find(t, cli.NewRoot(a, branches, "post", b.Name, "--help"), "post")
		if got, want := usages(find(t, post, b.Name)), usages(find(t, find(t, whole, "post"), b.Name)); got != want {
			t.Errorf("post %s is another command alone:\n%s", b.Name, cmp.Diff(want, got))
		}
		if n := len(post.Commands()); n != 1 {
			t.Errorf("in addition to post %s, %d more were created", b.Name, n-1)
		}
	}
	for _, b := range branches {
		a := &cli.App{System: newMachine(t, nil).System}
		lone := cli.NewRoot(a, branches, b.Name, "--help")
		walk(lone, a.WriteLazyHelp)
		if got, want := usages(find(t, lone, b.Name)), usages(find(t, whole, b.Name)); got != want {
			t.Errorf("%s is another command alone:\n%s", b.Name, cmp.Diff(want, got))
		}
		if n := len(lone.Commands()); n != 1 && !b.Rest {
			t.Errorf("in addition to %s, %d more were created", b.Name, n-1)
		}
	}
}

func find(t *testing.T, root *cobra.Command, name string) *cobra.Command {
	t.Helper()
	cmd, _, err := root.Find([]string{name})
	if err != nil || cmd.Name() != name {
		t.Fatalf("there is no %s: %v", name, err)
	}
	return cmd
}

// usages returns the help of a command and of all below it.
func usages(cmd *cobra.Command) string {
	var all strings.Builder
	walk(cmd, func(c *cobra.Command) { all.WriteString(c.Long + "\n" + c.UsageString()) })
	return all.String()
}

func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	walk(tree(t), func(cmd *cobra.Command) {
		topic := !cmd.Runnable()
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" && !topic {
			t.Errorf("%s lacks a short text, a long text or an example", cmd.CommandPath())
		}
		if strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: the short text ends with a full stop", cmd.CommandPath())
		}
		for _, line := range strings.Split(cmd.Long, "\n") {
			if len([]rune(line)) > 90 && cmd.HasParent() && strings.Contains(cmd.Long, "\n") {
				t.Errorf("%s: a line of %d characters: %s", cmd.CommandPath(), len(line), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s is not explained", cmd.CommandPath(), f.Name)
			}
		})
	})
}

// What stands for a value is a noun that says what to write.
func TestFlagValuesAreNamed(t *testing.T) {
	t.Parallel()
	nouns := strings.Fields("URL account address host mode account=text account=field=value database day directory duration event expression fields file format level host:port http://host:port id key language option part=file part=text title key=value column=field name number order port operation choice kind rate scope CIDR size dir:PATH state status text time zone selection queue series repetition times post days occurrence person label")
	walk(tree(t), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != "" && !slices.Contains(nouns, name) {
				t.Errorf("%s --%s takes a %q", cmd.CommandPath(), f.Name, name)
			}
		})
	})
}

func TestDurationsAreShownShort(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"", "24h", "2h30m", "5m", "1m30s", "10s", "1h0m5s", "20ms"} {
		var d cli.DurationFlag
		if want != "" {
			if err := d.Set(strings.Replace(want, "0m5s", "5s", 1)); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

var call = regexp.MustCompile(`(?:^|\| |<\(|\$\()(schedctl (?:'[^']*'|"[^"]*"|[^|)'"])*)`)

// Each example must be a command line that the program takes.
func TestExamplesAreCommandLines(t *testing.T) {
	t.Parallel()
	walk(tree(t), func(cmd *cobra.Command) {
		for _, example := range strings.Split(cmd.Example, "\n") {
			found := call.FindStringSubmatch(strings.TrimSpace(example))
			if found == nil {
				if cmd.Example != "" {
					t.Errorf("%s: no call in example %q", cmd.CommandPath(), example)
				}
				continue
			}
			line := strings.TrimSuffix(strings.TrimSpace(regexp.MustCompile(` (&&|>) .*| &$`).ReplaceAllString(found[1], "")), " &")
			words := splitWords(line)[1:]
			target, rest, err := tree(t).Find(words)
			if err == nil {
				err = target.ParseFlags(rest)
			}
			if err == nil && target.Args != nil {
				err = target.Args(target, target.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), example, err)
			}
			if !strings.HasPrefix(target.CommandPath(), cmd.CommandPath()) && cmd.Name() != "help" {
				t.Errorf("%s: example %q is one of %s", cmd.CommandPath(), example, target.CommandPath())
			}
		}
	})
}

// An alias must not hide another command, and works where branches are made alone.
func TestAliases(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"post", "ls"}, {"post", "get"}, {"post", "new"}, {"post", "update"}, {"post", "rm"}, {"post", "remove"}, {"account", "new"}, {"account", "rm"}, {"key", "delete"}} {
		a := &cli.App{System: newMachine(t, nil).System}
		cmd, rest, err := cli.NewRoot(a, branches, args...).Find(args)
		if err != nil || len(rest) > 0 || !slices.Contains(cmd.Aliases, args[1]) {
			t.Errorf("%q leads to %s, rest %q: %v", args, cmd.CommandPath(), rest, err)
		}
	}
	walk(tree(t), func(cmd *cobra.Command) {
		names := map[string]bool{}
		for _, c := range cmd.Commands() {
			for _, name := range append([]string{c.Name()}, c.Aliases...) {
				if names[name] {
					t.Errorf("%s has two commands %s", cmd.CommandPath(), name)
				}
				names[name] = true
			}
		}
	})
}

// splitWords splits at spaces outside of quotes.
func splitWords(line string) (words []string) {
	for _, w := range regexp.MustCompile(`"[^"]*"|'[^']*'|[^ ]+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(w, `"'`))
	}
	return words
}

// The names that scripts rely on: none may go.
func TestCommandsAndFlagsThatAreFixed(t *testing.T) {
	t.Parallel()
	root := tree(t)
	for path, flags := range map[string]string{
		"daemon run":        "data-dir listen allow-private-networks allow-shared-files max-lateness log-format log-level public-url trusted-proxy",
		"daemon start":      "data-dir listen allow-private-networks allow-shared-files max-lateness log-format log-level public-url trusted-proxy store rate-limit",
		"daemon stop":       "data-dir timeout",
		"daemon restart":    "data-dir listen allow-private-networks allow-shared-files max-lateness log-format log-level public-url trusted-proxy store rate-limit",
		"daemon install":    "data-dir listen allow-private-networks allow-shared-files max-lateness log-format log-level public-url trusted-proxy store rate-limit dry-run",
		"daemon uninstall":  "",
		"me":                "url api-key-file json quiet no-input no-color debug timeout",
		"version":           "",
		"account add":       "name set secret-file login accessible",
		"account edit":      "name set",
		"account reconnect": "set secret-file login accessible",
		"account list":      "",
		"account show":      "",
		"account verify":    "",
		"account remove":    "",
		"post create":       "file to account at in now tz wait idempotency-key allow-duplicate override dry-run label external-id",
		"post list":         "status account label after before search external-id collection sort limit all group",
		"post show":         "",
		"post edit":         "file to account at override dry-run label no-labels",
		"post validate":     "file to override",
		"post timeline":     "",
		"post delete":       "yes dry-run status account after before search",
		"post schedule":     "at in shift to dry-run idempotency-key status account label after before search yes",
		"post unschedule":   "yes dry-run status account label after before search",
		"post copy":         "to account at in label dry-run idempotency-key",
		"post publish":      "to dry-run idempotency-key yes",
		"post cancel":       "yes dry-run status account after before search",
		"post retry":        "target force status account after before search yes wait dry-run",
		"post wait":         "timeout",
		"post watch":        "last-event timeout",
		"post import":       "format dry-run tz",
		"post export":       "format status account after before search sort",
		"plan":              "prune exit-code collection overwrite",
		"apply":             "prune yes dry-run collection overwrite",
		"lint":              "offline collection",
		"time":              "tz",
		"context add":       "use",
		"context use":       "",
		"context list":      "",
		"context remove":    "yes",
		"login":             "no-keyring context url api-key-file",
		"doctor":            "",
		"capabilities":      "",
		"api":               "file idempotency-key",
		"daemon status":     "",
		"daemon health":     "",
		"tui":               "accessible mouse tz",
		"calendar":          "week month account from apart tz",
		"completion":        "",

		"webhook create":        "url event name secret-file disabled secret-out",
		"webhook list":          "",
		"webhook show":          "",
		"webhook edit":          "url event name enable disable",
		"webhook delete":        "yes",
		"webhook test":          "wait timeout",
		"webhook rotate-secret": "secret-out",
		"webhook deliveries":    "status limit all",
		"webhook replay":        "since tz",

		"notify add":    "to email smtp user from tls secret-file name event disabled",
		"notify list":   "",
		"notify show":   "",
		"notify edit":   "to email smtp user from tls secret-file name event enable disable",
		"notify remove": "yes",
		"notify test":   "",

		"listen":  "forward-to event secret-file print-secret last-event",
		"trigger": "",

		"key create":     "name scope expires account tz secret-out",
		"key list":       "",
		"key revoke":     "yes",
		"workspace add":  "tz secret-out",
		"workspace list": "",
		"audit":          "after before tz limit all",
	} {
		cmd, _, err := root.Find(strings.Fields(path))
		if err != nil || cmd.CommandPath() != "schedctl "+path {
			t.Errorf("there is no command %s", path)
			continue
		}
		for _, name := range strings.Fields(flags) {
			if cmd.Flag(name) == nil {
				t.Errorf("%s has no --%s", path, name)
			}
		}
	}
}

// --at "$WHEN" with no $WHEN must not become a draft, nor --account "$A" a list
// of everything.
func TestEmptyFlagValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"post", "create", "Hello", "--to", "demo", "--at", ""},
		{"post", "create", "Hello", "--to", "demo", "--in="},
		{"post", "create", "Hello", "--to", "demo", "--now", "--to", ""},
		{"post", "create", "Hello", "--idempotency-key", ""},
		{"post", "create", "-F", ""},
		{"post", "edit", "post_1", "Hello", "--tz", ""},
		{"post", "list", "--account", ""},
		{"post", "list", "--after", ""},
		{"post", "list", "--status", ""},
		{"post", "retry", "post_1", "--target", ""},
		{"account", "add", "feed", "--name", ""},
		{"me", "--timeout", ""},
		{"post", "list", "--limit", ""},
		{"me", "--url", ""},
		{"me", "--context", ""},
		{"me", "--api-key-file", ""},
		{"daemon", "run", "--data-dir", ""},
	} {
		m := newMachine(t, routes{})
		if got := m.run(t, args...); got != 2 || !strings.Contains(m.err.String(), " is empty; give it a value or leave it out\n") {
			t.Errorf("%q: exit status %d, want 2: %s", args, got, &m.err)
		}
	}
}

var completionFiles = map[string]string{
	"bash": "schedctl.bash", "zsh": "_schedctl", "fish": "schedctl.fish", "powershell": "schedctl.ps1",
}

func TestCompletionFilesAreFresh(t *testing.T) {
	t.Parallel()
	for _, shell := range cli.Shells {
		m := newMachine(t, nil)
		if status := m.run(t, "completion", shell); status != 0 {
			t.Fatalf("%s: exit status %d: %s", shell, status, &m.err)
		}
		kept, err := os.ReadFile(filepath.Join("..", "..", "completions", completionFiles[shell]))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(kept, m.out.Bytes()) {
			t.Errorf("completions/%s is stale: run go generate ./cmd/schedctl", completionFiles[shell])
		}
	}
}

func TestCompletionAsksTheDaemon(t *testing.T) {
	t.Parallel()
	complete := func(m *machine, args ...string) string {
		t.Helper()
		if status := m.run(t, append([]string{cobra.ShellCompRequestCmd}, args...)...); status != 0 {
			t.Errorf("exit status %d: %s", status, &m.err)
		}
		return m.out.String()
	}
	m := newMachine(t, list)
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"post", "create", "--to", ""}, "demo\tfeed\nhook\thttp\n"},
		{[]string{"post", "list", "--account", ""}, "demo\tfeed\nhook\thttp\n"},
		{[]string{"account", "show", ""}, "demo\tfeed\nhook\thttp\n"},
		{[]string{"post", "cancel", ""}, "post_2\tpublished 21 Nov 12:00, now: A text that is rather long for a column, but shor…\npost_1\tdraft: 日本語のテキスト\n"},
		{[]string{"post", "list", "--status", ""}, "draft\nscheduled\npublishing\npublished\nfailed\ncanceled\n"},
		{[]string{"completion", ""}, "bash\nzsh\nfish\npowershell\n"},
		{[]string{"help", ""}, "formatting\t"},
		{[]string{"account", "add", ""}, "nostr\nslack\ntelegram\n"},
		{[]string{"account", "add", "http", "--set", ""}, "url=\twhere to POST each publication, http:// or https://\nidempotent=\t"},
		{[]string{"account", "reconnect", ""}, "demo\tfeed\nhook\thttp\n"},
		{[]string{"post", "create", "--override", ""}, "demo=\tfeed\nhook=\thttp\n"},
		{[]string{"post", "timeline", ""}, "post_2\tpublished 21 Nov 12:00, now: "},
	} {
		if got := complete(m, tc.args...); !strings.Contains(got, tc.want) {
			t.Errorf("%q: got\n%s\nwant it to have\n%s", tc.args, got, tc.want)
		}
	}
	if got := complete(newMachine(t, nil), "post", "show", ""); !strings.HasPrefix(got, ":") {
		t.Errorf("without a daemon: got %q, want no candidates", got)
	}
}

func TestTyposAreAnsweredWithSuggestions(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	for want, args := range map[string][]string{
		`schedctl has no command "psot"; did you mean post?`:                                                                               {"psot"},
		`schedctl post has no command "shedule"; did you mean schedule?`:                                                                   {"post", "shedule"},
		`schedctl post has no command "xyz"; see: schedctl post --help`:                                                                    {"post", "xyz"},
		`unknown flag --account-; did you mean --account?`:                                                                                 {"post", "list", "--account-"},
		`unknown flag --frobnicate; see: schedctl post list --help`:                                                                        {"post", "list", "--frobnicate"},
		`unknown shorthand flag: 'z' in -z; see: schedctl post list --help`:                                                                {"post", "list", "-z"},
		`the argument "- one" is read as a flag, because it starts with "-"; write -- before a text that starts with "-", after all flags`: {"post", "create", "- one"},
		`unknown flag -i; see: schedctl post create --help, or write -- before a text that starts with "-", after all flags`:               {"post", "create", "-hi"},
		`unknown flag -1; see: schedctl post edit --help, or write -- before a text that starts with "-", after all flags`:                 {"post", "edit", "post_1", "-1"},
		`unknown flag -x; see: schedctl series create --help, or write -- before a text that starts with "-", after all flags`:             {"series", "create", "-x"},
		`unknown flag -x; see: schedctl snippet set --help, or write -- before a text that starts with "-", after all flags`:               {"snippet", "set", "tags", "-x"},
		`unknown flag --frobnicate; see: schedctl post create --help, or write -- before a text that starts with "-", after all flags`:     {"post", "create", "--frobnicate"},
		`unknown shorthand flag: 'x' in -x; see: schedctl post request-changes --help`:                                                     {"post", "request-changes", "post_1", "-x"},
		`--media-image-max does not take "20"; it takes a size with its unit, such as 20MB`:                                                {"daemon", "run", "--media-image-max", "20"},
		`--limit does not take "many"; it takes a whole number`:                                                                            {"post", "list", "--limit", "many"},
		`--wait does not take "maybe"; it takes true or false`:                                                                             {"post", "create", "--wait=maybe"},
		`--timeout: "10" has no unit; write 10s, 10m, 10h or 10d`:                                                                          {"me", "--timeout", "10"},
		`flag needs an argument: --at; see: schedctl post create --help`:                                                                   {"post", "create", "--at"},
		`there is no help for "nothing"; see: schedctl help`:                                                                               {"help", "nothing"},
		`there is no help for "exit-code"; did you mean exit-codes?`:                                                                       {"help", "exit-code"},
		`there is no help for "post crate"; did you mean create?`:                                                                          {"help", "post", "crate"},
		`unexpected argument "x": schedctl post list takes none; see: schedctl post list --help`:                                           {"post", "list", "x"},
		`schedctl has no command "init"; did you mean daemon start?`:                                                                       {"init"},
		`schedctl has no command "logs"; did you mean daemon status?`:                                                                      {"logs"},
		`unknown flag --content; the text is an argument: schedctl post create "Hello"`:                                                    {"post", "create", "--content", "x"},
		`unknown flag --text; the text is an argument: schedctl post edit ID "Hello"`:                                                      {"post", "edit", "post_1", "--text", "x"},
		`schedctl has no command "posts"; did you mean post?`:                                                                              {"posts"},
		`schedctl has no command "accounts"; did you mean account list?`:                                                                   {"accounts", "ls"},
		`schedctl has no command "keys"; did you mean key create?`:                                                                         {"keys", "new", "--name", "x"},
		`schedctl has no command "publish"; did you mean post publish?`:                                                                    {"publish", "post_1", "--wait"},
		`schedctl has no command "ls"; did you mean post list or account list or key list?`:                                                {"ls"},
		`schedctl has no command "whoami"; did you mean me?`:                                                                               {"whoami"},
		`schedctl post has no command "describe"; did you mean show?`:                                                                      {"post", "describe", "post_1"},
		`schedctl has no command "xy"; see: schedctl --help`:                                                                               {"xy"},
		`unknown flag -json; did you mean --json?`:                                                                                         {"post", "list", "-json"},
		`unknown flag --when; did you mean --at?`:                                                                                          {"post", "create", "Hello", "--when", "noon"},
		`unknown flag --query; did you mean --queue or --search?`:                                                                          {"post", "list", "--query", "x"},
		`--output does not take "yaml"; it takes json, or json=id,status for some fields; see: schedctl help formatting`:                   {"post", "list", "-o", "yaml"},
		`shell "tcsh" is not known; use one of bash, zsh, fish, powershell`:                                                                {"completion", "tcsh"},
		`unexpected argument "x": schedctl me takes none; see: schedctl me --help`:                                                         {"me", "x"},
		`schedctl post show needs the id of a post; see: schedctl post show --help`:                                                        {"post", "show"},
	} {
		m.want(t, 2, "", "schedctl: "+want+"\n", args...)
	}
}
