package outbound

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

// maxAddress is the maximum length of a URL that a user gives, in bytes.
const maxAddress = 2048

// ParseURL parses an http or https URL that a user gives. It does not check whether a
// policy allows its host. The error is fit for users and does not contain the URL,
// which may be a secret.
func ParseURL(text string) (*url.URL, error) { return parseURL(text, "https", "http") }

func parseURL(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return nil, fmt.Errorf("the URL has %d bytes; the limit is %d", len(text), maxAddress)
	case err != nil:
		return nil, errors.New("the URL is not valid; use the form https://host/path")
	case !slices.Contains(schemes, u.Scheme):
		return nil, fmt.Errorf("the URL must start with %s://", strings.Join(schemes, ":// or "))
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host; use the form https://host/path")
	case u.User != nil:
		return nil, errors.New("the URL contains a user name or password; remove it")
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return nil, errors.New("the port of the URL must be a number from 1 to 65535")
	}
	return u, nil
}

// ParseAddress parses the URL of a network and returns an error if a client of this
// policy would refuse to connect to it. The scheme must be https. [AllowPrivate]
// also accepts http because servers on private networks rarely have a certificate.
// The error is fit for users and does not contain the URL, which may be a secret.
func (p Policy) ParseAddress(text string) (*url.URL, error) {
	schemes := []string{"https", "http"}
	if p != AllowPrivate {
		schemes = schemes[:1]
	}
	u, err := parseURL(strings.TrimSpace(text), schemes...)
	if err != nil {
		return nil, err
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment, u.RawFragment = "", ""
	return u, p.CheckHost(u.Hostname())
}

// ParseServer parses the address of a server that has no path: a host or a URL. The
// scheme is https unless the text says http. The error is about the field of an
// account.
func ParseServer(text, field, example string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := ParseURL(text)
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, publish.Contentf(field, "%s must be the address of a server without a path, such as %s or https://%s", field, example, example)
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}
