// Package bluesky publishes to Bluesky: to bsky.social and to any other personal
// data server of the AT protocol (https://atproto.com/specs/xrpc).
//
// A post is a record under a key that the client chooses: a timestamp identifier,
// which also sets the creation time of the post. Writing the same record to the same
// key again changes nothing, no matter how much later or how often. A request with
// an unknown outcome can therefore always be repeated.
//
// A thread is one write, which creates all of its records or none. Each record refers to
// the one before it by the hash of its content, which the publisher computes before the
// request. Creating a record that exists fails, so the publisher asks for the records
// before it repeats a write. It does the same for a post with a link card, because the
// page may have changed.
//
// An app password is exchanged for a session with two tokens. The access token lasts
// for hours; when it has expired, a request fails with [publish.CodeSessionExpired].
// Refresh then gets new tokens with the refresh token or, if that has expired too,
// with the app password. Servers limit logins strictly, so sessions are reused.
package bluesky

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
)

// Platform is the name of the platform.
const Platform = "bluesky"

// Publisher implements [publish.Publisher], [publish.Idempotent], [publish.Finder],
// [publish.PartKeyer], [publish.Threader], [publish.Uploader], [publish.ResultsReader] and [publish.Refresher].
type Publisher struct {
	client    *http.Client
	userAgent string
	cards     *linkcard.Fetcher

	videoService string // the address of Bluesky's video service
	partsAbove   int64  // the size from which videos are sent to it in parts

	clock uint64 // 10 bits; distinguishes processes that create keys at the same time

	mu   sync.Mutex // mu guards last
	last int64      // the time of the last key, in microseconds
}

// New returns the publisher. cards fetches the link cards of posts; if it is nil, posts
// have only those that they describe without a picture. version is the daemon's version,
// for the User-Agent.
func New(client *http.Client, cards *linkcard.Fetcher, version string) *Publisher {
	return &Publisher{client: client, cards: cards, userAgent: "schedctl/" + version, videoService: publicVideoService, partsAbove: partsAbove, clock: randomClock()}
}

// Platform returns "bluesky".
func (p *Publisher) Platform() string { return Platform }

// Fields lists service_url, identifier, app_password and the option langs.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "service_url", Tidy: publish.TidyServer, Help: "the account's server; default https://bsky.social"},
		{Name: "identifier", Required: true, Tidy: publish.TidyPath(nil, "/profile/", ""), Help: "the handle, such as alice.bsky.social, or the DID or e-mail address of the account"},
		{Name: "app_password", Required: true, Secret: true, Help: "from Settings, Privacy and security, App passwords"},
		{Name: "langs", Option: true, Post: true, Help: "language codes of the posts, at most three, such as en,pt-BR; default none"},
	}
}

// Idempotent returns true: writing a record again under its key changes nothing.
func (p *Publisher) Idempotent(schedctl.Account) bool { return true }

// keyStep is the least distance of two keys in microseconds. It leaves room for the keys
// of the further parts of a thread.
const keyStep = schedctl.MaxThread + 2

// NewKey returns a timestamp identifier for now: a record key of 13 characters. The
// keys of one publisher are unique and in order, and so are those of [Publisher.PartKey].
func (p *Publisher) NewKey(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(now.UnixMicro(), p.last+keyStep)
	return encodeTID(p.last, p.clock)
}

// KeyFor returns a timestamp identifier for the time of an occurrence. The hash of the
// target sets the microseconds and the clock id, so that targets with the same time have
// different keys. It leaves room for the keys of further parts.
func (p *Publisher) KeyFor(targetID string, at time.Time) string {
	sum := sha256.Sum256([]byte(targetID))
	step := binary.BigEndian.Uint64(sum[:]) % uint64(time.Second/time.Microsecond/keyStep)
	clock := binary.BigEndian.Uint64(sum[8:]) % (1 << clockBits)
	return encodeTID(at.Truncate(time.Second).UnixMicro()+int64(step)*keyStep, clock)
}

// PartKey returns the identifier that is as many microseconds later as the index of the
// part.
func (p *Publisher) PartKey(first string, part int) string {
	if key, ok := addToTID(first, part); ok {
		return key
	}
	return first + "-" + strconv.Itoa(part) // refused when it is used
}
