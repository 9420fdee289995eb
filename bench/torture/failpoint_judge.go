package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// reached reports whether the failure has happened.
func (x *faultWorld) reached() bool {
	return strings.Contains(x.manager.first.Load().Log(), fmt.Sprintf("failpoint %s: %s", x.point, x.action))
}

// expectedEnd returns the message of a daemon that must end because of the failure.
// must is false when it must continue: panics and errors in transactions and publishers
// are handled where they are called, and all others end the daemon.
func (b failpointFault) expectedEnd() (message string, must bool) {
	commit := b.point == failpoint.StoreCommit || b.point == failpoint.StoreCommitted
	caught := commit || b.point == failpoint.DeliverCalled
	switch {
	case b.action == "kill":
		return "signal: killed", true
	case b.action == "panic" && !caught:
		return "panic: failpoint " + string(b.point), true
	case commit && b.action != "stall" && b.pass == 1:
		return "create the first workspace: commit", true // the start fails and names what failed
	case b.point == failpoint.StoreCommitted && b.action != "stall":
		return storage.ErrBroken.Error(), true
	}
	return "", false
}

// endLimit is how long a daemon may take to end when it cannot continue: it waits 20 s
// for calls in flight, and 5 s otherwise.
const endLimit = 30 * time.Second

// awaitEnd waits for a daemon that cannot continue to end.
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

// judgeEnd checks that the daemon has ended with a message when it could not continue,
// and otherwise has continued.
func (x *faultWorld) judgeEnd() {
	message, must := x.expectedEnd()
	end := x.manager.end
	switch {
	case !x.reached():
		if end != nil {
			x.judged.violation(brokenStore, "%s: the daemon ended before: %v", x.failpointFault, end)
		}
	case must && end == nil && x.manager.asked:
		// The last write of the run reached the failpoint.
	case must && end == nil:
		x.judged.violation(stuckRecord, "%s: the daemon did not end\n%s", x.failpointFault, x.manager.first.Load().Log())
	case must && !strings.Contains(end.Error(), message):
		x.judged.violation(wrongStatus, "%s: the daemon ended without the text %q: %v", x.failpointFault, message, end)
	case !must && end != nil:
		x.judged.violation(brokenStore, "%s: the daemon ended: %v", x.failpointFault, end)
	}
}
