package slack

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// errorName matches Slack's names of errors.
var errorName = pattern.Lazy(`^[a-z][a-z_]{1,63}$`)

// errorMeaning is the meaning of a named error.
type errorMeaning struct {
	kind    schedctl.ErrorKind
	message string
}

const (
	tokenInvalid     = "the token is no longer valid; reconnect the account with a new one"
	workspaceDenies  = "the workspace does not let the app post; ask one of its administrators"
	webhookGone      = "the webhook no longer exists; create a new one and reconnect the account with it"
	channelDenies    = "the app may not post in the channel; ask an administrator to allow it"
	mayHavePublished = "the network had an internal error; it may have published anyway"
	tooManyRequests  = "the network asks for fewer requests"
)

// errorMeanings are the errors of chat.postMessage and of webhooks that are not
// about the post. Any other name counts as a refusal of the post.
var errorMeanings = map[string]errorMeaning{
	"not_authed":               {schedctl.KindAuth, tokenInvalid},
	"invalid_auth":             {schedctl.KindAuth, tokenInvalid},
	"account_inactive":         {schedctl.KindAuth, tokenInvalid},
	"token_revoked":            {schedctl.KindAuth, tokenInvalid},
	"token_expired":            {schedctl.KindAuth, tokenInvalid},
	"missing_scope":            {schedctl.KindAuth, "the app lacks a scope (posting needs chat:write); add it, reinstall the app and reconnect the account with the new token"},
	"not_allowed_token_type":   {schedctl.KindAuth, "this is not a bot token; reconnect the account with a token that starts with xoxb-"},
	"no_permission":            {schedctl.KindAuth, channelDenies},
	"access_denied":            {schedctl.KindAuth, workspaceDenies},
	"accesslimited":            {schedctl.KindAuth, workspaceDenies},
	"ekm_access_denied":        {schedctl.KindAuth, workspaceDenies},
	"enterprise_is_restricted": {schedctl.KindAuth, workspaceDenies},
	"org_login_required":       {schedctl.KindAuth, workspaceDenies},
	"team_access_not_granted":  {schedctl.KindAuth, workspaceDenies},
	"team_disabled":            {schedctl.KindAuth, workspaceDenies},

	"channel_not_found":   {schedctl.KindAuth, "the channel does not exist, or the bot is not in it; invite the bot, or reconnect the account with another channel"},
	"not_in_channel":      {schedctl.KindAuth, "the bot is not in the channel; invite it with /invite"},
	"user_not_found":      {schedctl.KindAuth, "the person to whom the webhook writes no longer exists; reconnect the account with another webhook"},
	"is_archived":         {schedctl.KindAuth, "the channel is archived; restore it, or reconnect the account with another channel"},
	"channel_is_archived": {schedctl.KindAuth, "the channel is archived; restore it, or reconnect the account with another channel"},

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

	"restricted_action_non_threadable_channel": {schedctl.KindContent, "the channel allows no threads; remove the thread and the first comment, or use another channel"},
	"restricted_action_thread_locked":          {schedctl.KindContent, "an administrator has locked the thread; ask one to unlock it, then retry"},
	"cannot_reply_to_message":                  {schedctl.KindContent, "the network allows no replies to the first message of the thread; publish the rest by hand"},

	"ratelimited":            {schedctl.KindRateLimited, tooManyRequests},
	"rate_limited":           {schedctl.KindRateLimited, tooManyRequests},
	"message_limit_exceeded": {schedctl.KindRateLimited, "the workspace has sent too many messages; schedctl will retry"},

	// For these errors Slack documents that part of the request may have succeeded.
	"fatal_error":         {schedctl.KindPlatform, mayHavePublished},
	"internal_error":      {schedctl.KindPlatform, mayHavePublished},
	"request_timeout":     {schedctl.KindPlatform, mayHavePublished},
	"service_unavailable": {schedctl.KindPlatform, mayHavePublished},
}

// refusal returns the error for a response of the Web API, or nil if the response
// has ok: true. Slack responds to most refused requests with status 200.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	var body struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	err := json.Unmarshal(a.Body, &body)
	if a.Status < 200 || a.Status > 299 {
		return applyErrorName(outbound.Refusal(a, purpose, now), body.Error, outbound.ErrorText(a, hidden...))
	}
	switch {
	case a.Cut || err != nil:
		return noConfirmation(a)
	case body.OK:
		return nil
	case !errorName().MatchString(body.Error):
		return noConfirmation(a)
	}
	e := &publish.Error{
		Kind: schedctl.KindContent, Message: "the network refused the post", HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
	}
	e = applyErrorName(e, body.Error, body.Error)
	switch e.Kind {
	case schedctl.KindRateLimited:
		e.RetryAt = outbound.RetryAt(a.Header, now)
	case schedctl.KindPlatform:
		e.Outcome = schedctl.OutcomeUnknown
	}
	return e
}

// webhookRefusal is refusal for a webhook, which responds with a status and an error
// name in plain text.
func webhookRefusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	text := outbound.ErrorText(a, hidden...)
	return applyErrorName(outbound.Refusal(a, purpose, now), text, text)
}

// applyErrorName sets code, kind and message of e according to the error's name. It
// changes neither server errors nor redirects, which are not Slack's.
func applyErrorName(e *publish.Error, name, text string) *publish.Error {
	if errorName().MatchString(name) && e.Code == "" {
		e.Code = name
		m, known := errorMeanings[name]
		if refused := e.HTTPStatus < 300 || e.HTTPStatus >= 400 && e.HTTPStatus < 500; known && refused {
			e.Kind, e.Message = m.kind, m.message
		}
	}
	return outbound.WithErrorText(e, text)
}
