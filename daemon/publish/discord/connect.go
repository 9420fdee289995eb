package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// channels is the address of channels and messages in Discord's client.
const channels = "https://discord.com/channels/"

// Connect reads the webhook, which posts nothing.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkOptions(c.Options); err != nil {
		return publish.Profile{}, err
	}
	w, err := p.parseWebhook(c.Credentials["webhook_url"])
	if err != nil {
		return publish.Profile{}, err
	}
	a, err := outbound.Get(ctx, p.client, w.base.String(), outbound.Header(p.userAgent, ""))
	if err != nil {
		return publish.Profile{}, outbound.AddressError(err, "webhook_url")
	}
	if a.Status != http.StatusOK {
		return publish.Profile{}, refusedConnect(a, w)
	}
	profile, ok := parseProfile(a, w)
	if !ok {
		return publish.Profile{}, notAWebhook(w)
	}
	return profile, nil
}

// refusedConnect distinguishes a deleted webhook from an address that is not a
// webhook.
func refusedConnect(a outbound.Response, w webhook) error {
	e := refusal(a, publish.PurposeIdentity, time.Now(), w.token)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Kind == schedctl.KindPlatform && a.Status < 500 && a.Status != http.StatusForbidden:
		return notAWebhook(w)
	case a.Status >= 300 && a.Status < 400:
		e.Kind, e.Code = schedctl.KindContent, "webhook_url"
		e.Message = w.base.Host + " redirects to another address; use that address as webhook_url"
	}
	return e
}

func notAWebhook(w webhook) error {
	return publish.Contentf("webhook_url", "%.200q has no webhook at this address; check webhook_url", w.base.Host)
}

// parseProfile reads a webhook object. A webhook may have no name.
func parseProfile(a outbound.Response, w webhook) (publish.Profile, bool) {
	var object struct {
		ID        any `json:"id"`
		Name      any `json:"name"`
		GuildID   any `json:"guild_id"`
		ChannelID any `json:"channel_id"`
	}
	if a.Cut || json.Unmarshal(a.Body, &object) != nil {
		return publish.Profile{}, false
	}
	id := parseSnowflake(object.ID)
	if id == "" {
		return publish.Profile{}, false
	}
	name := outbound.Label(object.Name)
	if name == "" {
		name = "webhook " + id
	}
	profile := publish.Profile{
		Username: name, DisplayName: name, Limits: schedctl.Limits{MaxCharacters: maxContent, Unit: "characters"},
	}
	if guild, channel := parseSnowflake(object.GuildID), parseSnowflake(object.ChannelID); w.isDiscord() && guild != "" && channel != "" {
		profile.URL = channels + guild + "/" + channel
	}
	if channel := parseSnowflake(object.ChannelID); channel != "" {
		profile.Identity = strings.TrimSpace(channel + " " + w.thread)
	}
	return profile, true
}

// parseSnowflake returns a snowflake, which is a number in a JSON string. It returns
// the empty string for any other value.
func parseSnowflake(value any) string {
	text, _ := value.(string)
	if !snowflake().MatchString(text) {
		return ""
	}
	return text
}
