package client

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// unexpectedResponse returns the error for a response that does not come from the API: that
// of a proxy in front of the daemon, or of another program at the URL.
func unexpectedResponse(url string, status int, header http.Header) *Error {
	code, problem := schedctl.Internal, "without a readable document: is it a schedctl daemon?"
	proxy := proxyName(header)
	switch status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired, http.StatusForbidden:
		code = schedctl.AuthenticationRequired
	case http.StatusNotFound:
		problem = "without a readable document: is it a schedctl daemon? check the URL, and its path if a proxy serves the daemon below one"
	case http.StatusTooManyRequests:
		code = schedctl.RateLimited
	case http.StatusRequestEntityTooLarge:
		code = schedctl.BodyTooLarge
		problem = "because the request is larger than " + proxy + " in front of the daemon accepts: raise its limit, client_max_body_size of nginx or max_size of Caddy"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		code = schedctl.Unavailable
		problem = "because " + proxy + " in front of the daemon cannot reach it: check on its machine that the daemon runs, with schedctl daemon status, and where the proxy sends requests"
	case http.StatusGatewayTimeout:
		code = schedctl.Unavailable
		problem = "because the daemon did not respond to " + proxy + " in front of it in time: check the log of the daemon, and the time limit of the proxy; the request may have taken effect"
	}
	message := fmt.Sprintf("%s responded %d %s %s", url, status, http.StatusText(status), problem)
	return &Error{API: apiv1.Error{Code: code, Message: message}, Status: status}
}

// program matches the name of a program at the start of the header Server.
var program = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{1,30}`)

// proxyName returns the name of a proxy for messages, from the header Server.
func proxyName(header http.Header) string {
	name := program.FindString(header.Get("Server"))
	if name == "" {
		return "a proxy"
	}
	return "the proxy " + strings.ToLower(name)
}
