package telegram

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ThreadRules allows threads: each part is a reply to the one before it.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// replyParameters make a message a reply
// (https://core.telegram.org/bots/api#replyparameters). The Bot API refuses the message
// if the one that it replies to does not exist.
type replyParameters struct {
	MessageID                json.Number `json:"message_id"`
	AllowSendingWithoutReply bool        `json:"allow_sending_without_reply"` // always false
}

// newReply returns the parameters of a reply, or nil for part 0.
func newReply(r publish.Request) *replyParameters {
	if r.Part == 0 {
		return nil
	}
	return &replyParameters{MessageID: json.Number(r.Parent.ID)}
}

// checkReply returns an error for a part whose parent has no usable id.
func checkReply(r publish.Request) error {
	if err := publish.CheckReplyIDs(&r); err != nil {
		return err
	}
	if r.Part > 0 && !chatID().MatchString(r.Parent.ID) {
		return publish.ParentMissing(0)
	}
	return nil
}

// parentMissing are parts of the Bot API's messages, in lower case, for a missing parent.
// The first is that of the current version.
var parentMissing = []string{
	"message to be replied not found", "replied message not found", "reply message not found", "reply_message_id_invalid",
}

// replyRefusal returns the error of a refused reply.
func replyRefusal(err error, a outbound.Response, r publish.Request) error {
	if r.Part == 0 || a.Status != http.StatusBadRequest {
		return err
	}
	var body struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(a.Body, &body)
	for _, text := range parentMissing {
		if strings.Contains(strings.ToLower(body.Description), text) {
			return publish.ParentMissing(a.Status)
		}
	}
	return err
}

// lostParent returns a degradation if the message in a response does not reply to the
// parent of the request. The first message of a group of files counts.
func lostParent(a outbound.Response, r publish.Request) schedctl.Degradation {
	if r.Part == 0 {
		return schedctl.Degradation{}
	}
	messages := sentMessages(a)
	if len(messages) > 0 && messages[0].ReplyTo.id() == r.Parent.ID {
		return schedctl.Degradation{}
	}
	return publish.LostParent()
}

// repliedMessage is the message that another one replies to. It is decoded separately:
// its other members are not needed and may have any form.
type repliedMessage struct{ json.RawMessage }

func (m repliedMessage) id() string {
	var message struct {
		ID json.Number `json:"message_id"`
	}
	_ = json.Unmarshal(m.RawMessage, &message)
	return message.ID.String()
}
