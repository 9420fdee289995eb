package googlechat

import (
	"context"
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Check counts bytes. Pictures use up a part of the limit.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	text := textOf(content.Text, a.Options)
	c := publish.MeasuredMessage(a, content, len(text), maxBytes, "bytes", publish.CheckBools(a.Options, optionMentions))
	if text != content.Text {
		c.Warnings = append(c.Warnings, "mentions such as <users/all> notify no one; set the option "+optionMentions+" if they shall")
	}
	c.LimitWithMedia(content, maxBytes-cardBytes(content.Media))
	c.CheckChat(content, "Google Chat")
	c.WarnPreview(content, "Google Chat")
	return c
}

var mention = pattern.Lazy(`(?i)<(users/)`)

// textOf returns a text as it is sent. Without the option mentions, a zero-width space keeps
// <users/all> and other mentions from notifying people
// (https://developers.google.com/workspace/chat/format-messages).
func textOf(text string, o schedctl.Options) string {
	if o.Bool(optionMentions) {
		return text
	}
	return mention().ReplaceAllString(text, "<\u200b$1")
}

// message is the request body
// (https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages).
type message struct {
	Text   string  `json:"text,omitempty"`
	Thread *thread `json:"thread,omitempty"`
	Cards  []card  `json:"cardsV2,omitempty"`
}

// Publish posts a message.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	if err := publish.CheckReplyIDs(&r); err != nil {
		return schedctl.Receipt{}, err
	}
	w, err := p.parseWebhook(r.Credentials[fieldURL])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	cards, err := cardsOf(r.Files)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	header := outbound.Header(p.userAgent, "")
	header.Set("Content-Type", "application/json; charset=UTF-8")
	body := outbound.EncodeJSON(message{Text: textOf(r.Content, r.Account.Options), Thread: threadOf(r), Cards: cards})
	a, err := outbound.Post(ctx, p.client, w.address(r), header, body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, r, w, time.Now())
}

var (
	messageName = pattern.Lazy(`^spaces/[A-Za-z0-9_-]{1,200}/messages/[A-Za-z0-9._-]{1,200}$`)
	threadName  = pattern.Lazy(`^spaces/[A-Za-z0-9_-]{1,200}/threads/[A-Za-z0-9._-]{1,200}$`)
)

// readResponse interprets a response, which names the message and its thread.
func readResponse(a outbound.Response, r publish.Request, w webhook, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, r, now, w.hidden(r)...)
	}
	var body struct {
		Name   any `json:"name"`
		Thread struct {
			Name any `json:"name"`
		} `json:"thread"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(a.Body, &body)
	name, _ := body.Name.(string)
	if a.Cut || !messageName().MatchString(name) {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the network accepted the request but named no message; check the space for the post")
	}
	receipt := schedctl.Receipt{ID: name}
	inThread, _ := body.Thread.Name.(string)
	if threadName().MatchString(inThread) {
		receipt.Ref = inThread
	}
	if lostThread(r, receipt.Ref) {
		receipt.Degraded = publish.LostParent()
	}
	return receipt, nil
}
