// Package schedctl defines the types and the rules of a post scheduler: posts, their
// states, and the operations that each state allows. It does not depend on HTTP, on
// files or on any social network, and imports only the standard library.
//
// # Vocabulary
//
// A [Workspace] owns all other objects. An [Account] is one identity on one network
// that the workspace can publish to; the kind of network is its platform. A [post] is
// a text with a time; it has one [Target] for each of its accounts. An [Attempt] is
// one request to a network for one target: it is committed as running before the
// request is sent, and finished after it, so that a crash in between is detected. An
// [Event] records a change of a post, in the transaction of the change.
//
// # Life of a post
//
// A post starts as a draft, or scheduled, or (publish now) queued. Its targets
// move on their own: one may be published while another still waits for a
// retry. The status of the post is therefore never stored: [Post.Status]
// derives it from the targets.
//
//	draft ── schedule ──▶ scheduled ── claim ──▶ publishing ──▶ published
//	   └──── publish now ───────────────────────▶ publishing ──▶ failed ── retry ──▶ publishing
//	scheduled, publishing ── cancel ──▶ canceled
//
// Every change of a target goes through [NextStatus], the one transition table,
// and every operation on a post is a method of [post] that first asks
// [CheckOperation]. A method that fails leaves the post as it was.
//
// # Time
//
// This package does not read the clock: functions take the current time as an argument.
// All times are UTC with millisecond precision; [Millis] rounds up.
//
// # Errors
//
// An error that a caller can act on is an [*Error] with a [Code]. The codes are those
// of the API; one table in the API maps them to HTTP statuses, and one in the command
// line maps them to exit codes.
package schedctl
