package outbound

import (
	"errors"
	"net"
	"net/http"
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
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	if policy == PublicOnly {
		dialer.Control = publicOnly(ssrf.New(ssrf.WithAnyPort()))
	}
	// HTTP/2 stays off: its transport returns from a call that was cut before it
	// knows whether the headers have left.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		Timeout:       totalTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
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
