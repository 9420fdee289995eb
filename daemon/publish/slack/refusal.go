package slack

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// errorName is the form of Slack's names for errors.
var errorName = pattern.Lazy(`^[a-z][a-z_]{1,63}$`)

// errorMeaning is what follows from a named error.
type errorMeaning struct {
	kind    schedctl.ErrorKind
	message string
}

const (
	tokenInvalid     = "the token is not valid any more; connect the account with a new one"
	workspaceDenies  = "the workspace does not let the app post; ask one of its administrators"
	webhookGone      = "the webhook does not exist any more; make a new one and connect the account with it"
	channelDenies    = "the app may not post in the channel; let an administrator allow it"
	mayHavePublished = "the network met a fault of its own; it may have published all the same"
	tooManyRequests  = "the network asks for fewer calls"
)

// errorMeanings are the errors of chat.postMessage and of webhooks that are not about
// the post. Any other name is taken for a refusal of the post.
var errorMeanings = map[string]errorMeaning{
	"not_authed":               {schedctl.KindAuth, tokenInvalid},
	"invalid_auth":             {schedctl.KindAuth, tokenInvalid},
	"account_inactive":         {schedctl.KindAuth, tokenInvalid},
	"token_revoked":            {schedctl.KindAuth, tokenInvalid},
	"token_expired":            {schedctl.KindAuth, tokenInvalid},
	"missing_scope":            {schedctl.KindAuth, "the app lacks a scope, chat:write for posts; add it, install the app again and connect the account with the new token"},
	"not_allowed_token_type":   {schedctl.KindAuth, "this is not the token of a bot; connect the account with one that begins with xoxb-"},
	"no_permission":            {schedctl.KindAuth, channelDenies},
	"access_denied":            {schedctl.KindAuth, workspaceDenies},
	"accesslimited":            {schedctl.KindAuth, workspaceDenies},
	"ekm_access_denied":        {schedctl.KindAuth, workspaceDenies},
	"enterprise_is_restricted": {schedctl.KindAuth, workspaceDenies},
	"org_login_required":       {schedctl.KindAuth, workspaceDenies},
	"team_access_not_granted":  {schedctl.KindAuth, workspaceDenies},
	"team_disabled":            {schedctl.KindAuth, workspaceDenies},

	"channel_not_found":   {schedctl.KindAuth, "the channel does not exist, or the bot is not in it; invite the bot, or connect the account with another channel"},
	"not_in_channel":      {schedctl.KindAuth, "the bot is not in the channel; invite it with /invite"},
	"user_not_found":      {schedctl.KindAuth, "the person whom the webhook writes to does not exist any more; connect the account with another webhook"},
	"is_archived":         {schedctl.KindAuth, "the channel is archived; restore it, or connect the account with another one"},
	"channel_is_archived": {schedctl.KindAuth, "the channel is archived; restore it, or connect the account with another one"},

	"action_prohibited":                     {schedctl.KindAuth, channelDenies},
	"restricted_action":                     {schedctl.KindAuth, channelDenies},
	"restricted_action_read_only_channel":   {schedctl.KindAuth, channelDenies},
	"restricted_action_thread_only_channel": {schedctl.KindAuth, channelDenies},
	"posting_to_general_channel_denied":     {schedctl.KindAuth, channelDenies},

	"invalid_token":   {schedctl.KindAuth, webhookGone},
	"no_active_hooks": {schedctl.KindAuth, webhookGone},
	"no_service":      {schedctl.KindAuth, webhookGone},
	"no_service_id":   {schedctl.KindAuth, webhookGone},
	"no_team":         {schedctl.KindAuth, webhookGone},

	"msg_too_long": {schedctl.KindContent, "the post is too long for the network; shorten it"},
	"no_text":      {schedctl.KindContent, "the post is empty; a message needs text"},

	"ratelimited":            {schedctl.KindRateLimited, tooManyRequests},
	"rate_limited":           {schedctl.KindRateLimited, tooManyRequests},
	"message_limit_exceeded": {schedctl.KindRateLimited, "the workspace has sent too many messages"},

	// Some part of the call may have succeeded, Slack says of these.
	"fatal_error":         {schedctl.KindPlatform, mayHavePublished},
	"internal_error":      {schedctl.KindPlatform, mayHavePublished},
	"request_timeout":     {schedctl.KindPlatform, mayHavePublished},
	"service_unavailable": {schedctl.KindPlatform, mayHavePublished},
}

// refusal returns what an answer of the Web API means that does not say ok, or
// nil. Slack answers 200 to most calls that it refuses.
func refusal(a outbound.Response, now time.Time, hidden ...string) *publish.Error {
	var answer struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	err := json.Unmarshal(a.Body, &answer)
	if a.Status < 200 || a.Status > 299 {
		return applyErrorName(outbound.Refusal(a, now), answer.Error, outbound.ErrorText(a, hidden...))
	}
	switch {
	case a.Cut || err != nil:
		return noConfirmation(a)
	case answer.OK:
		return nil
	case !errorName().MatchString(answer.Error):
		return noConfirmation(a)
	}
	e := &publish.Error{
		Kind: schedctl.KindContent, Message: "the network refused the post", HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
	}
	e = applyErrorName(e, answer.Error, answer.Error)
	switch e.Kind {
	case schedctl.KindRateLimited:
		e.RetryAt = outbound.RetryAt(a.Header, now)
	case schedctl.KindPlatform:
		e.Outcome = schedctl.OutcomeUnknown
	}
	return e
}

// webhookRefusal is refusal for a webhook, which answers with a status and a name
// in plain text.
func webhookRefusal(a outbound.Response, now time.Time, hidden ...string) *publish.Error {
	words := outbound.ErrorText(a, hidden...)
	return applyErrorName(outbound.Refusal(a, now), words, words)
}

// applyErrorName puts into an error what its name says. A fault of the server stays one,
// and so does a redirect, which is not Slack's.
func applyErrorName(e *publish.Error, name, words string) *publish.Error {
	if errorName().MatchString(name) && e.Code == "" {
		e.Code = name
		m, known := errorMeanings[name]
		if refused := e.HTTPStatus < 300 || e.HTTPStatus >= 400 && e.HTTPStatus < 500; known && refused {
			e.Kind, e.Message = m.kind, m.message
		}
	}
	return outbound.WithErrorText(e, words)
}
