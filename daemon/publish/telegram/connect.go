package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect checks that the bot exists, knows the chat and may write there.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkOptions(c.Options); err != nil {
		return publish.Profile{}, err
	}
	b, err := p.parseCredentials(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	profile := publish.Profile{Limits: schedctl.Limits{MaxCharacters: maxText, Unit: "characters"}}
	var me chatOrUser
	var chat chatInfo
	if err := p.get(ctx, b, b.method("getMe"), &me); err != nil {
		return publish.Profile{}, err
	}
	ask := b.method("getChat")
	ask.RawQuery = url.Values{"chat_id": {b.chat}}.Encode()
	if err := p.get(ctx, b, ask, &chat); err != nil {
		return publish.Profile{}, unknownChat(err)
	}
	profile.Username, profile.DisplayName, profile.URL = me.name(), chat.name(), chat.publicURL()
	if profile.Username == "" {
		return publish.Profile{}, notAnAPI(b)
	}
	botID, chatID := me.id(), chat.id()
	if botID == "" || chatID == "" {
		return publish.Profile{}, notAnAPI(b)
	}
	profile.Identity = botID + " " + chatID
	return profile, p.checkWritable(ctx, b, botID, chat)
}

// get reads the result of a method that sends nothing.
func (p *Publisher) get(ctx context.Context, b bot, u *url.URL, result any) error {
	a, err := outbound.Get(ctx, p.client, u.String(), outbound.Header(p.userAgent, ""))
	if err != nil {
		return outbound.AddressError(err, "api_url")
	}
	if a.Status != http.StatusOK {
		return refusedConnect(a, b)
	}
	var envelope struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
	}
	if a.Cut || json.Unmarshal(a.Body, &envelope) != nil || !envelope.OK || json.Unmarshal(envelope.Result, result) != nil {
		return notAnAPI(b)
	}
	return nil
}

// refusedConnect distinguishes a refused token from an address without a Bot API.
func refusedConnect(a outbound.Response, b bot) error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), b.token)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Kind == schedctl.KindPlatform && a.Status < 500 && e.Code != publish.CodeBlockedOnTheWay:
		return notAnAPI(b)
	case a.Status >= 300 && a.Status < 400:
		e.Kind, e.Code = schedctl.KindContent, "api_url"
		e.Message = b.api.Host + " redirects to another address; use that address as api_url"
	}
	return e
}

func notAnAPI(b bot) error {
	return publish.Contentf("api_url", "%.200q does not respond like the Bot API; check api_url", b.api.Host)
}

// unknownChat assigns errors about the chat to the field chat_id. Missing rights in
// a known chat stay of kind auth.
func unknownChat(err error) error {
	e := publish.AsError(err)
	if (e.Kind == schedctl.KindContent && e.Code == "") || e.Code == codeNoChat || e.Code == codeMigrated {
		e.Kind, e.Code = schedctl.KindContent, "chat_id"
	}
	return e
}

// chatOrUser has the common members of bots, users and chats.
type chatOrUser struct {
	ID        json.RawMessage `json:"id"`
	Type      any             `json:"type"` // of a chat: private, group, supergroup or channel
	Title     any             `json:"title"`
	Username  any             `json:"username"`
	FirstName any             `json:"first_name"`
	LastName  any             `json:"last_name"`
}

// id returns the number of a bot or chat, or the empty string for any other value.
func (p chatOrUser) id() string {
	if !chatID().Match(p.ID) {
		return ""
	}
	return string(p.ID)
}

// name returns the username of a bot, the title of a chat, or the name of the person
// in a private chat.
func (p chatOrUser) name() string {
	for _, name := range []string{
		outbound.Label(p.Title),
		p.username(),
		strings.TrimSpace(outbound.Label(p.FirstName) + " " + outbound.Label(p.LastName)),
	} {
		if name != "" {
			return name
		}
	}
	return ""
}

// publicURL returns the address of a public channel or group, or the empty string.
func (p chatOrUser) publicURL() string {
	if p.Type != "channel" && p.Type != "supergroup" || p.username() == "" {
		return ""
	}
	return "https://t.me/" + p.username()
}

func (p chatOrUser) username() string {
	name, _ := p.Username.(string)
	if !chatName().MatchString("@" + name) {
		return ""
	}
	return name
}
