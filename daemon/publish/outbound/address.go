package outbound

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxAddress is the maximum length of a URL that a user gives, in bytes.
const maxAddress = 2048

// ParseAddress parses the URL of a network and returns an error if a client of this
// policy would refuse to connect to it. The scheme must be https. [AllowPrivate]
// also accepts http because servers on private networks rarely have a certificate.
// The error is fit for users and does not contain the URL, which may be a secret.
func (p Policy) ParseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return nil, fmt.Errorf("the URL has %d bytes; the limit is %d", len(text), maxAddress)
	case err != nil:
		return nil, errors.New("the URL is not valid; use the form https://host/path")
	case u.Scheme != "https" && (u.Scheme != "http" || p != AllowPrivate):
		return nil, errors.New("the URL must start with https://")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host; use the form https://host/path")
	case u.User != nil:
		return nil, errors.New("the URL contains a user name or password; remove it")
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return u, p.CheckHost(u.Hostname())
}
