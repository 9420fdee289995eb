package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/storage/failpoint"
)

// reached reports whether the ordered failure has happened.
func (x *faultWorld) reached() bool {
	return strings.Contains(x.manager.first.Load().Log(), fmt.Sprintf("failpoint %s: %s", x.point, x.action))
}

// expectedEnd returns what the daemon must say when it ends because of the failure, and
// nothing when it must go on: what a transaction or a publisher does wrong is
// caught where it was called, and all else ends the daemon.
func (b failpointFault) expectedEnd() (message string, must bool) {
	commit := b.point == failpoint.StoreCommit || b.point == failpoint.StoreCommitted
	caught := commit || b.point == failpoint.DeliverCalled
	switch {
	case b.action == "kill":
		return "signal: killed", true
	case b.action == "panic" && !caught:
		return "panic: failpoint " + string(b.point), true
	case commit && b.action != "stall" && b.pass == 1:
		return "create the first workspace: commit", true // the start itself fails, and says at what
	case b.point == failpoint.StoreCommitted && b.action != "stall":
		return "restart to go on from what", true
	}
	return "", false
}

// endLimit is how long a daemon may take that ends because it could not go on: it
// gives calls in flight 20 s, and others 5.
const endLimit = 30 * time.Second

// awaitEnd gives a daemon time to end that cannot go on.
func (x *faultWorld) awaitEnd(ctx context.Context) {
	if _, must := x.expectedEnd(); !must || !x.reached() {
		return
	}
	select {
	case <-ctx.Done():
	case <-x.manager.first.Load().Done():
	case <-time.After(endLimit):
	}
}

// judgeEnd asks that the daemon has ended with a message when it could not go on,
// and else has gone on.
func (x *faultWorld) judgeEnd() {
	message, must := x.expectedEnd()
	end := x.manager.end
	switch {
	case !x.reached():
		if end != nil {
			x.judged.violation(brokenStore, "%s: the daemon ended before: %v", x.failpointFault, end)
		}
	case must && end == nil && x.manager.asked:
		// It was reached by what is written last.
	case must && end == nil:
		x.judged.violation(stuckRecord, "%s: the daemon lives on\n%s", x.failpointFault, x.manager.first.Load().Log())
	case must && !strings.Contains(end.Error(), message):
		x.judged.violation(wrongStatus, "%s: the daemon ended without the words %q: %v", x.failpointFault, message, end)
	case !must && end != nil:
		x.judged.violation(brokenStore, "%s: the daemon ended: %v", x.failpointFault, end)
	}
}
