// Package transfer copies everything from one database to another one, of any engine,
// and records which of the two may be used afterwards.
//
// # Never twice
//
// After a copy both databases hold the same scheduled posts, and a daemon on each would
// publish them twice. A mark in the metadata of each database records its role in the
// copy, and [Check] refuses a daemon accordingly: a copy must not be used before it is
// verified, and its source must not be used afterwards. At no time may both be used. In
// databases with nodes, a running copy is a node, so that copies and daemons exclude
// each other.
//
// # Resuming
//
// The progress of a copy is stored in the transactions that copy the records: nothing
// is copied twice or left out, wherever the copy was interrupted. A daemon that starts
// on the source removes its mark and thereby invalidates the unfinished copy, which
// lacks everything that happens from then on.
//
// # Media
//
// The blobs of media assets are copied and verified before the records. A blob that the
// copy has with the right size is not copied again, so that an interrupted copy continues
// where it stopped.
//
// # The outbox
//
// Events are added in the order in which they are read. An engine that orders events by
// id may move events that were not delivered yet before the cursor of a webhook. Such a
// cursor is moved back, and some events are then delivered again under the same id. No
// event is left out.
package transfer
