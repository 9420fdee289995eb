package telegram

import (
	"context"
	"net/http"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// member is a bot's membership in a chat
// (https://core.telegram.org/bots/api#chatmember).
type member struct {
	Status          any `json:"status"`
	CanPostMessages any `json:"can_post_messages"` // of an administrator of a channel
	CanSendMessages any `json:"can_send_messages"` // of a restricted member
}

// chatInfo identifies a chat and says who may write there.
type chatInfo struct {
	chatOrUser
	Permissions struct {
		CanSendMessages any `json:"can_send_messages"` // for members without individual rights
	} `json:"permissions"`
}

// checkWritable returns an error of kind auth if the bot may not send messages to a
// group or channel. A private chat has no members to check.
func (p *Publisher) checkWritable(ctx context.Context, b bot, botID string, chat chatInfo) error {
	channel := chat.Type == "channel"
	if !channel && chat.Type != "group" && chat.Type != "supergroup" {
		return nil
	}
	ask := b.method("getChatMember")
	ask.RawQuery = url.Values{"chat_id": {b.chat}, "user_id": {botID}}.Encode()
	var m member
	if err := p.get(ctx, b, ask, &m); err != nil {
		// A channel shows its members only to administrators.
		if e := publish.AsError(err); e.HTTPStatus != http.StatusBadRequest {
			return err
		}
		if channel {
			return cannotWriteError("the bot is not an administrator of the channel; make it one with the right to post messages")
		}
		return nil
	}
	return m.check(channel, chat)
}

func (m member) check(channel bool, chat chatInfo) error {
	switch {
	case m.Status == "creator":
		return nil
	case m.Status == "left" || m.Status == "kicked":
		return cannotWriteError("the bot is not in the chat; add it, then try again")
	case channel && m.Status != "administrator":
		return cannotWriteError("the bot is not an administrator of the channel; make it one with the right to post messages")
	case channel && m.CanPostMessages == false:
		return cannotWriteError("the bot may not post messages to the channel; grant that right in the channel's list of administrators")
	case m.Status == "restricted" && m.CanSendMessages == false,
		m.Status == "member" && chat.Permissions.CanSendMessages == false:
		return cannotWriteError("the bot may not send messages to the group; ask an administrator to allow it")
	}
	return nil
}

func cannotWriteError(message string) error {
	return &publish.Error{Kind: schedctl.KindAuth, Code: "may_not_write", Message: message, Outcome: schedctl.OutcomeNotPublished}
}
