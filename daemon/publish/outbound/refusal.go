package outbound

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Refusal returns the error for a response that is not 2xx. Its message says what to do.
// Publishers append the network's own message with [ErrorText] and [WithErrorText].
//
// A refused request is not a refused account: 403 is of kind auth only if the purpose is
// [publish.PurposeIdentity]. Publishers hold an account for the codes of their own tables.
// A 403 that does not have the form of an API is a firewall's.
//
// A 4xx response, or 503 with Retry-After, means that the network did not publish. Any
// other 5xx may come from a proxy after the network has published. So may 302 and
// 303, with which web applications confirm a form. Other redirects ask the client to
// send the request elsewhere.
func Refusal(response Response, purpose publish.Purpose, now time.Time) *publish.Error {
	e := &publish.Error{HTTPStatus: response.Status, Outcome: schedctl.OutcomeNotPublished}
	switch {
	case response.Status == 403 && !hasForm(response), response.Status == 503 && isPage(response):
		blockedOnTheWay(e, response, now)
	case response.Status == 403 && purpose != publish.PurposeIdentity:
		forbidden(e, purpose)
	case response.Status == 401 || response.Status == 403:
		e.Kind, e.Message = schedctl.KindAuth, "the network refused the credentials; reconnect the account"
	case response.Status == 429:
		e.Kind, e.Message = schedctl.KindRateLimited, "the network asks for fewer requests"
		e.RetryAt = RetryAt(response.Header, now)
	case response.Status == 409:
		e.Kind, e.Message = schedctl.KindDuplicate, "the network reports that it already has this post"
	case response.Status == 404 || response.Status == 405 || response.Status == 410 || response.Status == 421:
		e.Kind, e.Message = schedctl.KindPlatform, "this address does not accept posts; check the URL of the account"
	case response.Status == 408 || response.Status == 425:
		e.Kind, e.Message = schedctl.KindPlatform, "the network did not accept the request"
	case response.Status >= 400 && response.Status < 500:
		e.Kind, e.Message = schedctl.KindContent, "the network refused the post"
		if purpose.Secondary() {
			e.Message = "the network refused " + string(purpose)
		}
	case response.Status >= 500:
		serverFault(e, response, now)
	default:
		redirected(e, response.Status)
	}
	e.Message = fmt.Sprintf("%s (HTTP %d)", e.Message, response.Status)
	return e
}

func serverFault(e *publish.Error, response Response, now time.Time) {
	e.Kind = schedctl.KindPlatform
	if at, ok := retryAfter(response.Header, now); ok && response.Status == 503 {
		e.Message, e.RetryAt = "the network is unavailable and says when to retry", at
		return
	}
	e.Message, e.Outcome = "the network had an internal error; it may have published anyway", schedctl.OutcomeUnknown
}

// redirected uses kind content, which is not retried: the response would be the
// same.
func redirected(e *publish.Error, status int) {
	e.Kind, e.Code = schedctl.KindContent, "redirected"
	switch {
	case status == 302 || status == 303:
		e.Outcome = schedctl.OutcomeUnknown
		e.Message = "the network responded with a redirect, which is not followed; it may have published. Check the network, then correct the URL of the account"
	case status >= 300:
		e.Message = "the network redirects to another address, which is not followed; reconnect the account with that address"
	default:
		e.Code, e.Kind, e.Outcome = "", schedctl.KindPlatform, schedctl.OutcomeUnknown
		e.Message = "the network gave no final response"
	}
}

// FileRefusal is [Refusal] for an upload to a host that is not the API's, such as an object
// store. It never refuses the account: 401 and 403 fail the file, with the code
// [publish.CodeUploadRefused].
func FileRefusal(response Response, now time.Time) *publish.Error {
	e := Refusal(response, publish.PurposeFile, now)
	if (response.Status == 401 || response.Status == 403) && e.Code != publish.CodeBlockedOnTheWay {
		e.Kind, e.Code, e.Message = schedctl.KindMedia, publish.CodeUploadRefused, fmt.Sprintf("the server for uploads refused a file of the post (HTTP %d)", response.Status)
	}
	return e
}
