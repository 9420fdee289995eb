package cli

import (
	"fmt"
	"strings"
)

// agentModeText is "schedctl help agent-mode".
func agentModeText() string {
	var known strings.Builder
	for _, k := range knownAgents {
		fmt.Fprintf(&known, "  %-14s  %s\n", k.variable, k.name)
	}
	return `In agent mode

  the key in the data directory (admin.key) is never used: an agent gives a key of
  its own with SCHEDCTL_API_KEY_FILE, --api-key-file or a context
  commands never prompt; where a person on a terminal would be asked, they need --yes
  results are JSON in one line, and errors too; --output text and the other flags for
  results go before that
  --editor and tui are refused

The mode is on if SCHEDCTL_AGENT is 1, if the context is of kind agent ("schedctl
context add NAME --kind agent"), or if one of these variables is set, which programs
set for the commands of their agents:

` + known.String() + `
If you are a person in the terminal of such a program, set SCHEDCTL_AGENT=0: then the
variables above do not count. A context of kind agent stays one; use another, such as
--context local.

A person gives an agent its key with "schedctl agent setup". The mode guards against
mistakes, and not against an agent that wants to get around it: one that runs as a user
who can read admin.key can read it too. Run it as another user, see docs/agents.md.`
}

// agentVariables are the variables of known agents, for the list of all variables.
func agentVariables() []variable {
	list := []variable{{knownAgents[0].variable, "not 0: agent mode, see \"schedctl help agent-mode\""}}
	for _, k := range knownAgents[1:] {
		list = append(list, variable{k.variable, "the same"})
	}
	return list
}
