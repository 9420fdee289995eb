// Package postgres stores everything in a PostgreSQL database, which several daemons
// may use at once. It implements the contract of package storage.
//
// # Tables
//
// The directory migrations defines the tables, with one column for each field, so that
// operators can read them. Ids have the type uuid, which preserves their order. Times
// are timestamptz with millisecond precision; the zero time is null. Fields that no
// query selects by are jsonb. The tables live in the first schema of search_path.
//
// In addition to its own fields, a post stores the status derived from its targets, and
// a target stores that of its post, because lists select by them. The column due_at of
// targets is the due index. The indexes for lists start with the status, so that a page
// of any set of statuses is a merge of a few ordered lists. The column slot_at of targets
// is the index of slots: its unique index lets one post hold the slot of an account.
//
// # Reading
//
// A View is one transaction with one snapshot, REPEATABLE READ. It starts in the round
// trip of its first read.
//
// # Writing
//
// An Update is one READ COMMITTED transaction on its own connection; the database
// commits many at once. It locks what its function reads: a record by its row,
// everything that belongs to a post by the post's row, and a list by an advisory lock
// that every transaction takes before it adds to the list. Records that it has read
// therefore cannot change before the commit, and transactions do not conflict at
// commit. Lists that only tests read in transactions lock their tables.
//
// Writes are buffered until a read must see them, or until the commit, and are then
// sent in one round trip. New records are written without checking first that their ids
// are free; see tx. When two transactions deadlock, one of them is rerun. A transaction
// whose connection is lost is rerun, too. When the connection is lost during the
// commit, the outcome is queried on another connection; see outcome.go.
//
// Callers that work on many targets at once prepare them: one round trip locks their
// posts and then their accounts, each in order of ids, and reads everything that
// belongs to them.
//
// # Nodes
//
// Leases, holds and token buckets use the clock of the database. Their statements run
// on two separate connections: all others may wait for locks that a stopped process
// holds, and heartbeats must continue.
//
// # Refusals
//
// A response to a request and its refusal exclude each other by the primary key of the
// table "answers". Refuse writes the refusal, so that a transaction that started earlier
// and commits later fails; see refuse.go.
//
// # Order of events
//
// Several processes commit in any order. A reader that continues after the last event it
// saw could therefore miss an event that is committed late. outbox.go prevents this.
//
// # Blobs
//
// The bytes of media are rows of 1 MiB; see [Blobs]. A reader queries one chunk at a time
// and holds no connection between two chunks.
//
// # Connections
//
// A Store has at most [Conns] connections: those of the pool, two lifeline connections
// and the one that listens. acquire limits how long a caller waits for one.
//
// A session ends statements after 15 seconds, waits 10 seconds for a lock, and loses
// its transaction when the client is idle in it for 10 seconds: a stopped client cannot
// hold locks for longer. With pool_mode=transaction in the URL the store keeps no state
// in a session, as required behind a PgBouncer that assigns a session to each
// transaction. A PgBouncer in session mode needs no parameter. Set a search_path that
// differs from the server's with ALTER ROLE in that case, because PgBouncer does not
// pass it on.
package postgres
