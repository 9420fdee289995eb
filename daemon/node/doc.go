// Package node makes a daemon one of several on a database that they share.
//
// A [Member] tells the database every second that its daemon lives, and gets
// a lease for it. While the lease runs, what the daemon owns is its own: the
// attempts that it has begun, the names that it holds. When the lease runs out the
// others take over.
//
// # What is guaranteed
//
// A member believes in its lease for a shorter time than the database: from
// before the beat was sent, less a margin, and by two clocks. A machine that
// sleeps stops its monotonic clock, and somebody who sets the time turns its wall
// clock; either one that says that the lease is over ends it. So whoever asks
// [Member.Holds] right before something that cannot be taken back does not do it
// when others may have taken over.
//
// A member whose lease has run out comes back under a new id. What the old id had
// begun is left to whoever adopts it, which may be the same daemon.
package node
