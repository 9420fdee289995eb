// Package slack publishes to a channel of Slack, as a bot
// (https://docs.slack.dev/reference/methods/chat.postMessage) or through an incoming
// webhook
// (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).
//
// Slack does not recognize repeated requests: the publisher is not a
// [publish.Idempotent]. A bot's messages carry the request's key in their metadata,
// so that Find can look for them in the history of the channel, if the bot may read
// it. A webhook cannot be asked anything. If Slack cannot be asked, an unknown
// outcome stays unknown until a person has checked the channel.
//
// A bot replies in threads. Slack posts a reply to a deleted message as a message of its
// own, so the publisher asks for the message first. A webhook cannot reply.
package slack

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "slack"

// Slack truncates texts of bots and webhooks after 40,000 characters
// (https://api.slack.com/changelog/2018-04-truncating-really-long-messages) and
// recommends at most 4,000.
const (
	maxText         = 40000
	recommendedText = 4000
)

// publicAPI is the address of the Web API, except for GovSlack.
const publicAPI = "https://slack.com/api"

// Publisher implements [publish.Publisher], [publish.Finder], [publish.Uploader] and
// [publish.Threader].
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

// Platform returns "slack".
func (p *Publisher) Platform() string { return Platform }

// Fields lists webhook_url, or bot_token and channel, and the options of a message.
// No field is required for every account, so Connect checks the combination.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "webhook_url", Secret: true, Help: "an incoming webhook of a channel; or give bot_token and channel"},
		{Name: "bot_token", Secret: true, Help: "xoxb-… of an app with the scopes chat:write, files:write and files:read for pictures, and channels:history to find posts after an unknown outcome"},
		{Name: "channel", Tidy: publish.TidyPath([]string{"slack.com", "slack-gov.com"}, "/archives/", ""), Help: "with bot_token: the id of a channel, such as C0123456789"},
		{Name: "api_url", Help: "with bot_token: https://slack-gov.com/api for GovSlack; default " + publicAPI},
		{Name: "mrkdwn", Option: true, Post: true, Help: "false to show *stars* and _lines_ as they are"},
	}
}

// access is how an account connects: as a bot or through a webhook.
type access struct {
	webhook *url.URL // nil for a bot
	api     *url.URL
	token   string
	channel string
}

var (
	channelID   = pattern.Lazy(`^[CGD][A-Z0-9]{2,30}$`)
	webhookPath = pattern.Lazy(`^/services/([A-Z0-9]+)/([A-Z0-9]+)/[A-Za-z0-9]+$`)
)

// parseCredentials checks credentials. No error contains a secret.
func (p *Publisher) parseCredentials(c publish.Credentials) (access, error) {
	switch {
	case c["webhook_url"] != "" && c["bot_token"] != "":
		return access{}, publish.Contentf("webhook_url", "webhook_url and bot_token are both set; give only one of them")
	case c["webhook_url"] != "":
		return p.parseWebhook(c)
	case c["bot_token"] != "":
		return p.parseBot(c)
	}
	return access{}, publish.Contentf("webhook_url", "webhook_url is missing: give webhook_url, or bot_token and channel")
}

// parseWebhook also accepts hosts that are not Slack's: several chat servers accept
// webhooks in Slack's format.
func (p *Publisher) parseWebhook(c publish.Credentials) (access, error) {
	for _, name := range []string{"channel", "api_url"} {
		if c[name] != "" {
			return access{}, publish.Contentf(name, "%s is only valid with bot_token; a webhook has a fixed channel", name)
		}
	}
	u, err := p.policy.ParseAddress(c["webhook_url"])
	switch {
	case err != nil:
		return access{}, publish.Contentf("webhook_url", "webhook_url: %s", err)
	case strings.Trim(u.Path, "/") == "", isSlack(u) && !webhookPath().MatchString(u.Path):
		return access{}, publish.Contentf("webhook_url", "webhook_url must have the form https://hooks.slack.com/services/T…/B…/…; copy it from the app's settings, Incoming Webhooks")
	}
	return access{webhook: u}, nil
}

func isSlack(u *url.URL) bool {
	return u.Host == "hooks.slack.com" || u.Host == "hooks.slack-gov.com"
}

func (p *Publisher) parseBot(c publish.Credentials) (access, error) {
	address := c["api_url"]
	if address == "" {
		address = publicAPI
	}
	api, err := p.policy.ParseAddress(address)
	token := c["bot_token"]
	switch {
	case err != nil:
		return access{}, publish.Contentf("api_url", "api_url: %s", err)
	case !outbound.ValidToken(token):
		return access{}, publish.Contentf("bot_token", "the token contains white space or invalid characters; copy it again")
	case !channelID().MatchString(c["channel"]):
		return access{}, publish.Contentf("channel", "channel must be the id of a channel, such as C0123456789, which is at the end of the channel's details")
	}
	api.RawQuery = ""
	return access{api: api, token: token, channel: c["channel"]}, nil
}

// hidden returns the values that no message may contain.
func (a access) hidden() []string {
	if a.webhook == nil {
		return []string{a.token}
	}
	return []string{a.webhook.String(), a.webhook.RequestURI(), a.webhook.Path[strings.LastIndex(a.webhook.Path, "/")+1:]}
}

// method returns the URL of a method of the Web API.
func (a access) method(name string, query url.Values) string {
	u := a.api.JoinPath(name)
	u.RawQuery = query.Encode()
	return u.String()
}

func checkOptions(o schedctl.Options) *publish.Error { return publish.CheckBools(o, "mrkdwn") }
