package networks

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func bluesky() Account {
	const did = "did:plc:abcdefghijklmnopqrstuvwx"
	return Account{
		Platform: "bluesky", Name: "bluesky", Memory: Idempotent, Key: "3l6oveex3ii2l",
		Credentials: map[string]string{"service_url": "{url}", "identifier": "me.pds.test", "app_password": `abcd-efgh-ijkl-mnop-"&<+`},
		Session:     map[string]string{"did": did, "access_jwt": "an-access-token-of-bluesky", "refresh_jwt": "a-refresh-token-of-bluesky"},
		Secrets:     []string{`abcd-efgh-ijkl-mnop-"&<+`, "an-access-token-of-bluesky", "a-refresh-token-of-bluesky"},
		Stored:      schedctl.Account{Username: "me.pds.test"},
		Responds: func(*http.Request) string {
			return `{"did":"` + did + `","handle":"me.pds.test","accessJwt":"an-access-token-of-bluesky","refreshJwt":"a-refresh-token-of-bluesky",
				"uri":"at://` + did + `/app.bsky.feed.post/3k","cid":"c"}`
		},
		RepeatKey: func(_ *http.Request, body []byte) string {
			var put struct{ Rkey string }
			json.Unmarshal(body, &put)
			return put.Rkey
		},
		Accepted: func(p Sent) string {
			return fmt.Sprintf(`{"uri":"at://%s/app.bsky.feed.post/%s","cid":"a-cid"}`, did, p.Key)
		},
	}
}

// linkedInPerson shows texts as they are sent. The id of a post is in a header.
func linkedInPerson() Account {
	a := linkedIn("linkedin, person", publishtest.NewFakeLinkedIn().Credentials("{url}", false))
	a.Memory, a.Session = Neither, map[string]string{"author": "urn:li:person:alice"}
	a.Credentials["client_id"], a.Credentials["client_secret"] = "a-client-id", "a-client-secret-of-linkedin"
	a.Secrets = append(a.Secrets, "a-client-secret-of-linkedin")
	return a
}

func linkedInOrganization() Account {
	return linkedIn("linkedin, organization", publishtest.NewFakeLinkedIn().Credentials("{url}", true))
}

func linkedIn(name string, credentials map[string]string) Account {
	isComment := func(p Sent) bool { return p.Body["message"] != nil }
	id := func(p Sent) string {
		number := fmt.Sprint(6844785523593134080 + p.Number)
		if isComment(p) {
			return number
		}
		return "urn:li:share:" + number
	}
	return Account{
		Platform: "linkedin", Name: name, Memory: Findable, Traits: []Trait{AnyBody, DailyLimit}, // it names the post in a header
		Credentials: credentials,
		Secrets:     []string{publishtest.NewFakeLinkedIn().Token},
		Stored:      schedctl.Account{Username: "alice", Limits: schedctl.Limits{MaxCharacters: 3000, Unit: "characters"}},
		Responds: func(*http.Request) string {
			return `{"sub":"alice","name":"n","elements":[],"active":true,"expires_at":1900000000}`
		},
		Accepted: func(Sent) string { return "" },
		Header:   func(h http.Header, p Sent) { h.Set("X-Restli-Id", id(p)) },
		Asked: func(r *http.Request, posts []Sent) string {
			comments := strings.Contains(r.URL.Path, "/socialActions/")
			posts = slices.DeleteFunc(slices.Clone(posts), func(p Sent) bool { return isComment(p) != comments })
			if start := r.URL.Query().Get("start"); start != "" && start != "0" {
				posts = nil
			}
			return `{"elements":` + newestFirst(posts, func(p Sent) string {
				if comments {
					message, _ := json.Marshal(p.Body["message"])
					return fmt.Sprintf(`{"id":%q,"actor":"urn:li:organization:5515715","message":%s,"created":{"time":%d}}`, id(p), message, p.At.UnixMilli())
				}
				return fmt.Sprintf(`{"id":%q,"author":"urn:li:organization:5515715","commentary":%s,"createdAt":%d}`, id(p), quote(p.Body["commentary"]), p.At.UnixMilli())
			}) + `}`
		},
		Unreliable: func(random *rand.Rand) (http.Handler, func() int) {
			fake := publishtest.NewFakeLinkedIn()
			fake.Person = "alice"
			fake.First, fake.Last = 202612, 202703 // each request steps to another version
			fake.Respond(func(*http.Request) publishtest.Mishap {
				switch random.IntN(16) {
				case 0:
					return publishtest.Mishap{Cut: true}
				case 1:
					return publishtest.Mishap{Cut: true, Accept: true}
				case 2:
					return publishtest.Mishap{Status: 500, Accept: true}
				}
				return publishtest.Mishap{}
			})
			return fake, func() int { return len(fake.Posts()) }
		},
	}
}

// mastodon is a server that ignores idempotency keys, as some do.
func mastodon() Account {
	status := func(p Sent) string {
		text, _ := p.Body["status"].(string)
		return fmt.Sprintf(`{"id":"%d","url":"https://server.test/@me/%d","visibility":"public","created_at":%q,"content":"<p>%s</p>"}`,
			p.Number, p.Number, p.At.UTC().Format(time.RFC3339Nano), html.EscapeString(text))
	}
	return Account{
		Platform: "mastodon", Name: "mastodon", Memory: Findable,
		Credentials: map[string]string{"instance_url": "{url}", "access_token": `a-token-of-the-server<&>"'\+/=`},
		Secrets:     []string{`a-token-of-the-server<&>"'\+/=`},
		Stored:      schedctl.Account{Username: "me@server.test", Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
		Responds: func(*http.Request) string {
			return `{"id":"1","username":"u","acct":"u","url":"https://network.example/@u"}`
		},
		Accepted:  status,
		Preflight: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "oauth-authorization-server") },
		Asked: func(r *http.Request, posts []Sent) string {
			if strings.HasSuffix(r.URL.Path, "verify_credentials") {
				return `{"id":"1","username":"me","source":{"privacy":"public"}}`
			}
			if r.URL.Query().Get("max_id") != "" {
				posts = nil
			}
			return newestFirst(posts, status)
		},
	}
}

// nostr has the key of an example in NIP-19. Its network is a [publishtest.FakeRelay].
func nostr() Account {
	const nsec = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	return Account{
		Platform: "nostr", Name: "nostr", Memory: Idempotent, Key: "01780412345123456", Unencrypted: true,
		Credentials: map[string]string{"nsec": nsec, "relays": "{ws}"},
		FixedKeys:   []string{nsec, "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa"},
	}
}

// xOAuth1 shows texts as they are, because those of the tests have no links.
func xOAuth1() Account {
	fake := publishtest.NewFakeX()
	return x("x", fake.OAuth1("{url}"), fake.APIKey, fake.APISecret, fake.Token, fake.TokenSecret)
}

func xOAuth2() Account {
	a := x("x, OAuth 2.0", publishtest.NewFakeX().OAuth2("{url}"), "oauth2-access-0", "oauth2-refresh-0", "a-client-secret-of-x")
	a.Credentials["client_secret"] = "a-client-secret-of-x"
	a.Memory, a.Accepted, a.Unreliable = "", nil, nil // the tests of deliveries use the other one
	return a
}

func x(name string, credentials map[string]string, secrets ...string) Account {
	id := func(p Sent) string { return fmt.Sprint(1445880548472328192 + p.Number) }
	return Account{
		Platform: "x", Name: name, Memory: Findable,
		Credentials: maps.Clone(credentials), Session: map[string]string{"user_id": "2244994945"}, Secrets: secrets,
		Stored: schedctl.Account{Username: "alice", Limits: schedctl.Limits{MaxCharacters: 280, Unit: "characters"}},
		Responds: func(*http.Request) string {
			return `{"data":{"id":"17","name":"n","username":"u"},"meta":{},"access_token":"fresh","refresh_token":"fresh"}`
		},
		Accepted: func(p Sent) string { return fmt.Sprintf(`{"data":{"id":%q,"text":"x"}}`, id(p)) },
		Asked: func(_ *http.Request, posts []Sent) string {
			return `{"data":` + newestFirst(posts, func(p Sent) string {
				return fmt.Sprintf(`{"id":%q,"text":%s,"created_at":%q}`, id(p), quote(p.Body["text"]), p.At.UTC().Format(time.RFC3339Nano))
			}) + `,"meta":{}}`
		},
		Unreliable: func(random *rand.Rand) (http.Handler, func() int) {
			fake := publishtest.NewFakeX()
			fake.Respond(func(*http.Request) publishtest.Mishap {
				switch random.IntN(12) {
				case 0:
					return publishtest.Mishap{Cut: true}
				case 1:
					return publishtest.Mishap{Cut: true, Accept: true}
				case 2:
					return publishtest.Mishap{Status: 500, Accept: true}
				case 3:
					return publishtest.Mishap{Status: 503}
				}
				return publishtest.Mishap{}
			})
			return fake, func() int { return len(fake.Posts()) }
		},
	}
}
