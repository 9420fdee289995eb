// Package nostr publishes notes to relays of Nostr
// (https://github.com/nostr-protocol/nips).
//
// A note is a signed event whose id is the hash of its content. The key of an attempt
// fixes the creation time, so that every request with the same key sends the same event
// with the same id. A relay that has the event ignores it, and reports that it is
// accepted. A request with an unknown outcome can therefore always be repeated.
//
// The event is sent to all relays of the account. It is published once as many relays as
// the option relays_required says have accepted it.
//
// Files need an address that does not expire, because notes stay on relays for years.
// They are uploaded to the Blossom server in the option media_server, where the address
// of a file is its hash.
package nostr

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Platform is the name of the platform.
const Platform = "nostr"

// The fields of an account.
const (
	fieldSecret    = "nsec"
	fieldRelays    = "relays"
	optionRequired = "relays_required"
	optionMedia    = "media_server"
)

const maxRelays = 20

// Publisher implements [publish.Publisher], [publish.Idempotent], [publish.Keyer],
// [publish.Uploader] and [publish.Threader].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string

	mu   sync.Mutex // mu guards last
	last int64      // the time of the last key, in microseconds
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version}
}

// Platform returns "nostr".
func (p *Publisher) Platform() string { return Platform }

// Fields lists nsec, relays and the options relays_required and media_server.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldSecret, Required: true, Secret: true, Help: "the secret key, nsec1…; your Nostr app shows it in its settings", Check: checkSecret},
		{Name: fieldRelays, Required: true, Help: "the relays to publish to, separated by commas, such as wss://relay.example.org,wss://relay.example.net", Check: p.checkRelays},
		{Name: optionRequired, Option: true, Help: "how many relays must accept a post; default 1"},
		{Name: optionMedia, Option: true, Help: "the Blossom server that stores files, such as https://blossom.example.org; without one, posts have no files"},
	}
}

func checkSecret(value string) error {
	_, err := parseSecret(value)
	return err
}

func (p *Publisher) checkRelays(value string) error {
	_, err := p.parseRelays(value)
	return err
}

// Idempotent returns true: the same key gives the same event.
func (p *Publisher) Idempotent(schedctl.Account) bool { return true }

// parseRelays parses the relays of an account.
func (p *Publisher) parseRelays(text string) ([]*url.URL, error) {
	var relays []*url.URL
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		relay, err := p.parseRelay(item)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(relays, func(u *url.URL) bool { return u.String() == relay.String() }) {
			relays = append(relays, relay)
		}
	}
	if len(relays) == 0 || len(relays) > maxRelays {
		return nil, publish.Contentf(fieldRelays, "relays must be 1 to %d addresses, separated by commas, such as wss://relay.example.org", maxRelays)
	}
	return relays, nil
}

// parseRelay parses the address of a relay. A missing scheme means wss.
func (p *Publisher) parseRelay(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "wss://" + text
	}
	web, isRelay := strings.CutPrefix(text, "ws")
	if !isRelay {
		return nil, publish.Contentf(fieldRelays, "the address of a relay must start with wss://, such as wss://relay.example.org")
	}
	u, err := p.policy.ParseAddress("http" + web)
	if err != nil {
		message := strings.NewReplacer("https://", "wss://", "http://", "ws://").Replace(err.Error())
		return nil, publish.Contentf(fieldRelays, "relays: %s", message)
	}
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	return u, nil
}

// parseRequired returns how many relays must accept a post.
func parseRequired(o schedctl.Options, relays int) (int, *publish.Error) {
	required := 1
	switch value := o[optionRequired].(type) {
	case nil:
	case float64:
		required = int(value)
	case string:
		required, _ = strconv.Atoi(strings.TrimSpace(value))
	default:
		required = 0
	}
	if required < 1 || required > max(relays, 1) {
		return 0, publish.Contentf(optionRequired, "relays_required must be a number from 1 to %d, the number of relays of the account", relays)
	}
	return required, nil
}

// notPublished sets the outcome of an error to not_published, for requests that do not
// publish.
func notPublished(err error) error {
	e := *publish.AsError(err)
	e.Outcome = schedctl.OutcomeNotPublished
	return &e
}
