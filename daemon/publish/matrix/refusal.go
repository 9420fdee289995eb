package matrix

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// errorCode is the form of the errcode of an error, the standard's or another's.
var errorCode = pattern.Lazy(`^[A-Za-z0-9_.]{1,64}$`)

// errorMeanings are the codes that say more than the status they come with
// (https://spec.matrix.org/latest/client-server-api/#standard-error-response).
var errorMeanings = map[string]struct {
	kind    schedctl.ErrorKind
	message string
}{
	"M_UNKNOWN_TOKEN":     {schedctl.KindAuth, "the access token is not valid any more; connect the account with a new one"},
	"M_MISSING_TOKEN":     {schedctl.KindAuth, "the homeserver saw no access token; connect the account again"},
	"M_FORBIDDEN":         {schedctl.KindAuth, "the user is not in the room or may not write there; join it, or let an administrator allow it"},
	"M_USER_DEACTIVATED":  {schedctl.KindAuth, "the user is deactivated; connect the account with another one"},
	"M_USER_SUSPENDED":    {schedctl.KindAuth, "the user is suspended; ask an administrator of the homeserver"},
	"M_USER_LOCKED":       {schedctl.KindAuth, "the user is locked; ask an administrator of the homeserver"},
	"M_CONSENT_NOT_GIVEN": {schedctl.KindAuth, "the homeserver wants its terms agreed to; log in with a client"},
	"M_LIMIT_EXCEEDED":    {schedctl.KindRateLimited, "the homeserver asks for fewer calls"},
	"M_TOO_LARGE":         {schedctl.KindContent, "the post is too large for the homeserver; shorten it"},
}

// refusal returns what an answer means that is not 2xx.
func refusal(a outbound.Response, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, now)
	var body struct {
		Code       string  `json:"errcode"`
		RetryAfter float64 `json:"retry_after_ms"`
	}
	// Its members stand on their own: one of an unexpected type leaves the other.
	_ = json.Unmarshal(a.Body, &body)
	if errorCode().MatchString(body.Code) {
		e.Code = body.Code
	}
	if m, known := errorMeanings[body.Code]; known && a.Status >= 400 && a.Status < 500 {
		e.Kind, e.Message = m.kind, m.message
	}
	if e.Kind == schedctl.KindRateLimited && e.RetryAt.IsZero() {
		e.RetryAt = outbound.RetryIn(body.RetryAfter/1000, now)
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}
