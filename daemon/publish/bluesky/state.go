package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// accountRefusal explains why a server refuses an account. For deleted accounts and
// accounts that were taken down, servers only report a wrong password. The status of
// a repository is public, so accountRefusal asks for it and returns the real reason.
// If the server does not tell, it returns refused.
func (p *Publisher) accountRefusal(ctx context.Context, u *url.URL, c publish.Credentials, refused *publish.Error) *publish.Error {
	if refused.Code != codeRefused || c[fieldDID] == "" {
		return refused
	}
	a, err := p.query(ctx, u, "com.atproto.sync.getRepoStatus", url.Values{"did": {c[fieldDID]}})
	if err != nil {
		return refused
	}
	name := errorName(a)
	if a.Status == http.StatusOK {
		name = repoStatus(a)
	}
	known := *refused
	if known.Code = name; !applyAccountState(&known, name) {
		return refused
	}
	return &known
}

// repoStatus returns why a repository is not active, as the error name that servers
// use elsewhere, or the empty string.
func repoStatus(a outbound.Response) string {
	var body struct {
		Active any `json:"active"`
		Status any `json:"status"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || body.Active != false {
		return ""
	}
	switch body.Status {
	case "takendown":
		return "AccountTakedown"
	case "suspended":
		return "AccountSuspended"
	case "deactivated":
		return "AccountDeactivated"
	case "deleted":
		return "RepoNotFound"
	}
	return ""
}

// applyAccountState sets kind and message of an error whose name is about the
// account itself, and reports whether it is.
func applyAccountState(e *publish.Error, name string) bool {
	message := ""
	switch name {
	case "AccountTakedown", "AccountSuspended", "RepoTakendown":
		message = "the server has taken the account down; ask its operators"
	case "AccountDeactivated", "AccountInactive", "RepoDeactivated":
		message = "the account is deactivated; reactivate it in the app, then run schedctl account verify"
	case "AccountNotFound", "RepoNotFound":
		message = "the account no longer exists on the server: it was deleted or moved; if it moved, connect it as a new account on its new server"
	default:
		return false
	}
	e.Kind, e.Message = schedctl.KindAuth, message
	return true
}

// refusedState returns the refusal of a session if it is about the account itself,
// so that the password would not help. Otherwise it returns nil.
func refusedState(a outbound.Response, c publish.Credentials) *publish.Error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), secrets(c)...)
	if !applyAccountState(e, errorName(a)) {
		return nil
	}
	return e
}
