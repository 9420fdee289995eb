package outbound

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxAddress is the longest address of a network, in bytes.
const maxAddress = 2048

// ParseAddress reads the URL of a network, and tells beforehand when a client of
// this policy will not connect to it. It is https; with [AllowPrivate] also http,
// for servers in a network of one's own seldom have a certificate. The text of an
// error is for people, and does not hold the URL, which may be a secret.
func (p Policy) ParseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return nil, fmt.Errorf("the URL has %d bytes; at most %d are allowed", len(text), maxAddress)
	case err != nil:
		return nil, errors.New("the URL cannot be read; it looks like https://host/path")
	case u.Scheme != "https" && (u.Scheme != "http" || p != AllowPrivate):
		return nil, errors.New("the URL must begin with https://")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host; it looks like https://host/path")
	case u.User != nil:
		return nil, errors.New("the URL holds a user name or password; remove it")
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return u, p.CheckHost(u.Hostname())
}
