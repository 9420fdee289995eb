package x_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

var (
	_ publish.ContentFinder = (*x.Publisher)(nil)
	_ publish.Uploader      = (*x.Publisher)(nil)
	_ publish.Threader      = (*x.Publisher)(nil)
	_ publish.Poller        = (*x.Publisher)(nil)
	_ publish.Refresher     = (*x.Publisher)(nil)
	_ publish.SingleUse     = (*x.Publisher)(nil)
)

const content = "Version 2 is out: <faster> & better https://example.com/a?b=1&c=2 🙂"

// constant is an X that gives every post the same id and never refuses one.
func constant() http.Handler {
	fake := publishtest.NewFakeX()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/2/tweets" {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"data":{"id":"1445880548472328192","text":"x"}}`)
			return
		}
		if r.URL.Path == "/2/oauth2/token" {
			fmt.Fprint(w, `{"access_token":"oauth2-access-1","refresh_token":"oauth2-refresh-1","expires_in":7200}`)
			return
		}
		fake.ServeHTTP(w, r)
	})
}

func isUpload(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/2/media/") }

func conformanceSuite() publishtest.Suite {
	return publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return x.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: publishtest.NewFakeX().OAuth1(url)}
		},
		Network:      constant(),
		Receipt:      schedctl.Receipt{ID: "1445880548472328192", URL: "https://x.com/alice/status/1445880548472328192"},
		ConnectCalls: []string{"POST /2/oauth2/token"},
		Lasting:      true,
		Media:        &publishtest.MediaSuite{Upload: isUpload},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return publishtest.NewFakeX() }, Finds: true, Missing: publishtest.NewFakeX(),
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	suite := conformanceSuite()
	t.Run("OAuth 1.0a", func(t *testing.T) {
		t.Parallel()
		publishtest.Run(t, suite)
	})
	t.Run("OAuth 2.0", func(t *testing.T) {
		t.Parallel()
		suite.Connection = func(url string) publish.Connection {
			return publish.Connection{Credentials: publishtest.NewFakeX().OAuth2(url)}
		}
		suite.Lasting, suite.Renewed = false, []string{"access_token", "refresh_token"}
		publishtest.Run(t, suite)
	})
}

// start serves h and returns a publisher and a request for it.
func start(t *testing.T, h http.Handler) (*x.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	credentials := publishtest.NewFakeX().OAuth1(web.URL)
	credentials["user_id"] = "2244994945"
	return x.New(client, outbound.AllowPrivate, "test"), publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Credentials: credentials, Attempt: 1,
		Account: schedctl.Account{Username: "alice", Limits: schedctl.Limits{MaxCharacters: 280}, Options: schedctl.Options{}},
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	fake.Subscription = "PremiumPlus"
	p, r := start(t, fake)
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "alice", DisplayName: "Alice", URL: "https://x.com/alice", Identity: "2244994945", Credentials: r.Credentials,
		Limits: schedctl.Limits{MaxCharacters: 25000, Unit: "characters", URLCharacters: 23, Posts: 100, Window: 15 * time.Minute},
	}
	if diff := cmp.Diff(want, profile); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
	fake.AccessLevel = "read"
	_, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "missing_scope" || !strings.Contains(e.Message, "Read and write") {
		t.Errorf("a token that may only read: %v", err)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	both := publishtest.NewFakeX().OAuth1("http://127.0.0.1")
	both["client_id"], both["refresh_token"] = "a-client", "a-refresh-token"
	for field, c := range map[string]map[string]string{
		"client_id":           both,
		"api_key":             {"access_token": "t", "api_secret": "s", "access_token_secret": "s"},
		"api_secret":          {"access_token": "t", "api_key": "k", "access_token_secret": "s"},
		"access_token_secret": {"access_token": "t", "api_key": "k", "api_secret": "s"},
		"refresh_token":       {"access_token": "t", "client_id": "c"},
		"access_token":        {"access_token": "t t", "api_key": "k", "api_secret": "s", "access_token_secret": "s"},
		"api_url":             {"access_token": "t", "api_key": "k", "api_secret": "s", "access_token_secret": "s", "api_url": "https://example.org/api"},
	} {
		_, err := x.New(nil, outbound.AllowPrivate, "test").Connect(t.Context(), publish.Connection{Credentials: c})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != field {
			t.Errorf("%s: got %v, code %q", field, err, e.Code)
		}
	}
}

func TestCheckWarnsAboutTheCostOfLinks(t *testing.T) {
	t.Parallel()
	p := x.New(nil, outbound.PublicOnly, "test")
	a := schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 280}}
	for text, want := range map[string]bool{"no link": false, "see https://example.com": true, "see example.com": true, "at 1.5 percent": false} {
		c := p.Check(a, publish.Text(text))
		if got := len(c.Warnings) == 1 && strings.Contains(c.Warnings[0], "$0.20"); got != want || len(c.Problems) > 0 {
			t.Errorf("%q: %+v", text, c)
		}
	}
	c := p.Check(a, publish.Text(strings.Repeat("a", 257)+" https://example.com/a/very/long/path"))
	if c.Length != 281 || len(c.Problems) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestRefresh uses each refresh token once.
func TestRefresh(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	r.Credentials = fake.OAuth2(r.Credentials["api_url"])
	fake.ExpireSession()
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Code != publish.CodeSessionExpired || e.Outcome != schedctl.OutcomeNotPublished {
		t.Fatalf("expired: %v", err)
	}
	fresh, err := p.Refresh(t.Context(), r.Credentials)
	if err != nil {
		t.Fatal(err)
	}
	old := r.Credentials
	r.Credentials = fresh
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Errorf("with the new session: %v", err)
	}
	_, err = p.Refresh(t.Context(), old)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "token_revoked" || !fake.Revoked() {
		t.Errorf("the old refresh token: %v", err)
	}
}

func TestConfidentialClient(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	fake.ClientSecret = "a-secret-of-the-client"
	p, r := start(t, fake)
	c := fake.OAuth2(r.Credentials["api_url"])
	if _, err := p.Refresh(t.Context(), c); publish.AsError(err).Code != "token_revoked" {
		t.Errorf("without the secret: %v", err)
	}
	c["client_secret"] = fake.ClientSecret
	fake = publishtest.NewFakeX()
	fake.ClientSecret = c["client_secret"]
	p, r = start(t, fake)
	c["api_url"] = r.Credentials["api_url"]
	if fresh, err := p.Refresh(t.Context(), c); err != nil || fresh["access_token"] != "oauth2-access-1" || fresh["refresh_token"] != "oauth2-refresh-1" {
		t.Errorf("with the secret: %v", err)
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	r.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if posts := fake.Posts(); len(posts) != 1 || len(posts[0].Poll) != 2 {
		t.Errorf("posts %+v", posts)
	}
}
