package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// mastodonFake is a server of the Mastodon API that processes uploads for a while, refuses
// some of them, and loses some. It ignores idempotency keys, as snac does.
type mastodonFake struct {
	mu       sync.Mutex // mu guards what follows
	random   *rand.Rand
	uploads  map[string]*fakeUpload
	statuses []fakeStatus
	refused  map[string]bool // SHA-256 of files whose processing has failed
	lost     int

	mayLose     func(alt string) bool // decides whether an upload with an alt text is lost
	refusesNone bool                  // the processing of no upload fails
	immediate   bool                  // uploads are processed at once
}

type fakeUpload struct {
	shownFile
	polls int  // how often it is reported as being processed
	fails bool // then its processing has failed
	lost  bool
	used  bool
}

type fakeStatus struct {
	id, user string
	text     string
	parent   string // empty for none
	at       time.Time
	files    []string // ids of uploads
	poll     []string // options
}

func newMastodonFake(random *rand.Rand, mayLose func(alt string) bool) *mastodonFake {
	return &mastodonFake{random: random, uploads: map[string]*fakeUpload{}, refused: map[string]bool{}, mayLose: mayLose}
}

// account returns an account of its own user.
func (f *mastodonFake) account(url string, n int) apiv1.AddAccount {
	return mastodonAccount(fmt.Sprintf("user-%d", n))(url, n)
}

func (f *mastodonFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/accounts/verify_credentials", func(w http.ResponseWriter, r *http.Request) {
		user := userOf(r)
		respondJSON(w, http.StatusOK, map[string]any{"id": user, "username": user, "acct": user, "url": "http://fake.example/@" + user})
	})
	mux.HandleFunc("POST /api/v2/media", f.upload)
	mux.HandleFunc("GET /api/v1/media/{id}", f.processed)
	mux.HandleFunc("POST /api/v1/statuses", f.publish)
	mux.HandleFunc("GET /api/v1/accounts/{user}/statuses", f.list)
	mux.HandleFunc("GET /api/v1/statuses/{id}", f.one)
	mux.HandleFunc("GET /api/v1/statuses/{id}/context", f.context)
	return mux
}

// userOf returns the user of a token, which is the token itself.
func userOf(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func respondJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// upload accepts a file: at once, or to be processed, which may fail.
func (f *mastodonFake) upload(w http.ResponseWriter, r *http.Request) {
	part, _, err := r.FormFile("file")
	if err != nil {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	bytes, err := io.ReadAll(part)
	if err != nil {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	sum := sha256.Sum256(bytes)
	f.mu.Lock()
	defer f.mu.Unlock()
	u := &fakeUpload{shownFile: shownFile{sha256: hex.EncodeToString(sum[:]), alt: r.FormValue("description")}}
	if !f.immediate && f.random.IntN(3) == 0 {
		u.polls = 1 + f.random.IntN(2)
		u.fails = f.random.IntN(6) == 0 && !f.refusesNone
	}
	id := strconv.Itoa(1000 + len(f.uploads))
	f.uploads[id] = u
	if f.mayLose(u.alt) {
		u.lost, f.lost = true, f.lost+1
	}
	if u.polls > 0 {
		respondJSON(w, http.StatusAccepted, map[string]any{"id": id, "url": nil})
		return
	}
	respondJSON(w, http.StatusOK, map[string]any{"id": id, "url": "http://fake.example/" + id})
}

// processed reports the state of an upload.
func (f *mastodonFake) processed(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := r.PathValue("id")
	u := f.uploads[id]
	switch {
	case u == nil || u.lost && u.polls <= 0:
		respondJSON(w, http.StatusNotFound, map[string]string{"error": "Record not found"})
	case u.polls > 0:
		u.polls--
		respondJSON(w, http.StatusPartialContent, map[string]any{"id": id, "url": nil})
	case u.fails:
		f.refused[u.sha256] = true
		respondJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": "Validation failed: File could not be processed"})
	default:
		respondJSON(w, http.StatusOK, map[string]any{"id": id, "url": "http://fake.example/" + id})
	}
}

// publish accepts a status whose parent and files exist, if all files are processed.
func (f *mastodonFake) publish(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Status   string
		ReplyTo  string   `json:"in_reply_to_id"`
		MediaIDs []string `json:"media_ids"`
		Poll     struct{ Options []string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if body.ReplyTo != "" && f.status(body.ReplyTo) == nil {
		respondJSON(w, http.StatusNotFound, map[string]string{"error": "The post you are trying to reply to does not appear to exist."})
		return
	}
	for _, id := range body.MediaIDs {
		switch u := f.uploads[id]; {
		case u == nil || u.lost || u.used:
			respondJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": "Media attachment not found"})
			return
		case u.polls > 0 || u.fails:
			respondJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": "Cannot attach files that have not finished processing. Try again in a moment!"})
			return
		}
	}
	for _, id := range body.MediaIDs {
		f.uploads[id].used = true
	}
	s := fakeStatus{
		id: strconv.Itoa(1 + len(f.statuses)), user: userOf(r), text: body.Status, parent: body.ReplyTo, at: time.Now(), files: body.MediaIDs, poll: body.Poll.Options,
	}
	f.statuses = append(f.statuses, s)
	respondJSON(w, http.StatusOK, s.json())
}

func (s fakeStatus) json() map[string]any {
	files := []map[string]string{}
	for _, id := range s.files {
		files = append(files, map[string]string{"id": id})
	}
	var parent, poll any // null
	if s.parent != "" {
		parent = s.parent
	}
	if s.poll != nil {
		options := []map[string]string{}
		for _, option := range s.poll {
			options = append(options, map[string]string{"title": option})
		}
		poll = map[string]any{"options": options}
	}
	return map[string]any{
		"in_reply_to_id": parent, "poll": poll,
		"id": s.id, "url": "http://fake.example/@fake/" + s.id, "created_at": s.at.UTC().Format("2006-01-02T15:04:05.000Z"),
		"content": "<p>" + html.EscapeString(s.text) + "</p>", "text": s.text, "visibility": "public", "spoiler_text": "",
		"media_attachments": files,
	}
}

// list lists the statuses of a user, newest first, in pages.
func (f *mastodonFake) list(w http.ResponseWriter, r *http.Request) {
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	f.mu.Lock()
	defer f.mu.Unlock()
	before := len(f.statuses)
	if id, err := strconv.Atoi(r.FormValue("max_id")); err == nil {
		before = min(before, id-1)
	}
	page := []map[string]any{}
	for _, s := range slices.Backward(f.statuses[:max(before, 0)]) {
		if len(page) == cmp.Or(limit, 20) {
			break
		}
		if s.user == r.PathValue("user") {
			page = append(page, s.json())
		}
	}
	respondJSON(w, http.StatusOK, page)
}

// status returns a status, or nil.
func (f *mastodonFake) status(id string) *fakeStatus {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(f.statuses) {
		return nil
	}
	return &f.statuses[n-1]
}

// one serves a status.
func (f *mastodonFake) one(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.status(r.PathValue("id")); s != nil {
		respondJSON(w, http.StatusOK, s.json())
		return
	}
	respondJSON(w, http.StatusNotFound, map[string]string{"error": "Record not found"})
}

// context serves the replies to a status.
func (f *mastodonFake) context(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	thread, replies := map[string]bool{r.PathValue("id"): true}, []map[string]any{}
	for _, s := range f.statuses {
		if thread[s.parent] {
			thread[s.id], replies = true, append(replies, s.json())
		}
	}
	respondJSON(w, http.StatusOK, map[string]any{"ancestors": []any{}, "descendants": replies})
}

// read returns the files of a status.
func (f *mastodonFake) read(_ context.Context, id string) ([]shownFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status(id)
	if s == nil {
		return nil, fmt.Errorf("the fake has no status %q", id)
	}
	return f.shown(s).files, nil
}

func (f *mastodonFake) shown(s *fakeStatus) shownPost {
	p := shownPost{id: s.id, text: s.text, parent: s.parent, poll: s.poll}
	for _, upload := range s.files {
		p.files = append(p.files, f.uploads[upload].shownFile)
	}
	return p
}

// showAll returns the statuses, oldest first.
func (f *mastodonFake) showAll(context.Context) (posts []shownPost, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.statuses {
		posts = append(posts, f.shown(&f.statuses[i]))
	}
	return posts, nil
}

// hasRefused reports whether the processing of a file has failed.
func (f *mastodonFake) hasRefused(sha256 string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused[sha256]
}
