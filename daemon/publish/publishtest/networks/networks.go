// Package networks is what tests need to know about each network: accounts with
// credentials, their secrets, and a fake server. The tests of deliveries, of private
// addresses, of unencrypted connections and of planted secrets range over [Accounts], so
// that a new network is in all of them.
package networks

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Accounts returns an account of every way to connect one. Add those of a new network here.
func Accounts() []Account {
	return []Account{
		bluesky(), discord(), facebook(), feed(), googleChat(), receiver(false), receiver(true), instagram(), linkedInPerson(), linkedInOrganization(), mastodon(),
		matrix(), matrixPassword(), nostr(), slackWebhook(), slackBot(), telegram(), threads(), wordpress(), xOAuth1(), xOAuth2(),
	}
}

// Named returns the account with a name.
func Named(name string) Account {
	list := Accounts()
	return list[slices.IndexFunc(list, func(a Account) bool { return a.Name == name })]
}

// Publishers returns all publishers. They may connect to private addresses.
func Publishers(client *http.Client) publish.Registry {
	return all.Publishers(all.Config{Client: client, Outbound: outbound.AllowPrivate, PublicURL: "https://daemon.example", Version: "test"})
}

// Memory is how a request with an unknown outcome can be settled.
type Memory string

// The kinds of memory.
const (
	Neither    Memory = "neither"    // a person has to check
	Idempotent Memory = "idempotent" // the request is repeated
	Findable   Memory = "findable"   // the network is asked
)

// Trait is a property that changes what a failed request leads to.
type Trait string

// The traits.
const (
	AnyBody       Trait = "any body"       // any 2xx response means that the post is published
	DailyLimit    Trait = "daily limit"    // a rate limit without a time lasts until midnight
	RepeatsWithin Trait = "repeats within" // a request is repeated within its attempt
	Replies       Trait = "replies"        // the fake knows replies
)

// Account is an account of a network. The texts of Credentials contain "{url}"
// where the address of the network belongs, or "{ws}" for an address of WebSockets.
type Account struct {
	Platform string
	Name     string // the platform, and what distinguishes it from the other accounts there

	Credentials publish.Credentials // given by a person; empty if the network has no address
	Session     publish.Credentials // what Connect adds or replaces
	Secrets     []string            // the parts of Credentials and Session that are secret
	FixedKeys   []string            // secrets that cannot be replaced by random ones
	Stored      schedctl.Account    // what the daemon knows of the account: limits, options
	Key         string              // a valid key of an attempt
	Pictures    bool                // each post needs a picture
	Unencrypted bool                // no request contains the credentials, so http is allowed

	Memory Memory // empty if the tests of deliveries use another account
	Traits []Trait

	// Responds is the response to a request that connects the account or publishes. Nil is
	// for networks that a simple response satisfies.
	Responds func(*http.Request) string

	// Accepted is the response to a request that published. It is nil for networks that
	// need a fake with more state.
	Accepted func(Sent) string
	// Publishes reports whether a request is the one that publishes. Nil is for POST.
	Publishes func(*http.Request) bool
	// RepeatKey returns the key by which the network recognizes a repeat. It may be nil.
	RepeatKey func(r *http.Request, body []byte) string
	// Header sets headers of the response to a request that published. It may be nil.
	Header func(http.Header, Sent)
	// Preflight reports whether a request only reads before the one that publishes. The
	// response is 404 and M_NOT_FOUND. It may be nil.
	Preflight func(*http.Request) bool
	// Asked is the response to any other request. Nil is for 404.
	Asked func(r *http.Request, posts []Sent) string

	// Unreliable returns a fake that keeps state and fails at random, and how many posts
	// it has. It is nil for networks whose fake does not.
	Unreliable func(*rand.Rand) (fake http.Handler, posts func() int)
}

// Sent is a post that the network has.
type Sent struct {
	Number int
	Key    string
	Body   map[string]any
	At     time.Time
}

// At returns the credentials of a person for a network at a URL, or nil if the network has
// no address.
func (a Account) At(url string) publish.Credentials {
	if len(a.Credentials) == 0 {
		return nil
	}
	c := publish.Credentials{}
	address := strings.NewReplacer("{url}", url, "{ws}", strings.Replace(url, "http", "ws", 1))
	for name, text := range a.Credentials {
		c[name] = address.Replace(text)
	}
	return c
}

// StoredAt returns the credentials that the daemon stores.
func (a Account) StoredAt(url string) publish.Credentials {
	c := a.At(url)
	maps.Copy(c, a.Session)
	return c
}

// Parts returns how many posts a thread on the fake may have: three, or one if the network or
// its fake has no threads.
func (a Account) Parts() int {
	if a.Accepted != nil && a.Unreliable == nil && !slices.Contains(a.Traits, Replies) {
		return 1
	}
	if t, ok := Publishers(nil)[a.Platform].(publish.Threader); ok && t.ThreadRules(a.Stored).Refused == "" {
		return 3
	}
	return 1
}

// IsPost reports whether the request publishes.
func (a Account) IsPost(r *http.Request) bool {
	if a.Publishes != nil {
		return a.Publishes(r)
	}
	return r.Method == http.MethodPost
}

// newestFirst returns the JSON of posts.
func newestFirst(posts []Sent, show func(Sent) string) string {
	list := []string{}
	for _, p := range slices.Backward(posts) {
		list = append(list, show(p))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// quote returns the JSON of a value.
func quote(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
