package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
)

// telegramFake is the Bot API of Telegram. It has no method that lists messages.
type telegramFake struct{ *fakeChat }

func (f telegramFake) account(url string, n int) apiv1.AddAccount {
	return apiv1.AddAccount{Platform: "telegram", Credentials: map[string]string{
		"api_url": url, "bot_token": "123456:ABC-DEF1234ghIkl", "chat_id": fmt.Sprintf("-100%07d", n),
	}}
}

func (f telegramFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{bot}/getMe", func(w http.ResponseWriter, _ *http.Request) {
		telegramResult(w, map[string]any{"id": 123456, "is_bot": true, "username": "torture_bot"})
	})
	mux.HandleFunc("GET /{bot}/getChat", func(w http.ResponseWriter, r *http.Request) {
		telegramResult(w, map[string]any{"id": json.Number(r.FormValue("chat_id")), "type": "channel", "title": "Torture"})
	})
	mux.HandleFunc("GET /{bot}/getChatMember", func(w http.ResponseWriter, _ *http.Request) {
		telegramResult(w, map[string]any{"status": "administrator", "can_post_messages": true})
	})
	mux.HandleFunc("POST /{bot}/{method}", f.send)
	return mux
}

func telegramResult(w http.ResponseWriter, result any) {
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "result": result})
}

// telegramMessage has the parameters of all methods that send.
type telegramMessage struct {
	ChatID         json.Number `json:"chat_id"`
	Text, Question string
	Options        []struct{ Text string }
	OpenPeriod     int64 `json:"open_period"`
	Multiple       bool  `json:"allows_multiple_answers"`
	Reply          struct {
		ID json.Number `json:"message_id"`
	} `json:"reply_parameters"`

	files []shownFile
}

// send handles the methods that send messages.
func (f telegramFake) send(w http.ResponseWriter, r *http.Request) {
	sent, ok := readTelegram(w, r)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	channel, parent := sent.ChatID.String(), sent.Reply.ID.String()
	if parent != "" && f.find(channel, parent) == nil {
		respondJSON(w, http.StatusBadRequest, map[string]any{
			"ok": false, "error_code": 400, "description": "Bad Request: message to be replied not found",
		})
		return
	}
	p := shownPost{channel: channel, id: strconv.Itoa(1 + 20*len(f.messages)), parent: parent, text: sent.Text + sent.Question, files: sent.files}
	for _, option := range sent.Options {
		p.poll = append(p.poll, option.Text)
	}
	f.add(p, "")
	telegramResult(w, p.telegram(sent))
}

// readTelegram reads the parameters of a method, which are JSON, or a form with files.
func readTelegram(w http.ResponseWriter, r *http.Request) (sent telegramMessage, ok bool) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return sent, readJSON(w, r, &sent)
	}
	sent.ChatID, sent.Text = json.Number(r.FormValue("chat_id")), r.FormValue("caption")
	if reply := r.FormValue("reply_parameters"); reply != "" {
		json.Unmarshal([]byte(reply), &sent.Reply)
	}
	if r.PathValue("method") != "sendMediaGroup" {
		file, _, err := r.FormFile("photo")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return sent, false
		}
		sent.files = []shownFile{{sha256: sumOfAll(file)}}
		return sent, true
	}
	var media []struct{ Caption string }
	json.Unmarshal([]byte(r.FormValue("media")), &media)
	sent.Text, sent.files = media[0].Caption, formFiles(r, numbered("file", ""))
	return sent, true
}

// telegram returns the result of the method that sent a message: a group of files is
// several messages.
func (p *shownPost) telegram(sent telegramMessage) any {
	first, _ := strconv.Atoi(p.id)
	var messages []map[string]any
	for n := range max(1, len(p.files)) {
		m := map[string]any{"message_id": first + n, "chat": map[string]any{"id": json.Number(p.channel), "type": "channel"}}
		if p.parent != "" {
			m["reply_to_message"] = map[string]any{"message_id": json.Number(p.parent)}
		}
		if len(p.files) > 0 {
			m["photo"] = []any{map[string]string{"file_id": "photo"}}
		}
		if p.poll != nil {
			m["poll"] = map[string]any{"options": p.poll, "allows_multiple_answers": sent.Multiple, "open_period": sent.OpenPeriod, "allows_revoting": false}
		}
		messages = append(messages, m)
	}
	if len(messages) == 1 {
		return messages[0]
	}
	return messages
}
