package main

import (
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

// receiverFake is a receiver of the platform http. It recognizes repeated requests by
// their keys.
type receiverFake struct{ *fakeChat }

func (f receiverFake) account(url string, _ int) apiv1.AddAccount {
	return apiv1.AddAccount{
		Platform: "http", Credentials: map[string]string{"url": url + "/receiver"}, Options: map[string]any{"idempotent": true},
	}
}

func (f receiverFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /receiver", f.receive)
	return mux
}

// receivedPart is a part of a post in a request.
type receivedPart struct {
	Content string
	Media   []struct {
		SHA256 string
		Alt    string `json:"alt_text"`
	}
}

// receive accepts a request, which has all parts of a post.
func (f receiverFake) receive(w http.ResponseWriter, r *http.Request) {
	var body struct {
		receivedPart
		Thread       []receivedPart
		FirstComment *receivedPart `json:"first_comment"`
		Poll         struct{ Options []string }
	}
	if !readJSON(w, r, &body) {
		return
	}
	parts := append([]receivedPart{body.receivedPart}, body.Thread...)
	if body.FirstComment != nil {
		parts = append(parts, *body.FirstComment)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	var ids []map[string]string
	for _, m := range f.messages {
		if m.key == key {
			ids = append(ids, map[string]string{"id": m.id})
		}
	}
	if ids == nil {
		for i, part := range parts {
			p := part.shown(fmt.Sprintf("p%d", len(f.messages)))
			if i == 0 {
				p.poll = body.Poll.Options
			}
			f.add(p, key)
			ids = append(ids, map[string]string{"id": p.id})
		}
	}
	respondJSON(w, http.StatusOK, map[string]any{"id": ids[0]["id"], "parts": ids[1:]})
}

func (p receivedPart) shown(id string) shownPost {
	s := shownPost{id: id, text: p.Content}
	for _, m := range p.Media {
		s.files = append(s.files, shownFile{m.SHA256, m.Alt})
	}
	return s
}
