package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// failpointVariable configures a failure in an instrumented daemon.
const failpointVariable = "SCHEDCTL_FAILPOINT"

// requireNoFailpoints checks that a release build has no failpoints.
func requireNoFailpoints(binary string) error {
	program, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	if bytes.Contains(program, []byte(failpointVariable)) {
		return fmt.Errorf("%s was built with failpoints; build it with make build", binary)
	}
	return nil
}

// faultWorld is a world with one failure.
type faultWorld struct {
	*world
	failpointFault
	hands   *clockControl
	manager *serviceManager
}

// runFault runs one world, from the first start to the verdict.
func (h *harness) runFault(ctx context.Context, binary string, b failpointFault, total *failpointTotals) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	clock, err := h.newClockControl()
	if err != nil {
		return err
	}
	defer clock.close()
	w, err := h.newWorld(setting{name: b.String(), binary: binary, env: []string{clock.env()}})
	if err != nil {
		return err
	}
	defer w.end()
	w.judged = total.judged
	x := &faultWorld{world: w, failpointFault: b, hands: clock, manager: manage(ctx, w, fmt.Sprintf("%s=%s=%s@%d", failpointVariable, b.point, b.action, b.pass))}
	err = x.postToAll(ctx)
	x.awaitEnd(ctx)
	x.manager.retire()
	if err != nil {
		return err
	}
	x.judgeEnd()
	if err := x.restartLater(ctx); err != nil {
		return err
	}
	err = w.check(ctx)
	counts := w.counts()
	counts["starts"] = x.manager.starts
	if x.reached() {
		counts["reached"]++
	}
	total.add(counts)
	return err
}

// postToAll connects an account of each kind and the webhook, and posts to each,
// starting with the fault's kind. It returns when the daemon is idle, or not before
// a minute has passed.
func (x *faultWorld) postToAll(ctx context.Context) error {
	if err := x.manager.awaitReady(ctx); err != nil {
		return err
	}
	if err := x.connect(ctx, 1); err != nil {
		return err
	}
	if err := x.listen(ctx); err != nil {
		return err
	}
	x.newAuthors(1)
	first := slices.Index(kinds, x.first)
	for i := range kinds {
		s := new(story)
		x.authors[0].stories = append(x.authors[0].stories, s)
		if err := x.authors[0].now(ctx, s, x.accounts[kinds[(first+i)%len(kinds)]]); err != nil {
			return err
		}
	}
	return x.awaitIdle(ctx, 3*time.Second)
}

// awaitIdle waits until the daemon is idle, with a time limit.
func (x *faultWorld) awaitIdle(ctx context.Context, atMost time.Duration) error {
	for end := time.Now().Add(atMost); time.Now().Before(end); {
		busy, err := x.hasPendingPosts(ctx)
		if err == nil && !busy && len(x.network.webhookDeliveries()) > 0 {
			break
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// sleep sleeps until d has passed or ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// restartLater restarts the daemon with its clock four minutes ahead, when no request of
// an earlier run can still be in progress, and waits until it is idle.
func (x *faultWorld) restartLater(ctx context.Context) error {
	if err := x.hands.jump(4 * time.Minute); err != nil {
		return err
	}
	if err := x.start(ctx); err != nil {
		return err
	}
	return x.settle(ctx, time.Minute)
}
