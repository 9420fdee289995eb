package telegram

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The codes of errors that are about the chat.
const (
	codeNoChat   = "chat_not_found"
	codeNoRights = "no_rights"
	codeMigrated = "migrated"
)

// chatErrors are what the Bot API says, in lower case, when it answers 400
// because of the chat and not of the text. It has no names for errors. Where its
// words change, a post fails with kind content instead of waiting for the account
// to be mended; nothing is published in either case.
var chatErrors = []struct{ words, code, message string }{
	{"chat not found", codeNoChat, "the bot does not know the chat; add the bot to it, or write to the bot first, and check chat_id"},
	{"group chat was upgraded", codeMigrated, "the group has become a supergroup with a number of its own; connect the account again with that chat_id"},
	{"not enough rights", codeNoRights, "the bot may not write in the chat; let an administrator allow it"},
	{"have no rights to send", codeNoRights, "the bot may not write in the chat; let an administrator allow it"},
	{"need administrator rights", codeNoRights, "the bot is no administrator of the channel; make it one that may post messages"},
	{"chat_write_forbidden", codeNoRights, "the bot may not write in the chat; let an administrator allow it"},
	{"chat_send_plain_forbidden", codeNoRights, "the chat does not allow text messages; let an administrator allow them"},
}

// refusal returns what an answer means that is not 2xx.
func refusal(a outbound.Response, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, now)
	var body struct {
		ErrorCode   int    `json:"error_code"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter      float64     `json:"retry_after"`
			MigrateToChatID json.Number `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	// Its members stand on their own: one of an unexpected type leaves the others.
	_ = json.Unmarshal(a.Body, &body)
	switch {
	case a.Status == 404 && body.ErrorCode == 404: // the Bot API's word for a token that was never one
		e.Kind, e.Message = schedctl.KindAuth, "there is no bot with this token; copy it again from @BotFather"
	case a.Status == 429 && e.RetryAt.IsZero():
		e.RetryAt = outbound.RetryIn(body.Parameters.RetryAfter, now)
	case a.Status == 400 && chatID().MatchString(body.Parameters.MigrateToChatID.String()):
		e.Kind, e.Code = schedctl.KindAuth, codeMigrated
		e.Message = "the group has become a supergroup; connect the account again with chat_id " + body.Parameters.MigrateToChatID.String()
	case a.Status == 400:
		applyChatError(e, strings.ToLower(body.Description))
	}
	return outbound.WithErrorText(e, outbound.ErrorText(outbound.Response{Body: descriptionBody(a, body.Description)}, hidden...))
}

func applyChatError(e *publish.Error, description string) {
	for _, meaning := range chatErrors {
		if strings.Contains(description, meaning.words) {
			e.Kind, e.Code, e.Message = schedctl.KindAuth, meaning.code, meaning.message
			return
		}
	}
}

// descriptionBody returns the body in which the words of an answer are to be found.
func descriptionBody(a outbound.Response, description string) []byte {
	if description == "" {
		return a.Body
	}
	body, _ := json.Marshal(description) // a text can always be written
	return body
}
