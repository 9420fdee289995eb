package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
)

// discordFake is the API of Discord for webhooks. A webhook reads its own messages by
// their ids, and lists none.
type discordFake struct{ *fakeChat }

func (f discordFake) account(url string, n int) apiv1.AddAccount {
	return apiv1.AddAccount{Platform: "discord", Credentials: map[string]string{
		"webhook_url": fmt.Sprintf("%s/api/webhooks/%d/torture", url, 1_000_000+n),
	}}
}

func (f discordFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/webhooks/{id}/torture", func(w http.ResponseWriter, r *http.Request) {
		respondJSON(w, http.StatusOK, map[string]string{"id": r.PathValue("id"), "name": "Torture", "guild_id": "1", "channel_id": r.PathValue("id")})
	})
	mux.HandleFunc("POST /api/webhooks/{id}/torture", f.post)
	mux.HandleFunc("GET /api/webhooks/{id}/torture/messages/{message}", f.read)
	return mux
}

func (f discordFake) post(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Content     string
		Attachments []struct{ Description string }
		Poll        *struct {
			Question    struct{ Text string }
			Answers     []discordOption
			Multiselect bool `json:"allow_multiselect"`
		}
	}
	p := shownPost{channel: r.PathValue("id")}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		json.Unmarshal([]byte(r.FormValue("payload_json")), &body)
		p.files = formFiles(r, numbered("files[", "]"))
		for i, a := range body.Attachments {
			p.files[i].alt = a.Description
		}
	} else if !readJSON(w, r, &body) {
		return
	}
	p.text = body.Content
	shown := map[string]any{"channel_id": p.channel, "attachments": append([]any{}, make([]any, len(p.files))...)}
	if poll := body.Poll; poll != nil {
		p.text = poll.Question.Text
		for _, a := range poll.Answers {
			p.poll = append(p.poll, a.Media.Text)
		}
		shown["poll"] = map[string]any{"answers": poll.Answers, "allow_multiselect": poll.Multiselect}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p.id = fmt.Sprint(1180000000000000000 + len(f.messages))
	f.add(p, "")
	shown["id"] = p.id
	respondJSON(w, http.StatusOK, shown)
}

// discordOption is one option of a poll.
type discordOption struct {
	Media struct {
		Text string `json:"text"`
	} `json:"poll_media"`
}

func (f discordFake) read(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(r.PathValue("id"), r.PathValue("message")); m != nil {
		respondJSON(w, http.StatusOK, map[string]string{"id": m.id, "channel_id": m.channel})
		return
	}
	respondJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown Message", "code": 10008})
}
