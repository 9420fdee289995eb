package outbound

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Policy says which addresses a client connects to.
type Policy int

// The policies.
const (
	PublicOnly   Policy = iota // refuse loopback, private, link-local and other special addresses
	AllowPrivate               // connect to any address
)

// CheckHost tells beforehand that a client of this policy will not connect to a
// host: an address that is not a public one, or localhost. Other names are not
// looked up, for what they stand for can change; each connection is checked.
// The error wraps [ErrPrivateAddress], and its text is for people.
func (p Policy) CheckHost(host string) error {
	if p == AllowPrivate {
		return nil
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	private := name == "localhost" || strings.HasSuffix(name, ".localhost")
	if address, err := netip.ParseAddr(host); err == nil {
		private = guardian().SafeAddr(address.Unmap().WithZone("")) != nil
	}
	if private {
		return &privateHostError{host}
	}
	return nil
}

// privateHostError is [ErrPrivateAddress] in words that say what to do.
type privateHostError struct{ host string }

func (e *privateHostError) Error() string {
	return e.host + " is not a public address, which is refused; start the daemon with --allow-private-networks to reach it"
}

func (e *privateHostError) Unwrap() error { return ErrPrivateAddress }

// azurePlatform is where a virtual machine of Azure reaches its host, with the
// configuration and the certificates of the machine. It looks public and is not.
var azurePlatform = netip.MustParsePrefix("168.63.129.16/32")

func guardian() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azurePlatform))
}

// ErrPrivateAddress means that the policy is [PublicOnly] and the address is
// not a public one.
var ErrPrivateAddress = errors.New("not a public address")

const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 25 * time.Second // some servers take 6 s to accept a post
	totalTimeout  = 30 * time.Second

	// Receivers close kept connections after 5 s at the earliest. A request
	// written as the other end closes has an unknown outcome, so they are given
	// up before.
	idleTimeout = 3 * time.Second

	// One receiver may serve thousands of accounts that are due together.
	idlePerHost = 1024
)

// Client returns the client for calls to networks. It checks addresses after
// names are resolved, follows no redirect, keeps no cookies, ignores the proxy
// variables of the environment, and gives up after 30 s. It may be used from
// any goroutine; make one and share it.
func Client(policy Policy) *http.Client {
	// HTTP/2 stays off: its transport returns from a call that was cut before it
	// knows whether the headers have left.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		Timeout:       totalTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            guardedDial(Dial(policy)),
			Protocols:              &protocols,
			TLSHandshakeTimeout:    dialTimeout,
			ResponseHeaderTimeout:  headerTimeout,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        idleTimeout,
			DisableCompression:     true,
		},
	}
}

// publicOnly returns a check of the address that is about to be dialled.
func publicOnly(g *ssrf.Guardian) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, c syscall.RawConn) error {
		if err := g.Safe(network, address, c); err != nil {
			return errors.Join(ErrPrivateAddress, err)
		}
		return nil
	}
}
