package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// safeLines are command lines of commands that show nothing of a daemon. The others start
// programs, or write outside the directories of a test.
var safeLines = map[string][]string{
	"completion": {"bash"}, "context add": {"x --url http://x.test"}, "context list": {""}, "context remove": {"bot"},
	"context use": {"local"}, "daemon health": {""}, "daemon status": {""}, "man": {"DIR/man"}, "mcp": {""},
	"time": {"tomorrow"}, "tui": {""}, "version": {""},
}

// newAgentMachine returns a machine on a terminal, with the daemon of its user and that
// daemon's admin key, which no command can use, and no other key. Whatever reads from the
// terminal fails the test.
func newAgentMachine(t *testing.T, env map[string]string) *machine {
	t.Helper()
	m := newMachine(t, nil).terminals()
	m.env = map[string]string{"SCHEDCTL_DATA_DIR": t.TempDir(), "TERM": "xterm", "ACCESSIBLE": "1"}
	for name, value := range env {
		m.env[name] = value
	}
	m.ConfigHome = t.TempDir()
	dir := m.env["SCHEDCTL_DATA_DIR"]
	for path, text := range map[string]string{
		filepath.Join(dir, "admin.key"):                        "this is no key",
		filepath.Join(dir, "daemon.json"):                      `{"url":"http://127.0.0.1:4321","pid":7}`,
		filepath.Join(m.ConfigHome, "schedctl", "config.yaml"): "contexts:\n  bot:\n    url: http://127.0.0.1:4321\n    kind: agent\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Chmod(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	asked := func() error {
		t.Error("reads from the terminal")
		return io.EOF
	}
	m.In = failingReader{asked}
	m.ReadSecret = func(context.Context) (string, error) { return "", asked() }
	m.ReadKey = func(context.Context) (string, error) { return "", asked() }
	m.Edit = func(ctx context.Context, _, _ string) (context.Context, error) { return ctx, asked() }
	m.HasTool = func(string) bool { return false }
	return m
}

type failingReader struct{ fail func() error }

// Read fails.
func (r failingReader) Read([]byte) (int, error) { return 0, r.fail() }

const adminKeyRead = "admin.key holds no API key"

// TestAgentModeUsesNoAdminKeyAndNeverPrompts guards that no command reads the admin key or
// the terminal in agent mode.
func TestAgentModeUsesNoAdminKeyAndNeverPrompts(t *testing.T) {
	t.Parallel()
	operations := apiOperations(t)
	lines := map[string][]string{}
	for name, list := range hostileLines {
		lines[name] = list
	}
	for name, list := range safeLines {
		lines[name] = list
	}
	for name, list := range lines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := hostileFiles(t)
			for _, line := range list {
				line = strings.ReplaceAll(name+" "+line, "DIR", dir)
				for _, mode := range []string{"SCHEDCTL_AGENT", "SCHEDCTL_CONTEXT", "CLAUDECODE"} {
					if mode == "SCHEDCTL_CONTEXT" && strings.Contains(line, "--context") {
						continue // it goes before
					}
					m := newAgentMachine(t, map[string]string{mode: map[bool]string{true: "bot", false: "1"}[mode == "SCHEDCTL_CONTEXT"]})
					d := &hostileDaemon{operations: operations, kinds: idText}
					ctx, cancel := context.WithCancel(t.Context())
					d.end, m.Transport = cancel, d
					run(ctx, m.System, splitWords(line))
					if shown := m.out.String() + m.err.String(); strings.Contains(shown, adminKeyRead) {
						t.Errorf("%s: schedctl %s reads the admin key:\n%s", mode, line, shown)
					}
					cancel()
				}
			}
		})
	}
}

// TestPeopleUseTheAdminKey guards that the test above would notice a use of the admin key.
func TestPeopleUseTheAdminKey(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{{}, {"SCHEDCTL_AGENT": "0", "CLAUDECODE": "1"}, {"SCHEDCTL_AGENT": "off", "AI_AGENT": "x"}, {"CLAUDECODE": "0"}} {
		m := newAgentMachine(t, env)
		m.want(t, 4, "", "schedctl: "+filepath.Join(m.env["SCHEDCTL_DATA_DIR"], adminKeyRead)+"; it must hold the key and nothing else\n", "me")
	}
}

// TestKnownAgentsTurnAgentModeOn ranges over the variables of known agents.
func TestKnownAgentsTurnAgentModeOn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"CLAUDECODE", "CURSOR_AGENT", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT"} {
		m := newAgentMachine(t, map[string]string{name: "seatbelt"})
		if status := m.run(t, "tui"); status != 2 || !strings.Contains(m.err.String(), "agent mode is on ("+name+" is set, by ") || !strings.Contains(m.err.String(), "set SCHEDCTL_AGENT=0") {
			t.Errorf("%s: exit status %d: %s", name, status, &m.err)
		}
	}
}

// TestAgentModeRefusesUnansweredQuestions guards that a person who does not know of agent
// mode loses nothing for want of a question, and that a pipe works as ever.
func TestAgentModeRefusesUnansweredQuestions(t *testing.T) {
	t.Parallel()
	m := newAgentMachine(t, map[string]string{"GEMINI_CLI": "1"})
	const refused = `the answer to "Remove context bot and its key?" is missing: agent mode never prompts (GEMINI_CLI is set, by Gemini CLI); give --yes, or set SCHEDCTL_AGENT=0 to be asked`
	notice := "agent mode, because GEMINI_CLI is set, by Gemini CLI: the result is JSON; if you are no agent, set SCHEDCTL_AGENT=0\n"
	m.want(t, 2, "", "schedctl: "+refused+"\n", "context", "remove", "bot", "-o", "text")
	text, err := json.Marshal(refused)
	if err != nil {
		t.Fatal(err)
	}
	m.want(t, 2, "", notice+`{"error":{"code":"USAGE","message":`+string(text)+`,"details":null,"request_id":""}}`+"\n", "context", "remove", "bot")
	m.want(t, 0, `{"id":"bot","deleted":true}`+"\n", notice, "context", "remove", "bot", "--yes")
	piped := newAgentMachine(t, map[string]string{"GEMINI_CLI": "1"})
	piped.InTerminal, piped.OutTerminal, piped.ErrTerminal = false, false, false
	piped.want(t, 0, `{"id":"bot","deleted":true}`+"\n", "", "context", "remove", "bot")
}

// TestAgentModePrintsJSON guards the defaults of agent mode, and that flags go before them.
func TestAgentModePrintsJSON(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts})
	m.env["SCHEDCTL_AGENT"] = "1"
	var list []map[string]any
	if status := m.run(t, "account", "list"); status != 0 || json.Unmarshal(m.out.Bytes(), &list) != nil || len(list) != 2 || strings.Count(m.out.String(), "\n") != 1 {
		t.Errorf("exit status %d: %s%s", status, &m.out, &m.err)
	}
	for _, args := range [][]string{{"-q"}, {"-o", "text"}, {"--jq", ".[].id"}, {"--template", `{{range .}}{{.id}}{{"\n"}}{{end}}`}} {
		if status := m.run(t, append([]string{"account", "list"}, args...)...); status != 0 || strings.HasPrefix(m.out.String(), "[") {
			t.Errorf("%q: exit status %d: %s%s", args, status, &m.out, &m.err)
		}
	}
	m.want(t, 2, "", `{"error":{"code":"USAGE","message":"unknown flag --nonsense; see: schedctl me --help","details":null,"request_id":""}}`+"\n", "me", "--nonsense")
}

// TestPromptsAreMadeInOneRoom guards that only package cli decides whether a command may
// prompt.
func TestPromptsAreMadeInOneRoom(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if dir := filepath.Dir(path); dir != "cli" && dir != "browse" && strings.Contains(string(text), ".NoInput") {
			t.Errorf("%s looks at NoInput; use cli.App.Asks", path)
		}
	}
}
