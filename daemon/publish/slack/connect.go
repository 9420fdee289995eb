package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Connect asks whose a bot's token is and, if the bot may know, for the channel.
// Of a webhook it checks the URL and sends nothing, because whatever a webhook is
// sent it posts.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	if err := checkOptions(c.Options); err != nil {
		return publish.Profile{}, err
	}
	a, err := p.parse(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	if a.webhook != nil {
		return webhookProfile(a.webhook), nil
	}
	return p.connectBot(ctx, a)
}

// webhookProfile names a webhook by the part of its URL that is no secret.
func webhookProfile(u *url.URL) publish.Profile {
	name := u.Host
	if id := webhookPath().FindStringSubmatch(u.Path); id != nil && ofSlack(u) {
		name = "webhook " + id[1]
	}
	return publish.Profile{Username: name, DisplayName: name, URL: u.Scheme + "://" + u.Host, Limits: limits()}
}

func limits() schedctl.Limits { return schedctl.Limits{MaxCharacters: maxText, Unit: "characters"} }

func (p *Publisher) connectBot(ctx context.Context, a access) (publish.Profile, error) {
	var me struct {
		URL  any `json:"url"`
		Team any `json:"team"`
		User any `json:"user"`
	}
	if err := p.get(ctx, a, "auth.test", nil, &me); err != nil {
		return publish.Profile{}, err
	}
	user := outbound.Label(me.User)
	if user == "" {
		return publish.Profile{}, notAnAPI(a)
	}
	channel, err := p.channelName(ctx, a)
	if err != nil {
		return publish.Profile{}, err
	}
	profile := publish.Profile{Username: user, DisplayName: channel, Limits: limits()}
	if team := outbound.Label(me.Team); team != "" {
		profile.DisplayName += " in " + team
	}
	profile.URL = archive(me.URL, a.channel)
	return profile, nil
}

// channelName returns the channel's name, or its id when the bot may not know the
// name, which it does not need to post.
func (p *Publisher) channelName(ctx context.Context, a access) (string, error) {
	var info struct {
		Channel struct {
			Name       any  `json:"name"`
			IsArchived bool `json:"is_archived"`
		} `json:"channel"`
	}
	err := p.get(ctx, a, "conversations.info", url.Values{"channel": {a.channel}}, &info)
	var e *publish.Error
	switch {
	case errors.As(err, &e) && e.Code == "missing_scope":
		return a.channel, nil
	case errors.As(err, &e) && e.Code == "channel_not_found":
		return "", publish.Contentf("channel", "the bot knows no channel %s; invite the bot to it, and check the id", a.channel)
	case err != nil:
		return "", err
	case info.Channel.IsArchived:
		return "", publish.Contentf("channel", "channel %s is archived; use another one", a.channel)
	}
	if name := outbound.Label(info.Channel.Name); name != "" {
		return "#" + name, nil
	}
	return a.channel, nil
}

// archive returns the address of a channel in the workspace with the given one.
func archive(workspace any, channel string) string {
	text, _ := workspace.(string)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(text) > 255 {
		return ""
	}
	return (&url.URL{Scheme: "https", Host: u.Host}).JoinPath("archives", channel).String()
}

// get reads the answer of a method that posts nothing.
func (p *Publisher) get(ctx context.Context, to access, method string, query url.Values, document any) error {
	a, err := outbound.Get(ctx, p.client, to.method(method, query), p.header(to))
	if errors.Is(err, outbound.ErrPrivateAddress) {
		return publish.Contentf("api_url", "%s", publish.AsError(err).Message)
	}
	if err != nil {
		return err
	}
	if e := refusal(a, time.Now(), to.hidden()...); e != nil {
		return refusedGet(e, to)
	}
	if a.Cut || json.Unmarshal(a.Body, document) != nil {
		return notAnAPI(to)
	}
	return nil
}

// refusedGet tells what Slack refuses from an address that is not Slack's.
func refusedGet(e *publish.Error, to access) error {
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Code == codeNoAnswer, e.HTTPStatus == http.StatusNotFound && e.Code == "":
		return notAnAPI(to)
	case e.HTTPStatus >= 300 && e.HTTPStatus < 400:
		e.Kind, e.Code = schedctl.KindContent, "api_url"
		e.Message = to.api.Host + " redirects to another address; give that one as api_url"
	}
	return e
}

func notAnAPI(to access) error {
	return publish.Contentf("api_url", "%.200q gives no answers of Slack's Web API; check api_url", to.api.Host)
}
