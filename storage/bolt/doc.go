// Package bolt stores all data in one bbolt file. It implements the contract of
// package storage.
//
// # Buckets
//
// All buckets are at the top level of the file. A key consists of fields of fixed width,
// given here in bytes. Ids are ULIDs. A time is a number of Unix milliseconds with the
// sign bit flipped, so that its bytes sort by time. "…" is a field of any length at the
// end of a key. A record starts with the number of its layout; see record.go.
//
//	schedctl            "version"                                        → version:8
//	workspaces          workspace:16                                     → workspace record
//	keys                workspace:16 key:16                              → key record
//	key hashes          sha256:32                                        → workspace:16 key:16
//	accounts            workspace:16 account:16                          → account record
//	account names       workspace:16 name:…                               → account:16
//	feeds               name:…                                            → workspace:16 account:16
//	posts               post:16                                           → post record
//	external ids        workspace:16 sha256:32                            → post:16
//	targets             target:16                                         → workspace:16 post:16 account:16
//	due                 time:8 target:16                                  → nothing
//	posts by age        workspace:16 account:16 status:1 post:16          → nothing
//	posts by time       workspace:16 account:16 status:1 time:8 post:16   → nothing
//	attempts            target:16 number:4                                → attempt record
//	running             target:16 number:4                                → nothing
//	published           account:16 time:8 target:16                       → workspace:16 post:16
//	contents            account:16 period:5 fingerprint:16 time:3 post:16 → nothing
//	network ids         account:16 id:… target:16                         → nothing
//	identities          sha256:16 workspace:16 account:16                 → nothing
//	answers             created:8 sha256:32                               → idempotency record
//	answer hashes       created:8 hash:8                                  → nothing
//	events              event:16                                          → event record
//	events by post      post:16 event:16                                  → events:…
//	webhooks            workspace:16 webhook:16                           → webhook record
//	webhook owners      webhook:16                                        → workspace:16
//	deliveries          webhook:16 delivery:16                            → delivery record
//	pending deliveries  webhook:16 time:8 delivery:16                     → nothing
//	audit               workspace:16 audit:16                             → audit record
//	media               workspace:16 media:16                             → media record
//	media hashes        sha256:32 workspace:16 status:1 media:16          → nothing
//	media sizes         workspace:16                                      → bytes:8
//	media expiry        time:8 media:16 workspace:16                      → nothing
//	media uses          media:16 needed:1 time:8 post:16                  → nothing or "s"
//	owners              kind:1 object:16                                  → workspace:16
//	queues              workspace:16 queue:16                             → queue record
//	blackouts           workspace:16 blackout:16                          → blackout record
//	blackout ends       time:8 blackout:16 workspace:16                   → nothing
//	series              workspace:16 series:16                            → series record
//	external series     workspace:16 sha256:32                            → series:16
//	series sweeps       time:8 series:16 workspace:16                     → nothing
//	calendar feeds      workspace:16 feed:16                              → calendar feed record
//	calendar hashes     sha256:32                                         → workspace:16 feed:16
//	slots               account:16 time:8                                 → post:16
//	collections         workspace:16 collection:16                        → collection record
//	aliases             workspace:16 alias:16                             → alias record
//	shares              workspace:16 share:16                             → share record
//	share hashes        sha256:32                                         → workspace:16 share:16
//	results             workspace:16 target:16                            → results record
//	results due         time:8 target:16 workspace:16                     → nothing
//	account results     workspace:16 account:16                           → account results record
//	sources             workspace:16 source:16                            → source record
//	sources due         time:8 source:16 workspace:16                     → nothing
//	source items        workspace:16 item:16                              → source item record
//	source item lists   workspace:16 source:16 sha256(state):16 item:16   → nothing
//	source item keys    workspace:16 sha256(key):16 item:16               → nothing
//
// The two list indexes have an entry of a post for each of its accounts, one for the
// account zero, which stands for any, and one for its collection, with the first 16
// bytes of a SHA-256 instead of the account. The entries of its queue and of its series
// have their ids instead, and that of its approval a hash of the state. The indexes are
// split by status: a page of any set of statuses is a merge of a few cursors. A post without
// a time has a time of all ones and sorts after all others. In the entries of an approval, a
// draft has the time that it proposes; these entries are merged into lists with proposals.
//
// The contents have an entry for each account that a content occupies; see
// [schedctl.Target.Occupies]. The time of the post is split: its first five bytes, a
// period of 4.7 hours, come before the fingerprint, and the other three after it. The
// network ids have an entry for each published target, and for each published part of a
// target with several, with the id of the network. An id
// of more than 24 bytes is replaced by the first 24 bytes of its SHA-256.
//
// Deleting a webhook deletes only its record and its owner entry. Its deliveries, which
// may be many, stay until Prune deletes them in small steps. Until then pending ones are
// read as failed, because their webhook has no owner entry.
//
// The media hashes have an entry for each asset whose bytes are known. The media sizes
// have the sum of the sizes of the pending and ready assets of each workspace that has
// any. The media uses have an entry for each asset of a post. "needed" is 1 if the post
// may still have to publish the asset, and the time is that of the post. A series that
// has not ended has entries with its own id instead of a post, without a time, and with
// the value "s". A page of uses is read backward.
//
// The owners have an entry for each queue, blackout, series, calendar feed, collection,
// alias, share, source and item of a source, and for the results of each target and of each account. "kind" is the first
// letter of the prefix of its id, or "h" for a share, "u" for an account and "f" for a source. The sources due have the sources that the daemon works on. An item is
// in two lists of its source: one of its state, and one of all, under the empty state.
// The results due have the results with a next reading. The blackout ends have the blackouts that
// have an end and are not settled. The slots have an entry for each target that holds a
// slot; see [schedctl.Target.HoldsSlot]. No two posts can have the same entry.
//
// Nearly all keys start with a time, or with an id, which starts with a time. Writes
// therefore touch the end of a bucket and not all of it. Idempotency records are found
// by their hash, so a table in memory maps a part of each hash to its time. It is loaded
// at the start from a small bucket that has only the keys.
//
// The events by post have one entry for all events about a post that one transaction
// added: the key has the first id, and the value has all of them. A new post, with three
// or more events, thus needs only one write.
//
// # Writing
//
// One goroutine writes. It takes all waiting transactions, runs them one after another in
// one bbolt transaction, commits it and returns the results. Concurrent callers share a
// commit, and a single caller does not wait for others.
//
// # A full disk
//
// The file has a reserve of some megabytes of allocated blocks. If the disk has no more
// space and the reserve becomes small, Update returns an error before it runs, and only
// UpdateFromReserve may use the rest. The writer checks this before each group, and asks
// the disk for space twice a second while it is full. If a commit fails, the database and the state in
// memory do not change.
package bolt
