package storagetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var nodeParts = []sharedPart{
	{"NodesAreListed", testNodesAreListed},
	{"LeasesRunOut", testLeasesRunOut},
	{"NodesOfLongAgo", testOldNodesAreForgotten},
	{"SharedCloses", testSharedCloses},
}

var holdParts = []sharedPart{
	{"OneHolds", testOneNodeHolds},
	{"OneOfManyHolds", testConcurrentHolds},
	{"HoldsEndWithLeases", testHoldsEndWithTheLease},
	{"Releases", testReleases},
}

func testNodesAreListed(f *sharedFixture) {
	wantSame(&f.fixture, "nodes of an empty database", []storage.Node(nil), f.nodes(f.one))
	began := time.Now().Add(-time.Minute) // a different clock
	nodes := f.join(3)
	nodes[1].Name, nodes[1].Version, nodes[1].Lag = "moved", "1.3.0", 0
	f.heartbeat(f.two, nodes[1], longLease)
	for _, s := range []storage.Shared{f.one, f.two} {
		found := f.nodes(s)
		for i := range found {
			if at := found[i].HeartbeatAt; at.Before(began) || at.After(time.Now().Add(time.Minute)) {
				f.Errorf("the last heartbeat was at %v", at)
			}
			wantSame(&f.fixture, "whether a node is alive", true, found[i].Alive)
			found[i].HeartbeatAt, found[i].Alive = time.Time{}, false
		}
		wantSame(&f.fixture, "nodes", nodes, found)
	}
}

func testLeasesRunOut(f *sharedFixture) {
	n := f.join(1)[0]
	f.endLease(f.two, n)
	wantSame(&f.fixture, "alive, with an ended lease", false, f.alive(f.one, n))
	f.heartbeat(f.one, n, longLease)
	wantSame(&f.fixture, "alive, after another heartbeat", true, f.alive(f.two, n))
	f.leave(f.two, n)
	wantSame(&f.fixture, "alive, after it has left", false, f.alive(f.one, n))
	f.leave(f.one, n)
	f.leave(f.one, newNode())
	wantSame(&f.fixture, "nodes", 1, len(f.nodes(f.two)))
}

func testOldNodesAreForgotten(f *sharedFixture) {
	now, before := newNode(), newNode()
	f.heartbeat(f.one, before, -time.Hour-time.Second)
	f.heartbeat(f.one, now, -time.Hour+time.Minute)
	found := f.nodes(f.two)
	if len(found) != 1 || found[0].ID != now.ID || found[0].Alive {
		f.Errorf("found %v, want only the node whose lease ended within the last hour", found)
	}
	f.leave(f.two, now)
	f.heartbeat(f.two, before, longLease)
	wantSame(&f.fixture, "nodes, after a heartbeat of the second node", 2, len(f.nodes(f.one)))
}

func testSharedCloses(f *sharedFixture) {
	n := f.join(1)[0]
	if err := f.one.Close(); err != nil {
		f.Fatal(err)
	}
	ctx := context.Background()
	_, nodesErr := f.one.Nodes(ctx)
	_, holdErr := f.one.Hold(ctx, n.ID, "x")
	_, spendErr := f.one.UseTokens(ctx, []storage.TokenUse{{Bucket: "b", Tokens: 1, Every: time.Second}})
	for _, err := range []error{f.one.Heartbeat(ctx, n, longLease), f.one.Leave(ctx, n.ID), nodesErr, holdErr, f.one.Release(ctx, n.ID, "x"), spendErr} {
		if !errors.Is(err, storage.ErrClosed) {
			f.Errorf("error %v, want %v", err, storage.ErrClosed)
		}
	}
	wantSame(&f.fixture, "alive, with a closed store", true, f.alive(f.two, n))
}

func testOneNodeHolds(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	for range 2 {
		wantSame(&f.fixture, "whether the first node holds it", true, f.hold(f.one, a, "it"))
		wantSame(&f.fixture, "whether the second node holds it", false, f.hold(f.two, b, "it"))
	}
	wantSame(&f.fixture, "whether the second node holds something else", true, f.hold(f.two, b, "else"))
	wantSame(&f.fixture, "whether another process confirms the hold of the first node", true, f.hold(f.two, a, "it"))
	wantSame(&f.fixture, "whether a node without a heartbeat holds something", false, f.hold(f.one, newNode(), "more"))
	wantSame(&f.fixture, "whether that is free", true, f.hold(f.one, b, "more"))
}

// testConcurrentHolds lets many nodes try to hold a free name, and names that were held
// before.
func testConcurrentHolds(f *sharedFixture) {
	nodes := f.join(8)
	gone := newNode()
	for range 5 {
		f.heartbeat(f.one, gone, longLease)
		name := schedctl.NewULID(time.Now()).String()
		wantSame(&f.fixture, "whether it is held", true, f.hold(f.one, gone, name))
		f.endLease(f.one, gone)
		for _, name := range []string{name, name + " free"} {
			held := make([]bool, len(nodes))
			var all sync.WaitGroup
			for i, n := range nodes {
				all.Go(func() {
					var err error
					if held[i], err = []storage.Shared{f.one, f.two}[i%2].Hold(context.Background(), n.ID, name); err != nil {
						f.Errorf("Hold: %v", err)
					}
				})
			}
			all.Wait()
			holders := 0
			for i, n := range nodes {
				if held[i] {
					holders++
				}
				wantSame(&f.fixture, "whether it is held still", held[i], f.hold(f.two, n, name))
			}
			wantSame(&f.fixture, "holders", 1, holders)
		}
	}
}

func testHoldsEndWithTheLease(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	for what, end := range map[string]func(){
		"its lease has run out": func() { f.endLease(f.one, a) },
		"it has left":           func() { f.leave(f.one, a) },
	} {
		f.heartbeat(f.one, a, longLease)
		f.release(f.two, b, "it")
		wantSame(&f.fixture, "whether it is held", true, f.hold(f.one, a, "it"))
		f.heartbeat(f.one, a, longLease)
		wantSame(&f.fixture, "whether it is free after a heartbeat in time", false, f.hold(f.two, b, "it"))
		end()
		wantSame(&f.fixture, "whether the node holds something: "+what, false, f.hold(f.one, a, "more"))
		wantSame(&f.fixture, "whether the node still holds it: "+what, false, f.hold(f.one, a, "it"))
		f.heartbeat(f.one, a, longLease)
		wantSame(&f.fixture, "whether it is free although the node sends heartbeats again: "+what, true, f.hold(f.two, b, "it"))
		wantSame(&f.fixture, "whether the node holds it again: "+what, false, f.hold(f.one, a, "it"))
	}
}

func testReleases(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	f.hold(f.one, a, "it")
	f.hold(f.one, a, "else")
	f.release(f.two, b, "it")
	wantSame(&f.fixture, "whether it is free after a release by another node", false, f.hold(f.two, b, "it"))
	for range 2 {
		f.release(f.one, a, "it")
	}
	wantSame(&f.fixture, "whether it is free", true, f.hold(f.two, b, "it"))
	f.release(f.one, a, "it")
	wantSame(&f.fixture, "whether the other node has lost it", false, f.hold(f.one, a, "it"))
	wantSame(&f.fixture, "whether what was not released is free", false, f.hold(f.two, b, "else"))
	f.release(f.one, a, "never held")
}
