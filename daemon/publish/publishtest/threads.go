package publishtest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// ThreadSuite describes a [publish.Threader] to [Run]. Each of its networks also serves
// Connect.
type ThreadSuite struct {
	// Network returns a network that gives each post an id of its own. It is nil for
	// Suite.Network, which must then do so.
	Network func() http.Handler

	// Reference returns what the request of a reply contains to refer to its parent. It is
	// nil for the parent's id.
	Reference func(parent schedctl.Receipt) string

	// Missing is a network that has no post to which a request replies. It is nil for a
	// publisher that sends the whole thread in one request, and for a network that cannot
	// tell.
	Missing http.Handler

	// Lost is a network that publishes every reply as a post of its own. It is nil if the
	// response to a reply does not show that.
	Lost http.Handler

	// Finds means that Network lists its posts to the Find of a [publish.Finder].
	Finds bool
}

// partContents are the texts of the thread of the suite. The last one is the first
// comment.
var partContents = []string{content, "The second part of the thread. 🙂", "The third part of the thread.", "The first comment."}

func partKind(index int) schedctl.PartKind {
	switch index {
	case 0:
		return schedctl.PartPost
	case len(partContents) - 1:
		return schedctl.PartComment
	}
	return schedctl.PartReply
}

// testThreads tests a publisher with threads.
func (s Suite) testThreads(t *testing.T) {
	t.Parallel()
	p, ok := s.New(nil).(publish.Threader)
	switch {
	case !ok:
		return
	case s.Threads == nil:
		n := s.start(t)
		if p.ThreadRules(n.connect(t).Account).Refused == "" {
			t.Fatal("the publisher has threads, but the suite does not say how")
		}
		return
	}
	t.Run("Keys", s.testPartKeys)
	t.Run("Whole", s.testWhole)
	t.Run("Chain", s.testChain)
	t.Run("Responses", s.testReplyResponses)
	t.Run("Missing", s.testMissingParent)
	t.Run("Lost", s.testLostParent)
}

// startThread returns the network for threads, and the request of part 0.
func (s Suite) startThread(t *testing.T) (*network, publish.Request, publish.ThreadRules) {
	t.Helper()
	if s.Threads.Network != nil {
		s.Network = s.Threads.Network()
	}
	n := s.start(t)
	r := n.connect(t)
	rules := n.publisher.(publish.Threader).ThreadRules(r.Account)
	if rules.Refused != "" {
		t.Fatalf("the account takes no threads: %s", rules.Refused)
	}
	r.Kind = schedctl.PartPost
	if calls := n.takeCalls(); len(calls) > 0 {
		t.Errorf("ThreadRules sent %d requests", len(calls))
	}
	return n, r, rules
}

// part returns the request of a part of the suite's thread.
func (n *network) part(r publish.Request, index int, published []schedctl.Receipt) publish.Request {
	r.Key = publish.PartKey(n.publisher, n.suite.requestKey(), index)
	r.Part, r.Kind, r.Content = index, partKind(index), partContents[index]
	r.Root, r.Parent = nil, nil
	if index > 0 {
		r.Root, r.Parent = &published[0], &published[index-1]
	}
	return r
}

// testPartKeys checks that the keys of the parts of a target are different and always
// the same.
func (s Suite) testPartKeys(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	first := []string{s.requestKey()}
	if keyer, ok := n.publisher.(publish.Keyer); ok {
		now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
		first = append(first, keyer.NewKey(now))
	}
	for _, key := range first {
		seen := map[string]bool{}
		for part := range schedctl.MaxThread + 2 {
			derived := publish.PartKey(n.publisher, key, part)
			switch {
			case derived != publish.PartKey(n.publisher, key, part):
				t.Errorf("the key of part %d changes", part)
			case part == 0 && derived != key, derived == "", len(derived) > 255, seen[derived]:
				t.Errorf("part %d has the key %q", part, derived)
			}
			seen[derived] = true
		}
	}
}

// testChain publishes the parts one after the other. Each must refer to the one before
// it, and an attempt with the same key must be able to find it.
func (s Suite) testChain(t *testing.T) {
	t.Parallel()
	n, r, rules := s.startThread(t)
	if rules.Whole {
		return
	}
	started := time.Now()
	var published []schedctl.Receipt
	for i := range partContents {
		part := n.part(r, i, published)
		receipt, err := n.publisher.Publish(t.Context(), part)
		if err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		if receipt.ID == "" || receipt.Degraded != (schedctl.Degradation{}) || slices.ContainsFunc(published, func(p schedctl.Receipt) bool { return p.ID == receipt.ID }) {
			t.Errorf("part %d: receipt %+v after %+v", i, receipt, published)
		}
		n.checkReference(t, part)
		published = append(published, receipt)
	}
	if finder, ok := n.publisher.(publish.Finder); ok && s.Threads.Finds {
		for i, want := range published {
			receipt, found, err := finder.Find(t.Context(), n.part(r, i, published), started)
			if err != nil || !found || !receipt.Equal(want) {
				t.Errorf("find part %d: got %+v, %v, %v; want %+v", i, receipt, found, err, want)
			}
		}
		absent := n.part(r, len(published)-1, published)
		absent.Content, absent.Key = "Some other words that were never published", "other"
		if _, found, err := finder.Find(t.Context(), absent, started); err != nil || found {
			t.Errorf("find a part that was never published: %v, %v", found, err)
		}
	}
}

// checkReference checks that one request published the part, and that it contains its
// text and the reference to its parent.
func (n *network) checkReference(t *testing.T, part publish.Request) {
	t.Helper()
	n.mu.Lock()
	calls := slices.Clone(n.calls)
	n.mu.Unlock()
	n.checkCalls(t, fmt.Sprintf("part %d", part.Part), part, 1)
	body := joinBodies(calls)
	if part.Parent == nil {
		return
	}
	reference := part.Parent.ID
	if n.suite.Threads.Reference != nil {
		reference = n.suite.Threads.Reference(*part.Parent)
	}
	if !bytes.Contains(body, []byte(reference)) {
		t.Errorf("the request of part %d does not refer to its parent %q: %s", part.Part, reference, body)
	}
}

// testWhole publishes all parts with one request, twice.
func (s Suite) testWhole(t *testing.T) {
	t.Parallel()
	n, r, rules := s.startThread(t)
	if !rules.Whole {
		return
	}
	for i := 1; i < len(partContents); i++ {
		part := n.part(r, i, make([]schedctl.Receipt, i))
		r.Rest = append(r.Rest, publish.RequestPart{Kind: part.Kind, Content: part.Content, Key: part.Key})
	}
	var first schedctl.Receipt
	for attempt := range 2 {
		receipt, err := n.publisher.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if attempt == 0 {
			first = receipt
			n.checkWhole(t, r, receipt)
		} else if diff := cmp.Diff(first, receipt); diff != "" {
			t.Errorf("the receipt of a repeat (-first +repeat):\n%s", diff)
		}
	}
}

func (n *network) checkWhole(t *testing.T, r publish.Request, receipt schedctl.Receipt) {
	t.Helper()
	if len(receipt.Rest) != len(r.Rest) {
		t.Fatalf("%d receipts for %d further parts: %+v", len(receipt.Rest), len(r.Rest), receipt)
	}
	seen := map[string]bool{receipt.ID: true}
	for i, part := range receipt.Rest {
		if part.ID == "" && !n.suite.AcceptsAnyBody || part.ID != "" && seen[part.ID] || len(part.Rest) > 0 {
			t.Errorf("receipt of part %d: %+v", i+1, part)
		}
		seen[part.ID] = true
	}
	if n.suite.Network == nil {
		return
	}
	calls := n.takeCalls()
	if len(calls) != 1 {
		t.Errorf("%d publishing requests, want 1", len(calls))
	}
	body, pos := joinBodies(calls), 0
	for i, part := range r.Rest {
		at := bytes.Index(body[pos:], []byte(part.Content))
		if at < 0 {
			t.Fatalf("the request has no part %d after those before it: %s", i+1, body)
		}
		pos += at
	}
}

// reply publishes part 0 and returns the network and the request of part 1.
func (s Suite) reply(t *testing.T) (*network, publish.Request, bool) {
	t.Helper()
	n, r, rules := s.startThread(t)
	if rules.Whole || n.suite.Network == nil {
		return nil, publish.Request{}, false
	}
	root, err := n.publisher.Publish(t.Context(), n.part(r, 0, nil))
	if err != nil {
		t.Fatal(err)
	}
	n.takeCalls()
	return n, n.part(r, 1, []schedctl.Receipt{root}), true
}

// testReplyResponses checks that errors of replies mean the same as those of posts.
func (s Suite) testReplyResponses(t *testing.T) {
	t.Parallel()
	responses := append(refusals(), unusableBodies...)
	for _, response := range responses {
		if response.kind == "" {
			response.kind, response.outcome = schedctl.KindPlatform, unknown
			if s.AcceptsAnyBody {
				continue
			}
		}
		if response.status == http.StatusNotFound {
			continue // it may be about the parent
		}
		n, r, ok := s.reply(t)
		if !ok {
			return
		}
		n.respondWith(response.ServeHTTP)
		_, err := n.publisher.Publish(t.Context(), r)
		if e := n.checkError(t, response.name, err); e.Kind != response.kind || e.Outcome != response.outcome {
			t.Errorf("%s: got %s, %s; want %s, %s (%s)", response.name, e.Kind, e.Outcome, response.kind, response.outcome, e.Message)
		}
		n.checkCalls(t, response.name, r, 1)
	}
	if n, r, ok := s.reply(t); ok {
		n.respondWith(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		_, err := n.publisher.Publish(t.Context(), r)
		n.checkDropped(t, err, unknown)
	}
}

// testMissingParent checks that a reply to a deleted post is not published.
func (s Suite) testMissingParent(t *testing.T) {
	t.Parallel()
	if s.Threads.Missing == nil {
		return
	}
	s.Network = s.Threads.Missing
	n := s.start(t)
	gone := schedctl.Receipt{ID: s.Receipt.ID, URL: s.Receipt.URL, Ref: s.Receipt.Ref}
	r := n.part(n.connect(t), 1, []schedctl.Receipt{gone})
	_, err := n.publisher.Publish(t.Context(), r)
	e := n.checkError(t, "missing parent", err)
	if e.Kind != schedctl.KindContent || e.Code != publish.CodeParentMissing || e.Outcome != notPublished {
		t.Errorf("got %s, %q, %s; want content, %s, not_published", e.Kind, e.Code, e.Outcome, publish.CodeParentMissing)
	}
}

// testLostParent checks that a reply that became a post of its own is reported.
func (s Suite) testLostParent(t *testing.T) {
	t.Parallel()
	if s.Threads.Lost == nil {
		return
	}
	s.Network = s.Threads.Lost
	n := s.start(t)
	r := n.connect(t)
	root, err := n.publisher.Publish(t.Context(), n.part(r, 0, nil))
	if err != nil || root.Degraded != (schedctl.Degradation{}) {
		t.Fatalf("part 0: %+v, %v", root, err)
	}
	receipt, err := n.publisher.Publish(t.Context(), n.part(r, 1, []schedctl.Receipt{root}))
	if err != nil || receipt.ID == "" || receipt.Degraded.Code != schedctl.DegradedReply {
		t.Errorf("got %+v, %v; want a receipt that says that the parent is lost", receipt, err)
	}
}
