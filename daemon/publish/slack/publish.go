package slack

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Check counts the Unicode code points of the text as it is sent; see [escape].
func (p *Publisher) Check(a schedctl.Account, content string) publish.Check {
	limit := a.Limits.MaxCharacters
	if limit == 0 {
		limit = maxText
	}
	c := publish.Measured(utf8.RuneCountInString(escape(content)), limit, "characters")
	if c.Length > recommendedText {
		c.Warnings = append(c.Warnings, "Slack asks for 4000 characters at most, and may show a longer post as several messages")
	}
	if strings.TrimSpace(content) == "" {
		c.Problems = append(c.Problems, publish.Contentf("empty", "the post is empty; a message needs text"))
	}
	if err := checkOptions(a.Options); err != nil {
		c.Problems = append(c.Problems, err)
	}
	return c
}

// escape writes the three characters as entities that Slack gives a meaning to.
// What is written between < and > would otherwise notify people, the whole
// channel even, or be a link.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace

// message is the body of a call. A webhook takes neither channel nor metadata.
type message struct {
	Channel  string    `json:"channel,omitempty"`
	Text     string    `json:"text"`
	Mrkdwn   *bool     `json:"mrkdwn,omitempty"`
	Metadata *metadata `json:"metadata,omitempty"`
}

// metadata is what only apps see of a message.
type metadata struct {
	EventType    string       `json:"event_type"`
	EventPayload eventPayload `json:"event_payload"`
}

type eventPayload struct {
	ID string `json:"id"` // the request's key
}

const eventType = "schedctl_post"

// Publish posts a message. Whatever it says, it notifies nobody.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Content).Err(); err != nil {
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
	header := p.header(to)
	header.Set("Content-Type", "application/json; charset=utf-8")
	if to.webhook != nil {
		return p.publishToWebhook(ctx, to, header, m, r)
	}
	m.Channel, m.Metadata = to.channel, &metadata{eventType, eventPayload{r.Key}}
	a, err := outbound.Post(ctx, p.client, to.method("chat.postMessage", nil), header, encode(m))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, r.Account.ProfileURL, time.Now(), append(to.hidden(), r.Content)...)
}

func (p *Publisher) publishToWebhook(ctx context.Context, to access, header http.Header, m message, r publish.Request) (schedctl.Receipt, error) {
	a, err := outbound.Post(ctx, p.client, to.webhook.String(), header, encode(m))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readWebhook(a, time.Now(), append(to.hidden(), r.Content)...)
}

// encode leaves the entities of a text readable.
func encode(m message) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(m) // texts can always be written
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// timestamp is the form of ts, which identifies a message in its channel.
var timestamp = pattern.Lazy(`^[0-9]{1,12}\.[0-9]{6}$`)

// readResponse tells what an answer of chat.postMessage means.
func readResponse(a outbound.Response, channelURL string, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if e := refusal(a, now, hidden...); e != nil {
		return schedctl.Receipt{}, e
	}
	var answer struct {
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	}
	if json.Unmarshal(a.Body, &answer) != nil || !timestamp().MatchString(answer.TS) {
		return schedctl.Receipt{}, noConfirmation(a)
	}
	return receipt(channelURL, answer.Channel, answer.TS), nil
}

// receipt returns what a message is known by. The address of a message begins as
// that of its channel does.
func receipt(channelURL, channel, ts string) schedctl.Receipt {
	r := schedctl.Receipt{ID: ts}
	if channelID().MatchString(channel) && strings.HasSuffix(channelURL, "/archives/"+channel) {
		r.URL = channelURL + "/p" + strings.ReplaceAll(ts, ".", "")
	}
	return r
}

// readWebhook tells what an answer of a webhook means. It names no message.
func readWebhook(a outbound.Response, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	switch {
	case a.Status < 200 || a.Status > 299:
		return schedctl.Receipt{}, webhookRefusal(a, now, hidden...)
	case a.Cut || strings.TrimSpace(string(a.Body)) != "ok":
		return schedctl.Receipt{}, noConfirmation(a)
	}
	return schedctl.Receipt{}, nil
}

// codeNoConfirmation is the code of an answer that Slack does not give. It may come
// from something in front of Slack.
const codeNoConfirmation = "no_answer"

func noConfirmation(a outbound.Response) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: codeNoConfirmation, HTTPStatus: a.Status, Outcome: schedctl.OutcomeUnknown,
		Message: "the network accepted the call but did not say that it posted; look into the channel whether the post is there",
	}
}
