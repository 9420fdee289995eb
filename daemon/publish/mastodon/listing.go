package mastodon

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// statusText is the text and content warning of a status.
type statusText struct {
	text    string
	warning string
}

// listedStatus is a status in an account's list.
type listedStatus struct {
	ID          string
	account     string // the id of its author, if the server reports it
	receipt     schedctl.Receipt
	created     time.Time   // zero if the server does not report it
	shown       statusText  // the text as HTML
	source      *statusText // as it was written, if the server reports it
	visibility  string
	hasWarning  bool     // the response contains the content warning, which may be empty
	sensitive   *bool    // nil if the server does not report it
	attachments []string // the ids of its files; nil if the server does not list them
	boost       bool
	replyTo     string // the status that it replies to; empty for none
	hasReply    bool   // the response says whether the status is a reply
	hasPoll     bool   // the response says whether the status has a poll
	pollOptions int
	edited      bool
}

func parseOwner(a outbound.Response) (owner, bool) {
	var account struct {
		Source any `json:"source"`
	}
	id := outbound.Receipt(a).ID
	if a.Cut || id == "" || json.Unmarshal(a.Body, &account) != nil {
		return owner{}, false
	}
	source, _ := account.Source.(map[string]any)
	privacy, _ := source["privacy"].(string)
	return owner{id: id, privacy: privacy}, true
}

// parseStatuses reads a page of statuses. ok is false if a status has no id, because
// it cannot be identified.
func parseStatuses(a outbound.Response) ([]listedStatus, bool) {
	var raw []json.RawMessage
	if a.Cut || json.Unmarshal(a.Body, &raw) != nil || raw == nil {
		return nil, false
	}
	page := make([]listedStatus, len(raw))
	for i := range raw {
		status, ok := parseStatus(raw[i])
		if !ok {
			return nil, false
		}
		page[i] = status
	}
	return page, true
}

// parseReplies reads the replies in the context of a status.
func parseReplies(a outbound.Response) ([]listedStatus, bool) {
	var around struct {
		Descendants json.RawMessage `json:"descendants"`
	}
	if a.Cut || json.Unmarshal(a.Body, &around) != nil {
		return nil, false
	}
	return parseStatuses(outbound.Response{Body: around.Descendants})
}

func parseStatus(raw json.RawMessage) (listedStatus, bool) {
	receipt := outbound.Receipt(outbound.Response{Body: raw})
	var status map[string]any
	if receipt.ID == "" || json.Unmarshal(raw, &status) != nil {
		return listedStatus{}, false
	}
	text := func(name string) string { s, _ := status[name].(string); return s }
	l := listedStatus{
		ID: receipt.ID, receipt: receipt,
		shown:      statusText{text: text("content"), warning: text("spoiler_text")},
		visibility: text("visibility"),
		sensitive:  parseSensitive(status["sensitive"]),
		boost:      status["reblog"] != nil,
		edited:     status["edited_at"] != nil,
	}
	if list, ok := status["media_attachments"].([]any); ok {
		l.attachments = make([]string, len(list))
		for i := range list {
			object, _ := list[i].(map[string]any)
			l.attachments[i], _ = object["id"].(string)
		}
	}
	author, _ := status["account"].(map[string]any)
	l.account, _ = author["id"].(string)
	l.replyTo, l.hasReply = parseReply(status)
	l.pollOptions, l.hasPoll = parsePoll(status)
	_, l.hasWarning = status["spoiler_text"].(string)
	if created, err := time.Parse(time.RFC3339, text("created_at")); err == nil {
		l.created = created
	}
	if source := text("text"); source != "" {
		l.source = &statusText{text: source, warning: l.shown.warning}
	}
	return l, true
}

// parseSource reads the text of a status as it was written.
func parseSource(a outbound.Response) (statusText, bool) {
	var source struct {
		Text        any `json:"text"`
		SpoilerText any `json:"spoiler_text"`
	}
	if a.Cut || json.Unmarshal(a.Body, &source) != nil {
		return statusText{}, false
	}
	text, ok := source.Text.(string)
	warning, _ := source.SpoilerText.(string)
	return statusText{text: text, warning: warning}, ok
}

// unknownReply is the parent of a status that replies to a status without a usable id.
const unknownReply = "?"

// parseReply returns the id of the status that a status replies to, and whether the
// response mentions it.
func parseReply(status map[string]any) (id string, mentioned bool) {
	value, mentioned := status["in_reply_to_id"]
	switch value := value.(type) {
	case nil:
		return "", mentioned
	case string:
		return value, true
	}
	return unknownReply, false
}

// parsePoll returns the number of options of a status's poll, and whether the response
// mentions it.
func parsePoll(status map[string]any) (options int, mentioned bool) {
	value, mentioned := status["poll"]
	object, _ := value.(map[string]any)
	list, _ := object["options"].([]any)
	return len(list), mentioned
}
