// Package matrix publishes to a room of Matrix, through the homeserver of a user
// who has joined it (https://spec.matrix.org/latest/client-server-api/).
//
// Each message is sent with a transaction id, the request's key. To the device
// of the access token, a homeserver responds to a repeated id with the event that
// it has already made: sending is idempotent. But it forgets the id after a while
// (a day on Synapse, with a restart on some others), and does
// not know it from the token of another device. The key is therefore in the event,
// too, and the publisher is a [publish.PromptFinder] and no [publish.Idempotent]:
// the room is asked for the key, which it knows at any time, and only a message
// that is not there is sent again, with the same id.
//
// The room is asked two seconds after a request was cut off. Within the first
// minute, in which the request may still be at work, the transaction id keeps a
// repeat from making a second event; no homeserver forgets it so soon, and a
// restart ends the request. After that minute, or when the account has got another
// token meanwhile, what the room says is enough.
package matrix

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "matrix"

// maxBody is the longest message, in bytes of JSON. An event has at most 65,536
// bytes with all that the homeserver adds to it, signatures and hashes among it.
const maxBody = 60000

// Publisher implements [publish.Publisher] and [publish.PromptFinder].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
}

// New returns the publisher. The policy is the client's, and the version the
// daemon's own, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version}
}

// Platform returns "matrix".
func (p *Publisher) Platform() string { return Platform }

// Fields lists homeserver_url, access_token and room_id.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "homeserver_url", Required: true, Help: "where clients reach the homeserver, such as https://matrix.example.org"},
		{Name: "access_token", Required: true, Secret: true, Help: "of a user who has joined the room"},
		{Name: "room_id", Required: true, Help: "!id of a room, or an #alias:example.org of it; not an encrypted one, and the user may write there"},
	}
}

// resolvedRoom is the credential that Connect adds where room_id is an alias.
const resolvedRoom = "resolved_room_id"

// session is what an account is connected with.
type session struct {
	server *url.URL
	token  string
	room   string   // its id; an alias before Connect has followed it
	hidden []string // what no message may repeat
}

// Identifiers of rooms are opaque after their first character; newer ones lack
// the name of a server.
var (
	roomID    = pattern.Lazy(`^![^\s/?#]{1,254}$`)
	roomAlias = pattern.Lazy(`^#[^\s/?#]{1,200}:[A-Za-z0-9.:\[\]-]{1,230}$`)
)

// parseCredentials checks credentials. No error holds the token.
func (p *Publisher) parseCredentials(c publish.Credentials) (session, error) {
	server, err := p.policy.ParseAddress(c["homeserver_url"])
	token := c["access_token"]
	switch {
	case err != nil:
		return session{}, publish.Contentf("homeserver_url", "homeserver_url: %s", err)
	case server.RawQuery != "":
		return session{}, publish.Contentf("homeserver_url", "homeserver_url holds a question mark; it looks like https://matrix.example.org")
	case len(token) > 2048 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return session{}, publish.Contentf("access_token", "the access token holds white space or characters that no token has; copy it again")
	case !roomID().MatchString(c["room_id"]) && !roomAlias().MatchString(c["room_id"]):
		return session{}, publish.Contentf("room_id", "room_id is the !id of a room, as its settings show under Advanced, or an alias such as #news:example.org")
	}
	s := session{server: server, token: token, room: c["room_id"], hidden: []string{token}}
	if resolved := c[resolvedRoom]; isAlias(s.room) && roomID().MatchString(resolved) {
		s.room, s.hidden = resolved, append(s.hidden, resolved)
	}
	return s, nil
}

func isAlias(room string) bool { return strings.HasPrefix(room, "#") }

// endpoint returns an URL of the client-server API. The segments are not escaped
// yet.
func (s session) endpoint(segments ...string) *url.URL {
	escaped := []string{"_matrix", "client", "v3"}
	for _, segment := range segments {
		escaped = append(escaped, url.PathEscape(segment))
	}
	return s.server.JoinPath(escaped...)
}

func (p *Publisher) header(s session) http.Header {
	h := http.Header{}
	h.Set("Authorization", "Bearer "+s.token)
	h.Set("Accept", "application/json")
	h.Set("User-Agent", p.userAgent)
	return h
}
