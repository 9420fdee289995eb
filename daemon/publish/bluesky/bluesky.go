// Package bluesky publishes to Bluesky: to bsky.social and to any other personal
// data server of the AT protocol (https://atproto.com/specs/xrpc).
//
// A post is a record that is put under a key of our choice, a timestamp
// identifier that also says when the post was created. The same record put again
// under its key changes nothing, however much later and however many at once, so
// a call with an unknown outcome can always be repeated.
//
// An app password is exchanged for a session of two tokens. The access token
// lasts for hours; a call that it is too old for ends with
// [publish.CodeSessionExpired], and Refresh takes the refresh token, or the app
// password when that has ended too, to get new ones. Sessions are precious:
// servers allow only few log-ins in a while.
package bluesky

import (
	"net/http"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Platform is the name of the platform.
const Platform = "bluesky"

// Publisher implements [publish.Publisher], [publish.Idempotent],
// [publish.Keyer] and [publish.Refresher].
type Publisher struct {
	client    *http.Client
	userAgent string
	clock     uint64 // of 10 bits, tells processes apart that make keys at once

	mu   sync.Mutex // mu guards last
	last int64      // microseconds of the last key
}

// New returns the publisher. The version is the daemon's own, for the
// User-Agent.
func New(client *http.Client, version string) *Publisher {
	return &Publisher{client: client, userAgent: "schedctl/" + version, clock: randomClock()}
}

// Platform returns "bluesky".
func (p *Publisher) Platform() string { return Platform }

// Fields lists service_url, identifier, app_password and the option langs.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "service_url", Help: "the account's server; https://bsky.social unless it is another"},
		{Name: "identifier", Required: true, Help: "the handle, such as alice.bsky.social, or the DID or e-mail address of the account"},
		{Name: "app_password", Required: true, Secret: true, Help: "from Settings, Privacy and security, App passwords"},
		{Name: "langs", Option: true, Post: true, Help: "language codes of the posts, at most three, such as en,pt-BR; none unless given"},
	}
}

// Idempotent returns true: a record put again under its key changes nothing.
func (p *Publisher) Idempotent(schedctl.Account) bool { return true }

// NewKey returns a timestamp identifier of an instant, a record key of 13
// characters. Those of one publisher are all different and in order.
func (p *Publisher) NewKey(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(now.UnixMicro(), p.last+1)
	return encodeTID(p.last, p.clock)
}
