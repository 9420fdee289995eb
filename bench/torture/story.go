package main

import (
	"encoding/json"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// write is a request that changes something, and how it was answered in the end.
type write struct {
	child.Request
	child.Response
	unanswered bool // it was sent, and sent again before there was an answer
}

// acknowledged reports whether the daemon has promised to keep it.
func (w *write) acknowledged() bool { return w.Status >= 200 && w.Status < 300 }

// story is what a client did with one post, and what must follow from it. A
// story without a post is one whose create was refused.
type story struct {
	writes             []*write
	post               string // the id
	content            string // as it was acknowledged last
	version            int64
	canceled           bool
	canceledBeforeCall bool                       // no call for it goes on
	mayAppearLater     bool                       // its create was refused, and may be done all the same
	events             map[schedctl.EventType]int // that the writes have caused
}

// add notes a write that was answered for good, and reports whether it has
// changed the post.
func (s *story) add(w *write) (changed bool, err error) {
	s.writes = append(s.writes, w)
	if !w.acknowledged() {
		// A daemon that was frozen may do later what another one has refused by then,
		// because its time has passed.
		s.mayAppearLater = s.mayAppearLater || s.post == "" && w.unanswered
		return false, nil
	}
	var answer apiv1.PostEnvelope
	if err := json.Unmarshal(w.Response.Body, &answer); err != nil || answer.Post.ID == "" {
		return false, fmt.Errorf("%s %s: answered without a post: %s", w.Method, w.Path, w.Response.Body)
	}
	p := answer.Post
	changed = p.Version != s.version
	s.post, s.content, s.version, s.canceled = p.ID, p.Content, p.Version, p.Status == schedctl.Canceled
	return changed, nil
}

// expectEvents notes that an acknowledged write must have caused events.
func (s *story) expectEvents(times int, types ...schedctl.EventType) {
	if s.events == nil {
		s.events = map[schedctl.EventType]int{}
	}
	for _, t := range types {
		s.events[t] += times
	}
}
