package mastodon_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestConnectReadsProfileAndLimits(t *testing.T) {
	t.Parallel()
	const verify, v1, v2 = "GET /api/v1/accounts/verify_credentials", "GET /api/v1/instance", "GET /api/v2/instance"
	limits := func(most, link int) schedctl.Limits {
		return schedctl.Limits{MaxCharacters: most, Unit: "graphemes", URLCharacters: link}
	}
	withPolls := func(l schedctl.Limits, polls schedctl.PollLimits) schedctl.Limits {
		l.Polls = polls
		return l
	}
	for name, tt := range map[string]struct {
		routes routes
		want   schedctl.Limits
	}{
		"polls": {routes{v2: {200, `{"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":23},
			"polls":{"max_options":6,"max_characters_per_option":70,"min_expiration":300,"max_expiration":604800}}}`}}, withPolls(limits(500, 23), schedctl.PollLimits{
			MaxOptions: 6, MaxOption: 70, MinTime: 5 * time.Minute, MaxTime: 7 * 24 * time.Hour,
		})},
		"nonsense about polls": {routes{v2: {200, `{"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":23},
			"polls":{"max_options":-1,"max_characters_per_option":"x","min_expiration":1e300}}}`}}, limits(500, 23)},
		"version 2":                {routes{v2: {200, instanceV2}}, limits(1000, 25)},
		"version 1 only":           {routes{v1: {200, instanceV2}}, limits(1000, 25)},
		"version 2 unusable":       {routes{v2: {200, `<html>`}, v1: {200, instanceV2}}, limits(1000, 25)},
		"version 2 broken":         {routes{v2: {500, instanceV2}, v1: {200, `{"max_toot_chars":3000}`}}, limits(3000, 23)},
		"links count as they are":  {routes{v2: {200, `{"configuration":{"statuses":{"max_characters":5000}}}`}}, limits(5000, 0)},
		"neither":                  {routes{}, limits(500, 23)},
		"nonsense":                 {routes{v2: {200, `{"configuration":[]}`}, v1: {200, `{"configuration":{"statuses":{"max_characters":-1}},"max_toot_chars":"x"}`}}, limits(500, 23)},
		"a link of absurd length":  {routes{v2: {200, `{"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":1e9}}}`}}, limits(500, 0)},
		"a limit of absurd length": {routes{v2: {200, `{"configuration":{"statuses":{"max_characters":1e300}}}`}}, limits(500, 23)},
	} {
		tt.routes[verify] = working()[verify]
		server := httptest.NewServer(tt.routes)
		got, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Connect(t.Context(), connection(server.URL))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := publish.Profile{
			Username: "alice@" + strings.TrimPrefix(server.URL, "http://"), DisplayName: "Alice 🙂",
			URL: "https://social.example/@alice", Limits: tt.want,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		server.Close()
	}
}

// TestConnectRefusesATokenThatOnlyReads: a token without the scope write:statuses is
// refused at once. Other responses to the probe mean nothing.
func TestConnectRefusesATokenThatOnlyReads(t *testing.T) {
	t.Parallel()
	const probe = "POST /api/v1/statuses/0/unreblog"
	for name, tt := range map[string]struct {
		status  int
		body    string
		refused bool
	}{
		"Mastodon, read only":   {403, `{"error":"This action is outside the authorized scopes"}`, true},
		"GoToSocial, read only": {403, `{"error":"Forbidden: token has insufficient scope permission"}`, true},
		"Pleroma, read only":    {403, `{"error":"Insufficient permissions: write:statuses."}`, true},
		"Hollo, read only":      {403, `{"error":"insufficient_scope"}`, true},
		"Mastodon":              {404, `{"error":"Record not found"}`, false},
		"another server":        {400, `{"error":"odd id"}`, false},
		"without the call":      {405, ``, false},
		"broken":                {500, ``, false},
		"too helpful":           {200, `{}`, false},
	} {
		r := working()
		r[probe] = struct {
			status int
			body   string
		}{tt.status, tt.body}
		server := httptest.NewServer(r)
		_, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Connect(t.Context(), connection(server.URL))
		server.Close()
		if !tt.refused {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e := publish.AsError(err)
		if e.Kind != schedctl.KindAuth || e.Code != "missing_scope" || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "write:statuses") {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		body   string
		kind   schedctl.ErrorKind
		code   string
		says   string
	}{
		{"no such token", 401, `{"error":"The access token is invalid"}`, schedctl.KindAuth, "", "The access token is invalid"},
		{"no such scope", 403, `{"error":"This action is outside the authorized scopes"}`, schedctl.KindAuth, "", "scopes"},
		{"snac's unknown token", 422, "", schedctl.KindAuth, "", "refused the access token"},
		{"something else", 404, "<h1>404</h1>", schedctl.KindContent, "instance_url", "no Mastodon API"},
		{"a page for people", 200, "<!doctype html>", schedctl.KindContent, "instance_url", "no Mastodon API"},
		{"another document", 200, `{"ok":true}`, schedctl.KindContent, "instance_url", "no Mastodon API"},
		{"odd types", 200, `{"acct":17,"username":["a"]}`, schedctl.KindContent, "instance_url", "no Mastodon API"},
		{"moved", 301, "", schedctl.KindContent, "instance_url", "redirects"},
		{"busy", 429, "", schedctl.KindRateLimited, "", "fewer requests"},
		{"broken", 502, "", schedctl.KindPlatform, "", "HTTP 502"},
		{"echoes the token", 401, `{"error":"no token ` + token + `"}`, schedctl.KindAuth, "", "HTTP 401"},
	} {
		server := httptest.NewServer(routes{"GET /api/v1/accounts/verify_credentials": {tt.status, tt.body}})
		_, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Connect(t.Context(), connection(server.URL))
		server.Close()
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %s %q %s %q, want %s %q …%s…", tt.name, e.Kind, e.Code, e.Outcome, e.Message, tt.kind, tt.code, tt.says)
		}
		if strings.Contains(e.Message, token) {
			t.Errorf("%s: %q contains the token", tt.name, e.Message)
		}
	}
}

// Reconnecting keeps the known limits unless the server reports others or has none.
func TestConnectDoesNotMakeUpLimits(t *testing.T) {
	t.Parallel()
	const v1, v2 = "GET /api/v1/instance", "GET /api/v2/instance"
	for name, tt := range map[string]struct {
		routes routes
		kind   schedctl.ErrorKind // empty if it connects
	}{
		"both broken":               {routes{v2: {500, ""}, v1: {503, ""}}, schedctl.KindPlatform},
		"one missing, one broken":   {routes{v1: {502, ""}}, schedctl.KindPlatform},
		"one broken, one missing":   {routes{v2: {502, ""}}, schedctl.KindPlatform},
		"busy":                      {routes{v2: {429, ""}}, schedctl.KindRateLimited},
		"refused":                   {routes{v2: {401, ""}, v1: {403, ""}}, schedctl.KindPlatform},
		"moved":                     {routes{v2: {302, ""}}, schedctl.KindPlatform},
		"a page for people":         {routes{v2: {200, "<html>"}}, schedctl.KindPlatform},
		"null":                      {routes{v2: {200, "null"}}, schedctl.KindPlatform},
		"broken, but the older one": {routes{v2: {500, ""}, v1: {200, instanceV2}}, ""},
		"both missing":              {routes{}, ""},
		"both gone":                 {routes{v2: {410, ""}, v1: {405, ""}}, ""},
		"nothing said":              {routes{v2: {200, "{}"}}, ""},
	} {
		tt.routes["GET /api/v1/accounts/verify_credentials"] = working()["GET /api/v1/accounts/verify_credentials"]
		server := httptest.NewServer(tt.routes)
		p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
		for range 2 {
			profile, err := p.Connect(t.Context(), connection(server.URL))
			if tt.kind == "" {
				if err != nil || profile.Limits.MaxCharacters == 0 {
					t.Errorf("%s: got %+v, %v", name, profile, err)
				}
				continue
			}
			if e := publish.AsError(err); e.Kind != tt.kind || e.Code != "" || e.Outcome != schedctl.OutcomeNotPublished {
				t.Errorf("%s: got %+v, want %s", name, e, tt.kind)
			}
		}
		server.Close()
	}
}

// A retry would not help.
func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	p := mastodon.New(outbound.Client(outbound.PublicOnly), "test")
	for _, host := range []string{"127.0.0.1:1", "localhost:1"} {
		_, err := p.Connect(t.Context(), connection("http://"+host))
		e := publish.AsError(err)
		if e.Kind != schedctl.KindContent || e.Code != "instance_url" || !strings.Contains(e.Message, "--allow-private-networks") {
			t.Errorf("%s: got %+v", host, e)
		}
	}
}

func TestConnectChecksFieldsFirst(t *testing.T) {
	t.Parallel()
	type options = schedctl.Options
	p := mastodon.New(outbound.Client(outbound.PublicOnly), "test")
	for _, tt := range []struct {
		instance, token string
		options         options
		field           string
	}{
		{"https://user@social.example", token, nil, "instance_url"},
		{"https://social.example/@alice", token, nil, "instance_url"},
		{"https://social.example/?x=1", token, nil, "instance_url"},
		{"@alice@social.example", token, nil, "instance_url"},
		{"ftp://social.example", token, nil, "instance_url"},
		{"https://", token, nil, "instance_url"},
		{"a b", token, nil, "instance_url"},
		{"social.example", "with space", nil, "access_token"},
		{"social.example", token + "\n", nil, "access_token"},
		{"social.example", "tökén", nil, "access_token"},
		{"social.example", token, options{"visibility": "secret"}, "visibility"},
		{"social.example", token, options{"visibility": true}, "visibility"},
		{"social.example", token, options{"language": "english"}, "language"},
		{"social.example", token, options{"language": ""}, "language"},
		{"social.example", token, options{"sensitive": "yes"}, "sensitive"},
		{"social.example", token, options{"sensitive": 1.0}, "sensitive"},
		{"social.example", token, options{"spoiler_text": 1.0}, "spoiler_text"},
		{"social.example", token, options{"spoiler_text": "two\nlines"}, "spoiler_text"},
		{"social.example", token, options{"spoiler_text": strings.Repeat("x", 501)}, "spoiler_text"},
		{"social.example", token, options{"idempotent": true}, "idempotent"},
	} {
		_, err := p.Connect(t.Context(), publish.Connection{
			Credentials: publish.Credentials{"instance_url": tt.instance, "access_token": tt.token}, Options: tt.options,
		})
		e := publish.AsError(err)
		if e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, tt.token) {
			t.Errorf("%s %v: got %+v, want field %s", tt.instance, tt.options, e, tt.field)
		}
	}
}
