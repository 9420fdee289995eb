package outbound_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// TestAgentsReachNoPrivateAddress guards that fetches for agents reach no private address,
// whatever the policy, also on a connection that another fetch has left open.
func TestAgentsReachNoPrivateAddress(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		io.WriteString(w, "inside")
	}))
	t.Cleanup(server.Close)
	client := outbound.FetchClient(outbound.AllowPrivate)
	for range 2 {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		_, err = client.Do(r.WithContext(publish.FetchPublic(t.Context())))
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("the error is %v", err)
		}
		if said := outbound.NoResponse(err, "host"); strings.Contains(said, "--allow") || !strings.Contains(said, "host is not a public address") {
			t.Errorf("an agent reads %q", said)
		}
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("the server got %d requests, want 2", n)
	}
	if p := outbound.AllowPrivate; p.In(t.Context()) != outbound.AllowPrivate || p.In(publish.FetchPublic(t.Context())) != outbound.PublicForAgents {
		t.Error("the policy does not follow the context")
	}
	for _, p := range []outbound.Policy{outbound.PublicOnly, outbound.AllowPrivate} {
		err := p.In(publish.FetchPublic(t.Context())).CheckHost("127.0.0.1")
		if !errors.Is(err, outbound.ErrPrivateAddress) || strings.Contains(err.Error(), "--allow") {
			t.Errorf("an agent reads %v", err)
		}
	}
	r, _ := http.NewRequestWithContext(publish.FetchPublic(t.Context()), http.MethodGet, server.URL, nil)
	if _, err := outbound.FetchClient(outbound.PublicOnly).Do(r); err == nil || strings.Contains(outbound.NoResponse(err, "host"), "--allow") {
		t.Errorf("without private networks, an agent reads %v", err)
	}
}
