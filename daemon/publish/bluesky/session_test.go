package bluesky_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	createSession  = "com.atproto.server.createSession"
	refreshSession = "com.atproto.server.refreshSession"
	getRecord      = "com.atproto.repo.getRecord"
	resolveHandle  = "com.atproto.identity.resolveHandle"
	putRecord      = "com.atproto.repo.putRecord"
)

// credentials returns those of the numbered session with the network.
func credentials(n *network, session int) publish.Credentials {
	c := connection(n.URL).Credentials
	c["did"] = did
	c["access_jwt"] = fmt.Sprintf("access-%d-0123456789", session)
	c["refresh_jwt"] = fmt.Sprintf("refresh-%d-0123456789", session)
	return c
}

func TestConnect(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	c := connection(n.URL)
	c.Credentials["identifier"] = "@alice.example.com"
	profile, err := p.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "alice.example.com", DisplayName: "Alice 🙂", URL: "https://bsky.app/profile/alice.example.com",
		Limits: schedctl.Limits{MaxCharacters: 300, Unit: "graphemes"}, Identity: did, Credentials: credentials(n, 1),
	}
	want.Credentials["identifier"] = "@alice.example.com"
	if diff := cmp.Diff(want, profile); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	if got := n.take(); !slices.Equal(got, []string{createSession, getRecord}) {
		t.Errorf("calls %v", got)
	}
}

// Servers limit logins, so verifying an account again must not require a login each
// time.
func TestConnectRenewsTheSessionItIsGiven(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(n, 7)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(credentials(n, 1), profile.Credentials); diff != "" {
		t.Errorf("credentials (-want +got):\n%s", diff)
	}
	if got := n.take(); slices.Contains(got, createSession) {
		t.Errorf("calls %v", got)
	}
	for _, name := range []string{"ExpiredToken", "InvalidToken", "AuthMissing", "Whatever"} {
		n.refuse(refreshSession, 400, name)
		if _, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(n, 7)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := n.take(); !slices.Equal(got, []string{refreshSession, createSession, getRecord}) {
			t.Errorf("%s: calls %v", name, got)
		}
	}
}

// TestVerifyingKeepsTheRightReason: a state of the account must not be reported as a
// wrong password, nor the reverse.
func TestVerifyingKeepsTheRightReason(t *testing.T) {
	t.Parallel()
	const getRepoStatus = "com.atproto.sync.getRepoStatus"
	status := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	for _, tt := range []struct {
		name, refresh string
		status        http.HandlerFunc // nil if the server lacks the method
		code          string
	}{
		{"taken down", "AccountTakedown", nil, "AccountTakedown"},
		{"deactivated", "AccountDeactivated", nil, "AccountDeactivated"},
		{"taken down since", "ExpiredToken", status(`{"active":false,"status":"takendown"}`), "AccountTakedown"},
		{"suspended", "ExpiredToken", status(`{"active":false,"status":"suspended"}`), "AccountSuspended"},
		{"deleted", "InvalidRequest", status(`{"active":false,"status":"deleted"}`), "RepoNotFound"},
		{"a wrong password", "ExpiredToken", status(`{"active":true}`), "AuthenticationRequired"},
		{"odd", "ExpiredToken", status(`{"active":false,"status":7}`), "AuthenticationRequired"},
		{"nothing known", "ExpiredToken", nil, "AuthenticationRequired"},
	} {
		n, p := start(t)
		n.refuse(refreshSession, 400, tt.refresh)
		n.refuse(createSession, 401, "AuthenticationRequired")
		if n.refuse(getRepoStatus, 501, "MethodNotImplemented"); tt.status != nil {
			n.on(getRepoStatus, tt.status)
		}
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(n, 7)})
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v, want %s", tt.name, e, tt.code)
		}
	}
}

func TestConnectDoesWithoutADisplayName(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	n.refuse(getRecord, 400, "RecordNotFound")
	profile, err := p.Connect(t.Context(), connection(n.URL))
	if err != nil || profile.DisplayName != "" || profile.Username != "alice.example.com" {
		t.Errorf("got %+v, %v", profile, err)
	}
}

func TestAnAccountWithoutAHandleIsCalledByItsDID(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	n.on(createSession, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"did":%q,"handle":"handle.invalid","accessJwt":"a","refreshJwt":"r"}`, did)
	})
	profile, err := p.Connect(t.Context(), connection(n.URL))
	if err != nil || profile.Username != did || profile.URL != "https://bsky.app/profile/"+did {
		t.Errorf("got %+v, %v", profile, err)
	}
}

func TestConnectRefusesFields(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	for _, tt := range []struct {
		name, field string
		change      func(*publish.Connection)
	}{
		{"a path", "service_url", func(c *publish.Connection) { c.Credentials["service_url"] += "/xrpc" }},
		{"user and password", "service_url", func(c *publish.Connection) { c.Credentials["service_url"] = "https://a:b@bsky.social" }},
		{"white space", "identifier", func(c *publish.Connection) { c.Credentials["identifier"] = "alice bob" }},
		{"a line break", "app_password", func(c *publish.Connection) { c.Credentials["app_password"] += "\n" }},
		{"a long password", "app_password", func(c *publish.Connection) { c.Credentials["app_password"] = strings.Repeat("x", 300) }},
		{"an invalid language", "langs", func(c *publish.Connection) { c.Options = schedctl.Options{"langs": "klingon!"} }},
		{"an unknown credential", "token", func(c *publish.Connection) { c.Credentials["token"] = "x" }},
	} {
		c := connection(n.URL)
		tt.change(&c)
		_, err := p.Connect(t.Context(), c)
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, password) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
	if got := n.take(); len(got) > 0 {
		t.Errorf("calls %v", got)
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		status       int
		header, body string
		kind         schedctl.ErrorKind
		code         string
	}{
		{"a wrong password", 401, "", `{"error":"AuthenticationRequired","message":"Invalid identifier or password"}`, schedctl.KindAuth, "AuthenticationRequired"},
		{"a second factor", 401, "", `{"error":"AuthFactorTokenRequired"}`, schedctl.KindAuth, "AuthFactorTokenRequired"},
		{"a taken down account", 401, "", `{"error":"AccountTakedown"}`, schedctl.KindAuth, "AccountTakedown"},
		{"a refusal of the input", 400, "", `{"error":"InvalidRequest"}`, schedctl.KindAuth, "InvalidRequest"},
		{"an inactive account", 200, "", `{"did":"did:plc:abc","handle":"a.test","accessJwt":"a","refreshJwt":"r","active":false,"status":"deactivated"}`, schedctl.KindAuth, "deactivated"},
		{"an inactive account, unsaid why", 200, "", `{"did":"did:plc:abc","handle":"a.test","accessJwt":"a","refreshJwt":"r","active":false}`, schedctl.KindAuth, "inactive"},
		{"too many log-ins", 429, "", `{"error":"RateLimitExceeded"}`, schedctl.KindRateLimited, "RateLimitExceeded"},
		{"a fault", 500, "", `{"error":"InternalServerError"}`, schedctl.KindPlatform, "InternalServerError"},
		{"another kind of server", 404, "", "not found", schedctl.KindContent, "service_url"},
		{"another kind of method", 405, "", "", schedctl.KindContent, "service_url"},
		{"a web page", 200, "", "<!doctype html>", schedctl.KindContent, "service_url"},
		{"a session without tokens", 200, "", `{"did":"did:plc:abc","handle":"a.test","accessJwt":"","refreshJwt":"r"}`, schedctl.KindContent, "service_url"},
		{"a redirect", 301, "https://elsewhere.example/", "", schedctl.KindContent, "service_url"},
	} {
		n, p := start(t)
		n.on(createSession, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", tt.header)
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		})
		_, err := p.Connect(t.Context(), connection(n.URL))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	n, _ := start(t)
	p := bluesky.New(outbound.Client(outbound.PublicOnly), nil, "test")
	_, err := p.Connect(t.Context(), connection(n.URL))
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "service_url" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("got %+v", e)
	}
	if got := n.take(); len(got) > 0 {
		t.Errorf("calls %v", got)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		refresh int // status of refreshSession; 0 for the default response
		code    string
		without bool // no refresh token at first
		calls   []string
	}{
		{"by the refresh token", 0, "", false, []string{refreshSession}},
		{"expired", 400, "ExpiredToken", false, []string{refreshSession, createSession}},
		{"unauthorized", 401, "AuthenticationRequired", false, []string{refreshSession, createSession}},
		{"never logged in", 0, "", true, []string{createSession}},
	} {
		n, p := start(t)
		if tt.refresh > 0 {
			n.refuse(refreshSession, tt.refresh, tt.code)
		}
		before := credentials(n, 7)
		if tt.without {
			before = connection(n.URL).Credentials
		}
		got, err := p.Refresh(t.Context(), before)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(credentials(n, 1), got); diff != "" {
			t.Errorf("%s: credentials (-want +got):\n%s", tt.name, diff)
		}
		if calls := n.take(); !slices.Equal(calls, tt.calls) {
			t.Errorf("%s: calls %v, want %v", tt.name, calls, tt.calls)
		}
	}
}

func TestRefreshThatFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		refresh, create int
		code            string
		kind            schedctl.ErrorKind
		calls           []string
	}{
		{"both refused", 400, 401, "AuthenticationRequired", schedctl.KindAuth, []string{refreshSession, createSession, "com.atproto.sync.getRepoStatus"}},
		{"no account", 400, 400, "InvalidRequest", schedctl.KindAuth, []string{refreshSession, createSession}},
		{"log-ins are limited", 401, 429, "RateLimitExceeded", schedctl.KindRateLimited, []string{refreshSession, createSession}},
		{"refreshing is limited", 429, 200, "RateLimitExceeded", schedctl.KindRateLimited, []string{refreshSession}},
		{"a fault", 503, 200, "UpstreamFailure", schedctl.KindPlatform, []string{refreshSession}},
		{"a fault at the log-in", 400, 502, "UpstreamFailure", schedctl.KindPlatform, []string{refreshSession, createSession}},
		{"nothing there", 404, 404, "NotFound", schedctl.KindPlatform, []string{refreshSession, createSession}},
		{"elsewhere", 404, 302, "Moved", schedctl.KindPlatform, []string{refreshSession, createSession}},
		{"empty tokens", 200, 200, "", schedctl.KindPlatform, []string{refreshSession}},
	} {
		n, p := start(t)
		n.refuse(refreshSession, tt.refresh, tt.code)
		n.refuse(createSession, tt.create, tt.code)
		got, err := p.Refresh(t.Context(), credentials(n, 7))
		if e := publish.AsError(err); got != nil || e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished || e.Code == publish.CodeSessionExpired {
			t.Errorf("%s: got %v, %+v", tt.name, got, e)
		}
		if calls := n.take(); !slices.Equal(calls, tt.calls) {
			t.Errorf("%s: calls %v, want %v", tt.name, calls, tt.calls)
		}
	}
}

// A handle can pass to another account, which must not receive the scheduled posts.
func TestTheAccountStaysTheSame(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	c := credentials(n, 7)
	c["did"] = "did:plc:somebodyelse"
	_, err := p.Refresh(t.Context(), c)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "another_account" {
		t.Errorf("got %+v", e)
	}
}

// Servers send the end of a rate limit in Unix seconds.
func TestALimitSaysWhenItEnds(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	reset := time.Now().Add(4 * time.Minute).UTC().Truncate(time.Second)
	n.on(createSession, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit-Reset", fmt.Sprint(reset.Unix()))
		w.WriteHeader(429)
	})
	_, err := p.Refresh(t.Context(), connection(n.URL).Credentials)
	if e := publish.AsError(err); e.Kind != schedctl.KindRateLimited || !e.RetryAt.Equal(reset) {
		t.Errorf("got %+v, want it to end at %v", e, reset)
	}
}
