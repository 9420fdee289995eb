package matrix

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// errorCode matches the errcode of an error, which may be non-standard.
var errorCode = pattern.Lazy(`^[A-Za-z0-9_.]{1,64}$`)

// errorMeanings are the error codes that say more than the HTTP status
// (https://spec.matrix.org/latest/client-server-api/#standard-error-response).
var errorMeanings = map[string]struct {
	kind    schedctl.ErrorKind
	message string
}{
	"M_UNKNOWN_TOKEN":     {schedctl.KindAuth, "the access token is no longer valid; reconnect the account with a new one"},
	"M_MISSING_TOKEN":     {schedctl.KindAuth, "the homeserver received no access token; reconnect the account"},
	codeForbidden:         {schedctl.KindAuth, "the user is not in the room or may not write there; join it, or ask an administrator to allow it"},
	"M_USER_DEACTIVATED":  {schedctl.KindAuth, "the user is deactivated; reconnect the account with another user"},
	"M_USER_SUSPENDED":    {schedctl.KindAuth, "the user is suspended; ask an administrator of the homeserver"},
	"M_USER_LOCKED":       {schedctl.KindAuth, "the user is locked; ask an administrator of the homeserver"},
	"M_CONSENT_NOT_GIVEN": {schedctl.KindAuth, "the homeserver requires you to accept its terms; log in with a Matrix client"},
	"M_LIMIT_EXCEEDED":    {schedctl.KindRateLimited, "the homeserver asks for fewer requests"},
	"M_TOO_LARGE":         {schedctl.KindContent, "the post is too large for the homeserver; shorten it"},
}

// refusal returns the error for a response to a request with the token of the session that
// is not 2xx. A token that the homeserver does not know has expired if it can be renewed.
func (s session) refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := refusal(a, purpose, now, append(hidden, s.hidden...)...)
	if e.Code == "M_UNKNOWN_TOKEN" && a.Status == http.StatusUnauthorized && s.renews() {
		return sessionExpired(a.Status)
	}
	return e
}

// codeForbidden is about the room or the user if a message is sent, and otherwise about the
// request.
const codeForbidden = "M_FORBIDDEN"

// refusal returns the error for a response that is not 2xx.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	var body struct {
		Code       string  `json:"errcode"`
		RetryAfter float64 `json:"retry_after_ms"`
	}
	// Unmarshal continues after a member of an unexpected type, so the other is still
	// read.
	_ = json.Unmarshal(a.Body, &body)
	if e.Code == "" && errorCode().MatchString(body.Code) {
		e.Code = body.Code
	}
	m, known := errorMeanings[body.Code]
	if !known && strings.HasPrefix(body.Code, "M_USER_") && errorCode().MatchString(body.Code) {
		m, known = errorMeanings["M_USER_LOCKED"], true
		m.message = "the homeserver refuses the user; ask an administrator of the homeserver"
	}
	if known && a.Status >= 400 && a.Status < 500 && !(body.Code == codeForbidden && purpose.Secondary() && !purpose.Publishes()) {
		e.Kind, e.Code, e.Message = m.kind, body.Code, m.message
	}
	if e.Kind == schedctl.KindRateLimited && e.RetryAt.IsZero() {
		e.RetryAt = outbound.RetryIn(body.RetryAfter/1000, now)
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}
