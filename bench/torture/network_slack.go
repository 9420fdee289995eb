package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// The readable network uses Slack's API for bots: chat.postMessage does not recognize
// repeats, and conversations.history lists the messages.

// slackChannel is the only channel.
const slackChannel = "C0123456789"

// message is one message in the history of a channel.
type message struct {
	TS       string          `json:"ts"`
	Text     string          `json:"text"`
	Metadata json.RawMessage `json:"metadata"`
}

// slackMetadata returns the metadata of a message from schedctl.
func slackMetadata(target string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"event_type":"schedctl_post","event_payload":{"id":%q}}`, target))
}

func whoAmI(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, `{"ok":true,"url":"https://torture.slack.com/","team":"Torture","user":"schedctl"}`)
}

func channelInfo(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, `{"ok":true,"channel":{"name":"general","is_archived":false}}`)
}

func (n *network) postMessage(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Text     string
		Metadata struct {
			Payload struct{ ID string } `json:"event_payload"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Metadata.Payload.ID == "" {
		fmt.Fprint(w, `{"ok":false,"error":"invalid_arguments"}`)
		return
	}
	target := body.Metadata.Payload.ID
	if ts, ok := n.publish(w, r, post{readable, r.PathValue("account"), target, body.Text, true}); ok {
		fmt.Fprintf(w, `{"ok":true,"channel":%q,"ts":%q}`, slackChannel, ts)
		n.at(responseReceived, target)
	}
}

// history serves the messages newest first, in pages.
func (n *network) history(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	messages := n.channel[r.PathValue("account")]
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	skip, _ := strconv.Atoi(r.FormValue("cursor"))
	answer := struct {
		OK       bool      `json:"ok"`
		Messages []message `json:"messages"`
		Metadata struct {
			NextCursor string `json:"next_cursor"`
		} `json:"response_metadata"`
	}{OK: true, Messages: []message{}}
	for i := len(messages) - 1 - skip; i >= 0 && len(answer.Messages) < limit; i-- {
		answer.Messages = append(answer.Messages, messages[i])
	}
	if next := skip + len(answer.Messages); next < len(messages) {
		answer.Metadata.NextCursor = strconv.Itoa(next)
	}
	json.NewEncoder(w).Encode(answer)
}
