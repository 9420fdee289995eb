package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// person is a machine with a person who types lines, and secrets separately.
func person(t *testing.T, daemon http.Handler, lines string, secrets ...string) *machine {
	t.Helper()
	m := newMachine(t, daemon).terminals()
	m.In = strings.NewReader(lines)
	m.ReadSecret = func(context.Context) (string, error) {
		if len(secrets) == 0 {
			return "", io.EOF
		}
		secret := secrets[0]
		secrets = secrets[1:]
		return secret, nil
	}
	return m
}

// connector serves requests that connect an account: the first ones with errors. It
// records the requests.
type connector struct {
	refusals []apiv1.Error
	sent     []apiv1.AddAccount
}

// ServeHTTP responds with the next error, or with an account.
func (c *connector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var add apiv1.AddAccount
	if err := json.NewDecoder(r.Body).Decode(&add); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.sent = append(c.sent, add)
	if n := len(c.sent) - 1; n < len(c.refusals) {
		answerError(w, c.refusals[n])
		return
	}
	json.NewEncoder(w).Encode(apiv1.AccountEnvelope{SocialAccount: apiv1.Account{ID: hookID, Platform: add.Platform, Name: "hook"}})
}

func TestWizardAsksForEverything(t *testing.T) {
	t.Parallel()
	var c connector
	m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)},
		"nonsense\nhttp\n\nhttps://bot.test/in\nhook\ntrue\n", "whsec_abcdef")
	if status := m.run(t, "account", "add", "-q"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	want := []apiv1.AddAccount{{
		Platform: "http", Name: "hook", Options: map[string]any{"idempotent": true},
		Credentials: map[string]string{"url": "https://bot.test/in", "secret": "whsec_abcdef"},
	}}
	if diff := cmp.Diff(want, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, said := range []string{
		"feed\n", "type a number from 1 to ", "URL: where to POST each publication, http:// or https://\n", "a value is required\n",
		"Secret (empty for none): \n", "Platform: http\n", "URL: https://bot.test/in\n", "Secret: (not shown)\n", "Name: hook\n", "connecting …\n",
	} {
		if !strings.Contains(m.err.String(), said) {
			t.Errorf("it does not say %q:\n%s", said, &m.err)
		}
	}
	if strings.Contains(m.err.String(), "whsec_abcdef") {
		t.Errorf("the secret is shown:\n%s", &m.err)
	}
}

// TestWizardLetsARefusedFieldBeCorrected guards that only the refused field is asked
// for again.
func TestWizardLetsARefusedFieldBeCorrected(t *testing.T) {
	t.Parallel()
	c := connector{refusals: []apiv1.Error{
		{Code: schedctl.ValidationFailed, Message: "url is no URL", Details: []apiv1.Detail{{Field: "credentials.url", Code: schedctl.ValidationFailed, Message: "url is no URL"}}},
		{Code: schedctl.AccountVerificationFailed, Message: "the network refuses this account", Details: []apiv1.Detail{{Field: "credentials"}}},
	}}
	m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)},
		// All of it; the URL alone; everything is offered again, and only the name changed.
		"bot.test\nhook\n\n"+"https://bot.test\n"+"\nother\n\n", "whsec_abcdef", "")
	if status := m.run(t, "account", "add", "http"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	first := apiv1.AddAccount{Platform: "http", Name: "hook", Credentials: map[string]string{"url": "bot.test", "secret": "whsec_abcdef"}}
	second, third := first, first
	second.Credentials = map[string]string{"url": "https://bot.test", "secret": "whsec_abcdef"}
	third.Credentials, third.Name = second.Credentials, "other"
	if diff := cmp.Diff([]apiv1.AddAccount{first, second, third}, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, said := range []string{
		"url is no URL\ncorrect it, or give up with Ctrl-C; what you leave stays as it is\n", "URL [bot.test]: ",
		"the network refuses this account\n", "URL [https://bot.test]: ", "Secret [as before, - for none]: ", "Name [hook, - for none]: ",
	} {
		if !strings.Contains(m.err.String(), said) {
			t.Errorf("it does not say %q:\n%s", said, &m.err)
		}
	}
}

// TestWizardOffersWhatComesInstead guards that a credential can be replaced by its
// alternative.
func TestWizardOffersWhatComesInstead(t *testing.T) {
	t.Parallel()
	fault := func(text string) apiv1.Error {
		return apiv1.Error{Code: schedctl.ValidationFailed, Message: text, Details: []apiv1.Detail{{Field: "credentials.webhook_url", Message: text}}}
	}
	c := connector{refusals: []apiv1.Error{fault("webhook_url is missing"), fault("there are two")}}
	m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)},
		"\n\n\n\n"+"\n\n"+"C0123456789\n\n", "", "", "https://hooks.test", "xoxb-1", "-", "")
	if status := m.run(t, "account", "add", "slack"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	want := []map[string]string{
		{},
		{"webhook_url": "https://hooks.test", "bot_token": "xoxb-1"},
		{"bot_token": "xoxb-1", "channel": "C0123456789"},
	}
	var got []map[string]string
	for _, add := range c.sent {
		got = append(got, add.Credentials)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s\n%s", diff, &m.err)
	}
}

func TestWizardEnds(t *testing.T) {
	t.Parallel()
	var c connector
	for name, lines := range map[string]string{"at the end of the input": "https://bot.test\n", "at once": ""} {
		m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)}, lines)
		if status := m.run(t, "account", "add", "http"); status != 130 || len(c.sent) > 0 || !strings.HasSuffix(m.err.String(), "schedctl: no changes were made\n") {
			t.Errorf("%s: exit status %d, sent %v:\n%s", name, status, c.sent, &m.err)
		}
	}
}

// TestWizardDoesNotAskAgainInVain guards that errors that other values cannot fix end
// the wizard.
func TestWizardDoesNotAskAgainInVain(t *testing.T) {
	t.Parallel()
	m := person(t, routes{"POST /social-accounts": refused{403, "INSUFFICIENT_SCOPE"}}, "https://bot.test\n\n\n", "")
	if status := m.run(t, "account", "add", "http"); status != 4 || !strings.HasSuffix(m.err.String(), "\nschedctl: the daemon says no\n") {
		t.Errorf("exit status %d:\n%s", status, &m.err)
	}
}

func TestReconnect(t *testing.T) {
	t.Parallel()
	social := apiv1.Account{ID: hookID, Platform: "mastodon", Name: "me", ProfileURL: ptr("https://social.test/@me")}
	for name, tc := range map[string]struct {
		set  func(*machine)
		args []string
		want map[string]any
	}{
		"the server is known from the profile": {
			func(m *machine) { m.env["SCHEDCTL_SECRET"] = "fresh" }, nil,
			map[string]any{"credentials": map[string]any{"instance_url": "https://social.test", "access_token": "fresh"}},
		},
		"with another server and an option": {
			func(m *machine) { m.env["SCHEDCTL_SECRET"] = "fresh" }, []string{"--set", "instance_url=moved.test", "--set", "visibility=unlisted"},
			map[string]any{"credentials": map[string]any{"instance_url": "moved.test", "access_token": "fresh"}, "options": map[string]any{"visibility": "unlisted"}},
		},
		"asked for": {
			func(m *machine) {
				m.terminals()
				m.In = strings.NewReader("token\n")
				m.ReadSecret = func(context.Context) (string, error) { return "typed", nil }
			}, nil,
			map[string]any{"credentials": map[string]any{"instance_url": "https://social.test", "access_token": "typed"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{
				"GET /social-accounts/" + hookID:   apiv1.AccountEnvelope{SocialAccount: social},
				"PATCH /social-accounts/" + hookID: sent.answer(apiv1.AccountEnvelope{SocialAccount: social}),
			})
			tc.set(m)
			if status := m.run(t, append([]string{"account", "reconnect", hookID, "-q"}, tc.args...)...); status != 0 {
				t.Fatalf("exit status %d:\n%s", status, &m.err)
			}
			if diff := cmp.Diff(tc.want, sent.body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReconnectRefuses(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts})
	m.want(t, 2, "", "schedctl: feed has no credentials: demo needs no new ones\n", "account", "reconnect", "demo")
	m.want(t, 2, "", "schedctl: http needs url; give it with --set url=VALUE\n", "account", "reconnect", "hook")
	m.want(t, 3, "", "schedctl: there is no account \"nobody\"; the accounts are feed:demo, http:hook\n", "account", "reconnect", "nobody")
}

// signIn is a Mastodon server with a login page that shows the code 1234.
func signIn(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/apps", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"client_id":"the-client","client_secret":"its-secret"}`)
	})
	mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("code") != "1234" || r.FormValue("client_secret") != "its-secret" {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":"invalid_grant"}`)
			return
		}
		io.WriteString(w, `{"access_token":"granted","token_type":"Bearer","scope":"read write"}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestLoginWithABrowser(t *testing.T) {
	t.Parallel()
	server := signIn(t)
	var c connector
	m := person(t, routes{"POST /social-accounts": http.HandlerFunc(c.ServeHTTP)},
		// A wrong code; the server is offered again; the right code; no name, no options.
		"wrong\n"+"\n1234\n"+strings.Repeat("\n", 5))
	if status := m.run(t, "account", "add", "mastodon", "--set", "instance_url="+server.URL, "--login", "-q"); status != 0 {
		t.Fatalf("exit status %d:\n%s", status, &m.err)
	}
	want := []apiv1.AddAccount{{Platform: "mastodon", Credentials: map[string]string{"instance_url": server.URL, "access_token": "granted"}}}
	if diff := cmp.Diff(want, c.sent); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	said := m.err.String()
	if strings.Count(said, server.URL+"/oauth/authorize?client_id=the-client") != 2 || !strings.Contains(said, "the login did not work: ") {
		t.Errorf("it says\n%s", said)
	}
	if strings.Contains(said, "granted") || strings.Contains(said, "its-secret") {
		t.Errorf("a secret is shown:\n%s", said)
	}
}
