package publishtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// network is a server that records requests and responds as the test says.
type network struct {
	suite     Suite
	publisher publish.Publisher
	server    *httptest.Server
	client    *http.Client

	mu      sync.Mutex // mu guards the fields below
	calls   []call
	uploads []call
	handler http.Handler
	session []string // values that Connect added to the credentials
}

type call struct {
	method, path, key string
	body              []byte
}

// start returns the suite's network and a publisher that uses it.
func (s Suite) start(t *testing.T) *network {
	t.Helper()
	n := &network{suite: s, handler: s.Network}
	if s.Network == nil {
		n.publisher = s.New(nil)
		return n
	}
	n.client = outbound.Client(outbound.AllowPrivate)
	n.publisher = s.New(n.client)
	n.server = httptest.NewServer(http.HandlerFunc(n.serve))
	t.Cleanup(n.stop)
	return n
}

// stop closes the server. It closes idle connections first: a request that is
// written to a closing connection correctly has an unknown outcome.
func (n *network) stop() {
	n.client.CloseIdleConnections()
	n.server.Close()
}

func (n *network) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		http.NotFound(w, r) // a client looks for a daemon that had this port, in a test of another process
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorded := call{method: r.Method, path: r.URL.Path, body: body}
	if n.suite.Key != nil {
		recorded.key = n.suite.Key(r, body)
	}
	if n.suite.Preflight != nil && n.suite.Preflight(r) {
		n.suite.Network.ServeHTTP(w, r)
		return
	}
	n.mu.Lock()
	if m := n.suite.Media; m != nil && m.Upload != nil && m.Upload(r) {
		n.uploads = append(n.uploads, recorded)
	} else {
		n.calls = append(n.calls, recorded)
	}
	handler := n.handler
	n.mu.Unlock()
	handler.ServeHTTP(w, r)
}

// url returns the URL of the network, or the empty string if it has no server.
func (n *network) url() string {
	if n.server == nil {
		return ""
	}
	return n.server.URL
}

// respondWith replaces the network's handler.
func (n *network) respondWith(h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handler = h
}

// takeCalls returns the requests since the last takeCalls.
func (n *network) takeCalls() []call {
	n.mu.Lock()
	defer n.mu.Unlock()
	calls := n.calls
	n.calls = nil
	return calls
}

// takeUploads returns the requests of uploads since the last takeUploads.
func (n *network) takeUploads() []call {
	n.mu.Lock()
	defer n.mu.Unlock()
	uploads := n.uploads
	n.uploads = nil
	return uploads
}

// rememberAdded remembers the values that Connect added to the credentials.
func (n *network) rememberAdded(given, stored publish.Credentials) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name, value := range stored {
		if value != given[name] {
			n.session = append(n.session, value)
		}
	}
}

// addedCredentials returns the values that Connect has added so far.
func (n *network) addedCredentials() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.session)
}

// checkReads checks that the requests only read, or are among the suite's
// ConnectCalls.
func (n *network) checkReads(t *testing.T, during string, calls []call) {
	t.Helper()
	for _, c := range calls {
		reads := c.method == http.MethodGet || c.method == http.MethodHead
		if !reads && !slices.Contains(n.suite.ConnectCalls, c.method+" "+c.path) {
			t.Errorf("%s sent %s %s", during, c.method, c.path)
		}
	}
}

// checkCalls checks the number of requests that the network received for r, and that
// each had the key of r.
func (n *network) checkCalls(t *testing.T, during string, r publish.Request, want int) {
	t.Helper()
	if n.suite.Network == nil {
		return
	}
	calls := n.takeCalls()
	if len(calls) != want {
		t.Errorf("%s: the network received %d requests, want %d", during, len(calls), want)
	}
	for _, c := range calls {
		if c.method != http.MethodPost && c.method != http.MethodPut {
			t.Errorf("%s: published with %s", during, c.method)
		}
		if n.suite.Key != nil && c.key != r.Key {
			t.Errorf("%s: the key was %q, want %q", during, c.key, r.Key)
		}
	}
}
