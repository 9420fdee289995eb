package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

// newTransport returns a transport to the network, or to one socket. If announced is not
// nil, it connects only to the announced daemon.
func newTransport(socket string, announced func() (apiv1.Announced, error)) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if socket != "" {
		t.Proxy = nil
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		}
	}
	if announced != nil {
		t.Proxy = nil // the daemon is on this machine
		t.DialContext = provenDial(t.DialContext, announced)
	}
	return t
}

var errRedirect = errors.New("redirect refused")

// sameHost follows redirects only to the same host, because the request contains the API
// key.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) >= 5:
		return fmt.Errorf("%w: more than 5 in a row", errRedirect)
	case next.URL.Scheme != first.Scheme || next.URL.Host != first.Host:
		return fmt.Errorf("%w: it leads to %s://%s, where the API key must not be sent; if that is your daemon, use its URL", errRedirect, next.URL.Scheme, next.URL.Host)
	}
	return nil
}
