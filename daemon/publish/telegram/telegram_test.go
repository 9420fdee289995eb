package telegram_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
)

var (
	_ publish.Publisher      = (*telegram.Publisher)(nil)
	_ publish.MediaPublisher = (*telegram.Publisher)(nil)
	_ publish.Threader       = (*telegram.Publisher)(nil)
	_ publish.Poller         = (*telegram.Publisher)(nil)
)

const (
	token   = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"
	content = "Version 2 <is> out 🙂"
)

func credentials(api, chat string) publish.Credentials {
	c := publish.Credentials{"bot_token": token, "chat_id": chat}
	if api != "" {
		c["api_url"] = api
	}
	return c
}

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return telegram.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: credentials(url, "@release_news")}
		},
		Network: recorded.Handler(t, "testdata/connect.json", "testdata/publish.json"),
		Receipt: schedctl.Receipt{ID: "42", URL: "https://t.me/release_news/42"},
		Media:   &publishtest.MediaSuite{Network: acceptFiles(recorded.Handler(t, "testdata/connect.json"))},
		Threads: &publishtest.ThreadSuite{
			Network: func() http.Handler { return newChat(t) },
			Missing: newChat(t),
			Lost:    &chat{connect: recorded.Handler(t, "testdata/connect.json"), dropReplies: true},
		},
	})
}

// A repeated request would send twice, and a bot cannot read its own messages.
func TestNeitherIdempotentNorAFinder(t *testing.T) {
	t.Parallel()
	var p publish.Publisher = telegram.New(nil, outbound.PublicOnly, "test")
	if _, ok := p.(publish.Idempotent); ok {
		t.Error("the Bot API does not recognize repeated requests")
	}
	if _, ok := p.(publish.Finder); ok {
		t.Error("the Bot API cannot list messages")
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p := telegram.New(recorded.Client(t, "testdata/connect.json"), outbound.PublicOnly, "1.2.3")
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials("", "@release_news")})
	if err != nil {
		t.Fatal(err)
	}
	want := publish.Profile{
		Username: "release_news_bot", DisplayName: "Release news", URL: "https://t.me/release_news",
		Limits: schedctl.Limits{MaxCharacters: 4096, Unit: "characters"}, Identity: "123456 -1001234567890",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		file        string
		credentials publish.Credentials
		options     schedctl.Options
		want        schedctl.Receipt
	}{
		{"publish.json", credentials("", "@release_news"), schedctl.Options{"silent": false, "link_preview": true},
			schedctl.Receipt{ID: "42", URL: "https://t.me/release_news/42"}},
		{"publish_group.json", credentials("https://bots.example/api/?x=1", "-1009876543210"), schedctl.Options{"silent": true, "link_preview": false},
			schedctl.Receipt{ID: "43", URL: "https://t.me/c/9876543210/43"}},
	} {
		p := telegram.New(recorded.Client(t, "testdata/"+tt.file), outbound.PublicOnly, "1.2.3")
		got, err := p.Publish(t.Context(), publish.Request{
			Content: content, Credentials: tt.credentials, Account: schedctl.Account{Options: tt.options},
		})
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.file, got, err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := telegram.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		length        int
		codes         []string
	}{
		{"at the limit", strings.Repeat("é", 4096), nil, 4096, nil},
		{"over the limit", strings.Repeat("é", 4097), nil, 4097, []string{"too_long"}},
		{"white space", " \n", nil, 2, []string{"empty"}},
		{"nothing", "", nil, 0, []string{"empty"}},
		{"options", "hello", schedctl.Options{"silent": true, "link_preview": false, "pacing": "1s"}, 5, nil},
		{"a bad option", "hello", schedctl.Options{"silent": "yes"}, 5, []string{"silent"}},
		{"another bad option", "hello", schedctl.Options{"link_preview": 1.0}, 5, []string{"link_preview"}},
	} {
		c := p.Check(schedctl.Account{Options: tt.options}, publish.Text(tt.content))
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Length != tt.length || c.Limit != 4096 || c.Unit != "characters" {
			t.Errorf("%s: got %+v, codes %v", tt.name, c, codes)
		}
		if tt.codes == nil {
			continue
		}
		_, err := p.Publish(t.Context(), publish.Request{
			Content: tt.content, Credentials: credentials("", "@release_news"), Account: schedctl.Account{Options: tt.options},
		})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.codes[0] {
			t.Errorf("%s: publishing returned %+v before any request", tt.name, e)
		}
	}
}

func TestConnectChecksFieldsFirst(t *testing.T) {
	t.Parallel()
	p := telegram.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct{ api, token, chat, field string }{
		{"http://bots.example", token, "@release_news", "api_url"},
		{"https://127.0.0.1:8081", token, "@release_news", "api_url"},
		{"bots.example", token, "@release_news", "api_url"},
		{"", "987654", "@release_news", "bot_token"},
		{"", token + "/../x", "@release_news", "bot_token"},
		{"", "bot" + token, "@release_news", "bot_token"},
		{"", token, "release_news", "chat_id"},
		{"", token, "https://t.me/release_news", "chat_id"},
		{"", token, "@release news", "chat_id"},
		{"", token, "-0100", "chat_id"},
	} {
		c := credentials(tt.api, tt.chat)
		c["bot_token"] = tt.token
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: c})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, tt.token) {
			t.Errorf("%+v: got %+v", tt, e)
		}
	}
	_, err := p.Connect(t.Context(), publish.Connection{
		Credentials: credentials("", "@release_news"), Options: schedctl.Options{"silent": 1.0},
	})
	if publish.AsError(err).Code != "silent" {
		t.Errorf("a bad option: got %v", err)
	}
}

// A name that resolves to a private address is detected when it is dialed.
func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	p := telegram.New(outbound.Client(outbound.PublicOnly), outbound.AllowPrivate, "test")
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials("http://localhost:1", "@release_news")})
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Code != "api_url" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("got %+v", e)
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	const bot = `{"ok":true,"result":{"id":1,"is_bot":true,"first_name":"B","username":"release_news_bot"}}`
	type reply struct {
		status int
		body   string
	}
	for _, tt := range []struct {
		name     string
		me, chat reply
		kind     schedctl.ErrorKind
		code     string
		says     string
	}{
		{"dead token", reply{401, `{"ok":false,"error_code":401,"description":"Unauthorized"}`}, reply{}, schedctl.KindAuth, "", "Unauthorized"},
		{"no such token", reply{404, `{"ok":false,"error_code":404,"description":"Not Found"}`}, reply{}, schedctl.KindAuth, "", "no bot has this token"},
		{"no API", reply{404, "<h1>404</h1>"}, reply{}, schedctl.KindContent, "api_url", "does not respond like the Bot API"},
		{"a page for people", reply{200, "<!doctype html>"}, reply{}, schedctl.KindContent, "api_url", "does not respond like the Bot API"},
		{"a bot without a name", reply{200, `{"ok":true,"result":{}}`}, reply{200, `{"ok":true,"result":{}}`}, schedctl.KindContent, "api_url", "does not respond like the Bot API"},
		{"moved", reply{301, ""}, reply{}, schedctl.KindContent, "api_url", "redirects"},
		{"broken", reply{502, ""}, reply{}, schedctl.KindPlatform, "", "HTTP 502"},
		{"unknown chat", reply{200, bot}, reply{400, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`}, schedctl.KindContent, "chat_id", "does not know the chat"},
		{"odd chat", reply{200, bot}, reply{400, `{"ok":false,"error_code":400,"description":"Bad Request: odd"}`}, schedctl.KindContent, "chat_id", "odd"},
		{"kicked", reply{200, bot}, reply{403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the channel chat"}`}, schedctl.KindAuth, "bot_removed", "kicked"},
		{"busy", reply{200, bot}, reply{429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 5","parameters":{"retry_after":5}}`}, schedctl.KindRateLimited, "", "retry after 5"},
		{"echoes the token", reply{403, `{"ok":false,"error_code":403,"description":"no ` + token + `"}`}, reply{}, schedctl.KindAuth, "", "HTTP 403"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := tt.me
			if strings.HasSuffix(r.URL.Path, "/getChat") {
				answer = tt.chat
			}
			w.WriteHeader(answer.status)
			fmt.Fprint(w, answer.body)
		}))
		p := telegram.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(server.URL, "@release_news")})
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

// TestConnectAsksWhetherTheBotMayWrite: exactly the bots that could not send
// anything are refused.
func TestConnectAsksWhetherTheBotMayWrite(t *testing.T) {
	t.Parallel()
	const inaccessible = `{"ok":false,"error_code":400,"description":"Bad Request: member list is inaccessible"}`
	for _, tt := range []struct {
		name, chat, member string
		status             int
		says               string // empty if it is accepted
	}{
		{"private", `"type":"private"`, `never asked`, 500, ""},
		{"owner", `"type":"group"`, `"status":"creator"`, 200, ""},
		{"administrator", `"type":"channel"`, `"status":"administrator","can_post_messages":true`, 200, ""},
		{"administrator of a group", `"type":"supergroup"`, `"status":"administrator"`, 200, ""},
		{"member", `"type":"supergroup"`, `"status":"member"`, 200, ""},
		{"member of an open group", `"type":"supergroup","permissions":{"can_send_messages":true}`, `"status":"member"`, 200, ""},
		{"restricted", `"type":"supergroup","permissions":{"can_send_messages":false}`, `"status":"restricted","can_send_messages":true`, 200, ""},
		{"group with hidden members", `"type":"supergroup"`, inaccessible, 400, ""},
		{"administrator of a silent kind", `"type":"channel"`, `"status":"administrator","can_post_messages":false`, 200, "may not post messages to the channel"},
		{"reader of a channel", `"type":"channel"`, `"status":"member"`, 200, "not an administrator of the channel"},
		{"reader of a closed channel", `"type":"channel"`, inaccessible, 400, "not an administrator of the channel"},
		{"muted", `"type":"supergroup"`, `"status":"restricted","can_send_messages":false`, 200, "may not send messages to the group"},
		{"member of a silent group", `"type":"group","permissions":{"can_send_messages":false}`, `"status":"member"`, 200, "may not send messages to the group"},
		{"gone", `"type":"group"`, `"status":"left"`, 200, "not in the chat"},
		{"thrown out", `"type":"supergroup"`, `"status":"kicked"`, 200, "not in the chat"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path.Base(r.URL.Path) {
			case "getMe":
				fmt.Fprint(w, `{"ok":true,"result":{"id":123456,"username":"release_news_bot"}}`)
			case "getChat":
				fmt.Fprintf(w, `{"ok":true,"result":{"id":-1001234567890,"title":"News",%s}}`, tt.chat)
			case "getChatMember":
				if got := r.URL.Query(); got.Get("chat_id") != "@release_news" || got.Get("user_id") != "123456" {
					t.Errorf("%s: requested %s", tt.name, r.URL.RawQuery)
				}
				w.WriteHeader(tt.status)
				if tt.status != http.StatusOK {
					fmt.Fprint(w, tt.member)
					return
				}
				fmt.Fprintf(w, `{"ok":true,"result":{%s}}`, tt.member)
			}
		}))
		p := telegram.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
		got, err := p.Connect(t.Context(), publish.Connection{Credentials: credentials(server.URL, "@release_news")})
		server.Close()
		if tt.says == "" {
			if err != nil || got.Identity != "123456 -1001234567890" {
				t.Errorf("%s: got %+v, %v", tt.name, got, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "may_not_write" || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v, want %q", tt.name, e, tt.says)
		}
	}
}

func ExamplePublisher_Fields() {
	for _, f := range telegram.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// bot_token: from @BotFather, such as 123456:ABC-DEF…
	// chat_id: @name of a public channel or group, or the number of a chat
	// api_url: your own Bot API server; default https://api.telegram.org
	// silent: true to deliver without a sound
	// link_preview: false to show no preview of a link
}
