package publishtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
)

// testKeys checks keys of a publisher that creates its own: they are unique, even
// when several goroutines create them for the same instant, they are in order, and
// the network accepts them.
func (s Suite) testKeys(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	keyer, ok := n.publisher.(publish.Keyer)
	if !ok {
		return
	}
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	const makers, each = 8, 100
	made := make(chan []string, makers)
	for range makers {
		go func() {
			keys := make([]string, each)
			for i := range keys {
				keys[i] = keyer.NewKey(now)
			}
			made <- keys
		}()
	}
	seen := map[string]bool{}
	for range makers {
		keys := <-made
		if !slices.IsSorted(keys) {
			t.Error("consecutive keys are not in order")
		}
		for _, key := range keys {
			if key == "" || len(key) > 255 || seen[key] {
				t.Errorf("key %q is empty, too long or was created before", key)
			}
			seen[key] = true
		}
	}
	r := n.connect(t)
	r.Key = keyer.NewKey(now.Add(time.Hour))
	receipt, err := n.publisher.Publish(t.Context(), r)
	if err != nil || receipt.ID == "" && receipt.URL == "" {
		t.Errorf("publish with a new key: %+v, %v", receipt, err)
	}
	n.checkCalls(t, "publish with a new key", r, 1)
	s.testOccurrenceKeys(t, n)
}

// testOccurrenceKeys checks the keys of a publisher that derives keys of occurrences: they
// are the same in every process, different for different targets and times, and not
// those of other posts, and the network accepts them and recognizes a repeat by them.
func (s Suite) testOccurrenceKeys(t *testing.T, n *network) {
	keyer, ok := n.publisher.(publish.OccurrenceKeyer)
	if !ok {
		return
	}
	another := s.start(t).publisher.(publish.OccurrenceKeyer)
	start := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	seen := map[string]bool{n.publisher.(publish.Keyer).NewKey(start): true}
	for target := range 100 {
		for hour := range 10 {
			id, at := fmt.Sprint("pt_", target), start.Add(time.Duration(hour)*time.Hour)
			key := keyer.KeyFor(id, at)
			if again := another.KeyFor(id, at.In(time.FixedZone("", 3600))); again != key {
				t.Fatalf("the key of target %s is %q, and %q in another process", id, key, again)
			}
			if key == "" || len(key) > 255 || seen[key] {
				t.Fatalf("key %q is empty, too long or that of another post", key)
			}
			seen[key] = true
		}
	}
	r := n.connect(t)
	r.Key = keyer.KeyFor(r.TargetID, start)
	first, err := n.publisher.Publish(t.Context(), r)
	if err != nil || first.ID == "" && first.URL == "" {
		t.Errorf("publish with the key of an occurrence: %+v, %v", first, err)
	}
}
