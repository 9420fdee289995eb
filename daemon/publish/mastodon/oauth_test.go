package mastodon_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	appID     = "app-0123456789"
	appSecret = "secret-0123456789abcdef"
	loginCode = "code-0123456789abcdef"
)

// loginServer registers applications and exchanges codes, as strictly as the
// standards permit.
type loginServer struct {
	*httptest.Server
	metadata string // with %[1]s for the server's address; empty for none
	coarse   bool   // refuse fine-grained scopes
	grants   string // scope of the tokens; empty for the requested scope
	token    string // the response to a valid code instead of a token

	mu         sync.Mutex // mu guards the fields below
	registered url.Values
	exchanged  url.Values
}

func startLogin(t *testing.T, s *loginServer) *loginServer {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		if s.metadata == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, s.metadata, s.URL)
	})
	mux.HandleFunc("POST /api/v1/apps", s.register)
	mux.HandleFunc("POST /oauth/token", s.exchange)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *loginServer) register(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ParseForm()
	s.registered = r.PostForm
	if s.coarse && strings.Contains(r.PostForm.Get("scopes"), ":") {
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprint(w, `{"error":"Validation failed: Scopes doesn't match configured on the server."}`)
		return
	}
	fmt.Fprintf(w, `{"id":"1","client_id":%q,"client_secret":%q}`, appID, appSecret)
}

func (s *loginServer) exchange(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ParseForm()
	s.exchanged = r.PostForm
	f := r.PostForm
	if f.Get("code") != loginCode || f.Get("client_id") != appID || f.Get("client_secret") != appSecret || f.Get("grant_type") != "authorization_code" ||
		f.Get("redirect_uri") != s.registered.Get("redirect_uris") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"invalid_grant","error_description":"The grant %s is invalid or expired"}`, f.Get("code"))
		return
	}
	if s.token != "" {
		fmt.Fprint(w, s.token)
		return
	}
	scope := s.grants
	if scope == "" {
		scope = f.Get("scope")
	}
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","scope":%q,"created_at":1780412400}`, token, scope)
}

const pkceMetadata = `{"issuer":"%[1]s/","authorization_endpoint":"%[1]s/oauth/authorize","token_endpoint":"%[1]s/oauth/token",
	"scopes_supported":["read","write","read:accounts","read:statuses","write:statuses","write:media"],"code_challenge_methods_supported":["S256"]}`

func begin(t *testing.T, s *loginServer) (*mastodon.Login, url.Values) {
	t.Helper()
	login, err := mastodon.StartLogin(t.Context(), outbound.Client(outbound.AllowPrivate), s.URL, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	page, query, _ := strings.Cut(login.URL, "?")
	if page != s.URL+"/oauth/authorize" {
		t.Errorf("the login page is %s", page)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return login, values
}

func TestLogin(t *testing.T) {
	t.Parallel()
	const fine, coarse = "read:accounts read:statuses write:statuses write:media", "read write"
	for _, tt := range []struct {
		name   string
		server *loginServer
		scope  string
		pkce   bool
	}{
		{"with PKCE", &loginServer{metadata: pkceMetadata}, fine, true},
		{"without metadata", &loginServer{}, fine, false},
		{"invalid metadata", &loginServer{metadata: "<html>%[1]s"}, fine, false},
		{"another method", &loginServer{metadata: `{"code_challenge_methods_supported":["plain"],"x":"%[1]s"}`}, fine, false},
		{"no fine scopes", &loginServer{metadata: `{"scopes_supported":["read","write"],"x":"%[1]s"}`}, coarse, false},
		{"fine scopes refused", &loginServer{coarse: true}, coarse, false},
		{"endpoints elsewhere", &loginServer{metadata: `{"authorization_endpoint":"http://evil.example/a","token_endpoint":"http://evil.example/t","x":"%[1]s"}`}, fine, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startLogin(t, tt.server)
			login, query := begin(t, s)
			if query.Get("client_id") != appID || query.Get("response_type") != "code" || query.Get("redirect_uri") != "urn:ietf:wg:oauth:2.0:oob" ||
				query.Get("scope") != tt.scope || len(query.Get("state")) < 20 || (query.Get("code_challenge") != "") != tt.pkce {
				t.Errorf("the login page received %v", query)
			}
			got, err := login.Finish(t.Context(), " "+loginCode+"\n")
			if err != nil || got != token {
				t.Fatalf("got %q, %v", got, err)
			}
			if s.registered.Get("scopes") != tt.scope || s.exchanged.Has("code_verifier") != tt.pkce {
				t.Errorf("registered %v, exchanged %v", s.registered, s.exchanged)
			}
			if tt.pkce {
				checkPKCE(t, query, s.exchanged.Get("code_verifier"))
			}
		})
	}
}

func checkPKCE(t *testing.T, query url.Values, verifier string) {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	if want := base64.RawURLEncoding.EncodeToString(sum[:]); query.Get("code_challenge") != want || query.Get("code_challenge_method") != "S256" {
		t.Errorf("challenge %v for the verifier %q, want %s", query, verifier, want)
	}
	if len(verifier) < 43 || len(verifier) > 128 {
		t.Errorf("a verifier of %d characters", len(verifier))
	}
}

func TestLoginsDiffer(t *testing.T) {
	t.Parallel()
	s := startLogin(t, &loginServer{metadata: pkceMetadata})
	_, first := begin(t, s)
	_, second := begin(t, s)
	if first.Get("state") == second.Get("state") || first.Get("code_challenge") == second.Get("code_challenge") {
		t.Errorf("%v and %v share a secret", first, second)
	}
}

// Users paste whatever the page shows.
func TestFinishReadsPastedText(t *testing.T) {
	t.Parallel()
	s := startLogin(t, &loginServer{})
	login, query := begin(t, s)
	state := query.Get("state")
	for _, pasted := range []string{
		loginCode, "\t" + loginCode + " \r\n", loginCode[:7] + "\n" + loginCode[7:], loginCode + "&state=" + state,
		s.URL + "/oauth/authorize/native?code=" + loginCode, s.URL + "/oauth/authorize/native?state=" + state + "&code=" + loginCode + "#x",
	} {
		if got, err := login.Finish(t.Context(), pasted); err != nil || got != token {
			t.Errorf("%q: got %q, %v", pasted, got, err)
		}
	}
	for _, pasted := range []string{"", " \n", "https://social.example/?x=1&code=", "cödé", loginCode + "&state=another", "a%zz"} {
		s.exchanged = nil
		_, err := login.Finish(t.Context(), pasted)
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "code" || s.exchanged != nil {
			t.Errorf("%q: got %+v after sending %v, want content code and nothing sent", pasted, e, s.exchanged)
		}
	}
}

func TestFinishErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		server *loginServer
		code   string
		kind   schedctl.ErrorKind
		says   string
	}{
		{"a wrong code", &loginServer{}, "wrong-0123456789abcdef", schedctl.KindAuth, "start a new login"},
		{"no right to write", &loginServer{grants: "read"}, loginCode, schedctl.KindAuth, "the right to publish"},
		{"coarse rights", &loginServer{grants: "read write"}, loginCode, "", ""},
		{"no rights named", &loginServer{token: `{"access_token":"` + token + `"}`}, loginCode, "", ""},
		{"no token", &loginServer{token: `{}`}, loginCode, schedctl.KindPlatform, "no usable access token"},
		{"no usable token", &loginServer{token: `{"access_token":"a b"}`}, loginCode, schedctl.KindPlatform, "no usable access token"},
		{"no document", &loginServer{token: `<html>`}, loginCode, schedctl.KindPlatform, "no readable access token"},
	} {
		login, _ := begin(t, startLogin(t, tt.server))
		got, err := login.Finish(t.Context(), tt.code)
		if tt.kind == "" {
			if err != nil || got != token {
				t.Errorf("%s: got %q, %v", tt.name, got, err)
			}
			continue
		}
		e := publish.AsError(err)
		if e.Kind != tt.kind || !strings.Contains(e.Message, tt.says) || e.Outcome != schedctl.OutcomeNotPublished || got != "" {
			t.Errorf("%s: got %q, %+v", tt.name, got, e)
		}
		checkSilent(t, tt.name, e.Error(), tt.code)
	}
}

func checkSilent(t *testing.T, during, text string, more ...string) {
	t.Helper()
	if i := slices.IndexFunc(append(more, appSecret, token), func(secret string) bool { return strings.Contains(text, secret) }); i >= 0 {
		t.Errorf("%s: %q contains a secret", during, text)
	}
}

func TestStartLoginErrors(t *testing.T) {
	t.Parallel()
	const apps = "POST /api/v1/apps"
	for _, tt := range []struct {
		name   string
		server routes
		kind   schedctl.ErrorKind
		code   string
	}{
		{"something else", routes{}, schedctl.KindContent, "instance_url"},
		{"a page for people", routes{apps: {200, "<html>"}}, schedctl.KindContent, "instance_url"},
		{"no secret", routes{apps: {200, `{"client_id":"` + appID + `"}`}}, schedctl.KindContent, "instance_url"},
		{"odd types", routes{apps: {200, `{"client_id":1,"client_secret":[]}`}}, schedctl.KindContent, "instance_url"},
		{"moved", routes{apps: {301, ""}}, schedctl.KindContent, "instance_url"},
		{"refused", routes{apps: {403, `{"error":"no"}`}}, schedctl.KindAuth, ""},
		{"refused twice", routes{apps: {422, `{"error":"no"}`}}, schedctl.KindAuth, ""},
		{"busy", routes{apps: {429, ""}}, schedctl.KindRateLimited, ""},
		{"broken", routes{apps: {500, ""}}, schedctl.KindPlatform, ""},
	} {
		server := httptest.NewServer(tt.server)
		login, err := mastodon.StartLogin(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, "test")
		server.Close()
		e := publish.AsError(err)
		if login != nil || e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || e.Message == "" {
			t.Errorf("%s: got %v, %+v, want %s %q", tt.name, login, e, tt.kind, tt.code)
		}
	}
	for instance, want := range map[string]*publish.Error{
		"@alice@social.example": {Kind: schedctl.KindContent, Code: "instance_url"},
		"http://127.0.0.1:1":    {Kind: schedctl.KindContent, Code: "instance_url"},
	} {
		_, err := mastodon.StartLogin(t.Context(), outbound.Client(outbound.PublicOnly), instance, "test")
		if e := publish.AsError(err); e.Kind != want.Kind || e.Code != want.Code {
			t.Errorf("%s: got %+v", instance, e)
		}
	}
	_, err := mastodon.StartLogin(t.Context(), outbound.Client(outbound.AllowPrivate), "http://127.0.0.1:1", "test")
	if e := publish.AsError(err); e.Kind != schedctl.KindNetwork {
		t.Errorf("connection refused: got %+v", e)
	}
}

func TestPrintedLoginContainsNoSecret(t *testing.T) {
	t.Parallel()
	login, _ := begin(t, startLogin(t, &loginServer{metadata: pkceMetadata}))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		checkSilent(t, format, fmt.Sprintf(format, login), appID)
		checkSilent(t, format, fmt.Sprintf(format, *login), appID)
	}
}
