// Package matrix publishes to a room of Matrix, through the homeserver of a user who
// has joined the room (https://spec.matrix.org/latest/client-server-api/).
//
// Each message is sent with a transaction id, which derives from the request's key. If
// the same device (access token) repeats an id, the homeserver responds with the
// existing event, so sending is idempotent. But a homeserver forgets the id after some
// time, a day on Synapse and a restart on some others, and ignores ids from other
// devices. The key is therefore also stored in the event, and the publisher is a
// [publish.PromptFinder] and not a [publish.Idempotent]. Find searches the room for the
// key, which works at any time. Only a missing message is sent again, with the same id.
//
// The room is searched two seconds after an interrupted request. Within the first
// minute, while the request may still be in progress, the transaction id prevents a
// second event: no homeserver forgets it so soon, and a restart ends the request.
// After that minute, or with a new token, the search alone is sufficient.
//
// A file is uploaded before the post. A message shows one file, with the text as its
// caption. A post with several files is a message with the text, followed by one for
// each file. If some of them were sent, a repeated request sends the others. Matrix has
// no alt texts.
//
// The parts of a post are a thread. A homeserver accepts any reply, so the publisher
// first checks that the room still has the event to which a part replies.
//
// A session that schedctl has started is renewed with its refresh token, a minute before it
// ends or when the homeserver refuses it. Its device stays the same, so that the homeserver
// still recognizes transaction ids.
package matrix

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "matrix"

// maxBody is the maximum length of a message, in bytes of JSON. An event has at most
// 65,536 bytes, including what the homeserver adds to it, such as signatures and
// hashes.
const maxBody = 60000

// Publisher implements [publish.Publisher], [publish.PromptFinder], [publish.Uploader],
// [publish.Threader], [publish.Poller], [publish.Refresher], [publish.Rotating] and
// [publish.CodeLogin].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version}
}

// Platform returns "matrix".
func (p *Publisher) Platform() string { return Platform }

// The credentials.
const (
	fieldServer   = "homeserver_url"
	fieldRoom     = "room_id"
	fieldUser     = "user"
	fieldPassword = "password"
	fieldToken    = "access_token"
	fieldRefresh  = "refresh_token"
	fieldClient   = "client_id" // at the authorization server, for a session of a login
	fieldDevice   = "device_id" // of a session that schedctl has started
	fieldEnds     = "ends_at"   // when the session ends, in Unix seconds; 0 if it is not known
)

// Fields lists the homeserver, the room, and the three kinds of credentials: a user with a
// password, an access token, and the session of a login.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldServer, Required: true, Tidy: publish.TidyServer, Help: "the address of the homeserver, such as https://matrix.example.org"},
		{Name: fieldRoom, Required: true, Help: "the !id or #alias:example.org of a room that is not encrypted and in which the user may write"},
		{Name: fieldUser, Help: "with password: a user who has joined the room, such as news or @news:example.org"},
		{Name: fieldPassword, Secret: true, Once: true, Help: "of the user; it is not stored; or give access_token, or use --login"},
		{Name: fieldToken, Secret: true, Help: "of a user who has joined the room"},
		{Name: fieldRefresh, Secret: true, Seldom: true, Help: "set by --login"},
		{Name: fieldClient, Seldom: true, Help: "set by --login"},
		{Name: fieldDevice, Seldom: true, Help: "set by --login"},
		{Name: fieldEnds, Seldom: true, Help: "set by --login"},
	}
}

// resolvedRoom is the credential that Connect adds if room_id is an alias.
const resolvedRoom = "resolved_room_id"

// session is an account's homeserver, token and room.
type session struct {
	server  *url.URL
	token   string
	refresh string    // the token that renews the session, or empty
	client  string    // the client at the authorization server, or empty
	device  string    // may be empty
	ends    time.Time // zero if it is not known
	room    string    // the room's id, or its alias before Connect has resolved it
	hidden  []string  // values that no message may contain
}

// Room ids are opaque after their first character. Newer ones contain no server
// name.
var (
	roomID    = pattern.Lazy(`^![^\s/?#]{1,254}$`)
	roomAlias = pattern.Lazy(`^#[^\s/?#]{1,200}:[A-Za-z0-9.:\[\]-]{1,230}$`)
)

// parseCredentials checks credentials. No error contains the token.
func (p *Publisher) parseCredentials(c publish.Credentials) (session, error) {
	server, err := parseServer(p.policy, c[fieldServer])
	token := c[fieldToken]
	switch {
	case err != nil:
		return session{}, err
	case !outbound.ValidToken(token):
		return session{}, publish.Contentf(fieldToken, "the access token contains white space or invalid characters; copy it again")
	case !outbound.ValidToken(c[fieldRefresh]):
		return session{}, publish.Contentf(fieldRefresh, "the refresh token contains white space or invalid characters; log in again")
	case !roomID().MatchString(c[fieldRoom]) && !roomAlias().MatchString(c[fieldRoom]):
		return session{}, publish.Contentf(fieldRoom, "room_id must be the !id of a room, which its settings show under Advanced, or an alias such as #news:example.org")
	}
	s := session{server: server, token: token, refresh: c[fieldRefresh], client: c[fieldClient], device: c[fieldDevice], room: c[fieldRoom], hidden: []string{token}}
	if s.renews() {
		s.hidden = append(s.hidden, s.refresh)
	}
	if ends, err := strconv.ParseInt(c[fieldEnds], 10, 64); err == nil && ends > 0 {
		s.ends = time.Unix(ends, 0)
	}
	if resolved := c[resolvedRoom]; isAlias(s.room) && roomID().MatchString(resolved) {
		s.room, s.hidden = resolved, append(s.hidden, resolved)
	}
	return s, nil
}

func isAlias(room string) bool { return strings.HasPrefix(room, "#") }

// endpoint returns a URL of the client-server API. It escapes the segments.
func (s session) endpoint(segments ...string) *url.URL {
	escaped := []string{"_matrix", "client", "v3"}
	for _, segment := range segments {
		escaped = append(escaped, url.PathEscape(segment))
	}
	return s.server.JoinPath(escaped...)
}
