package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// slackFake is the Web API of Slack for bots. As Slack does, it posts a reply to a missing
// message as a message of its own, and processes files for a while.
type slackFake struct{ *fakeChat }

func (f slackFake) account(url string, n int) apiv1.AddAccount {
	return apiv1.AddAccount{Platform: "slack", Credentials: map[string]string{
		"api_url": url, "bot_token": "xoxb-1", "channel": fmt.Sprintf("C%09d", n),
	}}
}

func (f slackFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth.test", whoAmI)
	mux.HandleFunc("GET /conversations.info", channelInfo)
	mux.HandleFunc("POST /files.getUploadURLExternal", f.announce)
	mux.HandleFunc("POST /upload/{id}", f.receive)
	mux.HandleFunc("POST /files.completeUploadExternal", f.complete)
	mux.HandleFunc("GET /files.info", f.info)
	mux.HandleFunc("POST /chat.postMessage", f.post)
	mux.HandleFunc("GET /chat.getPermalink", f.permalink)
	mux.HandleFunc("GET /conversations.replies", f.replies)
	mux.HandleFunc("GET /conversations.history", f.history)
	return mux
}

func slackError(w http.ResponseWriter, name string) {
	respondJSON(w, http.StatusOK, map[string]any{"ok": false, "error": name})
}

func (f slackFake) announce(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := fmt.Sprintf("F%09d", len(f.files))
	f.files[id] = &chatFile{polls: 1, lost: f.mayLose(r.FormValue("alt_txt"))}
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "upload_url": "http://" + r.Host + "/upload/" + id, "file_id": id})
}

func (f slackFake) receive(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[r.PathValue("id")].sha256 = sumOfAll(r.Body)
}

func (f slackFake) complete(w http.ResponseWriter, r *http.Request) {
	var body struct{ Files []struct{ ID string } }
	if !readJSON(w, r, &body) {
		return
	}
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "files": []any{map[string]string{"id": body.Files[0].ID}}})
}

func (f slackFake) info(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, mimeType := f.files[r.FormValue("file")], "image/png"
	if file.polls--; file.polls >= 0 {
		mimeType = ""
	}
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "file": map[string]string{"mimetype": mimeType}})
}

// slackBlock is a block of a message with files.
type slackBlock struct {
	Type      string                 `json:"type"`
	Text      *struct{ Text string } `json:"text,omitempty"`
	SlackFile struct{ ID string }    `json:"slack_file"`
	AltText   string                 `json:"alt_text"`
}

func (f slackFake) post(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Channel, Text string
		ThreadTS      string `json:"thread_ts"`
		Blocks        []slackBlock
		Metadata      struct {
			Payload struct{ ID string } `json:"event_payload"`
		}
	}
	if !readJSON(w, r, &body) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := shownPost{channel: body.Channel, text: body.Text}
	for _, b := range body.Blocks {
		if b.Type != "image" {
			continue
		}
		file := f.files[b.SlackFile.ID]
		if file.lost || file.polls > 0 {
			respondJSON(w, http.StatusOK, map[string]any{
				"ok": false, "error": "invalid_blocks", "response_metadata": map[string]any{"messages": []string{"[ERROR] invalid slack file"}},
			})
			return
		}
		p.files = append(p.files, shownFile{file.sha256, b.AltText})
	}
	if f.find(p.channel, body.ThreadTS) != nil {
		p.root = body.ThreadTS
	}
	p.id = fmt.Sprintf("%d.%06d", time.Now().Unix(), len(f.messages))
	m := f.add(p, body.Metadata.Payload.ID)
	message := m.slack()
	message["blocks"] = body.Blocks
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "channel": p.channel, "ts": p.id, "message": message})
}

// slack returns a message as the API shows it.
func (m *chatMessage) slack() map[string]any {
	shown := map[string]any{"ts": m.id, "text": m.text, "metadata": json.RawMessage(slackMetadata(m.key))}
	if m.root != "" {
		shown["thread_ts"] = m.root
	}
	return shown
}

func (f slackFake) permalink(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.find(r.FormValue("channel"), r.FormValue("message_ts")) == nil {
		slackError(w, "message_not_found")
		return
	}
	respondJSON(w, http.StatusOK, map[string]any{"ok": true, "permalink": "https://torture.slack.com/"})
}

// replies lists a message and its replies, oldest first.
func (f slackFake) replies(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	channel, ts := r.FormValue("channel"), r.FormValue("ts")
	if f.find(channel, ts) == nil {
		slackError(w, "thread_not_found")
		return
	}
	var list []map[string]any
	for _, m := range f.messages {
		if m.channel == channel && (m.id == ts || m.root == ts) {
			list = append(list, m.slack())
		}
	}
	slackPage(w, r, list)
}

// history lists the messages that are no replies, newest first.
func (f slackFake) history(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := []map[string]any{}
	for i := len(f.messages) - 1; i >= 0; i-- {
		if m := f.messages[i]; m.channel == r.FormValue("channel") && m.root == "" {
			list = append(list, m.slack())
		}
	}
	slackPage(w, r, list)
}

// slackPage responds with a page of a list.
func slackPage(w http.ResponseWriter, r *http.Request, list []map[string]any) {
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	from, _ := strconv.Atoi(strings.TrimPrefix(r.FormValue("cursor"), "after-"))
	from = min(from, len(list))
	to, next := min(from+limit, len(list)), ""
	if to < len(list) {
		next = fmt.Sprintf("after-%d", to)
	}
	respondJSON(w, http.StatusOK, map[string]any{
		"ok": true, "messages": list[from:to], "response_metadata": map[string]string{"next_cursor": next},
	})
}
