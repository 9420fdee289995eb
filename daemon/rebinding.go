package daemon

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// rejectRebinding guards what needs no API key and is nobody's business. When the daemon
// listens on loopback alone, requests have to name it by an address or as
// localhost. A web page, whose name its owner can point at 127.0.0.1 once a
// browser has loaded it, names it otherwise, and would read the answer.
func rejectRebinding(listener net.Listener, next http.Handler) http.Handler {
	at, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil || !at.Addr().IsLoopback() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocalHost(r.Host) {
			http.Error(w, "this is for programs on this machine; ask "+listener.Addr().String()+" by its address", http.StatusMisdirectedRequest)
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
