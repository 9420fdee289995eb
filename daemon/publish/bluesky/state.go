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

// accountRefusal returns why a server refuses an account. Servers say of accounts
// that were taken down or deleted only that the password is wrong. Without a
// session they tell everyone how a repository is, so that a reason which was known
// already, or can be known, does not give way to a wrong one. When the server does
// not say, the refusal stays as it is.
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

// repoStatus returns why a repository is not active, as the name of the error that
// servers give for it elsewhere, or the empty string.
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

// applyAccountState corrects what an error means that is about the account itself, by
// its name, and reports whether it is.
func applyAccountState(e *publish.Error, name string) bool {
	message := ""
	switch name {
	case "AccountTakedown", "AccountSuspended", "RepoTakendown":
		message = "the server has taken the account down; ask its operators"
	case "AccountDeactivated", "AccountInactive", "RepoDeactivated":
		message = "the account is deactivated; activate it in the app, then verify it here"
	case "AccountNotFound", "RepoNotFound":
		message = "the server has no such account any more: it was deleted, or moved to another server; connect it there as a new account"
	default:
		return false
	}
	e.Kind, e.Message = schedctl.KindAuth, message
	return true
}

// refusedState returns the refusal of a session when it is about the account
// itself: then the password would not help.
func refusedState(a outbound.Response, c publish.Credentials) *publish.Error {
	e := refusal(a, time.Now(), secrets(c)...)
	if !applyAccountState(e, errorName(a)) {
		return nil
	}
	return e
}
