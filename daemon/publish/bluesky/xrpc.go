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
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// procedure calls a method that changes something. The body is nil for a method
// without input. The token may be empty.
func (p *Publisher) procedure(ctx context.Context, u *url.URL, method, token string, body any) (outbound.Response, error) {
	header := outbound.Header(p.userAgent, token)
	var encoded []byte
	if body != nil {
		encoded, _ = json.Marshal(body) // strings can always be encoded
		header.Set("Content-Type", "application/json")
	}
	return outbound.Post(ctx, p.client, u.JoinPath("xrpc", method).String(), header, encoded)
}

// query calls a method that only reads, without a session.
func (p *Publisher) query(ctx context.Context, u *url.URL, method string, parameters url.Values) (outbound.Response, error) {
	target := u.JoinPath("xrpc", method)
	target.RawQuery = parameters.Encode()
	return outbound.Get(ctx, p.client, target.String(), outbound.Header(p.userAgent, ""))
}

// refusal returns the error for a response that is not 2xx. Its code is the server's
// name for the error. The server's message is appended but not interpreted.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	name := errorName(a)
	if name != "" && a.Status >= 400 && e.Code == "" {
		e.Code = name
	}
	if a.Status >= 400 && a.Status < 500 && a.Status != http.StatusTooManyRequests {
		applyErrorName(e, name)
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}

// applyErrorName corrects the meaning of a 4xx response by the name of the error:
// servers respond with 400 to expired sessions.
func applyErrorName(e *publish.Error, name string) {
	switch {
	case endedSession(name):
		e.Kind, e.Code, e.Message = schedctl.KindAuth, publish.CodeSessionExpired, "the session with the server has ended"
	case name == "ScopeMissingError", name == "InsufficientScope", name == "insufficient_scope":
		e.Kind, e.Message = schedctl.KindAuth, "the server does not let this login publish; create an app password and reconnect the account with it"
	case name == "AuthFactorTokenRequired":
		e.Kind, e.Message = schedctl.KindAuth, "the server requires a second factor; create an app password and reconnect the account with it"
	default:
		applyAccountState(e, name)
	}
}

// endedSession reports whether the name of an error says that a server does not accept a token.
func endedSession(name string) bool {
	return name == "ExpiredToken" || name == "InvalidToken" || name == "AuthMissing"
}

// namePattern matches names of errors. Other values come from something that is not
// a personal data server.
var namePattern = pattern.Lazy(`^[A-Za-z][A-Za-z0-9]{0,63}$`)

// errorName returns the name of the error in a response, or the empty string.
func errorName(a outbound.Response) string {
	var body struct {
		Error any `json:"error"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return ""
	}
	name, _ := body.Error.(string)
	if !namePattern().MatchString(name) {
		return ""
	}
	return name
}
