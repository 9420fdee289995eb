package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// screen is what a program has written so far.
type screen struct {
	mu   sync.Mutex // mu guards text
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var shownAddress = regexp.MustCompile(`(?m)^  (http://\S+)$`)

// typist types lines. A line that is a function is called when it is read.
type typist struct {
	lines []any
	rest  string
}

func (p *typist) Read(b []byte) (int, error) {
	for p.rest == "" {
		if len(p.lines) == 0 {
			return 0, io.EOF
		}
		switch line := p.lines[0].(type) {
		case string:
			p.rest = line + "\n"
		case func() string:
			p.rest = line() + "\n"
		}
		p.lines = p.lines[1:]
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// redirectOf agrees to the last login that is shown, and returns the address to which the
// network sends the browser.
func redirectOf(t *testing.T, s *screen) func() string {
	return func() string {
		shown := shownAddress.FindAllStringSubmatch(s.String(), -1)
		if shown == nil {
			t.Errorf("no address is shown:\n%s", s)
			return ""
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Get(shown[len(shown)-1][1])
		if err != nil {
			t.Error(err)
			return ""
		}
		response.Body.Close()
		return response.Header.Get("Location")
	}
}

// loginMachine is a machine with a person who types, and a daemon that connects accounts.
func loginMachine(t *testing.T, secrets ...string) (m *machine, s *screen, c *connector) {
	t.Helper()
	s, c = &screen{}, &connector{}
	m = person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)}, "", secrets...)
	m.Err = s
	return m, s, c
}

// TestLoginWithAPastedAddress guards the login with a browser on another machine, also when
// the port is in use here.
func TestLoginWithAPastedAddress(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	fake := publishtest.NewFakeX()
	fake.ClientSecret = "secret-of-the-app"
	server := httptest.NewServer(fake)
	defer server.Close()
	m, s, c := loginMachine(t, "secret-of-the-app")
	redirect := redirectOf(t, s)
	m.In = &typist{lines: []any{"a-client-id", "me", "", "https://x.com/home", redirect}}
	if status := m.run(t, "account", "add", "x", "--login", "--login-port", port, "--set", "api_url="+server.URL, "-q"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, s)
	}
	want := []apiv1.AddAccount{{Platform: "x", Name: "me", Credentials: map[string]string{
		"client_id": "a-client-id", "client_secret": "secret-of-the-app", "api_url": server.URL, "access_token": "oauth2-access-1", "refresh_token": "oauth2-refresh-1",
	}}}
	if diff := cmp.Diff(want, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, said := range []string{"$0.015 for each post", "http://127.0.0.1:" + port + "/callback", "port " + port + " of this machine is in use", "this is not the address"} {
		if !strings.Contains(s.String(), said) {
			t.Errorf("it does not say %q:\n%s", said, s)
		}
	}
	if strings.Contains(s.String(), "secret-of-the-app") || strings.Contains(s.String(), "oauth2-") {
		t.Errorf("a secret is shown:\n%s", s)
	}
}

// TestLoginAgain guards that a failed login can be repeated with other values, and that a
// code which the network refused is not used again.
func TestLoginAgain(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	fake.Withheld = []string{"w_member_social"}
	server := httptest.NewServer(fake)
	defer server.Close()
	m, s, c := loginMachine(t, "wrong-secret", fake.ClientSecret, "", "")
	c.refusals = []apiv1.Error{{Code: schedctl.AccountVerificationFailed, Message: "the network rejected this account", Details: []apiv1.Detail{{Field: "credentials"}}}}
	redirect := redirectOf(t, s)
	agree := func() string {
		fake.Withheld = nil
		return redirect()
	}
	m.In = &typist{lines: []any{
		"a client id", "a-client-id", "no-number", "", "me", "", redirect, // the secret is wrong
		"", "", redirect, // a permission is missing
		"", "", agree, // the daemon refuses the account
		"", "", "", "", redirect,
	}}
	status := m.run(t, "account", "add", "linkedin", "--login", "--no-browser", "--login-port", publishtest.Ports(t, 1)[0], "--set", "api_url="+server.URL, "-q")
	if status != 0 || len(c.sent) != 2 || c.sent[1].Credentials["access_token"] != fake.Token || c.sent[1].Credentials["client_secret"] != fake.ClientSecret {
		t.Fatalf("exit status %d, sent %v:\n%s", status, c.sent, s)
	}
	for _, said := range []string{
		"client_id contains white space", "organization must be a number", "LinkedIn does not accept the client id and the client secret",
		"LinkedIn did not grant w_member_social", "the network rejected this account", "Authorized redirect URLs",
	} {
		if !strings.Contains(s.String(), said) {
			t.Errorf("it does not say %q:\n%s", said, s)
		}
	}
	if n := len(shownAddress.FindAllString(s.String(), -1)); n != 4 {
		t.Errorf("%d logins, want 4:\n%s", n, s)
	}
}

func TestLoginIsDeclined(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	server := httptest.NewServer(fake)
	defer server.Close()
	for name, lines := range map[string][]any{"at the end of the input": {"a-client-id", "me"}, "at once": {}} {
		m, s, c := loginMachine(t, "")
		m.In = &typist{lines: lines}
		status := m.run(t, "account", "add", "x", "--login", "--login-port", publishtest.Ports(t, 1)[0], "--set", "api_url="+server.URL)
		if status != 130 || len(c.sent) > 0 || !strings.HasSuffix(s.String(), "schedctl: no changes were made\n") {
			t.Errorf("%s: exit status %d:\n%s", name, status, s)
		}
	}
}

// TestWizardOfX guards that the wizard explains where to click and what it costs, asks for
// one kind of credentials, and checks each value as it is entered.
func TestWizardOfX(t *testing.T) {
	t.Parallel()
	var c connector
	m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)}, "1\nme\n",
		"two words", "key-of-the-app", "'quoted'", "secret-of-the-app", "AAAAAAAAAAAAAAAAAAAAAbearer", "Bearer token", "token-of-alice", "secret-of-alice")
	if status := m.run(t, "account", "add", "x", "-q"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	want := []apiv1.AddAccount{{Platform: "x", Name: "me", Credentials: map[string]string{
		"api_key": "key-of-the-app", "api_secret": "secret-of-the-app", "access_token": "token-of-alice", "access_token_secret": "secret-of-alice",
	}}}
	if diff := cmp.Diff(want, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, said := range []string{
		"How to connect, 1 to 3: ", "$0.015 for each post, $0.20 for a post with a link", "  1. Log in to https://console.x.com", "  6. On the same page, generate the \"Access Token",
		"api_key contains white space", "api_secret: leave out the quotation marks", "this is the bearer token of the app", "leave out the word Bearer",
	} {
		if !strings.Contains(m.err.String(), said) {
			t.Errorf("it does not say %q:\n%s", said, &m.err)
		}
	}
	for _, silent := range []string{"Connect the account", "Client ID", "Refresh token", "API URL", "AAAAAA", "of-the-app", "of-alice"} {
		if strings.Contains(m.err.String(), silent) {
			t.Errorf("it says %q:\n%s", silent, &m.err)
		}
	}
}

// TestWizardWithTheAppOfAnotherAccount guards that the keys of the app are not asked for.
func TestWizardWithTheAppOfAnotherAccount(t *testing.T) {
	t.Parallel()
	c := connector{}
	list := apiv1.AccountList{Results: []apiv1.Account{{ID: hookID, Platform: "x", Name: "first", Status: schedctl.AccountConnected}, blog}}
	m := person(t, routes{"GET /social-accounts": list, "POST /social-accounts": http.HandlerFunc(c.ServeHTTP)}, "1\n\n", "a-token", "a-secret")
	if status := m.run(t, "account", "add", "x", "--app-of", "first", "-q"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	want := []apiv1.AddAccount{{Platform: "x", AppOf: hookID, Credentials: map[string]string{"access_token": "a-token", "access_token_secret": "a-secret"}}}
	if diff := cmp.Diff(want, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if strings.Contains(m.err.String(), "browser") {
		t.Errorf("a login is offered, which needs the keys of the app:\n%s", &m.err)
	}
}

// TestReconnectWithALogin guards that reconnect offers a login, and keeps the options.
func TestReconnectWithALogin(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	server := httptest.NewServer(fake)
	defer server.Close()
	account := apiv1.Account{ID: hookID, Platform: "linkedin", Name: "me"}
	var sent capture
	s := &screen{}
	m := person(t, routes{
		"GET /social-accounts/" + hookID:   apiv1.AccountEnvelope{SocialAccount: account},
		"PATCH /social-accounts/" + hookID: sent.answer(apiv1.AccountEnvelope{SocialAccount: account}),
	}, "")
	m.Err = s
	m.ReadSecret = func(context.Context) (string, error) { return fake.ClientSecret, nil }
	m.In = &typist{lines: []any{"2", "a-client-id", "5515715", redirectOf(t, s)}}
	status := m.run(t, "account", "reconnect", hookID, "--login-port", publishtest.Ports(t, 1)[0], "--set", "api_url="+server.URL, "-q")
	if status != 0 {
		t.Fatalf("exit status %d:\n%s", status, s)
	}
	want := map[string]any{"credentials": map[string]any{
		"client_id": "a-client-id", "client_secret": fake.ClientSecret, "organization": "5515715", "access_token": fake.Token, "api_url": server.URL,
	}}
	if diff := cmp.Diff(want, sent.body); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !strings.Contains(s.String(), "scope=w_organization_social+r_organization_social") {
		t.Errorf("other permissions are asked for:\n%s", s)
	}
}
