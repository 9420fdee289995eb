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
	"sync"
	"time"
)

// mediaFake is a server of the Mastodon API that processes uploads for a while, refuses
// some of them, and loses at most one of each post: a retry after a second loss would come
// minutes later. It ignores idempotency keys, as snac does.
type mediaFake struct {
	mu       sync.Mutex // mu guards what follows
	random   *rand.Rand
	uploads  map[string]*fakeUpload
	statuses []fakeStatus
	refused  map[string]bool // SHA-256 of files whose processing has failed
	lost     map[string]bool // posts of which an upload was lost
}

type fakeUpload struct {
	shownFile
	polls int  // how often it is reported as being processed
	fails bool // then its processing has failed
	lost  bool
	used  bool
}

type fakeStatus struct {
	id, text string
	at       time.Time
	files    []string // ids of uploads
}

func newMediaFake(random *rand.Rand) *mediaFake {
	return &mediaFake{random: random, uploads: map[string]*fakeUpload{}, refused: map[string]bool{}, lost: map[string]bool{}}
}

func (f *mediaFake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/accounts/verify_credentials", func(w http.ResponseWriter, _ *http.Request) {
		respondJSON(w, http.StatusOK, map[string]any{"id": "1", "username": "fake", "acct": "fake", "url": "http://fake.example/@fake"})
	})
	mux.HandleFunc("POST /api/v2/media", f.upload)
	mux.HandleFunc("GET /api/v1/media/{id}", f.processed)
	mux.HandleFunc("POST /api/v1/statuses", f.publish)
	mux.HandleFunc("GET /api/v1/accounts/1/statuses", f.list)
	return mux
}

func respondJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// upload accepts a file: at once, or to be processed, which may fail.
func (f *mediaFake) upload(w http.ResponseWriter, r *http.Request) {
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
	if f.random.IntN(3) == 0 {
		u.polls = 1 + f.random.IntN(2)
		u.fails = f.random.IntN(6) == 0
	}
	id := strconv.Itoa(1000 + len(f.uploads))
	f.uploads[id] = u
	if post := postOfAlt(u.alt); f.random.IntN(10) == 0 && !f.lost[post] {
		u.lost, f.lost[post] = true, true
	}
	if u.polls > 0 {
		respondJSON(w, http.StatusAccepted, map[string]any{"id": id, "url": nil})
		return
	}
	respondJSON(w, http.StatusOK, map[string]any{"id": id, "url": "http://fake.example/" + id})
}

// processed reports the state of an upload.
func (f *mediaFake) processed(w http.ResponseWriter, r *http.Request) {
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

// publish accepts a status whose files are all there and processed.
func (f *mediaFake) publish(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Status   string
		MediaIDs []string `json:"media_ids"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
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
	s := fakeStatus{id: strconv.Itoa(1 + len(f.statuses)), text: body.Status, at: time.Now(), files: body.MediaIDs}
	f.statuses = append(f.statuses, s)
	respondJSON(w, http.StatusOK, s.json())
}

func (s fakeStatus) json() map[string]any {
	files := []map[string]string{}
	for _, id := range s.files {
		files = append(files, map[string]string{"id": id})
	}
	return map[string]any{
		"id": s.id, "url": "http://fake.example/@fake/" + s.id, "created_at": s.at.UTC().Format("2006-01-02T15:04:05.000Z"),
		"content": "<p>" + html.EscapeString(s.text) + "</p>", "text": s.text, "visibility": "public", "spoiler_text": "",
		"media_attachments": files,
	}
}

// list lists the statuses, newest first, in pages.
func (f *mediaFake) list(w http.ResponseWriter, r *http.Request) {
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
		page = append(page, s.json())
	}
	respondJSON(w, http.StatusOK, page)
}

// read returns the files of a status.
func (f *mediaFake) read(_ context.Context, id string) (files []shownFile, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(f.statuses) {
		return nil, fmt.Errorf("the fake has no status %q", id)
	}
	for _, upload := range f.statuses[n-1].files {
		files = append(files, f.uploads[upload].shownFile)
	}
	return files, nil
}

// hasRefused reports whether the processing of a file has failed.
func (f *mediaFake) hasRefused(sha256 string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused[sha256]
}
