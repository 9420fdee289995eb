// Package failpoint injects failures at named points of the program, for tests.
//
// A release has no failpoints: without the build tag "failpoint", [Hit] is an empty
// function, and the compiler removes its calls. With the tag, the environment variable
// SCHEDCTL_FAILPOINT lists the failures to inject, for example
//
//	deliver.called=kill@3
//	store.commit=error@5,webhook.called=stall:2s
//
// Each item has a point, an action, the duration of a stall, and the pass of the point at
// which the action runs, by default the first. An action runs once:
//
//	panic   the goroutine panics
//	kill    the process ends at once, as with SIGKILL
//	stall   the goroutine pauses, by default for a second
//	error   the step at the point fails, or is reported as failed
//
// Each action is reported on standard error before it runs.
package failpoint

// Point is a point of the program where a failure can be injected.
type Point string

// All points, in the order in which a post passes them. Every commit of the database
// passes two points. The commit of a claim passes StoreCommit, StoreCommitted and then
// DeliverClaimed.
const (
	StoreCommit    Point = "store.commit"    // the transactions of a group have run, and are not committed
	StoreCommitted Point = "store.committed" // the commit is on disk, and no caller has its result

	DeliverClaimed   Point = "deliver.claimed"   // the claim is on disk, and no request was sent to the network
	DeliverUploaded  Point = "deliver.uploaded"  // the network has all files of a post, which is not published
	DeliverCalled    Point = "deliver.called"    // the network has responded, and its publisher still runs
	DeliverFinishing Point = "deliver.finishing" // the outcome of the attempt is known, and not on disk
	DeliverFinished  Point = "deliver.finished"  // the outcome of the attempt is on disk

	WebhookCalling  Point = "webhook.calling"  // an event is about to be sent
	WebhookCalled   Point = "webhook.called"   // the endpoint has responded, and the response is not on disk
	WebhookRecorded Point = "webhook.recorded" // the response is on disk
)

// Points lists every point.
func Points() []Point {
	return []Point{
		StoreCommit, StoreCommitted, DeliverClaimed, DeliverUploaded, DeliverCalled, DeliverFinishing, DeliverFinished,
		WebhookCalling, WebhookCalled, WebhookRecorded,
	}
}
