// Package transfer copies everything that is in one database into another, of
// whatever engine, and says which of the two may be used then.
//
// # Never twice
//
// After a copy both databases hold the same scheduled posts, and a daemon on each
// would publish them twice. Notes in the databases, the marks, say what part they
// have in a copy, and [Check] refuses a daemon accordingly: a copy may not be used
// before it is verified, and what was copied may not be used from then on. At no
// moment both may be. Where databases have nodes, a copy is one of them, so that it
// is refused while a daemon lives, and a daemon while it does.
//
// # Going on
//
// How far a copy is changes in the transactions of what is copied: nothing is
// copied twice, and nothing is left out, wherever it was interrupted. A daemon that
// starts on what is being copied takes the mark away, and with it the worth of the
// unfinished copy: what has happened since is not in it.
//
// # The outbox
//
// Events are added in the order in which they are read. An engine that keeps them in
// the order of ids all the same may bring events before the cursor of a webhook that
// were not told yet: such a cursor is moved back, and then some events are told again
// under the same id. None is left out.
package transfer
