package api

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl"
)

// AgentCall is a request of an agent, and what its server needs to handle it.
type AgentCall struct {
	Key    schedctl.APIKey
	Secret string // of the key

	// Transport sends requests to this API, in this process. They spend no tokens of the
	// rate limit: the request of the agent has spent one.
	Transport http.RoundTripper
}

// serveAgents adds the route of agents. It is not a part of the API document, because its
// protocol is not that of the API.
func (s *Server) serveAgents(next func(http.ResponseWriter, *http.Request, AgentCall)) {
	protection := http.NewCrossOriginProtection()
	s.mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		if !s.ownHost(r) {
			http.Error(w, "the Host header must be localhost, the address of the daemon, or the host of --public-url", http.StatusForbidden)
			return
		}
		if err := protection.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		key, err := s.admit(w, r)
		if err == nil {
			err = schedctl.CheckAgentScopes(key.Scopes)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		w.Header()["Cache-Control"] = noStore
		w.Header()["X-Content-Type-Options"] = noSniff
		_, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		inner := r.WithContext(r.Context())
		inner.Host = "localhost" // checked above; the protocol library accepts no other host on loopback
		next(w, inner, AgentCall{Key: key, Secret: strings.TrimLeft(secret, " "), Transport: &ownTransport{s, r.RemoteAddr, r.Host}})
	})
}

// ownHost reports whether the Host header names this daemon. A web page whose host name
// was changed to the address of the daemon names another host.
func (s *Server) ownHost(r *http.Request) bool {
	name := hostName(r.Host)
	if at, err := netip.ParseAddr(name); strings.EqualFold(name, "localhost") || err == nil && at.IsLoopback() {
		return true
	}
	for _, own := range []string{s.publicURL, s.announced.URL} {
		if u, err := url.Parse(own); err == nil && u.Host != "" && strings.EqualFold(hostName(u.Host), name) {
			return true
		}
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || local.Network() == "unix" {
		return local != nil // no web page can reach a socket file
	}
	return hostName(local.String()) == name
}

// hostName returns a host without its port, brackets and final dot.
func hostName(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	return strings.TrimSuffix(host, ".")
}

// ownTransport sends requests to the server without a network.
type ownTransport struct {
	server *Server
	remote string // the address of the agent
	host   string // by which the agent reached the daemon
}

type paidKey struct{}

// paid reports whether a request belongs to a call of a tool that has already spent a
// token.
func paid(ctx context.Context) bool { return ctx.Value(paidKey{}) != nil }

// RoundTrip implements [http.RoundTripper].
func (t *ownTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(context.WithValue(r.Context(), paidKey{}, true))
	in.RequestURI, in.RemoteAddr, in.Proto, in.ProtoMajor, in.ProtoMinor = r.URL.RequestURI(), t.remote, "HTTP/1.1", 1, 1
	in.Host = t.host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	out := &memoryResponse{header: http.Header{}}
	t.server.ServeHTTP(out, in)
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{
		StatusCode: out.status, Status: http.StatusText(out.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: out.header, Body: io.NopCloser(&out.body), ContentLength: int64(out.body.Len()), Request: r,
	}, nil
}

// memoryResponse is a response in memory.
type memoryResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (m *memoryResponse) Header() http.Header { return m.header }

// WriteHeader implements [http.ResponseWriter].
func (m *memoryResponse) WriteHeader(status int) {
	if m.status == 0 && status >= http.StatusOK {
		m.status = status
	}
}

// Write implements [http.ResponseWriter].
func (m *memoryResponse) Write(b []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	return m.body.Write(b)
}

// writeTo writes the response to w.
func (m *memoryResponse) writeTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), m.header)
	w.WriteHeader(m.status)
	w.Write(m.body.Bytes())
}
