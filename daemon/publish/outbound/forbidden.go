package outbound

import (
	"bytes"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Forbidden returns the error for a network that does not allow a request with a purpose,
// and says nothing about the account.
func Forbidden(status int, purpose publish.Purpose) *publish.Error {
	e := &publish.Error{HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished}
	forbidden(e, purpose)
	return e
}

// forbidden sets what a 403 of a network means that is in no table of its publisher.
func forbidden(e *publish.Error, purpose publish.Purpose) {
	e.Kind, e.Message = schedctl.KindContent, "the network refused "+string(purpose)
	switch purpose {
	case publish.PurposeFile:
		e.Kind = schedctl.KindMedia
	case publish.PurposeStatus:
		e.Kind, e.Code, e.Message = schedctl.KindPlatform, publish.CodeNotKnown, "the network does not say whether it has processed a file"
	case publish.PurposeLookup:
		e.Kind, e.Code, e.Message = schedctl.KindPlatform, publish.CodeCannotAsk, "the network does not let schedctl look for the post"
	}
}

// hasForm reports whether a body can be an error of a network's API: an object in JSON, or
// a text that is neither a page nor what a firewall writes.
func hasForm(response Response) bool {
	body := bytes.TrimSpace(response.Body)
	switch {
	case len(body) == 0, isPage(response), bytes.HasPrefix(body, []byte("error code:")):
		return false
	case body[0] == '{':
		return true
	}
	return !strings.EqualFold(response.Header.Get("Server"), "cloudflare")
}

// isPage reports whether a response is a page for people, or says that a firewall sent it.
func isPage(response Response) bool {
	body := bytes.TrimSpace(response.Body)
	return response.Header.Get("Cf-Mitigated") != "" || len(body) > 0 && body[0] == '<'
}

// blockedOnTheWay sets the error of a response that a firewall or a proxy has sent. It has
// not passed a request on to which it responds 403, or that it wants to be proven.
func blockedOnTheWay(e *publish.Error, response Response, now time.Time) {
	e.Kind, e.Code = schedctl.KindPlatform, publish.CodeBlockedOnTheWay
	e.Message = "a firewall or proxy refused the request on its way to the network"
	if response.Status != 503 {
		return
	}
	if at, ok := retryAfter(response.Header, now); ok {
		e.RetryAt = at
	} else if response.Header.Get("Cf-Mitigated") == "" {
		e.Outcome = schedctl.OutcomeUnknown
		e.Message = "a firewall or proxy responded instead of the network, which may have got the request and published"
	}
}
