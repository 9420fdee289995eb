package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// fakeChat has the messages and files of a fake network with channels. It keeps what it
// accepts, whatever the network of this kind would do with a repeated request.
type fakeChat struct {
	mu       sync.Mutex // mu guards what follows
	messages []*chatMessage
	files    map[string]*chatFile
	mayLose  func(alt string) bool // decides whether the network loses a file
}

// chatMessage is a message as its network shows it.
type chatMessage struct {
	shownPost
	key string // identifies the message for the daemon
	at  time.Time
}

// chatFile is an uploaded file.
type chatFile struct {
	shownFile
	polls int // how often it is reported as being processed
	lost  bool
}

func newFakeChat(mayLose func(alt string) bool) *fakeChat {
	return &fakeChat{files: map[string]*chatFile{}, mayLose: mayLose}
}

// find returns a message of a channel, or nil. The caller holds mu.
func (f *fakeChat) find(channel, id string) *chatMessage {
	for _, m := range f.messages {
		if m.channel == channel && m.id == id {
			return m
		}
	}
	return nil
}

// add adds a message. The caller holds mu.
func (f *fakeChat) add(p shownPost, key string) *chatMessage {
	m := &chatMessage{shownPost: p, key: key, at: time.Now()}
	f.messages = append(f.messages, m)
	return m
}

// showAll returns the messages, oldest first.
func (f *fakeChat) showAll(context.Context) (posts []shownPost, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.messages {
		posts = append(posts, m.shownPost)
	}
	return posts, nil
}

// readJSON reads a request, and responds with 400 if it cannot.
func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(r.Body).Decode(into)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

// sumOfAll returns the SHA-256 of what a reader has left.
func sumOfAll(r io.Reader) string {
	hash := sha256.New()
	io.Copy(hash, r) // a request that was received completely can be read
	return hex.EncodeToString(hash.Sum(nil))
}

// formFiles returns the files of a form with the names that a format yields for 0, 1, 2 …
func formFiles(r *http.Request, name func(n int) string) (files []shownFile) {
	for n := 0; ; n++ {
		file, _, err := r.FormFile(name(n))
		if err != nil {
			return files
		}
		files = append(files, shownFile{sha256: sumOfAll(file)})
		file.Close()
	}
}

// numbered returns the names of a prefix and a number, such as "file0".
func numbered(prefix, suffix string) func(int) string {
	return func(n int) string { return prefix + strconv.Itoa(n) + suffix }
}
