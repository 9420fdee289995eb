package slack_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/slack"
)

func TestConnectABot(t *testing.T) {
	t.Parallel()
	p := slack.New(recorded.Client(t, "testdata/connect.json"), outbound.PublicOnly, "1.2.3")
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: bot("")})
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "release_bot", DisplayName: "#release-news in Example Team", URL: channel,
		Limits: schedctl.Limits{MaxCharacters: 40000, Unit: "characters"}, Identity: "T0123456789 U0123456789 C0123456789",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

// A webhook posts everything it receives.
func TestConnectAWebhookSendsNothing(t *testing.T) {
	t.Parallel()
	for url, name := range map[string]string{
		"https://hooks.slack.com" + webhook:     "webhook B0123456789",
		"https://hooks.slack-gov.com" + webhook: "webhook B0123456789",
		"https://chat.example/hooks/" + secret:  "chat.example",
	} {
		got, err := slack.New(nil, outbound.PublicOnly, "test").Connect(t.Context(), publish.Connection{Credentials: hook(url)})
		identified := strings.HasSuffix(got.Identity, " B0123456789") || (name == "chat.example" && got.Identity == "")
		if err != nil || got.Username != name || strings.Contains(got.URL+got.Identity, secret) || !identified {
			t.Errorf("%s: got %+v, %v", url, got, err)
		}
	}
}

func TestConnectChecksFieldsFirst(t *testing.T) {
	t.Parallel()
	both, misplaced := bot(""), hook("https://hooks.slack.com"+webhook)
	maps.Copy(both, hook("https://hooks.slack.com"+webhook))
	misplaced["channel"] = "C0123456789"
	p := slack.New(nil, outbound.PublicOnly, "test")
	with := func(name, value string) publish.Credentials {
		c := bot("")
		c[name] = value
		return c
	}
	for _, tt := range []struct {
		credentials publish.Credentials
		field       string
	}{
		{publish.Credentials{}, "webhook_url"},
		{publish.Credentials{"channel": "C0123456789"}, "webhook_url"},
		{both, "webhook_url"},
		{misplaced, "channel"},
		{hook("http://hooks.slack.com" + webhook), "webhook_url"},
		{hook("https://hooks.slack.com/triggers/T0123456789/1/" + secret), "webhook_url"},
		{hook("https://hooks.slack.com/services/" + secret), "webhook_url"},
		{hook("https://chat.example/"), "webhook_url"},
		{hook("https://127.0.0.1/hooks/" + secret), "webhook_url"},
		{with("channel", ""), "channel"},
		{with("channel", "#general"), "channel"},
		{with("channel", "c0123456789"), "channel"},
		{with("bot_token", token+" x"), "bot_token"},
		{with("api_url", "http://slack.example/api"), "api_url"},
		{with("api_url", "https://10.0.0.1/api"), "api_url"},
	} {
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: tt.credentials})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, secret) {
			t.Errorf("%v: got %+v, want field %s", tt.credentials, e, tt.field)
		}
	}
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: bot(""), Options: schedctl.Options{"mrkdwn": "no"}})
	if publish.AsError(err).Code != "mrkdwn" {
		t.Errorf("a bad option: got %v", err)
	}
}

// A name that resolves to a private address is detected when it is dialed.
func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	p := slack.New(outbound.Client(outbound.PublicOnly), outbound.AllowPrivate, "test")
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: bot("http://localhost:1/api")})
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Code != "api_url" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("got %+v", e)
	}
}

const (
	authTest = `200 {"ok":true,"url":"https://example-team.slack.com/","team":"Example Team","user":"release_bot"}`
	noScope  = `200 {"ok":false,"error":"missing_scope","needed":"channels:read","provided":"chat:write"}`
)

// web responds to the methods of the Web API, each with a status and a body.
func web(t *testing.T, methods map[string]string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		answer := methods[r.URL.Path]
		code, body, _ := strings.Cut(answer, " ")
		if _, err := fmt.Sscan(code, &status); err != nil {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A bot needs one scope to post and another to read the channel's name.
func TestConnectWithoutTheChannelsName(t *testing.T) {
	t.Parallel()
	url := web(t, map[string]string{"/auth.test": authTest, "/conversations.info": noScope})
	got, err := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test").Connect(t.Context(), publish.Connection{Credentials: bot(url)})
	if err != nil || got.DisplayName != "C0123456789 in Example Team" || got.URL != channel {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestConnectAsksWhetherTheBotMayPost: exactly the tokens without the right to post
// and the bots outside their channel are refused.
func TestConnectAsksWhetherTheBotMayPost(t *testing.T) {
	t.Parallel()
	const here, away = `"is_member":true`, `"is_member":false`
	for _, tt := range []struct {
		name, scopes, channel string
		code                  string // empty if it is accepted
	}{
		{"may post", "chat:write,channels:read", here, ""},
		{"spaces", "channels:read, chat:write", here, ""},
		{"nothing said", "", here, ""},
		{"an old bot", "identify,bot:basic", here, ""},
		{"with a person", "chat:write", `"is_im":true`, ""},
		{"to public channels", "chat:write,chat:write.public", away + `,"is_private":false`, ""},
		{"reads only", "channels:read,channels:history", here, "missing_scope"},
		{"public channels alone", "chat:write.public", here, "missing_scope"},
		{"not invited", "chat:write", away, "not_in_channel"},
		{"not invited to a private channel", "chat:write,chat:write.public", away + `,"is_private":true`, "not_in_channel"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tt.scopes != "" {
				w.Header().Set("X-OAuth-Scopes", tt.scopes)
			}
			if r.URL.Path == "/auth.test" {
				fmt.Fprint(w, strings.TrimPrefix(authTest, "200 "))
				return
			}
			fmt.Fprintf(w, `{"ok":true,"channel":{"id":"C0123456789","name":"news",%s}}`, tt.channel)
		}))
		p := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: bot(server.URL)})
		server.Close()
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v, want auth %s", tt.name, e, tt.code)
		}
	}
}

// TestSlackWarnsOfMissingScopes checks that connecting a bot says what its token cannot do.
func TestSlackWarnsOfMissingScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scopes, channel string
		want            []string // what the warnings name
	}{
		{"chat:write", `"is_private":false`, []string{"files:write", "files:read", "channels:history"}},
		{"chat:write,files:write,channels:history", `"is_private":false`, []string{"files:read"}},
		{"chat:write,files:write,files:read,channels:history", `"is_private":false`, nil},
		{"chat:write,files:write,files:read,channels:history", `"is_private":true`, []string{"groups:history"}},
		{"chat:write,files:write,files:read,groups:history", `"is_private":true`, nil},
		{"identify,bot:basic", `"is_private":false`, nil},
		{"", `"is_private":false`, nil},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("x-oauth-scopes", tt.scopes)
			if r.URL.Path == "/auth.test" {
				fmt.Fprint(w, strings.TrimPrefix(authTest, "200 "))
				return
			}
			fmt.Fprintf(w, `{"ok":true,"channel":{"id":"C0123456789","name":"news","is_member":true,%s}}`, tt.channel)
		}))
		p := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		profile, err := p.Connect(t.Context(), publish.Connection{Credentials: bot(server.URL)})
		server.Close()
		if err != nil || len(profile.Warnings) != len(tt.want) {
			t.Errorf("%s: %q, %v", tt.scopes, profile.Warnings, err)
			continue
		}
		for i, scope := range tt.want {
			if !strings.Contains(profile.Warnings[i], "no scope "+scope+":") {
				t.Errorf("%s: %q, want %s", tt.scopes, profile.Warnings[i], scope)
			}
			if files := strings.HasPrefix(scope, "files:"); p.Prevents(profile.Warnings[i], 1) != files || p.Prevents(profile.Warnings[i], 0) {
				t.Errorf("%q prevents the wrong posts", profile.Warnings[i])
			}
		}
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, test, info string
		kind             schedctl.ErrorKind
		code             string
		says             string
	}{
		{"dead token", `200 {"ok":false,"error":"invalid_auth"}`, "", schedctl.KindAuth, "invalid_auth", "new one"},
		{"revoked token", `200 {"ok":false,"error":"token_revoked"}`, "", schedctl.KindAuth, "token_revoked", "new one"},
		{"no API", `404 <h1>404</h1>`, "", schedctl.KindContent, "api_url", "does not respond like Slack"},
		{"a page for people", `200 <!doctype html>`, "", schedctl.KindContent, "api_url", "does not respond like Slack"},
		{"nobody", `200 {"ok":true}`, "", schedctl.KindContent, "api_url", "does not respond like Slack"},
		{"moved", `301 `, "", schedctl.KindContent, "api_url", "redirects"},
		{"busy", `429 {"ok":false,"error":"ratelimited"}`, "", schedctl.KindRateLimited, "ratelimited", "fewer requests"},
		{"broken", `502 `, "", schedctl.KindPlatform, "", "HTTP 502"},
		{"at fault", `200 {"ok":false,"error":"internal_error"}`, "", schedctl.KindPlatform, "internal_error", "internal error"},
		{"unknown channel", authTest, `200 {"ok":false,"error":"channel_not_found"}`, schedctl.KindContent, "channel", "invite the bot"},
		{"archived", authTest, `200 {"ok":true,"channel":{"name":"old","is_archived":true}}`, schedctl.KindContent, "channel", "archived"},
		{"echoes the token", `403 {"ok":false,"error":"no ` + token + `"}`, "", schedctl.KindAuth, "", "HTTP 403"},
	} {
		url := web(t, map[string]string{"/auth.test": tt.test, "/conversations.info": tt.info})
		p := slack.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: bot(url)})
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %s %q %s %q", tt.name, e.Kind, e.Code, e.Outcome, e.Message)
		}
		if strings.Contains(e.Message, token) {
			t.Errorf("%s: %q contains the token", tt.name, e.Message)
		}
	}
}
