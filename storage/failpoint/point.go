// Package failpoint has the places where a build for tests can be told to fail.
//
// A release has none of it: without the build tag "failpoint", [Hit] is an empty
// function, which the compiler removes with its calls. With the tag, the
// environment variable SCHEDCTL_FAILPOINT says what happens where, for example
//
//	deliver.called=kill@3
//	store.commit=error@5,webhook.called=stall:2s
//
// which is a point, an action, for a stall how long it lasts, and at which pass
// of the point it happens, the first by default. An action happens once:
//
//	panic   the goroutine panics
//	kill    the process is gone at once, as with SIGKILL
//	stall   the goroutine does not go on for a while, a second by default
//	error   the step that the point belongs to fails, or is said to have failed
//
// Each action is told on standard error before it happens.
package failpoint

// Point is a place where a failure can be ordered.
type Point string

// All points, in the order in which the way of a post passes them. Of every
// commit of the database there are two: that of a claim passes StoreCommit,
// StoreCommitted and DeliverClaimed.
const (
	StoreCommit    Point = "store.commit"    // everything of a group is written but its commit
	StoreCommitted Point = "store.committed" // the commit is on disk, and nobody was answered

	DeliverClaimed   Point = "deliver.claimed"   // the claim is on disk, and the network was not called
	DeliverCalled    Point = "deliver.called"    // the network has answered; its publisher is still at work
	DeliverFinishing Point = "deliver.finishing" // the end of the call is known, and not on disk
	DeliverFinished  Point = "deliver.finished"  // the end of the call is on disk

	WebhookCalling  Point = "webhook.calling"  // an event is about to be told
	WebhookCalled   Point = "webhook.called"   // the endpoint has answered, and that is not on disk
	WebhookRecorded Point = "webhook.recorded" // the answer is on disk
)

// Points lists every point.
func Points() []Point {
	return []Point{
		StoreCommit, StoreCommitted, DeliverClaimed, DeliverCalled, DeliverFinishing, DeliverFinished,
		WebhookCalling, WebhookCalled, WebhookRecorded,
	}
}
