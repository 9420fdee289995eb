// Package mastodon publishes to servers with the Mastodon client API: Mastodon
// itself and many others (https://docs.joinmastodon.org/client/).
//
// # Requests with an unknown outcome
//
// Each status is sent with an Idempotency-Key, the same for every attempt of a
// target. Servers treat it differently. Mastodon keeps a key for an hour and
// responds to a repeat with the first status. But it writes the key after the
// status, so a repeat that overtakes the first request creates a second status. Some
// versions respond to a repeat with 500. Hollo honors keys the same way. snac and
// GoToSocial ignore them. An account does not say which server it is on, so a
// request with an unknown outcome must not be repeated because of the key: the
// publisher is not a [publish.Idempotent]. It is a [publish.Finder] instead. The key
// is only a second line of defense if a status appears late.
//
// [Publisher.Find] reads the account's own statuses and compares them with the post.
// It reports that the post is missing only if the list was read back to the start of
// the attempt and nothing in it could be the post. For a post that is not public,
// the list must also contain a status that is not public, because snac and others
// leave those out. The caller must wait until the server has finished with the
// request. If Find is not sure, it returns an error and the outcome stays unknown
// until a person has checked: a post is rather held than published twice.
//
// Find cannot detect two cases. If someone publishes the same text with the same
// account after the attempt started, Find mistakes that status for the post. A post
// that its author has deleted counts as missing. Find skips statuses that belong to
// other targets; the caller resolves targets with the same text one after the other.
// The server's clock may be wrong: it is trusted within a minute of the Date of its
// responses, or within five minutes without a Date. A status with the same text
// shortly before the attempt leaves the outcome unknown.
//
// # Media
//
// Files are uploaded before the status and processed by the server, which may take
// minutes. Before the status is sent, the server is asked whether it still has all of
// them. The status in the response must show as many files as were sent; otherwise the
// receipt says so.
//
// # Threads and polls
//
// A part of a thread is a reply to the one before it. Before each reply, the server is
// asked whether it has that status: snac publishes a reply to a missing status as a
// status of its own. Find looks for a reply among the replies to its parent, and among
// the statuses of the account without a parent. Before a poll, the server is asked for
// its limits. A receipt says if the response shows no parent or no poll.
//
// # Logging in
//
// [StartLogin] is for programs at a terminal: it gets an access token through the
// server's own login page.
package mastodon

import (
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Platform is the name of the platform.
const Platform = "mastodon"

// Publisher implements [publish.Publisher].
type Publisher struct {
	client    *http.Client
	userAgent string
}

// New returns the publisher. version is the daemon's version, for the User-Agent.
func New(client *http.Client, version string) *Publisher {
	return &Publisher{client: client, userAgent: "schedctl/" + version}
}

// Platform returns "mastodon".
func (p *Publisher) Platform() string { return Platform }

// Fields lists instance_url, access_token and the options of a status.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "instance_url", Required: true, Tidy: publish.TidyServer, Help: "the server, such as mastodon.social"},
		{Name: "access_token", Required: true, Secret: true, Help: "from Preferences, Development, with the scopes read:accounts, read:statuses, write:statuses and write:media"},
		{Name: "visibility", Option: true, Post: true, Help: "public, unlisted, private or direct"},
		{Name: "language", Option: true, Post: true, Help: "language code of the posts, such as en"},
		{Name: "sensitive", Option: true, Post: true, Help: "true to mark posts as sensitive"},
		{Name: "spoiler_text", Option: true, Post: true, Help: "content warning shown instead of the text"},
	}
}

// parseServer returns the address of a server from user input: a host or a URL. The
// scheme is https unless the URL says http.
func parseServer(text string) (*url.URL, error) {
	return outbound.ParseServer(text, "instance_url", "mastodon.social")
}

// header returns the headers of every request. Connections are not reused: some
// servers close theirs after a response without announcing it. A status written at
// that moment would have an unknown outcome.
func (p *Publisher) header(c publish.Credentials) http.Header {
	h := outbound.Header(p.userAgent, c["access_token"])
	h.Set("Connection", "close")
	return h
}
