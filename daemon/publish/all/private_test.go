package all_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// request returns a request to publish with credentials.
func request(a networks.Account, c publish.Credentials) publish.Request {
	return publish.Request{
		TargetID: "pt_01JX0000000000000000000001", PostID: "post_01JX0000000000000000000002", Attempt: 1,
		Key: cmp.Or(a.Key, "3l6oveex3ii2l"), Stage: "18000000000001", Content: "x", Credentials: c, Account: schedctl.Account{Platform: a.Platform},
	}
}

// No platform can be made to call an address that is not public, whether the
// address is given, comes out of a name, or out of a redirect.
func TestNoPlatformCallsAPrivateAddress(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	registry := all.Publishers(all.Config{Client: outbound.Client(outbound.PublicOnly), Outbound: outbound.PublicOnly, Version: "test"})
	for _, a := range networks.Accounts() {
		for _, address := range []string{
			"http://127.0.0.1:" + port, "http://localhost:" + port, "http://[::1]:" + port, "http://0.0.0.0:" + port,
			"http://169.254.169.254", "https://10.0.0.1", "https://[fd00::1]",
		} {
			p, credentials := registry[a.Platform], a.At(address)
			if credentials == nil {
				continue
			}
			_, err := p.Connect(t.Context(), publish.Connection{Name: "x", Credentials: credentials})
			if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished || e.Kind != schedctl.KindContent {
				t.Errorf("%s: connect to %s: %v", a.Name, address, err)
			}
			// An account that was connected before its name came to point there.
			_, err = p.Publish(t.Context(), request(a, credentials))
			if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished {
				t.Errorf("%s: publish to %s: %v", a.Name, address, err)
			}
		}
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d calls were made", n)
	}
}

// A redirect is never followed, so none leads to another address either.
func TestNoPlatformFollowsARedirect(t *testing.T) {
	t.Parallel()
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		}))
		t.Cleanup(server.Close)
		registry := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.AllowPrivate, Version: "test"})
		for _, a := range networks.Accounts() {
			if p, credentials := registry[a.Platform], a.At(server.URL); credentials != nil {
				p.Connect(t.Context(), publish.Connection{Name: "x", Credentials: credentials})
				_, err := p.Publish(t.Context(), request(a, credentials))
				if err == nil {
					t.Errorf("%s: a redirect with status %d counts as accepted", a.Name, status)
				}
			}
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}
