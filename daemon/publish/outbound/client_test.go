package outbound_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestPublicOnlyRefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	server, calls := countingServer(t, http.StatusNoContent)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	client := outbound.Client(outbound.PublicOnly)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[fd00::1]", "[fe80::1]", "[64:ff9b::7f00:1]"} {
		_, err := outbound.Post(t.Context(), client, "http://"+net.JoinHostPort(strings.Trim(host, "[]"), port)+"/", nil, []byte("x"))
		e := publish.AsError(err)
		if e.Kind != schedctl.KindNetwork || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %s %s, want network not_published", host, e.Kind, e.Outcome)
		}
		if !strings.Contains(e.Message, "--allow-private-networks") {
			t.Errorf("%s: %q does not mention --allow-private-networks", host, e.Message)
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("%d requests reached the server", n)
	}
}

func TestCheckHost(t *testing.T) {
	t.Parallel()
	for host, refused := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.0.0.1": true, "169.254.169.254": true, "168.63.129.16": true, "::ffff:127.0.0.1": true, "fe80::1%eth0": true,
		"fd00::1": true, "0.0.0.0": true, "localhost": true, "LocalHost.": true, "a.localhost": true,
		"1.1.1.1": false, "::ffff:1.1.1.1": false, "2606:4700::1111": false, "bot.example": false, "notlocalhost": false, "127.0.0.1.example": false, "": false,
	} {
		if err := outbound.PublicOnly.CheckHost(host); (err != nil) != refused || refused != errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%q: got %v, want refused %v", host, err, refused)
		}
		if err := outbound.AllowPrivate.CheckHost(host); err != nil {
			t.Errorf("%q is refused although private addresses are allowed: %v", host, err)
		}
	}
}

func TestAllowPrivateReachesLoopback(t *testing.T) {
	t.Parallel()
	server, calls := countingServer(t, http.StatusNoContent)
	a, err := outbound.Post(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, []byte("x"))
	if err != nil || a.Status != http.StatusNoContent || calls.Load() != 1 {
		t.Errorf("got status %d, error %v, %d requests; want 204, none, 1", a.Status, err, calls.Load())
	}
}

func TestClientFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	target, followed := countingServer(t, http.StatusOK)
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(target.URL, status))
		a, err := outbound.Post(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, []byte("x"))
		if err != nil || a.Status != status {
			t.Errorf("got status %d, error %v; want %d", a.Status, err, status)
		}
		server.Close()
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("%d redirects followed", n)
	}
}

func TestClientIgnoresTheEnvironmentsProxy(t *testing.T) {
	t.Parallel()
	for _, policy := range []outbound.Policy{outbound.PublicOnly, outbound.AllowPrivate} {
		if outbound.Client(policy).Transport.(*http.Transport).Proxy != nil {
			t.Errorf("policy %v uses a proxy", policy)
		}
	}
}

// Ten thousand posts per second to one receiver must not open a connection each.
func TestClientKeepsConnectionsOfManyAccounts(t *testing.T) {
	t.Parallel()
	const accounts, rounds = 100, 5
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"id":"1"}`))
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := outbound.Client(outbound.AllowPrivate)
	for range rounds {
		var posts sync.WaitGroup
		for range accounts {
			posts.Go(func() {
				if _, err := outbound.Post(t.Context(), client, server.URL, nil, []byte("x")); err != nil {
					t.Error(err)
				}
			})
		}
		posts.Wait()
	}
	// A dial can lose the race against a connection that becomes idle. Then both
	// connections are kept.
	if n := opened.Load(); n > 2*accounts {
		t.Errorf("%d connections for %d accounts in %d rounds", n, accounts, rounds)
	}
}

// countingServer responds to every request with the status.
func countingServer(t *testing.T, status int) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	calls := new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server, calls
}
