package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Check counts Unicode code points. A message needs text or files.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), maxContent, "characters", checkOptions(a.Options))
	c.LimitQuestion(content, maxQuestion)
	c.CheckChat(content, "Discord")
	if content.Preview.Mode == schedctl.PreviewCard {
		c.WarnPreview(content, "Discord")
	}
	return c
}

// message is the request body. Without allowed_mentions, Discord notifies everyone
// whom the content mentions.
type message struct {
	Content         string           `json:"content"`
	AllowedMentions *allowedMentions `json:"allowed_mentions,omitempty"`
	Attachments     []attachment     `json:"attachments,omitempty"`
	Flags           int              `json:"flags,omitempty"`
	ThreadName      string           `json:"thread_name,omitempty"` // starts a thread in a forum
}

// suppressEmbeds is the flag of a message without link previews
// (https://discord.com/developers/docs/resources/message#message-object-message-flags).
const suppressEmbeds = 1 << 2

type allowedMentions struct {
	Parse []string `json:"parse"`
}

// Publish posts a message. It notifies no one unless the option mentions is set.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	w, err := p.parseWebhook(r.Credentials["webhook_url"])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	w = w.inThreadOf(r)
	if err := p.checkParent(ctx, w, r); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.post(ctx, w, encodeMessage(w, r), r.Files)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	receipt, err := readResponse(a, r, time.Now(), w.token, r.Content)
	if err != nil {
		return schedctl.Receipt{}, fileRefusal(err, r.Files)
	}
	receipt.Ref = newReference(w, r, a).String()
	receipt.Degraded = cmp.Or(degradedPoll(a, r.Poll), degraded(a, len(r.Files)))
	return receipt, nil
}

// encodeMessage returns the message of a request as JSON. A poll is a message of its own,
// and the text is its question.
func encodeMessage(w webhook, r publish.Request) []byte {
	var thread string
	if w.startsThread(r) {
		thread = threadName(r)
	}
	if r.Poll != nil {
		return outbound.EncodeJSON(pollMessage{Poll: newPoll(r), ThreadName: thread})
	}
	m := message{Content: r.Content, Attachments: attachments(r.Files), ThreadName: thread}
	if !r.Account.Options.Bool("mentions") {
		m.AllowedMentions = &allowedMentions{Parse: []string{}}
	}
	if r.Preview.Mode == schedctl.PreviewNone {
		m.Flags = suppressEmbeds
	}
	body, _ := json.Marshal(m) // strings can always be encoded
	return body
}

// post sends a message as JSON, or as a form if it has files.
func (p *Publisher) post(ctx context.Context, w webhook, message []byte, files []publish.File) (outbound.Response, error) {
	header := outbound.Header(p.userAgent, "")
	if len(files) > 0 {
		return outbound.PostBody(ctx, p.client, w.executeURL(), header, form(message, files))
	}
	header.Set("Content-Type", "application/json")
	return outbound.Post(ctx, p.client, w.executeURL(), header, message)
}

// readResponse interprets a response.
func readResponse(a outbound.Response, r publish.Request, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, r.Purpose(), now, hidden...)
	}
	receipt, ok := parseMessage(a, r.Account.ProfileURL)
	if !ok {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the network accepted the request but named no message; check the channel for the post")
	}
	return receipt, nil
}

// parseMessage reads a message object. Its address needs the guild from the address
// of the webhook's channel, and the message's own channel, which may be a thread.
func parseMessage(a outbound.Response, channelURL string) (schedctl.Receipt, bool) {
	var object struct {
		ID        any `json:"id"`
		ChannelID any `json:"channel_id"`
	}
	if a.Cut || json.Unmarshal(a.Body, &object) != nil || parseSnowflake(object.ID) == "" {
		return schedctl.Receipt{}, false
	}
	receipt := schedctl.Receipt{ID: parseSnowflake(object.ID)}
	guild, _, _ := strings.Cut(strings.TrimPrefix(channelURL, channels), "/")
	if channel := parseSnowflake(object.ChannelID); snowflake().MatchString(guild) && channel != "" {
		receipt.URL = channels + guild + "/" + channel + "/" + receipt.ID
	}
	return receipt, true
}
