package slack

import (
	"net/http"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	writeScope  = "chat:write"
	publicScope = "chat:write.public" // also to public channels that the bot is not in
)

// legacyScopes are older scopes that also allow posting.
var legacyScopes = []string{"chat:write:bot", "chat:write:user", "bot", "bot:basic", "post", "client", "admin"}

// scopes returns the scopes of a token, which Slack lists in a header of every
// response, or nil if the header is missing.
func scopes(h http.Header) []string {
	var granted []string
	for _, scope := range strings.Split(h.Get("X-OAuth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			granted = append(granted, scope)
		}
	}
	return granted
}

// checkScopes returns an error of kind auth for a token that may not post. If the
// scopes are unknown, it returns nil and the first post will tell.
func checkScopes(granted []string) error {
	if len(granted) == 0 || slices.Contains(granted, writeScope) ||
		slices.ContainsFunc(legacyScopes, func(s string) bool { return slices.Contains(granted, s) }) {
		return nil
	}
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: "missing_scope", Outcome: schedctl.OutcomeNotPublished,
		Message: "the token may not post: add the scope chat:write to the app, reinstall the app, and use its new token",
	}
}

// scopeWarnings says what a token with these scopes cannot do besides posting. Unknown and
// legacy scopes say nothing.
func scopeWarnings(granted []string, private bool) (warnings []string) {
	has := func(scope string) bool { return slices.Contains(granted, scope) }
	if !has(writeScope) {
		return nil
	}
	history := "channels:history"
	if private {
		history = "groups:history"
	}
	for _, need := range []struct{ scope, without string }{
		{"files:write", "posts with pictures or other files fail"},
		{"files:read", "posts with pictures or other files fail"},
		{history, "schedctl cannot look for a post after an unknown outcome, and reports it instead"},
	} {
		if !has(need.scope) {
			warnings = append(warnings, "the token has no scope "+need.scope+": "+need.without+
				"; add it on the page OAuth & Permissions of the app, reinstall the app, and reconnect the account")
		}
	}
	return warnings
}
