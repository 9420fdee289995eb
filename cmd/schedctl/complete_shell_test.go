package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// shellCompletion has a real shell complete command lines without a daemon.
type shellCompletion struct {
	t    *testing.T
	path string // of the shell
	dir  string // of the program and of what is completed
}

func newShellCompletion(t *testing.T, shell string) *shellCompletion {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		withoutShell(t, shell+" is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a-file.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "a-directory"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &shellCompletion{t, path, dir}
}

// withoutShell skips a test that cannot run here, or fails it where all tests have
// to run.
func withoutShell(t *testing.T, reason string) {
	t.Helper()
	reason += "; scripts/package/install.sh installs it"
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// run runs a script of the shell that has the completions in the variable SCRIPT.
func (s *shellCompletion) run(args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), testsize.Patience)
	defer cancel()
	file := map[string]string{"bash": "schedctl.bash", "zsh": "_schedctl", "fish": "schedctl.fish"}[filepath.Base(s.path)]
	script, err := filepath.Abs(filepath.Join("..", "..", "completions", file))
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, s.path, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "SCHEDCTL_DATA_DIR=" + filepath.Join(s.dir, "none"), "SCRIPT=" + script, "TERM=dumb",
		"LC_ALL=C.UTF-8", raceOptions + "=" + os.Getenv(raceOptions),
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Errorf("%q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(out), "\r", ""))
}

// completed are command lines with something that a shell completes them to.
var completed = []struct{ joinCells, want string }{
	{"schedctl po", "post"},
	{"schedctl post sched", "schedule"},
	{"schedctl completion po", "powershell"},
	{"schedctl time 9am --tz Europe/Berl", "Europe/Berlin"},
	{"schedctl time 9am --tz=Europe/Berl", "Europe/Berlin"},
	{"schedctl version --json=ar", "arch"},
	{"schedctl post import a-f", "a-file.csv"},
	{"schedctl lint a-d", "a-directory"},
	{"schedctl daemon run --data-dir a-d", "a-directory"},
	{"schedctl daemon run --data-dir=a-d", "a-directory"},
}

// notCompleted are command lines that files do not belong to.
var notCompleted = []string{
	"schedctl post create a-",
	"schedctl post create --at a-",
	"schedctl daemon run --listen a-",
	"schedctl post import a-file.csv a-",
	"schedctl version a-",
	"schedctl lint a-f",
}

// bashKeys presses the tab key at the end of a line in a real line editor, and
// prints what the line has become.
const bashKeys = `
bind 'set enable-bracketed-paste off' 2>/dev/null
bind 'set show-all-if-ambiguous off'
_show() { printf '<%s>\n' "$READLINE_LINE"; READLINE_LINE=""; READLINE_POINT=0; }
bind -x '"\C-g": _show'
source "$SCRIPT"
`

// Bash completes without the bash-completion package.
func TestBashCompletesAlone(t *testing.T) {
	t.Parallel()
	testBash(t, "")
}

// Bash completes with the bash-completion package, as far as it is installed.
func TestBashCompletesWithThePackage(t *testing.T) {
	t.Parallel()
	const path = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(path); err != nil {
		withoutShell(t, "the bash-completion package is not installed")
	}
	testBash(t, "source "+path+"\n")
}

func testBash(t *testing.T, before string) {
	t.Helper()
	s := newShellCompletion(t, "bash")
	if err := os.WriteFile(filepath.Join(s.dir, "rc"), []byte(before+bashKeys), 0o600); err != nil {
		t.Fatal(err)
	}
	complete := func(line string) string {
		t.Helper()
		input := filepath.Join(s.dir, "input")
		if err := os.WriteFile(input, []byte(line+"\t\a\nexit\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out := s.run("--noprofile", "-c", `exec bash --noprofile --rcfile rc -i < input 2>&1`)
		_, after, found := strings.Cut(out, "<schedctl")
		result, _, closed := strings.Cut(after, ">\n")
		if !found || !closed {
			t.Fatalf("%s: no line in\n%s", line, out)
		}
		return "schedctl" + result
	}
	for _, tc := range completed {
		if got := strings.TrimRight(complete(tc.joinCells), " /"); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%q becomes %q, want it to end with %q", tc.joinCells, got, tc.want)
		}
	}
	for _, line := range notCompleted {
		if got := complete(line); got != line {
			t.Errorf("%q becomes %q", line, got)
		}
	}
}

// zshKeys presses the tab key at the end of a line in a zsh on a terminal, and prints
// what the line has become.
const zshKeys = `
zmodload zsh/zpty || exit 1
zpty -b z 'zsh -f -i' || exit 1
zpty -w z 'PROMPT=; unsetopt beep; autoload -U compinit; compinit -u -D; source $SCRIPT; _show() { print -r -- "<$BUFFER>"; BUFFER=; }; zle -N _show; bindkey "^G" _show; stty -echo; print READY'
zpty -r -m z out '*READY'$'\r\n''*' || exit 1
zpty -w -n z "$1"$'\t'
zpty -w -n z $'\a'
zpty -r -m z out '*<*>*' || exit 1
print -r -- "$out"
zpty -d z
`

func TestZshCompletes(t *testing.T) {
	skipShort(t)
	t.Parallel()
	s := newShellCompletion(t, "zsh")
	complete := func(line string) string {
		t.Helper()
		out := s.run("-f", "-c", zshKeys, "zsh", line)
		_, after, found := strings.Cut(out, "<")
		result, _, closed := strings.Cut(after, ">")
		if !found || !closed {
			t.Fatalf("%s: no line in\n%s", line, out)
		}
		return result
	}
	for _, tc := range completed {
		if got := strings.TrimRight(complete(tc.joinCells), " /"); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%q becomes %q, want it to end with %q", tc.joinCells, got, tc.want)
		}
	}
	for _, line := range notCompleted {
		if got := complete(line); got != line {
			t.Errorf("%q becomes %q", line, got)
		}
	}
}

func TestFishCompletes(t *testing.T) {
	t.Parallel()
	s := newShellCompletion(t, "fish")
	for _, tc := range completed {
		if got := s.run("--no-config", "-c", "source $SCRIPT; complete -C "+"'"+tc.joinCells+"'"); !strings.Contains(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.joinCells, got, tc.want)
		}
	}
	for _, line := range notCompleted {
		if got := s.run("--no-config", "-c", "source $SCRIPT; complete -C "+"'"+line+"'"); got != "" {
			t.Errorf("%q: got %q", line, got)
		}
	}
}
