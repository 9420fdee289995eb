package outbound

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ErrPlainHTTP means that a URL is http, and that the policy does not let the
// credentials of an account go out unencrypted.
var ErrPlainHTTP = errors.New("not encrypted")

// Encrypted returns a client like c that makes no call to an http URL, whether it
// is stored, typed in, or given by a server, unless the policy is [AllowPrivate]:
// servers in a network of one's own seldom have a certificate. Calls that it
// refuses fail with [ErrPlainHTTP] before anything leaves.
func (p Policy) Encrypted(c *http.Client) *http.Client {
	if p == AllowPrivate || c == nil {
		return c
	}
	encrypted := *c
	encrypted.Transport = encryptedOnly{c}
	return &encrypted
}

// encryptedOnly is the transport of a client for https alone.
type encryptedOnly struct{ client *http.Client }

// RoundTrip implements [http.RoundTripper].
func (e encryptedOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, ErrPlainHTTP
	}
	transport := e.client.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	return transport.RoundTrip(r)
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] reach the transport.
func (e encryptedOnly) CloseIdleConnections() { e.client.CloseIdleConnections() }

// plainHTTP is the error of a call to an http URL. It is of kind auth, so that the
// queue of an account waits until somebody gives it another address.
func plainHTTP(host string) error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished, Err: ErrPlainHTTP,
		Message: fmt.Sprintf("http:// would send the credentials of the account to %s unencrypted, which is refused; connect it with https://, or start the daemon with --allow-private-networks", host),
	}
}
