// Package googlechat publishes to a space of Google Chat through an incoming webhook
// (https://developers.google.com/workspace/chat/quickstart/webhooks).
//
// Each request has the parameter requestId. According to the documentation, a request
// with a known id returns the message of the first request, so requests with an unknown
// outcome are repeated. Google does not document whether that also applies to webhooks,
// and no one has confirmed it.
//
// A webhook cannot read anything, so connecting an account sends no request. Pictures are
// fetched by Google from the daemon's public address. The parts of a thread are messages
// in the thread that the first part started.
package googlechat

import (
	"context"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "googlechat"

// maxBytes is the maximum size of a message in bytes, with its text and its cards.
const maxBytes = 32_000

// fieldURL is the only credential.
const fieldURL = "webhook_url"

// Publisher implements [publish.Publisher], [publish.Idempotent],
// [publish.MediaPublisher], [publish.AddressNeeder] and [publish.Threader].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
	publicURL string
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent. Google fetches pictures from publicURL, the address of the
// daemon.
func New(client *http.Client, policy outbound.Policy, version, publicURL string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version, publicURL: publicURL}
}

// Platform returns "googlechat".
func (p *Publisher) Platform() string { return Platform }

// NoResults implements [publish.NoResultsReader].
func (p *Publisher) NoResults() string {
	return "A webhook of Google Chat cannot read its messages."
}

// optionMentions is the name of the option that lets mentions notify.
const optionMentions = "mentions"

// Fields lists webhook_url and the option mentions.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: fieldURL, Required: true, Secret: true, Help: "from the space's menu, Apps & integrations, Webhooks", Check: p.checkWebhook},
		{Name: optionMentions, Option: true, Post: true, Help: "true to let <users/all> in a post notify everyone in the space"},
	}
}

func (p *Publisher) checkWebhook(value string) error {
	_, err := p.parseWebhook(value)
	return err
}

// Idempotent returns true: requests have a requestId.
func (p *Publisher) Idempotent(schedctl.Account) bool { return true }

// Connect checks the URL. It sends nothing, because a webhook can only post.
func (p *Publisher) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := publish.CheckBools(c.Options, optionMentions); err != nil {
		return publish.Profile{}, err
	}
	w, err := p.parseWebhook(c.Credentials[fieldURL])
	if err != nil {
		return publish.Profile{}, err
	}
	profile := publish.Profile{
		Username: w.space, DisplayName: "space " + w.space, URL: w.base.Scheme + "://" + w.base.Host,
		Limits: schedctl.Limits{MaxCharacters: maxBytes, Unit: "bytes"}, Identity: w.base.Host + " " + w.space,
	}
	if w.base.Host == "chat.googleapis.com" {
		profile.URL = "https://chat.google.com/room/" + w.space
	}
	return profile, nil
}

// webhook is a parsed webhook URL.
type webhook struct {
	base       *url.URL // without a query
	space      string
	key, token string
}

var webhookPath = pattern.Lazy(`^/v1/spaces/([A-Za-z0-9_-]{1,200})/messages/?$`)

// parseWebhook parses a webhook URL. Its errors do not contain the URL.
func (p *Publisher) parseWebhook(text string) (webhook, error) {
	u, err := p.policy.ParseAddress(text)
	if err != nil {
		return webhook{}, publish.Contentf(fieldURL, "%s: %s", fieldURL, err)
	}
	path := webhookPath().FindStringSubmatch(u.Path)
	query := u.Query()
	if path == nil || query.Get("key") == "" || query.Get("token") == "" {
		return webhook{}, publish.Contentf(fieldURL, "webhook_url must have the form https://chat.googleapis.com/v1/spaces/<space>/messages?key=<key>&token=<token>; copy it from the space's menu, Apps & integrations, Webhooks")
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/v1/spaces/" + path[1] + "/messages"}
	return webhook{base: base, space: path[1], key: query.Get("key"), token: query.Get("token")}, nil
}

// address returns the URL of the request for one part.
func (w webhook) address(r publish.Request) string {
	query := url.Values{"key": {w.key}, "token": {w.token}, "requestId": {r.Key}, "messageReplyOption": {replyOption(r)}}
	u := *w.base
	u.RawQuery = query.Encode()
	return u.String()
}

// hidden returns the texts that no error may contain.
func (w webhook) hidden(r publish.Request) []string {
	hidden := []string{w.key, w.token, url.QueryEscape(w.key), url.QueryEscape(w.token), r.Content}
	for _, f := range r.Files {
		hidden = append(hidden, f.URL, f.AltText)
	}
	return hidden
}
