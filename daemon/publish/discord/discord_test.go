package discord_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

var (
	_ publish.Publisher      = (*discord.Publisher)(nil)
	_ publish.MediaPublisher = (*discord.Publisher)(nil)
	_ publish.Threader       = (*discord.Publisher)(nil)
	_ publish.Poller         = (*discord.Publisher)(nil)
)

const (
	webhookID = "223704706495545344"
	token     = "3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372"
	webhook   = "/api/webhooks/" + webhookID + "/" + token

	// webhookV10 is webhook in the version of the API that the publisher uses.
	webhookV10 = "/api/v10/webhooks/" + webhookID + "/" + token

	channel = "https://discord.com/channels/199737254929760256/199737254929760257"
	content = "Version 2 is out, @everyone 🙂"
)

func connection(url string) publish.Connection {
	return publish.Connection{Credentials: publish.Credentials{"webhook_url": url}}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New:        func(c *http.Client) publish.Publisher { return discord.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection { return connection(url + webhookV10) },
		Network:    recorded.Handler(t, "testdata/connect.json", "testdata/publish.json"),
		Receipt:    schedctl.Receipt{ID: "1180000000000000042", Ref: webhookID},
		Preflight:  readsMessage,
		Media:      &publishtest.MediaSuite{Network: acceptFiles(recorded.Handler(t, "testdata/connect.json"))},
		Threads: &publishtest.ThreadSuite{
			Network:   func() http.Handler { return newServer(t) },
			Reference: func(schedctl.Receipt) string { return "" }, // a webhook cannot reply
			Missing:   newServer(t),
		},
	})
}

// A repeated request would post twice, and the API cannot show whether the first was
// posted.
func TestNeitherIdempotentNorAFinder(t *testing.T) {
	t.Parallel()
	var p publish.Publisher = discord.New(nil, outbound.PublicOnly, "test")
	if _, ok := p.(publish.Idempotent); ok {
		t.Error("a webhook does not recognize repeated requests")
	}
	if _, ok := p.(publish.Finder); ok {
		t.Error("a webhook cannot list messages")
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p := discord.New(recorded.Client(t, "testdata/connect.json"), outbound.PublicOnly, "1.2.3")
	got, err := p.Connect(t.Context(), connection("https://discord.com"+webhook))
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "Release news", DisplayName: "Release news", URL: channel,
		Limits: schedctl.Limits{MaxCharacters: 2000, Unit: "characters"}, Identity: "199737254929760257",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file, url string
		options   schedctl.Options
		want      schedctl.Receipt
	}{
		{"publish.json", "https://discord.com" + webhook, nil,
			schedctl.Receipt{ID: "1180000000000000042", URL: channel + "/1180000000000000042", Ref: webhookID}},
		{"publish_thread.json", "https://discord.com/api/v10/" + webhook[len("/api/"):] + "/?wait=false&thread_id=1170000000000000007#x", schedctl.Options{"mentions": true},
			schedctl.Receipt{ID: "1180000000000000043", URL: "https://discord.com/channels/199737254929760256/1170000000000000007/1180000000000000043", Ref: webhookID}},
	} {
		p := discord.New(recorded.Client(t, "testdata/"+tt.file), outbound.PublicOnly, "1.2.3")
		got, err := p.Publish(t.Context(), publish.Request{
			Content: content, Credentials: publish.Credentials{"webhook_url": tt.url},
			Account: schedctl.Account{ProfileURL: channel, Options: tt.options},
		})
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.file, got, err, tt.want)
		}
	}
}

// A URL as copied from Discord has no version, which means an old one.
func TestCopiedURLMeansTheCurrentAPI(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://discord.com" + webhook:                  webhookV10,
		"https://DISCORD.com:443" + webhook + "/":        webhookV10,
		"https://discordapp.com" + webhook:               webhookV10,
		"https://ptb.discord.com" + webhook:              webhookV10,
		"https://canary.discord.com" + webhook:           webhookV10,
		"https://discord.com/api/v6" + webhook[4:]:       webhookV10,
		"https://discord.com" + webhookV10:               webhookV10,
		"https://chat.example" + webhook:                 webhook,
		"https://chat.example/api/v9" + webhook[4:]:      "/api/v9" + webhook[4:],
		"https://discord.com.chat.example" + webhook:     webhook,
		"https://media.discordapp.com.example" + webhook: webhook,
	} {
		var got, agent string
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			got, agent = r.URL.Path, r.UserAgent()
			return nil, errors.New("enough")
		})}
		_, _ = discord.New(client, outbound.PublicOnly, "1.2.3").Connect(t.Context(), connection(url))
		if got != want || agent != "DiscordBot (https://github.com/schedctl/schedctl, 1.2.3)" {
			t.Errorf("%s: requested %s as %q, want %s", url, got, agent, want)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCheck(t *testing.T) {
	t.Parallel()
	p := discord.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		length        int
		codes         []string
	}{
		{"at the limit", strings.Repeat("🙂", 2000), nil, 2000, nil},
		{"over the limit", strings.Repeat("🙂", 2001), nil, 2001, []string{"too_long"}},
		{"white space", " \n", nil, 2, []string{"empty"}},
		{"nothing", "", nil, 0, []string{"empty"}},
		{"an option", "hello", schedctl.Options{"mentions": true, "pacing": "1s"}, 5, nil},
		{"a bad option", "hello", schedctl.Options{"mentions": "true"}, 5, []string{"mentions"}},
	} {
		c := p.Check(schedctl.Account{Options: tt.options}, publish.Text(tt.content))
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Length != tt.length || c.Limit != 2000 || c.Unit != "characters" {
			t.Errorf("%s: got %+v, codes %v", tt.name, c, codes)
		}
		if _, err := p.Publish(t.Context(), publish.Request{Content: tt.content, Account: schedctl.Account{Options: tt.options}}); tt.codes != nil {
			if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.codes[0] {
				t.Errorf("%s: publishing returned %+v before any request", tt.name, e)
			}
		}
	}
}

func TestConnectChecksTheURL(t *testing.T) {
	t.Parallel()
	p := discord.New(nil, outbound.PublicOnly, "test")
	for _, url := range []string{
		"discord.com" + webhook,
		"http://discord.com" + webhook,
		"https://discord.com/api/webhooks/223704706495545344",
		"https://discord.com/api/webhooks/name/" + token,
		"https://discord.com" + webhook + "/slack",
		"https://discord.com" + webhook + "/../../x",
		"https://discord.com" + webhook + "?thread_id=general",
		"https://user@discord.com" + webhook,
		"https://127.0.0.1" + webhook,
		"https://" + strings.Repeat("x", 2048) + webhook,
	} {
		_, err := p.Connect(t.Context(), connection(url))
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "webhook_url" || strings.Contains(e.Message, token) {
			t.Errorf("%.80s: got %+v", url, e)
		}
	}
	c := connection("https://discord.com" + webhook)
	c.Options = schedctl.Options{"mentions": 1.0}
	if _, err := p.Connect(t.Context(), c); publish.AsError(err).Code != "mentions" {
		t.Errorf("a bad option: got %v", err)
	}
}

// A name that resolves to a private address is detected when it is dialed.
func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	p := discord.New(outbound.Client(outbound.PublicOnly), outbound.AllowPrivate, "test")
	_, err := p.Connect(t.Context(), connection("http://localhost:1"+webhook))
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Code != "webhook_url" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("got %+v", e)
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
		{"deleted", 404, `{"message": "Unknown Webhook", "code": 10015}`, schedctl.KindAuth, "10015", "create a new one"},
		{"wrong token", 401, `{"message": "Invalid Webhook Token", "code": 50027}`, schedctl.KindAuth, "50027", "copy its URL again"},
		{"no API", 404, "<h1>404</h1>", schedctl.KindContent, "webhook_url", "has no webhook"},
		{"a page for people", 200, "<!doctype html>", schedctl.KindContent, "webhook_url", "has no webhook"},
		{"another document", 200, `{"id": 17}`, schedctl.KindContent, "webhook_url", "has no webhook"},
		{"moved", 301, "", schedctl.KindContent, "webhook_url", "redirects"},
		{"busy", 429, `{"message": "You are being rate limited.", "retry_after": 1.5, "global": false}`, schedctl.KindRateLimited, "", "fewer requests"},
		{"broken", 502, "", schedctl.KindPlatform, "", "HTTP 502"},
		{"echoes the token", 403, `{"message": "no ` + token + `"}`, schedctl.KindAuth, "", "HTTP 403"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}))
		p := discord.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		_, err := p.Connect(t.Context(), connection(server.URL+webhook))
		server.Close()
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %s %q %s %q", tt.name, e.Kind, e.Code, e.Outcome, e.Message)
		}
		if strings.Contains(e.Message, token) {
			t.Errorf("%s: %q contains the token", tt.name, e.Message)
		}
	}
}

func ExamplePublisher_Fields() {
	for _, f := range discord.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// webhook_url: from the channel's settings, Integrations, Webhooks; add ?thread_id=… to post into a thread
	// mentions: true to let @everyone, @here, roles and users in a post notify them
	// forum: true if the channel is a forum: each post starts a thread there, named after its first line
}
