package authcode_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/account/authcode"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

// freePort returns a port that nothing listens on until the test ends.
func freePort(t *testing.T) int {
	t.Helper()
	port, err := strconv.Atoi(publishtest.Ports(t, 1)[0])
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// loginX returns a login with a fake X.
func loginX(t *testing.T, fake *publishtest.FakeX) publish.Login {
	t.Helper()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	login, err := x.New(nil, outbound.AllowPrivate, "test").CodeLogin(t.Context(), nil, publish.Credentials{"client_id": fake.ClientID, "client_secret": fake.ClientSecret, "api_url": server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return login
}

// loginLinkedIn returns a login with a fake LinkedIn.
func loginLinkedIn(t *testing.T, fake *publishtest.FakeLinkedIn, organization string, comments ...string) publish.Login {
	t.Helper()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	login, err := linkedin.New(nil, outbound.AllowPrivate, nil, "test").CodeLogin(t.Context(), nil, publish.Credentials{
		"client_id": fake.ClientID, "client_secret": fake.ClientSecret, "organization": organization, "api_url": server.URL + "/", "comments": strings.Join(comments, ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	return login
}

// agree opens the page of a login without following the redirect, and returns its address.
func agree(t *testing.T, flow *authcode.Flow) string {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(flow.URL())
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusFound {
		t.Fatalf("the page of the login: %s", response.Status)
	}
	return response.Header.Get("Location")
}

func exchange(t *testing.T, flow *authcode.Flow, code string) (publish.Credentials, error) {
	return flow.Exchange(t.Context(), outbound.Client(outbound.AllowPrivate), code)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	confidential := publishtest.NewFakeX()
	confidential.ClientSecret = "a-secret/of:the+app"
	fake := publishtest.NewFakeLinkedIn()
	for name, tt := range map[string]struct {
		login publish.Login
		want  publish.Credentials
	}{
		"X, a public app":           {loginX(t, publishtest.NewFakeX()), publish.Credentials{"access_token": "oauth2-access-1", "refresh_token": "oauth2-refresh-1"}},
		"X, a confidential app":     {loginX(t, confidential), publish.Credentials{"access_token": "oauth2-access-1", "refresh_token": "oauth2-refresh-1"}},
		"LinkedIn, a person":        {loginLinkedIn(t, fake, ""), publish.Credentials{"access_token": fake.Token}},
		"LinkedIn, an organization": {loginLinkedIn(t, fake, "5515715"), publish.Credentials{"access_token": fake.Token}},
	} {
		flow := authcode.New(tt.login, 21847, "test")
		code, err := flow.Pasted(" " + agree(t, flow) + "\n")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := exchange(t, flow, code)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		if _, err := exchange(t, flow, code); publish.AsError(err).Kind != schedctl.KindAuth || !strings.Contains(err.Error(), "a code works once") {
			t.Errorf("%s: the code worked twice: %v", name, err)
		}
	}
}

// TestMatrixLogin checks both logins with the authorization server of a homeserver: with a
// code on the loopback address, and with the device grant.
func TestMatrixLogin(t *testing.T) {
	t.Parallel()
	for _, device := range []bool{false, true} {
		fake := publishtest.NewFakeMatrix()
		server := httptest.NewServer(fake)
		defer server.Close()
		fake.OAuth, fake.Device, fake.URL = true, device, server.URL
		calls := outbound.Client(outbound.AllowPrivate)
		p := matrix.New(calls, outbound.AllowPrivate, "test")
		login, err := p.CodeLogin(t.Context(), calls, publish.Credentials{"homeserver_url": server.URL})
		if err != nil || (login.DeviceURL != "") != device {
			t.Fatalf("%+v, %v", login, err)
		}
		flow := authcode.New(login, 4711, "test")
		var got publish.Credentials
		if device {
			got, err = flow.Device(t.Context(), calls, func(address string) {
				if _, err := fake.Authorize(address); err != nil {
					t.Error(err)
				}
			})
		} else {
			var code string
			if code, err = flow.Pasted(agree(t, flow)); err == nil {
				got, err = exchange(t, flow, code)
			}
		}
		if err != nil || got["client_id"] != login.ClientID || got["device_id"] == "" || got["ends_at"] == "" {
			t.Fatalf("device %t: %v, %v", device, got, err)
		}
		got["homeserver_url"], got["room_id"] = server.URL, fake.Room
		if profile, err := p.Connect(t.Context(), publish.Connection{Credentials: got}); err != nil || profile.Username != fake.User || len(profile.Warnings) > 0 {
			t.Errorf("device %t: %+v, %v", device, profile, err)
		}
		if fresh, err := p.Refresh(t.Context(), got); err != nil || fresh["device_id"] != got["device_id"] {
			t.Errorf("device %t: %v, %v", device, fresh, err)
		}
	}
}

// TestMatrixLoginRefusals checks a homeserver without an authorization server, and a user who
// does not grant what publishing needs.
func TestMatrixLoginRefusals(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeMatrix()
	server := httptest.NewServer(fake)
	defer server.Close()
	fake.URL = server.URL
	calls := outbound.Client(outbound.AllowPrivate)
	p := matrix.New(calls, outbound.AllowPrivate, "test")
	given := publish.Credentials{"homeserver_url": server.URL}
	if _, err := p.CodeLogin(t.Context(), calls, given); publish.AsError(err).Code != "homeserver_url" || !strings.Contains(err.Error(), "no login with a browser") {
		t.Errorf("without an authorization server: %v", err)
	}
	fake.OAuth, fake.Scope = true, "openid"
	login, err := p.CodeLogin(t.Context(), calls, given)
	if err != nil {
		t.Fatal(err)
	}
	flow := authcode.New(login, 4711, "test")
	code, err := flow.Pasted(agree(t, flow))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exchange(t, flow, code); err == nil || !strings.Contains(err.Error(), "urn:matrix:client:api:*") {
		t.Errorf("without the scope: %v", err)
	}
}

// TestVerifierBelongsToTheLogin guards that a code that someone else got hold of is worth
// nothing.
func TestVerifierBelongsToTheLogin(t *testing.T) {
	t.Parallel()
	login := loginX(t, publishtest.NewFakeX())
	flow, thief := authcode.New(login, 21847, "test"), authcode.New(login, 21847, "test")
	code, err := flow.Pasted(agree(t, flow))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exchange(t, thief, code); err == nil {
		t.Error("the code worked with the verifier of another login")
	}
	if !strings.Contains(flow.URL(), "code_challenge_method=S256") {
		t.Errorf("the address has no challenge: %s", flow.URL())
	}
}

func TestMissingScopes(t *testing.T) {
	t.Parallel()
	onX, offline, onLinkedIn := publishtest.NewFakeX(), publishtest.NewFakeX(), publishtest.NewFakeLinkedIn()
	onX.Withheld = []string{"media.write", "tweet.write"}
	offline.Withheld = []string{"offline.access"}
	onLinkedIn.Withheld = []string{"w_organization_social"}
	for want, login := range map[string]publish.Login{
		"X did not grant tweet.write, media.write,":     loginX(t, onX),
		"X did not grant offline.access,":               loginX(t, offline),
		"LinkedIn did not grant w_organization_social,": loginLinkedIn(t, onLinkedIn, "5515715"),
	} {
		flow := authcode.New(login, 21847, "test")
		code, err := flow.Pasted(agree(t, flow))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exchange(t, flow, code); err == nil || !strings.Contains(publish.AsError(err).Message, want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestPastedRefuses(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	flow := authcode.New(loginX(t, fake), 21847, "test")
	state := url.Values{"state": {stateOf(t, flow)}}.Encode()
	const callback = "http://127.0.0.1:21847/callback?"
	for _, tt := range []struct {
		text, want string
		ends       bool
	}{
		{"", "this is not the address", false},
		{"https://x.com/home", "this is not the address", false},
		{"a-code", "this is not the address", false},
		{callback + "code=abc&state=%zz", "this address is not complete", false},
		{callback + "code=abc", "belongs to another login", false},
		{callback + "code=abc&state=other", "belongs to another login", false},
		{callback + "error=access_denied&state=other", "belongs to another login", false},
		{callback + state, "X sent no code", true},
		{callback + "code=&" + state, "X sent no code", true},
		{callback + "code=%00&" + state, "X sent no code", true},
		{callback + "error=access_denied&" + state, "the login was canceled in the browser", true},
		{callback + "error=invalid_scope&error_description=no%1b%5b31m+scope&" + state, "does not let your app ask for the permissions tweet.read, ", true},
		{callback + "error=server_error&error_description=try+later&" + state, "X refused the login: try later", true},
	} {
		_, err := flow.Pasted(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
		if _, ends := errors.AsType[*publish.Error](err); ends != tt.ends {
			t.Errorf("%q: %v ends the login: %v", tt.text, err, ends)
		}
	}
	if code, err := flow.Pasted(callback + "code=abc&" + state); code != "abc" || err != nil {
		t.Errorf("a good address: %q, %v", code, err)
	}
}

func stateOf(t *testing.T, flow *authcode.Flow) string {
	t.Helper()
	u, err := url.Parse(flow.URL())
	if err != nil || u.Query().Get("state") == "" {
		t.Fatalf("%s: %v", flow.URL(), err)
	}
	return u.Query().Get("state")
}

// TestCallback guards what the server responds, and that only a request with the state of
// the login ends it.
func TestCallback(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	flow := authcode.New(loginX(t, publishtest.NewFakeX()), port, "test")
	callback, err := authcode.Listen(flow, port)
	if err != nil {
		t.Fatal(err)
	}
	defer callback.Close()
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	good := "/callback?code=the-code&state=" + stateOf(t, flow)
	for _, tt := range []struct {
		path   string
		status int
		says   string
	}{
		{"/", 404, "not found"},
		{"/favicon.ico", 404, "not found"},
		{"/callback", 400, "not the login"},
		{"/callback?code=stolen&state=wrong", 400, "not the login"},
		{"/callback?error=access_denied&state=", 400, "not the login"},
		{good, 200, "continues in the terminal"},
		{good, 409, "complete already"},
		{"/callback?error=access_denied&state=" + stateOf(t, flow), 409, "complete already"},
	} {
		status, page, header := get(t, base+tt.path)
		if status != tt.status || !strings.Contains(page, tt.says) {
			t.Errorf("%s: %d, %s", tt.path, status, page)
		}
		if tt.status != 404 && (header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" || strings.Contains(page, "the-code")) {
			t.Errorf("%s: the page passes the code on: %v %s", tt.path, header, page)
		}
	}
	if code, err := callback.Wait(t.Context()); code != "the-code" || err != nil {
		t.Errorf("got %q, %v", code, err)
	}
	response, err := http.Post(base+good, "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 404 {
		t.Errorf("POST: %s", response.Status)
	}
}

func get(t *testing.T, address string) (status int, page string, header http.Header) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// TestCallbackOfADeclinedLogin follows the redirect as a browser does.
func TestCallbackOfADeclinedLogin(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	fake.Declined = true
	port := freePort(t)
	flow := authcode.New(loginX(t, fake), port, "test")
	callback, err := authcode.Listen(flow, port)
	if err != nil {
		t.Fatal(err)
	}
	defer callback.Close()
	if status, page, _ := get(t, flow.URL()); status != 200 || !strings.Contains(page, "The login did not work") {
		t.Errorf("%d %s", status, page)
	}
	if _, err := callback.Wait(t.Context()); publish.AsError(err).Message != "the login was canceled in the browser: The user declined" {
		t.Errorf("got %v", err)
	}
}

func TestCallbackEnds(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	flow := authcode.New(publish.Login{}, port, "test")
	callback, err := authcode.Listen(flow, port)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authcode.Listen(flow, port); err == nil {
		t.Error("two servers listen on one port")
	}
	tooLate := errors.New("too late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, tooLate)
	defer cancel()
	if _, err := callback.Wait(ctx); !errors.Is(err, tooLate) {
		t.Errorf("got %v", err)
	}
	callback.Close()
	if _, err := http.Get(authcode.Redirect(port)); err == nil {
		t.Error("the server still runs")
	}
}

// TestNoSecretInErrors lets the server of the tokens repeat the whole request.
func TestNoSecretInErrors(t *testing.T) {
	t.Parallel()
	responses := []func(w http.ResponseWriter, heard string){
		func(w http.ResponseWriter, heard string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":"invalid_grant","error_description":%q}`, heard)
		},
		func(w http.ResponseWriter, heard string) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"invalid_client","error_description":%q}`, heard)
		},
		func(w http.ResponseWriter, heard string) {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, heard)
		},
		func(w http.ResponseWriter, heard string) { io.WriteString(w, heard) },
		func(w http.ResponseWriter, heard string) { fmt.Fprintf(w, `{"error":%q}`, heard) },
		func(w http.ResponseWriter, heard string) { fmt.Fprintf(w, `{"access_token":%q}`, heard+"\n") },
		func(w http.ResponseWriter, heard string) {
			w.Header().Set("Location", "/?"+url.QueryEscape(heard))
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter, heard string) { panic(http.ErrAbortHandler) },
	}
	const secret, code = "a-planted-client-secret", "a-planted-code-of-a-login"
	for i, respond := range responses {
		for _, basic := range []bool{true, false} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				user, password, _ := r.BasicAuth()
				respond(w, strings.Join([]string{password, user, string(body), r.Header.Get("Authorization")}, " "))
			}))
			t.Cleanup(server.Close)
			flow := authcode.New(publish.Login{
				Network: "X", AuthorizeURL: server.URL, TokenURL: server.URL + "/token", ClientID: "client", ClientSecret: secret, PKCE: true, BasicAuth: basic,
			}, 21847, "test")
			_, err := exchange(t, flow, code)
			if err == nil {
				t.Errorf("response %d was accepted", i)
				continue
			}
			e, ok := errors.AsType[*publish.Error](err)
			if text := fmt.Sprintf("%v %+v %#v", err, err, flow); !ok || e.Message == "" || strings.Contains(text, secret) || strings.Contains(text, code) || strings.Contains(text, stateOf(t, flow)) {
				t.Errorf("response %d: %v", i, text)
			}
		}
	}
}

// TestLoginForComments guards that a login with LinkedIn asks for the permissions of comments
// only if a person says that the app has them, and what the refusal of the whole login says.
func TestLoginForComments(t *testing.T) {
	t.Parallel()
	for organization, scopes := range map[string][]string{"": {"w_member_social_feed"}, "5515715": {"w_organization_social_feed", "r_organization_social_feed"}} {
		for _, has := range []bool{true, false} {
			for _, comments := range []string{"", "approved"} {
				fake := publishtest.NewFakeLinkedIn()
				fake.Scopes = slices.DeleteFunc(fake.Scopes, func(s string) bool { return strings.HasSuffix(s, "_feed") })
				if has {
					fake.Scopes = append(fake.Scopes, scopes...)
				}
				login := loginLinkedIn(t, fake, organization, comments)
				flow := authcode.New(login, 21847, "test")
				code, err := flow.Pasted(agree(t, flow))
				if asks := slices.Contains(login.Scopes, scopes[0]); asks != (comments != "") {
					t.Errorf("%q %q: asks for %v", organization, comments, login.Scopes)
				}
				if has || comments == "" {
					if err == nil {
						_, err = exchange(t, flow, code)
					}
					if err != nil {
						t.Errorf("%q %q: %v", organization, comments, err)
					}
					continue
				}
				want := "LinkedIn does not let your app ask for the permissions " + scopes[0] + "; log in without comments=approved"
				if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `Scope "`+scopes[0]+`" is not authorized for your application`) {
					t.Errorf("%q %q: %v", organization, comments, err)
				}
			}
		}
	}
}
