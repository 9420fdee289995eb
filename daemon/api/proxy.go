package api

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxHops is the number of entries of X-Forwarded-For that are read.
const maxHops = 32

// unixProxy is the entry of [Config.TrustedProxies] for all programs that connect to a Unix
// socket.
var unixProxy netip.Prefix

// TrustUnix returns the entry of [Config.TrustedProxies] with which proxies are trusted that
// connect to a Unix socket.
func TrustUnix() netip.Prefix { return unixProxy }

// proxied is the key of a context whose request came from a trusted proxy.
type proxied struct{}

// isProxied reports whether a request came from a trusted proxy.
func isProxied(ctx context.Context) bool { return ctx.Value(proxied{}) != nil }

// withClient returns a request of a trusted proxy with the address of the proxy's client as
// RemoteAddr, and other requests unchanged.
func (s *Server) withClient(r *http.Request) *http.Request {
	if len(s.trusted) == 0 || !s.trustsPeer(r.RemoteAddr) {
		return r
	}
	r = r.WithContext(context.WithValue(r.Context(), proxied{}, true))
	if client := s.forwardedFor(r.Header.Values("X-Forwarded-For")); client.IsValid() {
		r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	}
	return r
}

// trustsPeer reports whether the other end of a connection is a trusted proxy.
func (s *Server) trustsPeer(remote string) bool {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return slices.Contains(s.trusted, unixProxy)
	}
	return s.trusts(at.Addr())
}

func (s *Server) trusts(at netip.Addr) bool {
	at = at.Unmap().WithZone("")
	return slices.ContainsFunc(s.trusted, func(p netip.Prefix) bool { return p.IsValid() && p.Contains(at) })
}

// forwardedFor returns the address of the client in values of X-Forwarded-For. Each proxy
// appends the address of its peer, so that the list is read from the right: the first address
// of no trusted proxy is the client, and what a client has written itself is left of it. If
// all are trusted, it is the leftmost one. An entry that is no address ends the list. The
// result is invalid if the list is empty.
func (s *Server) forwardedFor(values []string) (client netip.Addr) {
	hops := 0
	for _, list := range slices.Backward(values) {
		for ; hops < maxHops && list != ""; hops++ {
			entry := list
			if comma := strings.LastIndexByte(list, ','); comma >= 0 {
				list, entry = list[:comma], list[comma+1:]
			} else {
				list = ""
			}
			at, ok := hopAddress(strings.TrimSpace(entry))
			if !ok {
				return client
			}
			client = at
			if !s.trusts(at) {
				return client
			}
		}
	}
	return client
}

// hopAddress parses an entry of X-Forwarded-For: an address, with a port or without.
func hopAddress(entry string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(entry); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	at, err := netip.ParseAddr(strings.Trim(entry, "[]"))
	return at.Unmap().WithZone(""), err == nil
}

// externalPath returns the path of the public URL, below which a proxy serves the daemon, or
// "" for none. It has no slash at its end.
func externalPath(external string) string {
	u, err := url.Parse(external)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// calendarBase returns the address of the daemon for calendar programs, which are usually on
// other machines: the public URL if there is one.
func (s *Server) calendarBase(c *request) string {
	if s.external != "" {
		return s.external
	}
	return s.baseURL(c)
}

// baseURL returns the URL of the daemon for the client of a request: the public URL if the
// request came to its host or through a trusted proxy, otherwise the host of the request,
// so that a client on this machine does not have to go through the proxy.
func (s *Server) baseURL(c *request) string {
	public, err := url.Parse(s.publicURL)
	if err == nil && public.Host != "" && (c.host == "" || c.proxied || strings.EqualFold(public.Host, c.host)) {
		return strings.TrimSuffix(public.Scheme+"://"+public.Host+public.EscapedPath(), "/")
	}
	return "http://" + c.host
}
