package slack

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
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
		Kind: schedctl.KindAuth, Code: codeMissingScope, Outcome: schedctl.OutcomeNotPublished,
		Message: "the token may not post: add the scope chat:write to the app, reinstall the app, and use its new token",
	}
}

const codeMissingScope = "missing_scope"

// scopeName matches the name of a scope.
var scopeName = pattern.Lazy(`^[a-z][a-z._-]{1,30}(?::[a-z._-]{1,30}){0,2}$`)

// missingFileScope returns e, the error of a request about a file for which the token lacks a
// scope. Slack names the scopes that it needs and those of the token; only one that the token
// does not have is advised.
func missingFileScope(a outbound.Response, e *publish.Error, purpose publish.Purpose) *publish.Error {
	var body struct {
		Needed   any `json:"needed"`
		Provided any `json:"provided"`
	}
	_ = json.Unmarshal(a.Body, &body) // continues after a member of an unexpected type
	needed, provided := scopeList(body.Needed), scopeList(body.Provided)
	words := e.Code
	for _, given := range []struct {
		name   string
		scopes []string
	}{{"needed", needed}, {"provided", provided}} {
		if len(given.scopes) > 0 {
			words += ", " + given.name + " " + strings.Join(given.scopes, ",")
		}
	}
	if len(needed) == 0 {
		needed = []string{"files:write"}
		if purpose == publish.PurposeStatus {
			needed = []string{"files:read"}
		}
	}
	needed = slices.DeleteFunc(needed, func(scope string) bool { return slices.Contains(provided, scope) })
	e.Kind, e.Message = schedctl.KindMedia, "the app may not handle files; ask an administrator of the workspace"
	if len(needed) > 0 {
		e.Message = "the token has no scope " + needed[0] + ", without which Slack takes no files: add it to the app, reinstall it, reconnect the account with the new token, and retry the post"
	}
	return outbound.WithErrorText(e, words)
}

// scopeList returns the scopes in a list that is separated by commas, 20 at most.
func scopeList(list any) (scopes []string) {
	text, _ := list.(string)
	for _, scope := range strings.SplitN(publish.Clip(text, 1000), ",", 21) {
		if scope = strings.TrimSpace(scope); scopeName().MatchString(scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// filesFail is what a token without scopes for files cannot do.
const filesFail = "posts with pictures or other files fail"

// Prevents implements [publish.AccountWarner].
func (p *Publisher) Prevents(warning string, files int) bool {
	return files > 0 && strings.Contains(warning, filesFail)
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
		{"files:write", filesFail},
		{"files:read", filesFail},
		{history, "schedctl cannot look for a post after an unknown outcome, and reports it instead"},
	} {
		if !has(need.scope) {
			warnings = append(warnings, "the token has no scope "+need.scope+": "+need.without+
				"; add it on the page OAuth & Permissions of the app, reinstall the app, and reconnect the account")
		}
	}
	return warnings
}
