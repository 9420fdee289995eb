// Package mastodon publishes to servers of the Mastodon client API: Mastodon
// itself and the many others that speak it (https://docs.joinmastodon.org/client/).
//
// # A call with an unknown outcome
//
// Each status is sent with an Idempotency-Key, the same for every attempt of a
// target. What servers make of it differs. Mastodon keeps a key for an hour and
// answers a repeat with the first status, but writes the key after the status,
// so that a repeat which overtakes the first call makes a second one; some
// versions answer a repeat with 500. Hollo honours keys likewise. snac and
// GoToSocial ignore them. An account does not say which of these its server is,
// so a call with an unknown outcome must not be repeated because of the key: the
// publisher is not a [publish.Idempotent]. It is a [publish.Finder] instead, and
// what the key adds is a second line of defence, should a status turn up late.
//
// [Publisher.Find] reads the account's own statuses and compares them with the
// post. It answers "not there" only when the list was read back to the beginning
// of the attempt and nothing in it could be the post; for a post that is not
// public, it also has to show one that is not, because snac and others leave
// those out. To ask not before the server is done with the call is the caller's
// part. Where Find is not sure it returns an error, which leaves the outcome
// unknown until a person has looked: a post is rather held back than doubled.
//
// What it cannot know: a status with the same text that somebody else published
// for the same account after the attempt had begun is taken for the post, and a
// post that its author has deleted meanwhile is not there. Statuses that belong to
// other targets are passed over: the caller knows them, and settles targets with
// the same text one after the other. The clock of the server may
// be wrong, though: it is believed within a minute of what its answers say, or
// within five where they say nothing, and a status with the same text that was
// published so shortly before the attempt leaves a doubt.
//
// # Logging in
//
// [StartLogin] is for programs at a terminal: it gets an access token by way of
// the server's own login page.
package mastodon

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

// Platform is the name of the platform.
const Platform = "mastodon"

// Publisher implements [publish.Publisher].
type Publisher struct {
	client    *http.Client
	userAgent string
}

// New returns the publisher. The version is the daemon's own, for the
// User-Agent.
func New(client *http.Client, version string) *Publisher {
	return &Publisher{client: client, userAgent: "schedctl/" + version}
}

// Platform returns "mastodon".
func (p *Publisher) Platform() string { return Platform }

// Fields lists instance_url, access_token and the options of a status.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "instance_url", Required: true, Help: "the server, such as mastodon.social"},
		{Name: "access_token", Required: true, Secret: true, Help: "from Preferences, Development, with the scopes read:accounts, read:statuses and write:statuses"},
		{Name: "visibility", Option: true, Post: true, Help: "public, unlisted, private or direct"},
		{Name: "language", Option: true, Post: true, Help: "language code of the posts, such as en"},
		{Name: "sensitive", Option: true, Post: true, Help: "true to mark posts as sensitive"},
		{Name: "spoiler_text", Option: true, Post: true, Help: "content warning shown instead of the text"},
	}
}

// parseServer returns the address of a server from what people write for it: a host
// or an URL. It is https unless the URL says http.
func parseServer(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, len(text) > 2048, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil,
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, publish.Contentf("instance_url", "instance_url is a server and nothing more, such as mastodon.social or https://mastodon.social")
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

// header returns the headers of every call. No connection is kept: some servers
// close theirs after an answer without saying so, and a status that is written
// just then would have an unknown outcome.
func (p *Publisher) header(c publish.Credentials) http.Header {
	h := http.Header{}
	h.Set("Connection", "close")
	h.Set("Authorization", "Bearer "+c["access_token"])
	h.Set("Accept", "application/json")
	h.Set("User-Agent", p.userAgent)
	return h
}

// checkToken refuses what no header can carry. The error does not hold the token.
func checkToken(token string) error {
	if len(token) > 2048 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return publish.Contentf("access_token", "the access token holds white space or characters that no token has; copy it again")
	}
	return nil
}
