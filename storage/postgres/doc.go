// Package postgres keeps everything in a PostgreSQL database, which several
// daemons may use at once. It implements the contract of package storage.
//
// # Tables
//
// The tables are in migrations, one column a field, so that an operator can read
// them. Ids are of type uuid, which keeps their order; times are timestamptz with
// milliseconds, null for none. What no query asks for is jsonb. They lie in the
// schema that search_path names first.
//
// Beside its own fields a post has the status that follows from its targets, and
// a target those of its post, because lists select by them. due_at of a target is
// the due index. The indexes that lists use are cut by status, so that a page of
// any set of statuses is a merge of a few ordered lists.
//
// # Reading
//
// A View is one transaction with one snapshot, REPEATABLE READ. It begins in the
// round trip of its first read.
//
// # Writing
//
// An Update is a transaction of its own, READ COMMITTED, on a connection of its
// own: the database commits many at once. What its function reads it locks, a
// record by its row, what belongs to a post by the post's row, and a list by an
// advisory lock that whoever adds to the list takes as well. Thus what was read
// cannot change before the commit, and no transaction fails at its end for what
// others did. Lists that only tests read in transactions lock their tables.
//
// Writes wait until something is read that must see them, or for the commit, and
// are sent with it in one round trip. New records are written in the hope that
// their ids are free; see tx. Of two transactions in a deadlock one is run again,
// and so is one whose connection is lost. When that happens in the middle of the
// commit, the outcome is asked for on another connection; see outcome.go.
//
// Who works on many targets at once prepares them: one round trip locks their posts
// and then their accounts, each in order of ids, and reads all that belongs to them.
//
// # Nodes
//
// Leases, holds and token buckets go by the clock of the database. Their statements
// run on two connections of their own: all others may wait for locks that a stopped
// process holds, and a node has to beat meanwhile.
//
// # Refusals
//
// A response and the refusal of the same request exclude each other by the primary
// key of answers. Refuse writes the refusal, so that a transaction that began
// before, and commits late, meets it and fails: see refuse.go.
//
// # Order of events
//
// Several processes commit in any order, so that a reader who goes on behind the
// last event it saw could miss one that comes late. outbox.go has what is done
// about it.
//
// # Connections
//
// A Store has [Conns] connections at most: those of the pool, two of the lifeline
// and the one that listens. acquire bounds the wait for one.
//
// A session ends statements after 15 seconds, waits for a lock for 10, and loses
// its transaction when it is idle in it for 10: a client that was stopped cannot
// hold locks for longer. With pool_mode=transaction in the URL, nothing is kept
// in a session, for a PgBouncer that gives every transaction another one. Behind one
// in session mode there is nothing to be said. A search_path that is not the
// server's belongs to the role then, by ALTER ROLE: a PgBouncer passes on none.
package postgres
