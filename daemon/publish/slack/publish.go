package slack

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Check counts the Unicode code points of the text after escaping; see [escape].
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(escape(content.Text)), maxText, "characters", checkOptions(a.Options))
	if c.Length > recommendedText {
		c.Warnings = append(c.Warnings, "Slack recommends at most 4000 characters and may split a longer post into several messages")
	}
	return c
}

// escape replaces the three characters that have a meaning for Slack with entities.
// Otherwise text between < and > would notify people or the whole channel, or become
// a link.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// message is the request body. A webhook accepts neither channel nor metadata.
type message struct {
	Channel  string    `json:"channel,omitempty"`
	Text     string    `json:"text"`
	Mrkdwn   *bool     `json:"mrkdwn,omitempty"`
	Metadata *metadata `json:"metadata,omitempty"`
}

// metadata is the part of a message that only apps see.
type metadata struct {
	EventType    string       `json:"event_type"`
	EventPayload eventPayload `json:"event_payload"`
}

type eventPayload struct {
	ID string `json:"id"` // the request's key
}

const eventType = "schedctl_post"

// Publish posts a message. The message notifies no one, whatever its text.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, publish.Text(r.Content)).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	to, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	m := message{Text: escape(r.Content)}
	if mrkdwn, given := r.Account.Options["mrkdwn"].(bool); given {
		m.Mrkdwn = &mrkdwn
	}
	header := outbound.Header(p.userAgent, to.token)
	header.Set("Content-Type", "application/json; charset=utf-8")
	var address string
	if to.webhook != nil {
		header.Del("Accept") // a webhook responds with plain text
		address = to.webhook.String()
	} else {
		m.Channel, m.Metadata = to.channel, &metadata{eventType, eventPayload{r.Key}}
		address = to.method("chat.postMessage", nil)
	}
	a, err := outbound.Post(ctx, p.client, address, header, outbound.EncodeJSON(m))
	switch hidden := append(to.hidden(), r.Content); {
	case err != nil:
		return schedctl.Receipt{}, err
	case to.webhook != nil:
		return readWebhook(a, time.Now(), hidden...)
	default:
		return readResponse(a, r.Account.ProfileURL, time.Now(), hidden...)
	}
}

// timestamp matches a ts, which identifies a message in its channel.
var timestamp = pattern.Lazy(`^[0-9]{1,12}\.[0-9]{6}$`)

// readResponse interprets a response of chat.postMessage.
func readResponse(a outbound.Response, channelURL string, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if e := refusal(a, now, hidden...); e != nil {
		return schedctl.Receipt{}, e
	}
	var body struct {
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	}
	if json.Unmarshal(a.Body, &body) != nil || !timestamp().MatchString(body.TS) {
		return schedctl.Receipt{}, noConfirmation(a)
	}
	return receipt(channelURL, body.Channel, body.TS), nil
}

// receipt returns the receipt of a message. The address of a message starts with the
// address of its channel.
func receipt(channelURL, channel, ts string) schedctl.Receipt {
	r := schedctl.Receipt{ID: ts}
	if channelID().MatchString(channel) && strings.HasSuffix(channelURL, "/archives/"+channel) {
		r.URL = channelURL + "/p" + strings.ReplaceAll(ts, ".", "")
	}
	return r
}

// readWebhook interprets a response of a webhook. It names no message.
func readWebhook(a outbound.Response, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	switch {
	case a.Status < 200 || a.Status > 299:
		return schedctl.Receipt{}, webhookRefusal(a, now, hidden...)
	case a.Cut || strings.TrimSpace(string(a.Body)) != "ok":
		return schedctl.Receipt{}, noConfirmation(a)
	}
	return schedctl.Receipt{}, nil
}

// codeNoConfirmation is the code of a response of success that does not confirm the
// post. It may come from a proxy.
const codeNoConfirmation = "no_answer"

func noConfirmation(a outbound.Response) *publish.Error {
	e := outbound.Unconfirmed(a, "the network accepted the request but did not confirm the post; check the channel for it")
	e.Code = codeNoConfirmation
	return e
}
