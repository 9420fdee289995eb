package matrix_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Refresher = (*matrix.Publisher)(nil)
	_ publish.Rotating  = (*matrix.Publisher)(nil)
	_ publish.CodeLogin = (*matrix.Publisher)(nil)
)

func matrixServer(t *testing.T, change func(*publishtest.FakeMatrix)) (*publishtest.FakeMatrix, *matrix.Publisher) {
	fake := publishtest.NewFakeMatrix()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	if fake.URL = server.URL; change != nil {
		change(fake)
	}
	return fake, matrix.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
}

func withPassword(fake *publishtest.FakeMatrix) publish.Credentials {
	return publish.Credentials{"homeserver_url": fake.URL, "room_id": fake.Room, "user": fake.User, "password": fake.Password}
}

func part(c publish.Credentials, key string) publish.Request {
	return publish.Request{Content: "Hello", Key: key, Attempt: 1, Credentials: c, Account: schedctl.Account{Username: "@news:server.test"}}
}

// TestMatrixPasswordIsExchanged checks that a password becomes the session of a device, and
// that the device stays the same when the session is renewed.
func TestMatrixPasswordIsExchanged(t *testing.T) {
	t.Parallel()
	fake, p := matrixServer(t, nil)
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: withPassword(fake)})
	c := profile.Credentials
	if err != nil || c["password"] != "" || c["access_token"] == "" || c["refresh_token"] == "" || c["device_id"] == "" || c["ends_at"] == "" || len(profile.Warnings) > 0 {
		t.Fatalf("%v, %v, %q", c, err, profile.Warnings)
	}
	if again, err := p.Connect(t.Context(), publish.Connection{Credentials: c}); err != nil || again.Identity != profile.Identity || len(again.Warnings) > 0 {
		t.Errorf("verify: %+v, %v", again, err)
	}
	if _, err := p.Publish(t.Context(), part(c, "key-1")); err != nil {
		t.Error(err)
	}
	fake.ExpireSession()
	if _, err := p.Publish(t.Context(), part(c, "key-2")); publish.AsError(err).Code != publish.CodeSessionExpired || publish.AsError(err).Outcome != schedctl.OutcomeNotPublished {
		t.Fatalf("%+v", err)
	}
	fresh, err := p.Refresh(t.Context(), c)
	if err != nil || fresh["device_id"] != c["device_id"] || fresh["access_token"] == c["access_token"] || fresh["refresh_token"] == c["refresh_token"] {
		t.Fatalf("%v, %v", fresh, err)
	}
	for _, key := range []string{"key-1", "key-2"} { // the first is a repeat
		if _, err := p.Publish(t.Context(), part(fresh, key)); err != nil {
			t.Error(err)
		}
	}
	if events := fake.Events(); len(events) != 2 || events[0].Device != events[1].Device {
		t.Errorf("%+v", events)
	}
	fake.LogOut()
	if _, err := p.Refresh(t.Context(), fresh); publish.AsError(err).Code != string(publish.HoldRevoked) || publish.AsError(err).Kind != schedctl.KindAuth {
		t.Errorf("after the logout: %+v", err)
	}
}

// TestMatrixRefreshRefusals checks what a refused refresh token of a homeserver without OAuth
// means. The words of M_FORBIDDEN are Synapse's.
func TestMatrixRefreshRefusals(t *testing.T) {
	t.Parallel()
	fake, p := matrixServer(t, func(f *publishtest.FakeMatrix) { f.Strict = true })
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: withPassword(fake)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Refresh(t.Context(), profile.Credentials); err != nil {
		t.Fatal(err)
	}
	for words, tt := range map[string]struct {
		response publishtest.Mishap
		kind     schedctl.ErrorKind
		code     string
	}{
		"used":    {publishtest.Mishap{}, schedctl.KindAuth, string(publish.HoldRevoked)},
		"expired": {publishtest.Mishap{Status: 403, Body: `{"errcode":"M_FORBIDDEN","error":"The supplied refresh token has expired"}`}, schedctl.KindAuth, string(publish.HoldRevoked)},
		"ended":   {publishtest.Mishap{Status: 403, Body: `{"errcode":"M_FORBIDDEN","error":"The session has expired and can no longer be refreshed"}`}, schedctl.KindAuth, string(publish.HoldRevoked)},
		"a page":  {publishtest.Mishap{Status: 403, Body: "<h1>403</h1>"}, schedctl.KindPlatform, publish.CodeBlockedOnTheWay},
	} {
		fake.Respond(func(*http.Request) publishtest.Mishap { return tt.response })
		_, err := p.Refresh(t.Context(), profile.Credentials)
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "room") {
			t.Errorf("%s: %+v", words, e)
		}
	}
}

// TestMatrixPasswordRefusals checks what is said about a password, and that a login without
// an account is ended.
func TestMatrixPasswordRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*publishtest.FakeMatrix, publish.Credentials)
		field  string
		words  string
	}{
		"wrong password":    {func(_ *publishtest.FakeMatrix, c publish.Credentials) { c["password"] = "wrong" }, "password", "does not accept"},
		"no password login": {func(f *publishtest.FakeMatrix, _ publish.Credentials) { f.OAuth = true }, "password", "--login"},
		"no user":           {func(_ *publishtest.FakeMatrix, c publish.Credentials) { delete(c, "user") }, "user", "missing"},
		"two ways":          {func(_ *publishtest.FakeMatrix, c publish.Credentials) { c["access_token"] = "a-token" }, "password", "exclude"},
		"neither":           {func(_ *publishtest.FakeMatrix, c publish.Credentials) { delete(c, "password") }, "access_token", "--login"},
		"no such room":      {func(_ *publishtest.FakeMatrix, c publish.Credentials) { c["room_id"] = "!other:server.test" }, "not_joined", "has not joined"},
	} {
		var c publish.Credentials
		fake, p := matrixServer(t, func(f *publishtest.FakeMatrix) { c = withPassword(f); tt.change(f, c) })
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: c})
		if e := publish.AsError(err); err == nil || e.Code != tt.field || !strings.Contains(e.Message, tt.words) || strings.Contains(e.Message, fake.Password) {
			t.Errorf("%s: %v", name, err)
		}
		if n := fake.Sessions(); n != 0 {
			t.Errorf("%s: %d sessions stay", name, n)
		}
	}
}

// TestMatrixWarnsOfAPastedToken checks that a token without a refresh token is kept with a
// warning if the homeserver has an authorization server.
func TestMatrixWarnsOfAPastedToken(t *testing.T) {
	t.Parallel()
	for _, oauth := range []bool{true, false} {
		fake, p := matrixServer(t, func(f *publishtest.FakeMatrix) { f.OAuth = oauth })
		c := publish.Credentials(fake.Login(fake.URL))
		for _, name := range []string{"refresh_token", "client_id", "device_id"} {
			delete(c, name)
		}
		profile, err := p.Connect(t.Context(), publish.Connection{Credentials: c})
		if err != nil || len(profile.Warnings) > 0 != oauth || oauth && (!strings.Contains(profile.Warnings[0], "mas-cli manage issue-compatibility-token") || !p.Prevents(profile.Warnings[0], 0)) {
			t.Errorf("authorization server %t: %q, %v", oauth, profile.Warnings, err)
		}
		fake.ExpireSession()
		_, err = p.Publish(t.Context(), part(c, "key"))
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "M_UNKNOWN_TOKEN" {
			t.Errorf("a token that has ended: %+v", err)
		}
	}
}

// TestMatrixRenewsLogin checks renewals at the authorization server.
func TestMatrixRenewsLogin(t *testing.T) {
	t.Parallel()
	fake, p := matrixServer(t, func(f *publishtest.FakeMatrix) { f.OAuth, f.Strict = true, true })
	c := publish.Credentials(fake.Login(fake.URL))
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: maps.Clone(c)})
	if err != nil || len(profile.Warnings) > 0 {
		t.Fatalf("%q, %v", profile.Warnings, err)
	}
	if !p.Rotates(c) {
		t.Error("new sessions are used before they are stored")
	}
	fresh, err := p.Refresh(t.Context(), c)
	if err != nil || fresh["client_id"] != c["client_id"] || fresh["device_id"] != c["device_id"] || fresh["refresh_token"] == c["refresh_token"] {
		t.Fatalf("%v, %v", fresh, err)
	}
	_, err = p.Refresh(t.Context(), c)
	if e := publish.AsError(err); e.Code != string(publish.HoldRevoked) || e.Kind != schedctl.KindAuth || strings.Contains(e.Message, c["refresh_token"]) {
		t.Errorf("invalid_grant: %+v", err)
	}
	fake.Respond(func(*http.Request) publishtest.Mishap {
		return publishtest.Mishap{Status: 503, Body: "<html>busy</html>"}
	})
	if _, err = p.Refresh(t.Context(), fresh); !publish.AsError(err).Kind.Retryable() {
		t.Errorf("a server that is down: %+v", err)
	}
}

// TestMatrixRenewsBeforeTheEnd checks that no request is sent with a session that ends within
// a minute.
func TestMatrixRenewsBeforeTheEnd(t *testing.T) {
	t.Parallel()
	for seconds, expired := range map[int]bool{50: true, 3600: false} {
		fake, p := matrixServer(t, func(f *publishtest.FakeMatrix) { f.OAuth, f.Seconds = true, seconds })
		c, err := p.Refresh(t.Context(), fake.Login(fake.URL))
		if err != nil {
			t.Fatal(err)
		}
		requests := 0
		fake.Respond(func(*http.Request) publishtest.Mishap { requests++; return publishtest.Mishap{} })
		r := part(c, "key")
		calls := map[string]func() error{
			"publish": func() error { _, err := p.Publish(t.Context(), r); return err },
			"find":    func() error { _, _, err := p.Find(t.Context(), r, time.Time{}); return err },
			"connect": func() error {
				_, err := p.Connect(t.Context(), publish.Connection{Credentials: maps.Clone(c)})
				return err
			},
		}
		for name, call := range calls {
			if err := call(); expired != (err != nil && publish.AsError(err).Code == publish.CodeSessionExpired) {
				t.Errorf("%d seconds, %s: %v", seconds, name, err)
			}
		}
		if expired && requests > 0 {
			t.Errorf("%d requests with a session that ends", requests)
		}
	}
}
