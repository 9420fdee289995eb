package outbound

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ErrPlainHTTP means that a URL has the scheme http and the policy does not allow
// credentials to be sent unencrypted.
var ErrPlainHTTP = errors.New("not encrypted")

// Encrypted returns a client like c, which has a transport, that refuses every http URL, whether it comes
// from the store, the user or a server. With [AllowPrivate] it returns c because
// servers on private networks rarely have a certificate. Refused requests fail with
// [ErrPlainHTTP] before anything is sent.
func (p Policy) Encrypted(c *http.Client) *http.Client {
	if p == AllowPrivate || c == nil {
		return c
	}
	encrypted := *c
	encrypted.Transport = encryptedOnly{c}
	return &encrypted
}

// encryptedOnly is a transport that accepts only https.
type encryptedOnly struct{ client *http.Client }

// RoundTrip implements [http.RoundTripper].
func (e encryptedOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, ErrPlainHTTP
	}
	return e.client.Transport.RoundTrip(r)
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] reach the transport.
func (e encryptedOnly) CloseIdleConnections() { e.client.CloseIdleConnections() }

// plainHTTP is the error of a request to an http URL. Its kind is auth, so that the
// account's queue waits until the account is reconnected with another address.
func plainHTTP(host string) error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished, Err: ErrPlainHTTP,
		Message: fmt.Sprintf("http:// would send the account's credentials to %s unencrypted; reconnect the account with https://, or start the daemon with --allow-private-networks", host),
	}
}
