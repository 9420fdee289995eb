package main

import (
	"encoding/json"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// write is a write request and its final response.
type write struct {
	child.Request
	child.Response
	unanswered bool // retried after a request without a response
}

// newWrite returns a request with a body in JSON, or without one if it is nil.
func newWrite(method, path string, body any, key string) (*write, error) {
	w := &write{Request: child.Request{Method: method, Path: path, IdempotencyKey: key}}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		w.Request.Body = string(text)
	}
	return w, nil
}

// acknowledged reports whether the daemon has promised to keep the write.
func (w *write) acknowledged() bool { return w.Status >= 200 && w.Status < 300 }

// story is what a client did with one post, and what must follow. A story without a
// post id is one whose create was refused.
type story struct {
	writes             []*write
	post               string // id of the post
	content            string // last acknowledged content
	version            int64
	canceled           bool
	canceledBeforeCall bool                       // canceled without calls in flight
	mayAppearLater     bool                       // the refused create may still take effect
	events             map[schedctl.EventType]int // events that the writes must have caused
}

// add adds a write with its final response, and reports whether it changed the post.
func (s *story) add(w *write) (changed bool, err error) {
	s.writes = append(s.writes, w)
	if !w.acknowledged() {
		// A daemon that was frozen may still execute a request that another one has
		// refused because its time has passed.
		s.mayAppearLater = s.mayAppearLater || s.post == "" && w.unanswered
		return false, nil
	}
	var answer apiv1.PostEnvelope
	if err := json.Unmarshal(w.Response.Body, &answer); err != nil || answer.Post.ID == "" {
		return false, fmt.Errorf("%s %s: response without a post: %s", w.Method, w.Path, w.Response.Body)
	}
	p := answer.Post
	changed = p.Version != s.version
	s.post, s.content, s.version, s.canceled = p.ID, p.Content, p.Version, p.Status == schedctl.Canceled
	return changed, nil
}

// expectEvents adds events that an acknowledged write must have caused.
func (s *story) expectEvents(times int, types ...schedctl.EventType) {
	if s.events == nil {
		s.events = map[schedctl.EventType]int{}
	}
	for _, t := range types {
		s.events[t] += times
	}
}
