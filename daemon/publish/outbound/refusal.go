package outbound

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Refusal returns what an answer that is not 2xx means for a call that was to
// publish. Its message says what to do; a publisher puts the network's own
// [ErrorText] into it with [WithErrorText], where there are any.
//
// A network that answers 4xx, or 503 with Retry-After, has not published. Any
// other 5xx may come from something in front of it, after it has. So may 302 and
// 303, which is how web applications answer a form that they have accepted; the
// other redirects ask for the request to be made elsewhere.
func Refusal(a Response, now time.Time) *publish.Error {
	e := &publish.Error{HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished}
	switch {
	case a.Status == 401 || a.Status == 403:
		e.Kind, e.Message = schedctl.KindAuth, "the network refused the credentials; connect the account again"
	case a.Status == 429:
		e.Kind, e.Message = schedctl.KindRateLimited, "the network asks for fewer calls"
		e.RetryAt = RetryAt(a.Header, now)
	case a.Status == 409:
		e.Kind, e.Message = schedctl.KindDuplicate, "the network says that it has this post already"
	case a.Status == 404 || a.Status == 405 || a.Status == 410 || a.Status == 421:
		e.Kind, e.Message = schedctl.KindPlatform, "nothing takes posts at this address; check the URL of the account"
	case a.Status == 408 || a.Status == 425:
		e.Kind, e.Message = schedctl.KindPlatform, "the network did not take the request"
	case a.Status >= 400 && a.Status < 500:
		e.Kind, e.Message = schedctl.KindContent, "the network refused the post"
	case a.Status >= 500:
		serverFault(e, a, now)
	default:
		redirected(e, a.Status)
	}
	e.Message = fmt.Sprintf("%s (HTTP %d)", e.Message, a.Status)
	return e
}

func serverFault(e *publish.Error, a Response, now time.Time) {
	e.Kind = schedctl.KindPlatform
	if at, said := retryAfter(a.Header, now); said && a.Status == 503 {
		e.Message, e.RetryAt = "the network is not available and says when to return", at
		return
	}
	e.Message, e.Outcome = "the network met a fault of its own; it may have published all the same", schedctl.OutcomeUnknown
}

// redirected is of kind content, which is not tried again: the answer would be
// the same.
func redirected(e *publish.Error, status int) {
	e.Kind, e.Code = schedctl.KindContent, "redirected"
	switch {
	case status == 302 || status == 303:
		e.Outcome = schedctl.OutcomeUnknown
		e.Message = "the network answered with a redirect, which is not followed, and may have published; check there, and correct the URL of the account"
	case status >= 300:
		e.Message = "the network redirects to another address, which is not followed; connect the account with that one"
	default:
		e.Code, e.Kind, e.Outcome = "", schedctl.KindPlatform, schedctl.OutcomeUnknown
		e.Message = "the network gave no final answer"
	}
}
