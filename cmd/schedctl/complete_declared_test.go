package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takesFiles and takesDirectories are the arguments that are files or directories:
// a command for its first argument, or a command and a flag. Everything else is
// completed by its own values or not at all.
var (
	takesFiles = []string{
		"agent setup --config", "agent setup --key-file",
		"backup", "restore", "results --export", "post import", "post export", "media upload", "media upload second", "media download second",
		"post create --media", "post edit --media", "post validate --media", "post resend --media", "post resend --file", "post resend --preview-image", "series create --media", "series edit --media",
		"series create --file", "snippet set --file", "series edit --file", "series create --preview-image", "series edit --preview-image",
		"blackout import", "calendar feed create --secret-out", "share calendar --secret-out", "media upload-link --secret-out", "share review --secret-out",
		"post create --preview-image", "post edit --preview-image", "post validate --preview-image",
		"--api-key-file", "api --file", "api -F", "account add --secret-file", "account reconnect --secret-file",
		"daemon check --file", "daemon salvage --file", "daemon salvage --output",
		"post create --file", "post edit --file", "post validate --file", "listen --secret-file", "notify add --secret-file", "notify edit --secret-file",
		"key create --secret-out", "workspace add --secret-out", "webhook create --secret-out", "webhook create --secret-file",
		"source add --secret-file", "source edit --secret-file", "source test --secret-file",
		"webhook rotate-secret --secret-out", "restore --secret-key", "restore --admin-key",
	}
	takesDirectories = []string{
		"lint", "plan", "apply", "man", "collection adopt second",
		"daemon run --data-dir", "daemon start --data-dir", "daemon stop --data-dir", "daemon restart --data-dir", "daemon install --data-dir",
		"daemon check --data-dir", "daemon salvage --data-dir", "restore --data-dir", "post export --files", "post import --media-dir",
	}
)

// directive returns the completion directive for the last argument.
func directive(t *testing.T, m *machine, args ...string) cobra.ShellCompDirective {
	t.Helper()
	if status := m.run(t, append([]string{cobra.ShellCompRequestCmd}, args...)...); status != 0 {
		t.Fatalf("%q: exit status %d: %s", args, status, &m.err)
	}
	lines := strings.Split(strings.TrimSpace(m.out.String()), "\n")
	number, err := strconv.Atoi(strings.TrimPrefix(lines[len(lines)-1], ":"))
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return cobra.ShellCompDirective(number)
}

// Each flag and each argument of each command says whether it is a file, a
// directory or neither.
func TestFilesAreOfferedWhereTheyBelong(t *testing.T) {
	skipShort(t)
	t.Parallel()
	m := newMachine(t, list)
	seen := map[string]bool{}
	check := func(what string, args ...string) {
		t.Helper()
		seen[what] = true
		got := directive(t, m, args...)
		files := got&(cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveFilterDirs) == 0
		directories := got&cobra.ShellCompDirectiveFilterDirs != 0
		if files != slices.Contains(takesFiles, what) || directories != slices.Contains(takesDirectories, what) {
			t.Errorf("%s: offers files %t, directories %t", what, files, directories)
		}
	}
	walk(tree(t), func(cmd *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "schedctl"), " ")
		words := strings.Fields(path)
		check(path, append(slices.Clone(words), "")...)
		if len(words) > 0 && cmd.Runnable() && !cmd.HasSubCommands() {
			check(path+" second", append(slices.Clone(words), "first", "")...)
		}
		flags := cmd.LocalNonPersistentFlags()
		if !cmd.HasParent() {
			flags = cmd.PersistentFlags()
		}
		flags.VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" && f.Name != "help" && f.Name != "version" {
				check(strings.TrimSpace(path+" --"+f.Name), append(slices.Clone(words), "--"+f.Name, "")...)
			}
		})
	})
	check("api -F", "api", "-F", "")
	for _, what := range slices.Concat(takesFiles, takesDirectories) {
		if !seen[what] {
			t.Errorf("there is no %s", what)
		}
	}
}

// Descriptions are shown as they are, so they have no backticks.
func TestCompletionsHaveNoBackticks(t *testing.T) {
	skipShort(t)
	t.Parallel()
	m := newMachine(t, list)
	walk(tree(t), func(cmd *cobra.Command) {
		words := strings.Fields(cmd.CommandPath())[1:]
		for _, typed := range []string{"", "-"} {
			got := strings.Join(offered(t, m, append(slices.Clone(words), typed)...), "\n")
			if strings.Contains(got, "`") {
				t.Errorf("%q:\n%s", append(words, typed), got)
			}
		}
	})
	if got := offered(t, m, "daemon", "run", "--data-d"); len(got) != 1 || got[0] != "--data-dir\tthe data directory (environment: SCHEDCTL_DATA_DIR)" {
		t.Errorf("got %q", got)
	}
}
