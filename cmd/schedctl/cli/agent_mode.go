package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon"
)

// agentVariable switches agent mode on or off.
const agentVariable = "SCHEDCTL_AGENT"

// KindAgent is the kind of a context for an agent.
const KindAgent = "agent"

// knownAgent is a program that sets a variable for the commands that its agents run.
type knownAgent struct{ variable, name string }

// knownAgents are the variables that turn agent mode on, with their sources:
//
//   - CLAUDECODE: code.claude.com/docs/en/env-vars, "set to 1 in shell environments".
//   - CURSOR_AGENT: docs.cursor.com/en/agent/terminal, for shell profiles.
//   - CODEX_SANDBOX: AGENTS.md of github.com/openai/codex, set by the sandbox of macOS.
//   - GEMINI_CLI: docs/tools/shell.md of github.com/google-gemini/gemini-cli, set to 1.
//   - AI_AGENT: README of github.com/vercel/vercel/tree/main/packages/detect-agent, which
//     proposes it for all agents; its value is the name of the agent.
var knownAgents = []knownAgent{
	{"CLAUDECODE", "Claude Code"},
	{"CURSOR_AGENT", "Cursor"},
	{"CODEX_SANDBOX", "Codex"},
	{"GEMINI_CLI", "Gemini CLI"},
	{"AI_AGENT", "an agent"},
}

// agentMode is what turned agent mode on.
type agentMode struct {
	reason string // such as "CLAUDECODE is set"; empty if the mode is off
	leave  string // how a person turns it off
	found  bool   // by the variable of a known agent, so the person may not know of it

	refuses bool   // whether a question on a terminal is refused
	admin   string // the admin key that was not used, or empty
}

// AgentMode returns why the program takes its caller for an agent, such as "CLAUDECODE is
// set", or an empty string for a person. In agent mode, the admin key is not used, commands
// never prompt, and results are JSON in one line unless flags ask for something else.
func (a *App) AgentMode() string {
	if a.agent == nil {
		a.agent = a.findAgent()
	}
	return a.agent.reason
}

// findAgent looks for an agent: the variable of its own goes before the context, and that
// before the variables of known agents.
func (a *App) findAgent() *agentMode {
	setting := strings.TrimSpace(a.Getenv("SCHEDCTL_AGENT"))
	if setting != "" && !isOff(setting) {
		return &agentMode{reason: agentVariable + " is " + strconv.Quote(Clip(setting, 40)), leave: "unset " + agentVariable}
	}
	if at, err := a.ChooseContext(); err == nil && at.Kind == KindAgent {
		return &agentMode{reason: "the context " + at.Name + " is of kind agent", leave: "use another context, such as --context " + LocalContext}
	}
	for _, known := range knownAgents {
		if value := a.Getenv(known.variable); setting == "" && value != "" && !isOff(value) {
			return &agentMode{reason: known.variable + " is set, by " + known.name, leave: "set " + agentVariable + "=0", found: true}
		}
	}
	return &agentMode{}
}

// isOff reports whether a variable switches off what it is for.
func isOff(value string) bool {
	on, err := strconv.ParseBool(value)
	return err == nil && !on || slices.Contains([]string{"no", "off"}, strings.ToLower(value))
}

// enterAgentMode sets the defaults of agent mode, once the flags are known. root is the
// program, and cmd the command to run, or nil before it is known.
func (a *App) enterAgentMode(root, cmd *cobra.Command) {
	if a.AgentMode() == "" || a.agent.refuses {
		return
	}
	a.agent.refuses = !a.NoInput
	a.NoInput = true
	for _, name := range []string{"json", "output", "jq", "template", "quiet"} {
		if root.PersistentFlags().Lookup(name).Changed {
			return
		}
	}
	a.JSON.asked = true
	if cmd == nil || !printsJSON(cmd) {
		return
	}
	a.JSON.Given, a.JSON.implied = true, true
	if a.agent.found && a.ErrTerminal { // a person may wonder
		a.Messagef("agent mode, because %s: the result is JSON; if you are no agent, %s", a.agent.reason, a.agent.leave)
	}
}

// WithoutJSON is for a command whose flags ask for a result that is no JSON. It reports
// whether other flags ask for JSON. JSON that only agent mode asked for is left out.
func (a *App) WithoutJSON() (refused bool) {
	if a.JSON.implied {
		a.JSON.Given = false
	}
	return a.JSON.Given
}

// Asks reports whether a command may prompt: on a terminal, and without --no-input.
func (a *App) Asks() bool { return a.InTerminal && a.ErrTerminal && !a.NoInput }

// unasked returns whether a command may go on without a question. It may not in agent mode
// on a terminal, where a person who does not know of the mode would expect the question.
func (a *App) unasked(question string) error {
	if a.AgentMode() == "" || !a.agent.refuses || !a.InTerminal || !a.ErrTerminal {
		return nil
	}
	return UsageError("the answer to %q is missing: %s", question, a.neverPrompts()).
		WithHint("give --yes, or " + a.agent.leave + " to be asked")
}

// neverPrompts says why a command does not prompt.
func (a *App) neverPrompts() string {
	if a.AgentMode() != "" && a.agent.refuses {
		return "agent mode never prompts (" + a.agent.reason + ")"
	}
	return "--no-input never prompts"
}

// ForPeople returns the error of a command or flag that agent mode refuses, because only a
// person can use it. instead says what an agent uses.
func (a *App) ForPeople(what, instead string) error {
	return UsageError("%s is for people, and agent mode is on (%s)", what, a.AgentMode()).
		WithHint(instead + "; if you are no agent, " + a.agent.leave)
}

// otherKeys are the ends of messages that advise another key. An agent has one key, and asks.
var otherKeys = strings.NewReplacer(
	"; use a key that has it", "; ask a person to do it",
	"; use a key that may", "; ask a person to do it",
	"; a key with the scope posts:write can publish them", "; a person publishes them",
)

// forAgent returns a message without the advice to use another key, in agent mode.
func (a *App) forAgent(message string) string {
	if a.AgentMode() == "" {
		return message
	}
	return otherKeys.Replace(message)
}

// AdminKey returns the admin key of a data directory. In agent mode it returns none.
func (a *App) AdminKey(dir string) (string, error) {
	path := filepath.Join(dir, daemon.AdminKeyFile)
	if a.AgentMode() != "" {
		a.agent.admin = path
		return "", nil
	}
	return ReadKey(path)
}

// KeylessError returns the error for a request that the daemon refused because it had no
// key. Other errors stay.
func (a *App) KeylessError(err error) error {
	switch {
	case !a.Keyless || schedctl.CodeOf(err) != schedctl.AuthenticationRequired:
		return err
	case a.AgentMode() == "" || a.agent.admin == "":
		return errNoKey
	}
	return NewFailure(ExitAuth, schedctl.AuthenticationRequired,
		"an agent needs its own API key: agent mode does not use the admin key (%s)", a.agent.reason).
		WithHint(fmt.Sprintf("give its key with SCHEDCTL_API_KEY_FILE or --api-key-file; a person makes one, outside agent mode, with: schedctl agent setup generic. "+
			"If you are no agent, %s", a.agent.leave))
}
