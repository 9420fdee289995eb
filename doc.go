// Package schedctl holds the nouns and the rules of a post scheduler: what a
// post is, which states it passes through, and which requests are refused.
// It knows nothing of HTTP, of files or of any social network, and it imports
// the standard library only.
//
// # Vocabulary
//
// A [Workspace] owns everything else. An [Account] is one identity on one
// network ("platform") that the workspace may publish to. A [Post] is a text
// with a time; it has one [Target] for each account it goes to. An [Attempt] is
// one call to a network for one target: it is committed as running before the
// call is made and finished after it, so that a crash in between is seen. An
// [Event] says that something happened to a post; it is written in the
// transaction that made it happen.
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
// and every operation on a post is a method of [Post] that first asks
// [CheckOperation]. A method that fails leaves the post as it was.
//
// # Time
//
// Nothing here reads the clock: what decides takes the present as an argument.
// All times are UTC with millisecond precision; [Millis] rounds up.
//
// # Errors
//
// Whatever a caller can do something about is an [*Error] with a [Code]. The
// codes are the ones of the API; one table in the API turns them into HTTP
// statuses and one in the command line into exit statuses.
package schedctl
