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
	{"NodesOfLongAgo", testNodesOfLongAgo},
	{"SharedCloses", testSharedCloses},
}

var holdParts = []sharedPart{
	{"OneHolds", testOneHolds},
	{"OneOfManyHolds", testOneOfManyHolds},
	{"HoldsEndWithLeases", testHoldsEndWithLeases},
	{"Releases", testReleases},
}

func testNodesAreListed(f *sharedFixture) {
	same(&f.fixture, "nodes of an empty database", []storage.Node(nil), f.nodes(f.one))
	began := time.Now().Add(-time.Minute) // another clock
	nodes := f.join(3)
	nodes[1].Name, nodes[1].Version, nodes[1].Lag = "moved", "1.3.0", 0
	f.beat(f.two, nodes[1], lasting)
	for _, s := range []storage.Shared{f.one, f.two} {
		found := f.nodes(s)
		for i := range found {
			if at := found[i].BeatAt; at.Before(began) || at.After(time.Now().Add(time.Minute)) {
				f.Errorf("the last beat was at %v", at)
			}
			same(&f.fixture, "whether a node is alive", true, found[i].Alive)
			found[i].BeatAt, found[i].Alive = time.Time{}, false
		}
		same(&f.fixture, "nodes", nodes, found)
	}
}

func testLeasesRunOut(f *sharedFixture) {
	n := f.join(1)[0]
	f.lapse(f.two, n)
	same(&f.fixture, "alive, with a lease that has run out", false, f.alive(f.one, n))
	f.beat(f.one, n, lasting)
	same(&f.fixture, "alive, after one more beat", true, f.alive(f.two, n))
	f.leave(f.two, n)
	same(&f.fixture, "alive, after it has left", false, f.alive(f.one, n))
	f.leave(f.one, n)
	f.leave(f.one, newNode())
	same(&f.fixture, "nodes", 1, len(f.nodes(f.two)))
}

func testNodesOfLongAgo(f *sharedFixture) {
	now, before := newNode(), newNode()
	f.beat(f.one, before, -time.Hour-time.Second)
	f.beat(f.one, now, -time.Hour+time.Minute)
	found := f.nodes(f.two)
	if len(found) != 1 || found[0].ID != now.ID || found[0].Alive {
		f.Errorf("found %v, want the one node whose lease ran out within the last hour", found)
	}
	f.leave(f.two, now)
	f.beat(f.two, before, lasting)
	same(&f.fixture, "nodes, after a beat of the other one", 2, len(f.nodes(f.one)))
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
	for _, err := range []error{f.one.Heartbeat(ctx, n, lasting), f.one.Leave(ctx, n.ID), nodesErr, holdErr, f.one.Release(ctx, n.ID, "x"), spendErr} {
		if !errors.Is(err, storage.ErrClosed) {
			f.Errorf("error %v, want %v", err, storage.ErrClosed)
		}
	}
	same(&f.fixture, "alive, with its store closed", true, f.alive(f.two, n))
}

func testOneHolds(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	for range 2 {
		same(&f.fixture, "whether the first holds it", true, f.hold(f.one, a, "it"))
		same(&f.fixture, "whether the second holds it", false, f.hold(f.two, b, "it"))
	}
	same(&f.fixture, "whether the second holds something else", true, f.hold(f.two, b, "else"))
	same(&f.fixture, "whether the first is told so by another process", true, f.hold(f.two, a, "it"))
	same(&f.fixture, "whether a node that never beat holds something", false, f.hold(f.one, newNode(), "more"))
	same(&f.fixture, "whether that is free", true, f.hold(f.one, b, "more"))
}

// testOneOfManyHolds lets many nodes at once hold what nobody holds, and what
// somebody has held.
func testOneOfManyHolds(f *sharedFixture) {
	nodes := f.join(8)
	gone := newNode()
	for range 5 {
		f.beat(f.one, gone, lasting)
		name := schedctl.NewULID(time.Now()).String()
		same(&f.fixture, "whether it is held", true, f.hold(f.one, gone, name))
		f.lapse(f.one, gone)
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
				same(&f.fixture, "whether it is held still", held[i], f.hold(f.two, n, name))
			}
			same(&f.fixture, "holders", 1, holders)
		}
	}
}

func testHoldsEndWithLeases(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	for what, end := range map[string]func(){
		"its lease has run out": func() { f.lapse(f.one, a) },
		"it has left":           func() { f.leave(f.one, a) },
	} {
		f.beat(f.one, a, lasting)
		f.release(f.two, b, "it")
		same(&f.fixture, "whether it is held", true, f.hold(f.one, a, "it"))
		f.beat(f.one, a, lasting)
		same(&f.fixture, "whether it is free after a beat in time", false, f.hold(f.two, b, "it"))
		end()
		same(&f.fixture, "whether the node holds something: "+what, false, f.hold(f.one, a, "more"))
		same(&f.fixture, "whether the node still holds it: "+what, false, f.hold(f.one, a, "it"))
		f.beat(f.one, a, lasting)
		same(&f.fixture, "whether it is free, though the node beats again: "+what, true, f.hold(f.two, b, "it"))
		same(&f.fixture, "whether the node holds it again: "+what, false, f.hold(f.one, a, "it"))
	}
}

func testReleases(f *sharedFixture) {
	nodes := f.join(2)
	a, b := nodes[0], nodes[1]
	f.hold(f.one, a, "it")
	f.hold(f.one, a, "else")
	f.release(f.two, b, "it")
	same(&f.fixture, "whether it is free, released by another node", false, f.hold(f.two, b, "it"))
	for range 2 {
		f.release(f.one, a, "it")
	}
	same(&f.fixture, "whether it is free", true, f.hold(f.two, b, "it"))
	f.release(f.one, a, "it")
	same(&f.fixture, "whether the other node has lost it", false, f.hold(f.one, a, "it"))
	same(&f.fixture, "whether what was not released is free", false, f.hold(f.two, b, "else"))
	f.release(f.one, a, "never held")
}
