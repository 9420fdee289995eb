package deliver_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/googlechat"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/slack"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

// memory is how a call with an unknown outcome can be settled.
type memory int

const (
	neither    memory = iota // a person has to check
	idempotent               // the call is repeated
	findable                 // the network is asked
)

// platform is a network of the matrix, and an account on it.
type platform struct {
	name      string
	memory    memory
	publisher func(*http.Client) publish.Publisher
	account   schedctl.Account
	given     publish.Credentials

	// publishes reports whether a request is the one that publishes.
	publishes func(*http.Request) bool
	// key returns the key by which the network recognizes a repeat, or is nil.
	key func(r *http.Request, body []byte) string
	// accepted is the response to a request that published.
	accepted func(p sent) string
	// header sets headers of the response to a request that published. It may be nil.
	header func(h http.Header, p sent)
	// preflight reports whether a request only reads before the one that publishes. The
	// response is 404 and M_NOT_FOUND. It may be nil.
	preflight func(*http.Request) bool
	// asked is the response to any other request.
	asked func(r *http.Request, posts []sent) string
}

// sent is a post that the network has.
type sent struct {
	number int
	key    string
	body   map[string]any
	at     time.Time
}

func platforms() []platform {
	return []platform{
		httpPlatform("http", neither), httpPlatform("http, idempotent", idempotent),
		mastodonPlatform(), blueskyPlatform(), matrixPlatform(),
		linkedInPlatform("linkedin, person", neither), linkedInPlatform("linkedin, organization", findable),
		discordPlatform(), googleChatPlatform(), telegramPlatform(), slackWebhookPlatform(), slackBotPlatform(), wordPressPlatform(), xPlatform(), facebookPlatform(),
	}
}

func isPost(r *http.Request) bool { return r.Method == http.MethodPost }

func httpPlatform(name string, m memory) platform {
	return platform{
		name: name, memory: m,
		publisher: func(c *http.Client) publish.Publisher { return httppost.New(c, outbound.AllowPrivate, "test") },
		account:   schedctl.Account{Options: schedctl.Options{"idempotent": m == idempotent}},
		given:     publish.Credentials{"url": "http://receiver.test/hook"},
		publishes: isPost,
		key: func(r *http.Request, _ []byte) string {
			if m == idempotent {
				return r.Header.Get("Idempotency-Key")
			}
			return ""
		},
		accepted: func(p sent) string { return fmt.Sprintf(`{"id":"%d"}`, p.number) },
	}
}

// mastodonPlatform is a server that ignores idempotency keys, as some do.
func mastodonPlatform() platform {
	status := func(p sent) string {
		text, _ := p.body["status"].(string)
		return fmt.Sprintf(`{"id":"%d","url":"https://server.test/@me/%d","visibility":"public","created_at":%q,"content":"<p>%s</p>"}`,
			p.number, p.number, p.at.UTC().Format(time.RFC3339Nano), html.EscapeString(text))
	}
	return platform{
		name: "mastodon", memory: findable,
		publisher: func(c *http.Client) publish.Publisher { return mastodon.New(c, "test") },
		account:   schedctl.Account{Username: "me@server.test", Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
		given:     publish.Credentials{"instance_url": "https://server.test", "access_token": "a-token-of-the-server"},
		publishes: isPost,
		accepted:  status,
		asked: func(r *http.Request, posts []sent) string {
			if strings.HasSuffix(r.URL.Path, "verify_credentials") {
				return `{"id":"1","username":"me","source":{"privacy":"public"}}`
			}
			list := []string{}
			for i := len(posts) - 1; i >= 0 && r.URL.Query().Get("max_id") == ""; i-- {
				list = append(list, status(posts[i]))
			}
			return "[" + strings.Join(list, ",") + "]"
		},
	}
}

func blueskyPlatform() platform {
	const did = "did:plc:abcdefghijklmnopqrstuvwx"
	return platform{
		name: "bluesky", memory: idempotent,
		publisher: func(c *http.Client) publish.Publisher { return bluesky.New(c, nil, "test") },
		account:   schedctl.Account{Username: "me.pds.test"},
		given: publish.Credentials{
			"service_url": "https://pds.test", "identifier": "me.pds.test", "app_password": "abcd-efgh-ijkl-mnop",
			"did": did, "access_jwt": "an-access-token", "refresh_jwt": "a-refresh-token",
		},
		publishes: isPost,
		key: func(_ *http.Request, body []byte) string {
			var put struct{ Rkey string }
			json.Unmarshal(body, &put)
			return put.Rkey
		},
		accepted: func(p sent) string {
			return fmt.Sprintf(`{"uri":"at://%s/app.bsky.feed.post/%s","cid":"a-cid"}`, did, p.key)
		},
	}
}

func matrixPlatform() platform {
	return platform{
		name: "matrix", memory: findable,
		publisher: func(c *http.Client) publish.Publisher { return matrix.New(c, outbound.AllowPrivate, "test") },
		account:   schedctl.Account{Username: "@me:server.test"},
		given:     publish.Credentials{"homeserver_url": "https://server.test", "access_token": "a-token-of-the-server", "room_id": "!room:server.test"},
		publishes: func(r *http.Request) bool { return r.Method == http.MethodPut },
		preflight: func(r *http.Request) bool { return path.Base(r.URL.Path) == "m.room.encryption" },
		key:       func(r *http.Request, _ []byte) string { return path.Base(r.URL.Path) },
		accepted:  func(p sent) string { return fmt.Sprintf(`{"event_id":"$%d"}`, p.number) },
		asked: func(_ *http.Request, posts []sent) string {
			list := []string{}
			for i := len(posts) - 1; i >= 0; i-- {
				content, _ := json.Marshal(posts[i].body)
				list = append(list, fmt.Sprintf(`{"event_id":"$%d","sender":"@me:server.test","origin_server_ts":%d,"content":%s}`,
					posts[i].number, posts[i].at.UnixMilli(), content))
			}
			return `{"chunk":[` + strings.Join(list, ",") + `]}`
		},
	}
}

func discordPlatform() platform {
	return platform{
		name:      "discord",
		publisher: func(c *http.Client) publish.Publisher { return discord.New(c, outbound.AllowPrivate, "test") },
		given:     publish.Credentials{"webhook_url": "https://discord.com/api/webhooks/1/a-token-of-the-webhook"},
		publishes: isPost,
		accepted:  func(p sent) string { return fmt.Sprintf(`{"id":"%d","channel_id":"7"}`, p.number) },
	}
}

func googleChatPlatform() platform {
	return platform{
		name: "googlechat", memory: idempotent,
		publisher: func(c *http.Client) publish.Publisher {
			return googlechat.New(c, outbound.AllowPrivate, "test", "https://posts.example.org")
		},
		given:     publish.Credentials{"webhook_url": "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=a-key&token=a-token-of-the-webhook"},
		publishes: isPost,
		key:       func(r *http.Request, _ []byte) string { return r.URL.Query().Get("requestId") },
		accepted:  func(p sent) string { return fmt.Sprintf(`{"name":"spaces/AAAA/messages/m%d"}`, p.number) },
	}
}

func telegramPlatform() platform {
	return platform{
		name:      "telegram",
		publisher: func(c *http.Client) publish.Publisher { return telegram.New(c, outbound.AllowPrivate, "test") },
		given:     publish.Credentials{"bot_token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "chat_id": "@news"},
		publishes: isPost,
		accepted: func(p sent) string {
			return fmt.Sprintf(`{"ok":true,"result":{"message_id":%d,"chat":{"id":-1001,"type":"channel","username":"news"}}}`, p.number)
		},
	}
}

func slackWebhookPlatform() platform {
	return platform{
		name:      "slack, webhook",
		publisher: func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
		given:     publish.Credentials{"webhook_url": "https://hooks.slack.com/services/T00000000/B00000000/aTokenOfTheWebhook"},
		publishes: isPost,
		accepted:  func(sent) string { return "ok" },
	}
}

func slackBotPlatform() platform {
	ts := func(p sent) string { return fmt.Sprintf("%d.%06d", p.at.Unix(), p.number) }
	return platform{
		name: "slack, bot", memory: findable,
		publisher: func(c *http.Client) publish.Publisher { return slack.New(c, outbound.AllowPrivate, "test") },
		given:     publish.Credentials{"bot_token": "xoxb-a-token-of-a-bot", "channel": "C0123456789"},
		publishes: isPost,
		accepted:  func(p sent) string { return fmt.Sprintf(`{"ok":true,"channel":"C0123456789","ts":%q}`, ts(p)) },
		asked: func(_ *http.Request, posts []sent) string {
			list := []string{}
			for _, p := range posts {
				meta, _ := json.Marshal(p.body["metadata"])
				list = append(list, fmt.Sprintf(`{"type":"message","ts":%q,"metadata":%s}`, ts(p), meta))
			}
			return `{"ok":true,"messages":[` + strings.Join(list, ",") + `]}`
		},
	}
}

func wordPressPlatform() platform {
	post := func(p sent) string {
		slug, _ := p.body["slug"].(string)
		return fmt.Sprintf(`{"id":%d,"slug":%q,"link":"https://blog.test/?p=%[1]d"}`, p.number, slug)
	}
	return platform{
		name: "wordpress", memory: findable,
		publisher: func(c *http.Client) publish.Publisher { return wordpress.New(c, outbound.AllowPrivate, "test") },
		account:   schedctl.Account{Username: "me@blog.test"},
		given:     publish.Credentials{"site_url": "https://blog.test", "username": "me", "application_password": "abcd efgh ijkl mnop"},
		publishes: isPost,
		accepted:  post,
		asked: func(r *http.Request, posts []sent) string {
			list := []string{}
			for _, p := range posts {
				if p.body["slug"] == r.URL.Query().Get("slug") {
					list = append(list, post(p))
				}
			}
			return "[" + strings.Join(list, ",") + "]"
		},
	}
}

// xPlatform shows texts as they are, because those of the matrix have no links.
func xPlatform() platform {
	given := publish.Credentials{"user_id": "2244994945"}
	for name, value := range publishtest.NewFakeX().OAuth1("https://x.test") {
		given[name] = value
	}
	id := func(p sent) string { return fmt.Sprint(1445880548472328192 + p.number) }
	return platform{
		name: "x", memory: findable,
		publisher: func(c *http.Client) publish.Publisher { return x.New(c, outbound.AllowPrivate, "test") },
		account:   schedctl.Account{Username: "alice", Limits: schedctl.Limits{MaxCharacters: 280, Unit: "characters"}},
		given:     given,
		publishes: isPost,
		accepted:  func(p sent) string { return fmt.Sprintf(`{"data":{"id":%q,"text":"x"}}`, id(p)) },
		asked: func(_ *http.Request, posts []sent) string {
			list := []string{}
			for i := len(posts) - 1; i >= 0; i-- {
				text, _ := json.Marshal(posts[i].body["text"])
				list = append(list, fmt.Sprintf(`{"id":%q,"text":%s,"created_at":%q}`, id(posts[i]), text, posts[i].at.UTC().Format(time.RFC3339Nano)))
			}
			return `{"data":[` + strings.Join(list, ",") + `],"meta":{}}`
		},
	}
}

// linkedInPlatform shows texts as they are sent. The id of a post is in a header.
func linkedInPlatform(name string, m memory) platform {
	given := publish.Credentials{"access_token": "a-token-of-linkedin", "organization": "5515715"}
	if m == neither {
		given = publish.Credentials{"access_token": "a-token-of-linkedin", "author": "urn:li:person:alice"}
	}
	id := func(p sent) string { return fmt.Sprint("urn:li:share:", 6844785523593134080+p.number) }
	return platform{
		name: name, memory: m,
		publisher: func(c *http.Client) publish.Publisher { return linkedin.New(c, outbound.AllowPrivate, "test") },
		account:   schedctl.Account{Username: "alice", Limits: schedctl.Limits{MaxCharacters: 3000, Unit: "characters"}},
		given:     given,
		publishes: isPost,
		accepted:  func(sent) string { return "" },
		header:    func(h http.Header, p sent) { h.Set("X-Restli-Id", id(p)) },
		asked: func(r *http.Request, posts []sent) string {
			list := []string{}
			for i := len(posts) - 1; i >= 0 && r.URL.Query().Get("start") == ""; i-- {
				text, _ := json.Marshal(posts[i].body["commentary"])
				list = append(list, fmt.Sprintf(`{"id":%q,"author":"urn:li:organization:5515715","commentary":%s,"createdAt":%d}`, id(posts[i]), text, posts[i].at.UnixMilli()))
			}
			return `{"elements":[` + strings.Join(list, ",") + `]}`
		},
	}
}

// memoryNetwork is the server of a platform. The first request to publish has the mishap.
// All later ones have it too if it lasts; otherwise they succeed.
type memoryNetwork struct {
	platform
	mishap  mishap
	forEver bool

	encrypted bool // the preflight finds an encrypted room

	mu    sync.Mutex // mu guards the fields below
	posts []sent
	calls int // requests to publish
}

func (n *memoryNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if n.preflight != nil && n.preflight(r) && !n.encrypted {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"errcode":"M_NOT_FOUND"}`)
		return
	}
	if !n.publishes(r) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.asked == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		io.WriteString(w, n.asked(r, n.posts))
		return
	}
	n.mu.Lock()
	n.calls++
	well := n.calls > 1 && !n.forEver
	n.mu.Unlock()
	if well {
		p := n.accept(r, body)
		n.setHeader(w, p)
		io.WriteString(w, n.accepted(p))
		return
	}
	answer := ""
	if n.mishap.accepts {
		p := n.accept(r, body)
		n.setHeader(w, p)
		answer = n.accepted(p)
	}
	n.mishap.answer(w, r, answer)
}

func (n *memoryNetwork) setHeader(w http.ResponseWriter, p sent) {
	if n.header != nil {
		n.header(w.Header(), p)
	}
}

// accept stores a post, unless the request is a repeat that the network recognizes.
func (n *memoryNetwork) accept(r *http.Request, body []byte) sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := sent{number: len(n.posts) + 1, at: time.Now()}
	if n.key != nil {
		p.key = n.key(r, body)
	}
	for _, known := range n.posts {
		if p.key != "" && known.key == p.key {
			return known
		}
	}
	if json.Unmarshal(body, &p.body) != nil {
		p.body = formBody(body)
	}
	n.posts = append(n.posts, p)
	return p
}

func (n *memoryNetwork) counts() (posts, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.posts), n.calls
}
