package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/schedctl/schedctl/storage/failpoint"
)

// commitCount is how many commits a daemon makes from its first start to the end of
// its first three posts, and a few more.
const commitCount = 26

// failpointFault is one failure that is ordered in the life of a daemon.
type failpointFault struct {
	point  failpoint.Point
	action string
	pass   int
	first  kind // of the network that the first post goes to; those to the others follow
}

func (b failpointFault) String() string {
	return fmt.Sprintf("%s=%s@%d/%s", b.point, b.action, b.pass, b.first)
}

// actions are all that can happen at a point.
var actions = []string{"panic", "kill", "stall", "error"}

// failpointFaults returns every action at every point: at each commit from the first
// start on, and for a post to each kind of network. Quick is some of them.
func failpointFaults(quick bool) (list []failpointFault) {
	for _, p := range failpoint.Points() {
		passes := 1
		if p == failpoint.StoreCommit || p == failpoint.StoreCommitted {
			passes = commitCount
		}
		for _, a := range actions {
			for pass := range passes {
				for _, k := range kinds {
					list = append(list, failpointFault{p, a, pass + 1, k})
				}
			}
		}
	}
	if !quick {
		return list
	}
	return sampleFaults(list)
}

// sampleFaults thins the passes of commits out to every thirteenth, and leaves one
// kind of network for each failure.
func sampleFaults(list []failpointFault) (few []failpointFault) {
	for i, b := range list {
		commit := b.point == failpoint.StoreCommit || b.point == failpoint.StoreCommitted
		if i%len(kinds) == (b.pass+i/len(kinds))%len(kinds) && (!commit || b.pass%13 == 4) {
			few = append(few, b)
		}
	}
	return few
}

// parallelFaults is how many daemons are broken at a time.
const parallelFaults = 8

// failPoints orders one failure in the life of a daemon, lets a client make a
// post to each kind of network meanwhile, repeats its requests, and starts the
// daemon again when it has ended, as a service manager does. A panic outside of
// what is caught must end the daemon, with its message; nothing may leave it alive
// and at a standstill.
//
// A minute passes by setting the daemon's clock, since whoever must be asked what
// it has is asked then.
//
// Quick makes one failure in sixteen: of the commits every thirteenth fails, and
// the posts go to one kind of network first and not to each.
func failPoints(ctx context.Context, h *harness) (result, error) {
	binary, err := h.instrumented(ctx)
	if err != nil {
		return result{}, err
	}
	list := failpointFaults(h.quick)
	total := &failpointTotals{judged: new(verdictCollector), counts: map[string]int64{"breakdowns": int64(len(list))}}
	if err := requireNoFailpoints(h.binary); err != nil {
		return result{}, err
	}
	next := make(chan failpointFault)
	var wg sync.WaitGroup
	var failed firstError
	for range parallelFaults {
		wg.Go(func() {
			for b := range next {
				if err := h.runFault(ctx, binary, b, total); err != nil {
					failed.add(fmt.Errorf("%s: %w", b, err))
				}
			}
		})
	}
	for _, b := range list {
		next <- b
	}
	close(next)
	wg.Wait()
	return total.judged.result(total.counts), failed.err
}

// failpointTotals adds up what the breakdowns did.
type failpointTotals struct {
	judged *verdictCollector
	mu     sync.Mutex // mu guards counts
	counts map[string]int64
}

func (t *failpointTotals) add(c map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, n := range c {
		t.counts[name] += n
	}
}

// most keeps the largest of a count.
func (t *failpointTotals) most(name string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] = max(t.counts[name], n)
}
