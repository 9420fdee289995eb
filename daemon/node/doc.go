// Package node makes a daemon one of several nodes on a shared database.
//
// A [Member] sends a heartbeat to the database every second and holds a lease in
// return. While the lease is valid, no other node touches the attempts and the names
// that the member owns. After the lease expires, the other nodes take over.
//
// # Guarantees
//
// A member considers its lease expired earlier than the database does. It counts
// from before the heartbeat was sent, subtracts a margin, and uses two clocks: the
// monotonic clock stops while a machine is suspended, and the wall clock can be set.
// The lease ends as soon as either clock says so. A caller that checks
// [Member.Holds] right before an irreversible step therefore never acts after
// another node may have taken over.
//
// A member whose lease expired rejoins under a new id. The attempts of the old id are
// left to the node that adopts them, which may be the same one.
package node
