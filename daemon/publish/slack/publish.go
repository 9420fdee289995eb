package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Check counts the Unicode code points of the text after escaping; see [escape]. A
// message with media has a lower limit.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(escape(content.Text)), maxText, "characters", checkOptions(a.Options))
	c.LimitWithMedia(content, maxSection)
	if c.Length > recommendedText {
		c.Warnings = append(c.Warnings, "Slack recommends at most 4000 characters and may split a longer post into several messages")
	}
	c.CheckChat(content, "Slack")
	if content.Preview.Mode == schedctl.PreviewCard {
		c.WarnPreview(content, "Slack")
	}
	return c
}

// escape replaces the three characters that have a meaning for Slack with entities.
// Otherwise text between < and > would notify people or the whole channel, or become
// a link.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// message is the request body. A webhook accepts neither channel, thread_ts nor
// metadata.
type message struct {
	Channel     string    `json:"channel,omitempty"`
	ThreadTS    string    `json:"thread_ts,omitempty"`
	Text        string    `json:"text"`
	Mrkdwn      *bool     `json:"mrkdwn,omitempty"`
	UnfurlLinks *bool     `json:"unfurl_links,omitempty"`
	UnfurlMedia *bool     `json:"unfurl_media,omitempty"`
	Blocks      []block   `json:"blocks,omitempty"`
	Metadata    *metadata `json:"metadata,omitempty"`
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
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	to, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if to.webhook != nil {
		return p.publishWebhook(ctx, to, r)
	}
	if err := p.checkParent(ctx, to, r); err != nil {
		return schedctl.Receipt{}, err
	}
	m := newMessage(r)
	m.Channel, m.Metadata, m.Blocks = to.channel, &metadata{eventType, eventPayload{r.Key}}, blocks(r)
	if r.Part > 0 {
		m.ThreadTS = r.Root.ID
	}
	a, err := outbound.Post(ctx, p.client, to.method("chat.postMessage", nil), p.jsonHeader(to.token), outbound.EncodeJSON(m))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	receipt, err := readResponse(a, r, time.Now(), append(to.hidden(), r.Content)...)
	if err != nil {
		return schedctl.Receipt{}, replyRefusal(fileRefusal(err, a, r.Files), r)
	}
	receipt.Degraded = cmp.Or(lostParent(a, r), degraded(a, len(r.Files)))
	return receipt, nil
}

func (p *Publisher) publishWebhook(ctx context.Context, to access, r publish.Request) (schedctl.Receipt, error) {
	switch {
	case len(r.Files) > 0:
		return schedctl.Receipt{}, publish.Contentf("media", "%s", webhookTakesNone)
	case r.Part > 0:
		return schedctl.Receipt{}, publish.Contentf("thread", "%s", webhookCannotReply)
	}
	header := p.jsonHeader("")
	header.Del("Accept") // a webhook responds with plain text
	a, err := outbound.Post(ctx, p.client, to.webhook.String(), header, outbound.EncodeJSON(newMessage(r)))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readWebhook(a, time.Now(), append(to.hidden(), r.Content)...)
}

// newMessage returns the parts of a message that webhooks also accept.
func newMessage(r publish.Request) message {
	m := message{Text: escape(r.Content)}
	if mrkdwn, given := r.Account.Options["mrkdwn"].(bool); given {
		m.Mrkdwn = &mrkdwn
	}
	if r.Preview.Mode == schedctl.PreviewNone {
		m.UnfurlLinks, m.UnfurlMedia = new(bool), new(bool)
	}
	return m
}

func (p *Publisher) jsonHeader(token string) http.Header {
	header := outbound.Header(p.userAgent, token)
	header.Set("Content-Type", "application/json; charset=utf-8")
	return header
}

// timestamp matches a ts, which identifies a message in its channel.
var timestamp = pattern.Lazy(`^[0-9]{1,12}\.[0-9]{6}$`)

// readResponse interprets a response of chat.postMessage.
func readResponse(a outbound.Response, r publish.Request, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if e := refusal(a, r.Purpose(), now, hidden...); e != nil {
		return schedctl.Receipt{}, e
	}
	var body struct {
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	}
	if json.Unmarshal(a.Body, &body) != nil || !timestamp().MatchString(body.TS) {
		return schedctl.Receipt{}, noConfirmation(a)
	}
	return receipt(r, body.Channel, body.TS), nil
}

// receipt returns the receipt of a message. The address of a message starts with the
// address of its channel.
func receipt(r publish.Request, channel, ts string) schedctl.Receipt {
	channelURL := r.Account.ProfileURL
	if !channelID().MatchString(channel) || !strings.HasSuffix(channelURL, "/archives/"+channel) {
		return schedctl.Receipt{ID: ts}
	}
	page := channelURL + "/p" + strings.ReplaceAll(ts, ".", "")
	if r.Part > 0 && r.Root != nil {
		page += "?" + url.Values{"thread_ts": {r.Root.ID}, "cid": {channel}}.Encode()
	}
	return schedctl.Receipt{ID: ts, URL: page}
}

// readWebhook interprets a response of a webhook. It names no message.
func readWebhook(a outbound.Response, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	switch {
	case a.Status < 200 || a.Status > 299:
		return schedctl.Receipt{}, webhookRefusal(a, publish.PurposePublish, now, hidden...)
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
