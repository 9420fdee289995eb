package telegram

import (
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
	c.Problems = append(c.Problems, checkGroup(content.Media)...)
	return c
}

// message is the body of sendMessage.
type message struct {
	ChatID              any          `json:"chat_id"` // a number, or "@name"
	Text                string       `json:"text"`
	DisableNotification bool         `json:"disable_notification,omitempty"`
	LinkPreviewOptions  *linkPreview `json:"link_preview_options,omitempty"`
}

type linkPreview struct {
	IsDisabled bool `json:"is_disabled"`
}

// Publish sends a message, or the files of the request with the text as caption. The
// text is shown as it is: neither Markdown nor HTML is interpreted.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Shown()).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	b, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if len(r.Files) > 0 {
		return p.publishFiles(ctx, b, r)
	}
	body, _ := json.Marshal(b.message(r)) // strings can always be encoded
	header := outbound.Header(p.userAgent, "")
	header.Set("Content-Type", "application/json")
	a, err := outbound.Post(ctx, p.client, b.method("sendMessage").String(), header, body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, time.Now(), b.token, r.Content)
}

func (b bot) message(r publish.Request) message {
	m := message{ChatID: b.chat, Text: r.Content, DisableNotification: r.Account.Options.Bool("silent")}
	if chatID().MatchString(b.chat) {
		m.ChatID = json.Number(b.chat)
	}
	if preview, given := r.Account.Options["link_preview"].(bool); given && !preview {
		m.LinkPreviewOptions = &linkPreview{IsDisabled: true}
	}
	return m
}

// readResponse interprets a response.
func readResponse(a outbound.Response, now time.Time, hidden ...string) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, now, hidden...)
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
