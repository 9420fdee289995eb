package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/schedctl/schedctl/storage/failpoint"
)

// commitCount is a little more than the number of commits from the daemon's first start
// to the end of its first three posts.
const commitCount = 26

// failpointFault is one failure at one point in the run of a daemon.
type failpointFault struct {
	point  failpoint.Point
	action string
	pass   int
	first  kind // network kind of the first post; the others follow
}

func (b failpointFault) String() string {
	return fmt.Sprintf("%s=%s@%d/%s", b.point, b.action, b.pass, b.first)
}

// actions are all actions at a failpoint.
var actions = []string{"panic", "kill", "stall", "error"}

// failpointFaults returns every action at every failpoint: at each commit from the
// first start on, and with the first post to each kind of network. The quick run
// returns a sample.
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

// sampleFaults keeps every thirteenth commit, and one kind of network for each failure.
func sampleFaults(list []failpointFault) (few []failpointFault) {
	for i, b := range list {
		commit := b.point == failpoint.StoreCommit || b.point == failpoint.StoreCommitted
		if i%len(kinds) == (b.pass+i/len(kinds))%len(kinds) && (!commit || b.pass%13 == 4) {
			few = append(few, b)
		}
	}
	return few
}

// parallelFaults is how many daemons run at a time.
const parallelFaults = 8

// failPoints injects one failure into each run of a daemon, while a client posts to
// each kind of network, resends its requests and restarts a daemon that has ended, as a
// service manager does. A panic outside of the recovered parts must end the daemon with
// its message. Nothing may leave the daemon alive without making progress.
//
// The daemon's clock is set a minute ahead instead of waiting, because the daemon
// queries networks about unconfirmed posts after a minute.
//
// The quick run injects one failure in sixteen: every thirteenth commit, and one kind
// of network for the first post.
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

// failpointTotals adds up the counts of all faults.
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

// most keeps the maximum of a count.
func (t *failpointTotals) most(name string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] = max(t.counts[name], n)
}
