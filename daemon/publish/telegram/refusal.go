package telegram

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The codes of errors about the chat.
const (
	codeNoChat   = "chat_not_found"
	codeNoRights = "no_rights"
	codeMigrated = "migrated"
	codeRemoved  = "bot_removed"
)

// chatErrors are parts of the Bot API's messages, in lower case, for 400 responses, and
// those with the code codeRemoved for 403,
// that are about the chat and not the text. The API has no error codes for them. If
// its wording changes, the post fails with kind content instead of waiting for the
// account to be fixed. In both cases the post is not published.
var chatErrors = []struct{ text, code, message string }{
	{"chat not found", codeNoChat, "the bot does not know the chat; check chat_id, then add the bot to the chat or write to the bot first"},
	{"group chat was upgraded", codeMigrated, "the group has become a supergroup with a new number; reconnect the account with that chat_id"},
	{"not enough rights", codeNoRights, "the bot may not write in the chat; ask an administrator to allow it"},
	{"have no rights to send", codeNoRights, "the bot may not write in the chat; ask an administrator to allow it"},
	{"need administrator rights", codeNoRights, "the bot is not an administrator of the channel; make it one with the right to post messages"},
	{"chat_write_forbidden", codeNoRights, "the bot may not write in the chat; ask an administrator to allow it"},
	{"chat_send_plain_forbidden", codeNoRights, "the chat does not allow text messages; ask an administrator to allow them"},
	{"bot was kicked", codeRemoved, "the bot was removed from the chat; add it again, then run: schedctl account verify ACCOUNT"},
	{"bot is not a member", codeRemoved, "the bot is not a member of the chat; add it, then run: schedctl account verify ACCOUNT"},
	{"bot was blocked by the user", codeRemoved, "the user has blocked the bot; the user must start it again, then run: schedctl account verify ACCOUNT"},
	{"chat_send_poll_forbidden", codeNoRights, "the chat does not allow polls; ask an administrator to allow them"},
}

// refusal returns the error for a response that is not 2xx.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	var body struct {
		ErrorCode   int    `json:"error_code"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter      float64     `json:"retry_after"`
			MigrateToChatID json.Number `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	// Unmarshal continues after a member of an unexpected type, so the others are
	// still read.
	_ = json.Unmarshal(a.Body, &body)
	switch {
	case a.Status == 404 && body.ErrorCode == 404: // the Bot API's response to an unknown token
		e.Kind, e.Message = schedctl.KindAuth, "no bot has this token; copy it again from @BotFather"
	case a.Status == 429 && e.RetryAt.IsZero():
		e.RetryAt = outbound.RetryIn(body.Parameters.RetryAfter, now)
	case a.Status == 400 && chatID().MatchString(body.Parameters.MigrateToChatID.String()):
		e.Kind, e.Code = schedctl.KindAuth, codeMigrated
		e.Message = "the group has become a supergroup; reconnect the account with chat_id " + body.Parameters.MigrateToChatID.String()
	case a.Status == 400, a.Status == 403:
		applyChatError(e, strings.ToLower(body.Description))
	}
	return outbound.WithErrorText(e, outbound.ErrorText(outbound.Response{Body: descriptionBody(a, body.Description)}, hidden...))
}

func applyChatError(e *publish.Error, description string) {
	for _, meaning := range chatErrors {
		if strings.Contains(description, meaning.text) && (e.HTTPStatus == 400) != (meaning.code == codeRemoved) {
			e.Kind, e.Code, e.Message = schedctl.KindAuth, meaning.code, meaning.message
			return
		}
	}
}

// descriptionBody returns a body with only the description of an error, or the whole
// body if the description is empty.
func descriptionBody(a outbound.Response, description string) []byte {
	if description == "" {
		return a.Body
	}
	body, _ := json.Marshal(description) // a string can always be encoded
	return body
}
