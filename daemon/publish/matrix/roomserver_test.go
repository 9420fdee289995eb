package matrix_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish/publishtest/recorded"
)

// roomServer is a fake of a homeserver with one room, whose events are numbered from 1.
// It recognizes repeated transaction ids until it forgets them.
type roomServer struct {
	connect http.Handler

	mu       sync.Mutex // mu guards the fields below
	events   []*roomEvent
	byID     map[string]*roomEvent               // by transaction id
	redacted func(*roomEvent) map[string]any     // a redacted event in a response
	refuse   func(index int) (int, string, bool) // the response to the event with an index, if it is refused
	requests []string                            // the transaction ids of all requests that send
	reacted  map[string]int                      // how many reactions an event has
}

type roomEvent struct {
	id, key  string
	content  map[string]any
	redacted bool
	thread   int // how many events its thread has
}

func newRoomServer(t *testing.T) *roomServer {
	return &roomServer{
		connect: recorded.Handler(t, "testdata/connect.json"), byID: map[string]*roomEvent{},
		redacted: func(*roomEvent) map[string]any {
			return map[string]any{"content": map[string]any{}, "unsigned": map[string]any{"redacted_because": map[string]any{}}}
		},
	}
}

func eventURL(id string) string {
	return "https://matrix.to/#/%21636q39766251%3Aexample.org/%24" + id + "?via=example.org"
}

// eventsOf returns how many events a post with text and so many files is.
func eventsOf(files int) int {
	if files > 1 {
		return files + 1
	}
	return 1
}

func readsEvent(r *http.Request) bool { return path.Base(path.Dir(r.URL.Path)) == "event" }

func (s *roomServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodPut:
		s.send(w, r)
	case readsEvent(r):
		s.read(w, path.Base(r.URL.Path))
	case path.Base(r.URL.Path) == "m.annotation":
		s.annotations(w, path.Base(path.Dir(r.URL.Path)), r.URL.Query().Get("from"))
	case strings.HasSuffix(r.URL.Path, "/messages"):
		s.list(w)
	default:
		s.connect.ServeHTTP(w, r)
	}
}

func (s *roomServer) send(w http.ResponseWriter, r *http.Request) {
	transaction := path.Base(r.URL.Path)
	s.requests = append(s.requests, transaction)
	e, known := s.byID[transaction]
	if !known {
		if s.refuse != nil {
			if status, body, refused := s.refuse(len(s.events)); refused {
				if status == 0 {
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(status)
				fmt.Fprint(w, body)
				return
			}
		}
		e = &roomEvent{id: fmt.Sprintf("$%d", len(s.events)+1), key: transaction}
		_ = json.NewDecoder(r.Body).Decode(&e.content)
		s.events, s.byID[transaction] = append(s.events, e), e
	}
	fmt.Fprintf(w, `{"event_id":%q}`, e.id)
}

func (e *roomEvent) document() map[string]any {
	return map[string]any{"event_id": e.id, "sender": "@alice:example.org", "origin_server_ts": 1780412400000, "content": e.content}
}

func (s *roomServer) read(w http.ResponseWriter, id string) {
	for _, e := range s.events {
		if e.id == id {
			document := e.document()
			if e.thread > 0 {
				document["unsigned"] = map[string]any{"m.relations": map[string]any{"m.thread": map[string]any{"count": e.thread}}}
			}
			if e.redacted {
				document = s.redacted(e)
				document["event_id"] = id
			}
			_ = json.NewEncoder(w).Encode(document)
			return
		}
	}
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprint(w, `{"errcode":"M_NOT_FOUND","error":"Event not found."}`)
}

// annotations lists the reactions to an event, 100 on a page, with an event of another type.
func (s *roomServer) annotations(w http.ResponseWriter, id, from string) {
	first, _ := strconv.Atoi(from)
	chunk := []any{}
	if first == 0 {
		chunk = append(chunk, map[string]any{"event_id": "$other", "type": "org.example.note"})
	}
	page := map[string]any{}
	for i := first; i < s.reacted[id]; i++ {
		if i == first+100 {
			page["next_batch"] = fmt.Sprint(i)
			break
		}
		chunk = append(chunk, map[string]any{"event_id": fmt.Sprintf("$reaction%d", i), "type": "m.reaction"})
	}
	page["chunk"] = chunk
	_ = json.NewEncoder(w).Encode(page)
}

func (s *roomServer) list(w http.ResponseWriter) {
	var chunk []any
	for _, e := range slices.Backward(s.events) {
		chunk = append(chunk, e.document())
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"chunk": chunk, "end": ""})
}

// forget forgets all transaction ids, as for another access token.
func (s *roomServer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID, s.requests = map[string]*roomEvent{}, nil
}

// bodies returns the texts of all events.
func (s *roomServer) bodies() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		list = append(list, fmt.Sprint(e.content["body"]))
	}
	return list
}
