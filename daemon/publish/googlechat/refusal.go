package googlechat

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// errorCode matches the status and the reasons of errors.
var errorCode = pattern.Lazy(`^[A-Z][A-Z_]{1,63}$`)

const copyAgain = "copy the URL of the webhook again from the space's menu, Apps & integrations, Webhooks, and reconnect the account with it"

// errorMeanings are statuses and reasons of Google's errors that say more than the HTTP
// status (https://cloud.google.com/apis/design/errors).
var errorMeanings = map[string]struct {
	kind    schedctl.ErrorKind
	message string
}{
	"API_KEY_INVALID":   {schedctl.KindAuth, "the key in the webhook URL is not valid; " + copyAgain},
	"NOT_FOUND":         {schedctl.KindAuth, "the space or its webhook no longer exists; create a new webhook and reconnect the account with it"},
	"PERMISSION_DENIED": {schedctl.KindAuth, "the webhook may not post to the space; " + copyAgain},
	"UNAUTHENTICATED":   {schedctl.KindAuth, "the token in the webhook URL is not valid; " + copyAgain},
}

// refusal returns the error for a response that is not 2xx.
func refusal(a outbound.Response, r publish.Request, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, r.Purpose(), now)
	code := codeOf(a)
	if a.Status >= 400 && a.Status < 500 && code != "" {
		e.Code = code
		if code == "NOT_FOUND" && r.Part > 0 {
			return publish.ParentMissing(a.Status)
		}
		if m, known := errorMeanings[code]; known && a.Status != 429 {
			e.Kind, e.Message = m.kind, m.message
		}
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}

// codeOf returns the most specific code of an error that is known, or its status.
func codeOf(a outbound.Response) string {
	var body struct {
		Error struct {
			Status  any `json:"status"`
			Details []struct {
				Reason any `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(a.Body, &body)
	for _, d := range body.Error.Details {
		reason, _ := d.Reason.(string)
		if _, known := errorMeanings[reason]; known {
			return reason
		}
	}
	status, _ := body.Error.Status.(string)
	if !errorCode().MatchString(status) {
		return ""
	}
	return status
}
