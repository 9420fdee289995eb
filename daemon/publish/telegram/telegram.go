// Package telegram publishes to a chat, group or channel of Telegram as a bot
// (https://core.telegram.org/bots/api).
//
// The Bot API does not recognize repeated requests, and a bot cannot read its own
// messages: the publisher is neither a [publish.Idempotent] nor a [publish.Finder].
// An unknown outcome stays unknown until a person has checked the chat.
//
// Files are sent in the same request as the text, which becomes their caption. Telegram
// has no alt texts. The text of a post with a poll is the question.
//
// The token is part of the path of every URL. It never appears in an error because
// package outbound puts no URL into errors.
package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Platform is the name of the platform.
const Platform = "telegram"

// maxText is the maximum length of a message in Unicode code points, as
// message_length_max is described (https://core.telegram.org/constructor/config).
const maxText = 4096

// publicAPI is the address of Telegram's own Bot API server.
const publicAPI = "https://api.telegram.org"

// Publisher implements [publish.Publisher], [publish.MediaPublisher], [publish.Threader]
// and [publish.Poller].
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

// Platform returns "telegram".
func (p *Publisher) Platform() string { return Platform }

// NoResults implements [publish.NoResultsReader].
func (p *Publisher) NoResults() string {
	return "Telegram tells bots how many people reacted only in updates, and reading those would take them from the programs of your bot."
}

// Fields lists bot_token, chat_id, api_url and the options of a message.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "bot_token", Required: true, Secret: true, Help: "from @BotFather, such as 123456:ABC-DEF…", Check: checkToken},
		{Name: "chat_id", Required: true, Tidy: publish.TidyPath([]string{"t.me", "telegram.me"}, "/", "@"), Help: "@name of a public channel or group, or the number of a chat", Check: checkChat},
		{Name: "api_url", Help: "your own Bot API server; default " + publicAPI, Check: checkAddress},
		{Name: "silent", Option: true, Post: true, Help: "true to deliver without a sound"},
		{Name: "link_preview", Option: true, Post: true, Help: "false to show no preview of a link"},
	}
}

// bot is an account's bot and chat.
type bot struct {
	api   *url.URL
	token string
	chat  string // "@name", or a number
}

var (
	tokenForm = pattern.Lazy(`^[0-9]{1,20}:[A-Za-z0-9_-]{8,128}$`)
	chatName  = pattern.Lazy(`^@[A-Za-z][A-Za-z0-9_]{1,63}$`)
	chatID    = pattern.Lazy(`^-?[1-9][0-9]{0,17}$`)
)

func checkToken(value string) error {
	if !tokenForm().MatchString(value) {
		return errors.New("bot_token must be a number, a colon and letters, such as 123456:ABC-DEF…; copy it from @BotFather")
	}
	return nil
}

func checkChat(value string) error {
	if !chatName().MatchString(value) && !chatID().MatchString(value) {
		return errors.New("chat_id must be the @name of a public channel or group, or the number of a chat, such as -1001234567890")
	}
	return nil
}

func checkAddress(value string) error {
	if _, err := outbound.ParseURL(value); err != nil {
		return fmt.Errorf("api_url: %w", err)
	}
	return nil
}

// parseCredentials checks credentials. No error contains the token.
func (p *Publisher) parseCredentials(c publish.Credentials) (bot, error) {
	address := c["api_url"]
	if address == "" {
		address = publicAPI
	}
	api, err := p.policy.ParseAddress(address)
	if err != nil {
		return bot{}, publish.Contentf("api_url", "api_url: %s", err)
	}
	if err := checkToken(c["bot_token"]); err != nil {
		return bot{}, publish.Contentf("bot_token", "%s", err)
	}
	if err := checkChat(c["chat_id"]); err != nil {
		return bot{}, publish.Contentf("chat_id", "%s", err)
	}
	api.RawQuery = ""
	return bot{api: api, token: c["bot_token"], chat: c["chat_id"]}, nil
}

// method returns the URL of an API method.
func (b bot) method(name string) *url.URL { return b.api.JoinPath("bot"+b.token, name) }

func checkOptions(o schedctl.Options) *publish.Error {
	return publish.CheckBools(o, "silent", "link_preview")
}
