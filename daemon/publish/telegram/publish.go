package telegram

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

// Check counts Unicode code points. No markup is sent, so the whole text counts.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), maxText, "characters", checkOptions(a.Options))
	c.LimitWithMedia(content, maxCaption)
	c.LimitQuestion(content, maxQuestion)
	c.Problems = append(c.Problems, checkGroup(content.Media)...)
	c.CheckChat(content, "Telegram")
	if content.Preview.Mode == schedctl.PreviewCard {
		c.Warnings = append(c.Warnings, "Telegram makes link previews on its own; of the card in link_preview, only the URL is sent")
	}
	return c
}

// message is the body of sendMessage.
type message struct {
	ChatID              any              `json:"chat_id"` // a number, or "@name"
	Text                string           `json:"text"`
	DisableNotification bool             `json:"disable_notification,omitempty"`
	LinkPreviewOptions  *linkPreview     `json:"link_preview_options,omitempty"`
	ReplyParameters     *replyParameters `json:"reply_parameters,omitempty"`
}

type linkPreview struct {
	IsDisabled bool   `json:"is_disabled"`
	URL        string `json:"url,omitempty"`
}

// Publish sends a message, or the files of the request with the text as caption, or its
// poll. The text is shown as it is: neither Markdown nor HTML is interpreted.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	b, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := checkReply(r); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.send(ctx, b, r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	receipt, err := readResponse(a, r.Purpose(), time.Now(), b.token, r.Content)
	if err != nil {
		return schedctl.Receipt{}, requestRefusal(err, a, r)
	}
	receipt.Degraded = degraded(a, r)
	return receipt, nil
}

// degraded compares the messages in a response with the request.
func degraded(a outbound.Response, r publish.Request) schedctl.Degradation {
	var files schedctl.Degradation
	if len(r.Files) > 0 {
		files = publish.DegradedMedia(len(r.Files), countFiles(a))
	}
	return cmp.Or(lostParent(a, r), degradedPoll(a, r.Poll), files)
}

// send sends the request with the method for its content.
func (p *Publisher) send(ctx context.Context, b bot, r publish.Request) (outbound.Response, error) {
	header := outbound.Header(p.userAgent, "")
	if len(r.Files) > 0 {
		method, form := b.fileForm(r)
		return outbound.PostBody(ctx, p.client, b.method(method).String(), header, form)
	}
	var method string
	var body []byte
	if r.Poll != nil {
		method, body = "sendPoll", outbound.EncodeJSON(b.poll(r))
	} else {
		method = "sendMessage"
		body, _ = json.Marshal(b.message(r)) // strings can always be encoded
	}
	header.Set("Content-Type", "application/json")
	return outbound.Post(ctx, p.client, b.method(method).String(), header, body)
}

// requestRefusal returns the error of a refused request, depending on what it contains.
func requestRefusal(err error, a outbound.Response, r publish.Request) error {
	err = replyRefusal(err, a, r)
	switch {
	case len(r.Files) > 0:
		return fileRefusal(err, a)
	case r.Poll != nil:
		return pollRefusal(err)
	}
	return err
}

func (b bot) message(r publish.Request) message {
	m := message{
		ChatID: b.chat, Text: r.Content, DisableNotification: r.Account.Options.Bool("silent"),
		LinkPreviewOptions: previewOptions(r), ReplyParameters: newReply(r),
	}
	if chatID().MatchString(b.chat) {
		m.ChatID = json.Number(b.chat)
	}
	return m
}

// previewOptions returns the options of the link preview, or nil for Telegram's default.
// Those of the post replace the option of the account.
func previewOptions(r publish.Request) *linkPreview {
	switch r.Preview.Mode {
	case schedctl.PreviewNone:
		return &linkPreview{IsDisabled: true}
	case schedctl.PreviewCard:
		return &linkPreview{URL: r.Preview.URL}
	}
	if preview, given := r.Account.Options["link_preview"].(bool); given && !preview {
		return &linkPreview{IsDisabled: true}
	}
	return nil
}

// readResponse interprets a response.
func readResponse(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, purpose, now, hidden...)
	}
	receipt, ok := parseMessage(a)
	if !ok {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the network accepted the request but named no message; check the chat for the post")
	}
	return receipt, nil
}

// sentMessage is a message in a response.
type sentMessage struct {
	MessageID json.Number `json:"message_id"`
	Chat      struct {
		ID       json.Number `json:"id"`
		Type     any         `json:"type"`
		Username any         `json:"username"`
	} `json:"chat"`
	ReplyTo repliedMessage `json:"reply_to_message"`

	// A message has at most one file; an animation is also listed as a document.
	Photo     []any `json:"photo"`
	Video     any   `json:"video"`
	Animation any   `json:"animation"`
	Document  any   `json:"document"`
}

// hasFile reports whether the message shows a file.
func (m *sentMessage) hasFile() bool {
	return len(m.Photo) > 0 || m.Video != nil || m.Animation != nil || m.Document != nil
}

// sentMessages returns the result of a method that sends: one message, or the messages
// of a group of files. It is empty if the response is not one.
func sentMessages(a outbound.Response) []sentMessage {
	var envelope struct {
		OK     bool            `json:"ok"`
		Result json.RawMessage `json:"result"`
	}
	if a.Cut || json.Unmarshal(a.Body, &envelope) != nil || !envelope.OK {
		return nil
	}
	var group []sentMessage
	if json.Unmarshal(envelope.Result, &group) == nil {
		return group
	}
	var message sentMessage
	if json.Unmarshal(envelope.Result, &message) != nil {
		return nil
	}
	return []sentMessage{message}
}

// parseMessage returns the receipt of the first message in a response.
func parseMessage(a outbound.Response) (schedctl.Receipt, bool) {
	messages := sentMessages(a)
	if len(messages) == 0 {
		return schedctl.Receipt{}, false
	}
	id, chat := messages[0].MessageID.String(), messages[0].Chat
	if !chatID().MatchString(id) {
		return schedctl.Receipt{}, false
	}
	receipt := schedctl.Receipt{ID: id}
	if page := (chatOrUser{Type: chat.Type, Username: chat.Username}).publicURL(); page != "" {
		receipt.URL = page + "/" + id
	} else if private, ok := strings.CutPrefix(chat.ID.String(), "-100"); ok && chatID().MatchString(private) {
		// Members of a private group or channel can open a message by its number.
		receipt.URL = "https://t.me/c/" + private + "/" + id
	}
	return receipt, true
}
