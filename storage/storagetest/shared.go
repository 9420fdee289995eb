package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// RunShared checks the whole contract of [storage.Shared] against an engine. It calls
// open for each part with that part's t. open must return one new, empty database,
// opened by two processes.
func RunShared(t *testing.T, open func(t *testing.T) (one, two storage.Shared)) {
	for _, part := range sharedParts {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			one, two := open(t)
			f := fixture{T: t, store: one, ws: newID(schedctl.WorkspacePrefix, epoch)}
			part.test(&sharedFixture{fixture: f, one: one, two: two})
		})
	}
}

type sharedPart struct {
	name string
	test func(*sharedFixture)
}

// sharedParts is concatenated from the lists of the test files.
var sharedParts = append(append(append([]sharedPart(nil), nodeParts...), holdParts...), append(append(bucketParts, processParts...), refusalParts...)...)

// sharedFixture is an empty database with two processes; the first one is the fixture's
// store.
type sharedFixture struct {
	fixture
	one, two storage.Shared
}

// longLease is a lease that does not end during a test.
const longLease = time.Hour

// newNode returns a new node.
func newNode() storage.Node {
	now := schedctl.Millis(time.Now())
	return storage.Node{
		ID: schedctl.NewULID(now).String(), Name: "host", Version: "1.2.3", StartedAt: now, Lag: 1500 * time.Microsecond,
	}
}

// join registers new nodes.
func (f *sharedFixture) join(n int) []storage.Node {
	f.Helper()
	nodes := make([]storage.Node, n)
	for i := range nodes {
		nodes[i] = newNode()
		f.heartbeat(f.one, nodes[i], longLease)
	}
	return nodes
}

func (f *sharedFixture) heartbeat(s storage.Shared, n storage.Node, lease time.Duration) {
	f.Helper()
	if err := s.Heartbeat(context.Background(), n, lease); err != nil {
		f.Fatalf("Heartbeat: %v", err)
	}
}

func (f *sharedFixture) leave(s storage.Shared, n storage.Node) {
	f.Helper()
	if err := s.Leave(context.Background(), n.ID); err != nil {
		f.Fatalf("Leave: %v", err)
	}
}

func (f *sharedFixture) nodes(s storage.Shared) []storage.Node {
	f.Helper()
	nodes, err := s.Nodes(context.Background())
	if err != nil {
		f.Fatalf("Nodes: %v", err)
	}
	return nodes
}

// endLease lets the lease of a node end.
func (f *sharedFixture) endLease(s storage.Shared, n storage.Node) {
	f.Helper()
	f.heartbeat(s, n, time.Millisecond)
	for f.alive(s, n) {
		time.Sleep(time.Millisecond)
	}
}

func (f *sharedFixture) alive(s storage.Shared, n storage.Node) bool {
	f.Helper()
	for _, found := range f.nodes(s) {
		if found.ID == n.ID {
			return found.Alive
		}
	}
	f.Fatalf("node %s is not listed", n.ID)
	return false
}

func (f *sharedFixture) hold(s storage.Shared, n storage.Node, name string) bool {
	f.Helper()
	held, err := s.Hold(context.Background(), n.ID, name)
	if err != nil {
		f.Fatalf("Hold: %v", err)
	}
	return held
}

func (f *sharedFixture) release(s storage.Shared, n storage.Node, name string) {
	f.Helper()
	if err := s.Release(context.Background(), n.ID, name); err != nil {
		f.Fatalf("Release: %v", err)
	}
}
