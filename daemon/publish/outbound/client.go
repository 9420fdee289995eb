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

	// PublicForAgents is PublicOnly for what the key of an agent asks for. No option of
	// the daemon changes it, so its errors name none.
	PublicForAgents
)

// CheckHost returns an error if a client of this policy would refuse to connect to
// the host: an address that is not public, or localhost. It does not resolve other
// names because their addresses can change; [Client] checks each connection. The
// error wraps [ErrPrivateAddress] and is fit for users.
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
		return &privateHostError{host, p == PublicForAgents}
	}
	return nil
}

// privateHostError is [ErrPrivateAddress] with a message that names the flag to use, except
// for agents, whom the flag does not help.
type privateHostError struct {
	host  string
	agent bool
}

func (e *privateHostError) Error() string {
	if e.agent {
		return e.host + " is not a public address, and what an agent asks for is fetched from public addresses only; use another address"
	}
	return e.host + " is not a public address; start the daemon with --allow-private-networks to allow it"
}

func (e *privateHostError) Unwrap() error { return ErrPrivateAddress }

// azurePlatform is the address of the Azure host of a virtual machine. It serves the
// configuration and certificates of the machine. It looks public but is not.
var azurePlatform = netip.MustParsePrefix("168.63.129.16/32")

func guardian() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azurePlatform))
}

// ErrPrivateAddress means that the policy is [PublicOnly] or [PublicForAgents] and the
// address is not public.
var ErrPrivateAddress = errors.New("not a public address")

// errForAgents is part of the error of a connection with the policy [PublicForAgents].
var errForAgents = errors.New("for agents")

const (
	dialTimeout   = 10 * time.Second
	headerTimeout = 25 * time.Second // some servers take 6 s to accept a post
	totalTimeout  = 30 * time.Second

	// Receivers close idle connections after 5 s at the earliest. A request that is
	// written while the server closes the connection has an unknown outcome, so the
	// client closes first.
	idleTimeout = 3 * time.Second

	// One receiver may serve thousands of accounts whose posts are due at the same
	// time.
	idlePerHost = 1024
)

// Client returns the client for requests to networks. It checks addresses after name
// resolution, follows no redirects, keeps no cookies, ignores the proxy variables of
// the environment, and times out after 30 s. It may be used from any goroutine;
// create one and share it.
func Client(policy Policy) *http.Client {
	// HTTP/2 is off: its transport can return from a canceled request before it knows
	// whether the headers were sent.
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

// publicOnly returns a check for the address that is about to be dialed. Its errors are
// ErrPrivateAddress and the given ones.
func publicOnly(g *ssrf.Guardian, also error) func(network, address string, c syscall.RawConn) error {
	return func(network, address string, c syscall.RawConn) error {
		if err := g.Safe(network, address, c); err != nil {
			return errors.Join(ErrPrivateAddress, also, err)
		}
		return nil
	}
}
