package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect verifies a bot's token and, if the bot has the scope, the channel. For a
// webhook it only checks the URL, because a webhook posts everything it receives.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkOptions(c.Options); err != nil {
		return publish.Profile{}, err
	}
	a, err := p.parseCredentials(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	if a.webhook != nil {
		return webhookProfile(a.webhook), nil
	}
	return p.connectBot(ctx, a)
}

// webhookProfile names a webhook by the part of its URL that is not secret.
func webhookProfile(u *url.URL) publish.Profile {
	name, identity := u.Host, ""
	if id := webhookPath().FindStringSubmatch(u.Path); id != nil && isSlack(u) {
		// Slack does not reveal the channel of a webhook, but it never changes.
		name, identity = "webhook "+id[2], "webhook "+id[1]+" "+id[2]
	}
	return publish.Profile{Username: name, DisplayName: name, URL: u.Scheme + "://" + u.Host, Limits: limits(), Identity: identity}
}

func limits() schedctl.Limits { return schedctl.Limits{MaxCharacters: maxText, Unit: "characters"} }

func (p *Publisher) connectBot(ctx context.Context, a access) (publish.Profile, error) {
	var me struct {
		URL    any `json:"url"`
		Team   any `json:"team"`
		User   any `json:"user"`
		TeamID any `json:"team_id"`
		UserID any `json:"user_id"`
	}
	header, err := p.getWithHeader(ctx, a, publish.PurposeIdentity, "auth.test", nil, &me)
	if err != nil {
		return publish.Profile{}, err
	}
	granted := scopes(header)
	if err := checkScopes(granted); err != nil {
		return publish.Profile{}, err
	}
	user := outbound.Label(me.User)
	if user == "" {
		return publish.Profile{}, notAnAPI(a)
	}
	channel, private, err := p.channelName(ctx, a, granted)
	if err != nil {
		return publish.Profile{}, err
	}
	profile := publish.Profile{Username: user, DisplayName: channel, Limits: limits(), Warnings: scopeWarnings(granted, private)}
	if team := outbound.Label(me.Team); team != "" {
		profile.DisplayName += " in " + team
	}
	if team, user := outbound.Label(me.TeamID), outbound.Label(me.UserID); team != "" && user != "" {
		profile.Identity = team + " " + user + " " + a.channel
	}
	profile.URL = channelURL(me.URL, a.channel)
	return profile, nil
}

// channelName returns the channel's name, or its id if the bot may not read the
// name, which it does not need to post, and whether the channel is private. It returns an error if the channel is
// archived or the bot may not post there.
func (p *Publisher) channelName(ctx context.Context, a access, granted []string) (name string, private bool, err error) {
	var info struct {
		Channel struct {
			Name       any   `json:"name"`
			IsArchived bool  `json:"is_archived"`
			IsPrivate  bool  `json:"is_private"`
			IsMember   *bool `json:"is_member"` // only for channels, not for direct messages
		} `json:"channel"`
	}
	err = p.get(ctx, a, publish.PurposeIdentity, "conversations.info", url.Values{"channel": {a.channel}}, &info)
	var e *publish.Error
	switch {
	case errors.As(err, &e) && e.Code == "missing_scope":
		return a.channel, info.Channel.IsPrivate, nil
	case errors.As(err, &e) && e.Code == "channel_not_found":
		return "", false, publish.Contentf("channel", "the bot cannot find channel %s; check the id and invite the bot to the channel", a.channel)
	case err != nil:
		return "", false, err
	case info.Channel.IsArchived:
		return "", false, publish.Contentf("channel", "channel %s is archived; use another channel", a.channel)
	case info.Channel.IsMember != nil && !*info.Channel.IsMember && (info.Channel.IsPrivate || !slices.Contains(granted, publicScope)):
		return "", false, &publish.Error{
			Kind: schedctl.KindAuth, Code: "not_in_channel", Outcome: schedctl.OutcomeNotPublished,
			Message: "the bot is not in channel " + a.channel + " and may not post there; invite the bot to it, then try again",
		}
	}
	if name = outbound.Label(info.Channel.Name); name != "" {
		return "#" + name, info.Channel.IsPrivate, nil
	}
	return a.channel, info.Channel.IsPrivate, nil
}

// channelURL returns the address of a channel in a workspace.
func channelURL(workspace any, channel string) string {
	text, _ := workspace.(string)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > 255 {
		return ""
	}
	return (&url.URL{Scheme: "https", Host: u.Host}).JoinPath("archives", channel).String()
}

// get reads the response of a method that posts nothing.
func (p *Publisher) get(ctx context.Context, to access, purpose publish.Purpose, method string, query url.Values, document any) error {
	_, err := p.getWithHeader(ctx, to, purpose, method, query, document)
	return err
}

// getWithHeader is get that also returns the headers of the response.
func (p *Publisher) getWithHeader(ctx context.Context, to access, purpose publish.Purpose, method string, query url.Values, document any) (http.Header, error) {
	a, err := outbound.Get(ctx, p.client, to.method(method, query), outbound.Header(p.userAgent, to.token))
	if err != nil {
		return nil, outbound.AddressError(err, "api_url")
	}
	if e := refusal(a, purpose, time.Now(), to.hidden()...); e != nil {
		return nil, refusedGet(e, to)
	}
	if a.Cut || json.Unmarshal(a.Body, document) != nil {
		return nil, notAnAPI(to)
	}
	return a.Header, nil
}

// refusedGet distinguishes a refusal by Slack from an address that is not Slack's.
func refusedGet(e *publish.Error, to access) error {
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Code == codeNoConfirmation, e.HTTPStatus == http.StatusNotFound && e.Code == "":
		return notAnAPI(to)
	case e.HTTPStatus >= 300 && e.HTTPStatus < 400:
		e.Kind, e.Code = schedctl.KindContent, "api_url"
		e.Message = to.api.Host + " redirects to another address; use that address as api_url"
	}
	return e
}

func notAnAPI(to access) error {
	return publish.Contentf("api_url", "%.200q does not respond like Slack's Web API; check api_url", to.api.Host)
}
