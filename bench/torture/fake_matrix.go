package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// matrixFake is a homeserver of Matrix. It recognizes repeated transaction ids for a
// while.
type matrixFake struct{ *fakeChat }

// matrixUser is the user of all accounts.
const matrixUser = "@torture:matrix.example"

// matrixMemory is how long transaction ids are recognized. It is longer than a request
// can take, and shorter than a run.
const matrixMemory = 70 * time.Second

func (f matrixFake) account(url string, n int) apiv1.AddAccount {
	return apiv1.AddAccount{Platform: "matrix", Credentials: map[string]string{
		"homeserver_url": url, "access_token": "token", "room_id": fmt.Sprintf("!room%d:matrix.example", n),
	}}
}

func (f matrixFake) handler() http.Handler {
	const room = "/_matrix/client/v3/rooms/{room}"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /_matrix/client/v3/account/whoami", func(w http.ResponseWriter, _ *http.Request) {
		respondJSON(w, http.StatusOK, map[string]string{"user_id": matrixUser})
	})
	mux.HandleFunc("GET "+room+"/state/{type}/{user}", func(w http.ResponseWriter, _ *http.Request) {
		respondJSON(w, http.StatusOK, map[string]string{"membership": "join", "displayname": "Torture"})
	})
	mux.HandleFunc("GET "+room+"/state/{type}", func(w http.ResponseWriter, _ *http.Request) { matrixMissing(w) })
	mux.HandleFunc("POST /_matrix/media/v3/upload", f.upload)
	mux.HandleFunc("PUT "+room+"/send/m.room.message/{transaction}", f.send)
	mux.HandleFunc("GET "+room+"/event/{event}", f.event)
	mux.HandleFunc("GET "+room+"/messages", f.list)
	return mux
}

func matrixMissing(w http.ResponseWriter) {
	respondJSON(w, http.StatusNotFound, map[string]string{"errcode": "M_NOT_FOUND", "error": "Event not found."})
}

func (f matrixFake) upload(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := fmt.Sprintf("mxc://matrix.example/%d", len(f.files))
	f.files[id] = &chatFile{shownFile: shownFile{sha256: sumOfAll(r.Body)}}
	respondJSON(w, http.StatusOK, map[string]string{"content_uri": id})
}

// matrixContent is the content of an event.
type matrixContent struct {
	Body, URL string
	Key       string `json:"io.github.schedctl.key"`
	Relation  struct {
		Type    string `json:"rel_type"`
		EventID string `json:"event_id"`
		ReplyTo struct {
			EventID string `json:"event_id"`
		} `json:"m.in_reply_to"`
	} `json:"m.relates_to"`
}

// send accepts an event.
func (f matrixFake) send(w http.ResponseWriter, r *http.Request) {
	var content matrixContent
	if !readJSON(w, r, &content) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	room, transaction := r.PathValue("room"), r.PathValue("transaction")
	for _, m := range f.messages {
		if m.channel == room && m.key == transaction && time.Since(m.at) < matrixMemory {
			respondJSON(w, http.StatusOK, map[string]string{"event_id": m.id})
			return
		}
	}
	p := shownPost{channel: room, id: fmt.Sprintf("$%d", len(f.messages)), text: content.Body}
	if content.Relation.Type == "m.thread" {
		p.root, p.parent = content.Relation.EventID, content.Relation.ReplyTo.EventID
	}
	if content.URL != "" {
		p.files = []shownFile{f.files[content.URL].shownFile}
	}
	f.add(p, transaction)
	respondJSON(w, http.StatusOK, map[string]string{"event_id": p.id})
}

// matrix returns an event as the API shows it.
func (m *chatMessage) matrix() map[string]any {
	return map[string]any{
		"event_id": m.id, "sender": matrixUser, "origin_server_ts": m.at.UnixMilli(),
		"content": map[string]string{"body": m.text, "io.github.schedctl.key": m.key},
	}
}

func (f matrixFake) event(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.find(r.PathValue("room"), r.PathValue("event")); m != nil {
		respondJSON(w, http.StatusOK, m.matrix())
		return
	}
	matrixMissing(w)
}

// list lists the events of a room, newest first, in pages.
func (f matrixFake) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	before, err := strconv.Atoi(r.FormValue("from"))
	if err != nil {
		before = len(f.messages)
	}
	chunk, end := []map[string]any{}, ""
	for i := before - 1; i >= 0; i-- {
		if m := f.messages[i]; m.channel == r.PathValue("room") {
			if len(chunk) == limit {
				end = strconv.Itoa(i + 1)
				break
			}
			chunk = append(chunk, m.matrix())
		}
	}
	respondJSON(w, http.StatusOK, map[string]any{"chunk": chunk, "end": end})
}

// showAll returns the posts, oldest first: an event with a text, and the events of its
// files. An event that belongs to no post, or relates to another event than its post
// does, is a post of its own.
func (f matrixFake) showAll(context.Context) (posts []shownPost, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := map[string]int{} // index of the newest post with a key
	for _, m := range f.messages {
		key, number, more := strings.Cut(m.key, ".")
		i, known := last[key]
		if more && known && posts[i].parent == m.parent && posts[i].root == m.root && strconv.Itoa(1+len(posts[i].files)) == number {
			posts[i].files = append(posts[i].files, m.files...)
			continue
		}
		last[key] = len(posts)
		posts = append(posts, m.shownPost)
	}
	return posts, nil
}
