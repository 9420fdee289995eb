package schedctl

import (
	"slices"
	"strings"
)

// MakeAgentKey is the command that creates the key of an agent.
const MakeAgentKey = "schedctl key create --agent --name agent --secret-out agent.key"

// notForAgents are the scopes that a key which is given to an agent must not have, even
// if it was not made for agents.
var notForAgents = []Scope{ScopePostsApprove, ScopeKeysWrite, ScopeAccountsWrite, ScopeWebhooksWrite, ScopeWorkspacesWrite, ScopeSharesWrite}

// CheckAgentScopes returns a [KeyNotAllowed] error if an agent must not use a key with
// the scopes.
func CheckAgentScopes(scopes []Scope) error {
	var refused []string
	for _, s := range notForAgents {
		if slices.Contains(scopes, s) {
			refused = append(refused, string(s))
		}
	}
	if refused == nil {
		return nil
	}
	return Errorf(KeyNotAllowed, "", "an agent must not have this API key, because it has %s; create one for the agent with: %s", strings.Join(refused, ", "), MakeAgentKey)
}
