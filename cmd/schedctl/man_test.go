package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// writtenManual returns the directory of the manual as the command writes it.
func writtenManual(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "man")
	m := newMachine(t, nil)
	m.want(t, cli.ExitOK, "", "", "man", dir)
	return dir
}

func TestManualHasAPageForEveryCommandAndTopic(t *testing.T) {
	t.Parallel()
	dir := writtenManual(t)
	want, root := 0, tree(t)
	root.InitDefaultHelpCmd() // as running it does
	walk(root, func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		want++
		section := 1
		if !cmd.Runnable() {
			section = 7
		}
		name := fmt.Sprintf("man%d/%s.%d", section, strings.ReplaceAll(cmd.CommandPath(), " ", "-"), section)
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
			return
		}
		if !strings.Contains(string(text), cli.Roff(cmd.Short)) {
			t.Errorf("%s does not say what the command is for", name)
		}
	})
	pages, err := filepath.Glob(filepath.Join(dir, "man*", "*"))
	if err != nil || len(pages) != want {
		t.Errorf("%d pages for %d commands and topics: %v", len(pages), want, err)
	}
}

func TestManualSaysWhatHelpSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(writtenManual(t), "man1", "schedctl-daemon-run.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`.TH "SCHEDCTL\-DAEMON\-RUN" 1 "" "schedctl `,
		"schedctl\\-daemon\\-run \\- Run the daemon in the foreground\n",
		".TP\n\\fB\\-\\-listen\\fR \\fIhost:port\\fR\n",
		"(default: 24h)\n",
		".SH EXAMPLES\n.PP\n.nf\n  schedctl daemon run\n",
		"\\fBschedctl\\-daemon\\fR(1)",
		"\\fBschedctl\\-exit\\-codes\\fR(7)",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(text), "help for run") {
		t.Error("the page explains --help")
	}
}

func TestRoffKeepsTextAsItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a\n`:         `a\en`,
		"--to":        `\-\-to`,
		".data\nb\n.": "\\&.data\nb\n\\&.",
		"don't":       `don\(aqt`,
		`"~" ^`:       `\(dq\(ti\(dq \(ha`,
	} {
		if got := cli.Roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestManualThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, nil)
	if status := m.run(t, "man", file); status != cli.ExitOther {
		t.Errorf("exit status %d: %s", status, &m.err)
	}
	if !strings.HasPrefix(m.err.String(), "schedctl: write the manual: mkdir ") {
		t.Errorf("it says %q", &m.err)
	}
	if status := m.run(t, "man"); status != cli.ExitUsage {
		t.Errorf("exit status %d without a directory", status)
	}
}

// TestManualIsSoundRoff lets groff, where it is, look for what it would not set.
func TestManualIsSoundRoff(t *testing.T) {
	t.Parallel()
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed: the manual is not checked with it")
	}
	pages, err := filepath.Glob(filepath.Join(writtenManual(t), "man*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(groff, append([]string{"-k", "-man", "-Tutf8", "-ww", "-z", "-rLL=100n"}, pages...)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("groff: %v\n%s", err, out)
	}
}
