// Package bolt keeps everything in one bbolt file. It implements the contract
// of package storage.
//
// # Buckets
//
// All buckets lie flat in the file. A key is a row of fields of fixed width,
// given here in bytes: ids are ULIDs, a time is a count of Unix milliseconds
// with the sign bit flipped so that bytes sort as times do, and "…" stands for
// a field of any length at the end of a key. A record begins with the number of
// its layout; record.go has them all.
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
//	answers             created:8 sha256:32                               → answer record
//	answer hashes       created:8 hash:8                                  → nothing
//	events              event:16                                          → event record
//	events by post      post:16 event:16                                  → events:…
//	webhooks            workspace:16 webhook:16                           → webhook record
//	webhook owners      webhook:16                                        → workspace:16
//	deliveries          webhook:16 delivery:16                            → delivery record
//	pending deliveries  webhook:16 time:8 delivery:16                     → nothing
//	audit               workspace:16 audit:16                             → audit record
//
// The two list indexes hold a post once for each of its accounts, once under
// the account zero, which stands for any, and once under its collection: the
// first 16 bytes of a SHA-256 take the place of the account. They are cut by status, so that a
// page of any set of statuses is a merge of a few cursors. A post without a
// time has a time of all ones and so sorts after all others.
//
// The contents have an entry for each account that has a content, will have it, or
// may have it; see [schedctl.Target.Occupies]. The time of its post stands on both sides
// of the fingerprint: the first five bytes, which are 4.7 hours, before it, and the
// other three behind it. The network ids have an entry for
// each published target, with the id of the network, or the first 24 bytes of its
// SHA-256 where it is longer than those.
//
// Of a webhook that is deleted only its record and its owner go at once. Its
// deliveries, of which many may be pending, stay for Prune to remove, a few at a
// time; until then they are read as given up, because they have no owner.
//
// Nearly all keys begin with a time or with an id, which begins with a time, so
// that writing goes on at the end of a bucket and not all over it. Answers are
// looked for by hash, though. A table from a part of each hash to its
// time is kept in memory; it is read at the start, from a bucket of its own that
// is small enough for that.
//
// The events by post have one entry for all events about a post that were added
// together: under the first of them, the ids of all. That is one write where
// there are three or more events, as with every new post.
//
// # Writing
//
// One goroutine writes. It takes all transactions that wait, runs them one
// after another in one bbolt transaction, commits it and answers them all. A
// lone caller thus waits for one commit and not for company, and many share
// one.
//
// # A full disk
//
// The file has blocks for some megabytes more than it holds. Once the disk gives
// no more and those get scarce, Updates are refused before they begin, and what
// is left is for Records: the writer of each group looks, and while the disk is
// full a timer has it look twice a second. A commit that fails all the same
// leaves the database as it was before, in memory too.
package bolt
