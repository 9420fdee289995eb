// Package discord publishes to a channel of Discord through an incoming webhook
// (https://discord.com/developers/docs/resources/webhook), and to servers with the
// same API.
//
// A webhook does not recognize repeated requests and cannot list its messages: the
// publisher is neither a [publish.Idempotent] nor a [publish.Finder]. Each request
// waits for the message (wait=true). An unknown outcome stays unknown until a person
// has checked the channel. Files are sent in the same request as the text.
//
// A webhook cannot reply. The parts of a thread are messages in order, in the channel or
// in the thread that the URL of the webhook names. In a forum, each post starts a thread
// of Discord, and its parts follow there.
package discord

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
const Platform = "discord"

// maxContent is the maximum length of a message in Unicode code points. The API counts
// code points, according to its maintainers.
const maxContent = 2000

// Publisher implements [publish.Publisher], [publish.MediaPublisher], [publish.Threader]
// and [publish.Poller].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent, whose form Discord prescribes: it blocks others.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "DiscordBot (https://github.com/schedctl/schedctl, " + version + ")"}
}

// Platform returns "discord".
func (p *Publisher) Platform() string { return Platform }

// Fields lists webhook_url and the options of a message.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "webhook_url", Required: true, Secret: true, Help: "from the channel's settings, Integrations, Webhooks; add ?thread_id=… to post into a thread", Check: p.checkWebhook},
		{Name: "mentions", Option: true, Post: true, Help: "true to let @everyone, @here, roles and users in a post notify them"},
		{Name: "forum", Option: true, Help: "true if the channel is a forum: each post starts a thread there, named after its first line"},
	}
}

func (p *Publisher) checkWebhook(value string) error {
	_, err := p.parseWebhook(value)
	return err
}

// webhook is a parsed webhook URL.
type webhook struct {
	base   *url.URL // without a query
	id     string
	token  string
	thread string // a thread of the channel, or empty
}

var (
	webhookPath = pattern.Lazy(`^/api(?:/v[0-9]+)?/webhooks/([0-9]+)/([A-Za-z0-9_-]+)/?$`)
	snowflake   = pattern.Lazy(`^[0-9]{1,20}$`)
)

// apiPath is the start of the paths of the current API.
const apiPath = "/api/v10/webhooks/"

// parseWebhook parses a webhook URL. Its errors do not contain the URL. A URL as copied
// from Discord has no version and means an old API, which states waits in milliseconds, so
// Discord's own hosts always get the current one.
func (p *Publisher) parseWebhook(text string) (webhook, error) {
	u, err := p.policy.ParseAddress(text)
	if err != nil {
		return webhook{}, publish.Contentf("webhook_url", "webhook_url: %s", err)
	}
	path := webhookPath().FindStringSubmatch(u.Path)
	if path == nil {
		return webhook{}, publish.Contentf("webhook_url", "webhook_url must have the form https://discord.com/api/webhooks/<id>/<token>; copy it from the channel's settings, Integrations, Webhooks")
	}
	thread := u.Query().Get("thread_id")
	if thread != "" && !snowflake().MatchString(thread) {
		return webhook{}, publish.Contentf("webhook_url", "the thread_id in webhook_url is not the number of a thread")
	}
	base := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}
	w := webhook{base: base, id: path[1], token: path[2], thread: thread}
	if w.isDiscord() {
		base.Path = apiPath + w.id + "/" + w.token
	}
	return w, nil
}

// executeURL returns the URL that accepts messages.
func (w webhook) executeURL() string {
	return w.base.String() + "?" + w.query(url.Values{"wait": {"true"}})
}

// messageURL returns the URL of a message of the webhook.
func (w webhook) messageURL(id string) string {
	u := w.base.JoinPath("messages", id)
	u.RawQuery = w.query(url.Values{})
	return u.String()
}

// query adds the thread of the webhook to the parameters, and encodes them.
func (w webhook) query(values url.Values) string {
	if w.thread != "" {
		values.Set("thread_id", w.thread)
	}
	return values.Encode()
}

// isDiscord reports whether the webhook belongs to Discord itself, under any of its
// host names. Only then are the addresses of messages known.
func (w webhook) isDiscord() bool {
	switch w.base.Hostname() {
	case "discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com":
		return true
	}
	return false
}

func checkOptions(o schedctl.Options) *publish.Error {
	return publish.CheckBools(o, "mentions", "forum")
}
