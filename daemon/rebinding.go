package daemon

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// rejectRebinding protects routes without an API key from DNS rebinding: a web page
// whose host name is changed to 127.0.0.1 after it was loaded could read the responses.
// When the daemon listens on loopback only, the Host header of requests must be an IP
// address or localhost.
func rejectRebinding(listener net.Listener, next http.Handler) http.Handler {
	at, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil || !at.Addr().IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocalHost(r.Host) {
			http.Error(w, "the Host header must be an IP address or localhost; use "+listener.Addr().String(), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isLocalHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}
