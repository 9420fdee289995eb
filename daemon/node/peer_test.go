package node_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/daemon/node"
)

// shares returns the member of each key, and fails for keys with no member or several.
func shares(t *testing.T, keys []string, members ...*node.Member) map[string]*node.Member {
	t.Helper()
	owners := map[string]*node.Member{}
	for _, key := range keys {
		for _, m := range members {
			if !m.Mine(key) {
				continue
			}
			if owners[key] != nil {
				t.Errorf("%s belongs to several", key)
			}
			owners[key] = m
		}
		if owners[key] == nil {
			t.Errorf("%s belongs to no member", key)
		}
	}
	return owners
}

// TestKeysAreShared guards that each key belongs to one node, that nodes have similar
// numbers of keys, and that no key moves without need.
func TestKeysAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, keys := newDatabase(), keys(3000)
		one := join(t, d, "one")
		defer run(t, one)()
		for _, key := range keys {
			if !one.Mine(key) {
				t.Fatalf("%s is not the only node's", key)
			}
		}
		two, three := join(t, d, "two"), join(t, d, "three")
		defer run(t, two)()
		endThree := run(t, three)
		time.Sleep(5 * time.Second) // all have seen each other
		before := shares(t, keys, one, two, three)
		count := map[*node.Member]int{}
		for _, m := range before {
			count[m]++
		}
		for m, n := range count {
			if n < 850 || n > 1150 {
				t.Errorf("%s has %d of 3000 keys", m.ID(), n)
			}
		}
		endThree()
		time.Sleep(5 * time.Second)
		for key, m := range shares(t, keys, one, two) {
			if was := before[key]; was != three && was != m {
				t.Errorf("%s has moved for no reason", key)
			}
		}
	})
}

// TestKeysOfTheDeadBelongToOthersAtOnce guards that keys move when a lease ends, before
// the nodes are read again.
func TestKeysOfTheDeadBelongToOthersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, keys := newDatabase(), keys(100)
		one := join(t, d, "one")
		defer run(t, one)()
		time.Sleep(1300 * time.Millisecond)
		join(t, d, "dead") // beats once
		mine := func() (n int) {
			for _, key := range keys {
				if one.Mine(key) {
					n++
				}
			}
			return n
		}
		time.Sleep(node.Lease - 10*time.Millisecond)
		if n := mine(); n == len(keys) {
			t.Error("all keys belong to one node while the lease of the other runs")
		}
		time.Sleep(20 * time.Millisecond)
		if n := mine(); n != len(keys) {
			t.Errorf("%d of %d keys belong to the only node that lives", n, len(keys))
		}
	})
}
