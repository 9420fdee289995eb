// Package webhook tells webhooks of what is in the outbox, signed as Standard
// Webhooks describes (https://www.standardwebhooks.com).
//
//	commit ─▶ watcher: reads each new event once, wakes the webhooks that want it
//	            ├─▶ lane of first tries: events after the webhook's cursor, in order
//	            └─▶ lane of retries: pending deliveries whose time has come, tests first
//	  a lane:  read the webhook and what is next ─▶ call ─▶ one transaction records
//	           the delivery, the cursor, and since when the webhook fails
//
// # What is guaranteed
//
// Every event that a webhook wants is told to it at least once, unless it fails
// for so long that it is given up: a call is recorded after it has ended, so one
// that a crash or a stop cuts off is made again. Each attempt has the event's id
// as its webhook-id, by which a receiver knows a repeat. First tries are made in
// the order of events, one at a time. One that fails becomes a pending delivery
// and holds nothing up; [RetryAfter] says when it is tried again.
//
// Cursors and pending deliveries are in the store, and what is in memory can be
// lost at any moment. No event waits in memory but those of the batch that a lane
// is at.
//
// A webhook that is disabled is told nothing but tests. What happens meanwhile is
// not told later either: its cursor moves on when it is enabled again.
//
// # Several daemons
//
// Where several daemons use a store, each reads the outbox, and of each webhook one
// is the holder: see [Member]. It makes all calls of that webhook, and asks before
// each whether it holds it still. One that is frozen in a call, taken for dead, and
// comes back, has made a call that another one has made too; both attempts are
// recorded, and no cursor moves back.
//
// There each reading and recording is some round trips to a server. First tries
// that follow each other are therefore recorded in one transaction: up to 32 calls
// that were delivered, begun within 50 milliseconds. Those of one such group are
// made again after a crash, and a change of the webhook takes effect with the next
// group. A call that fails ends its group.
//
// Places in the outbox are compared by the
// store: the ids of events of several processes need not be in its order.
//
// # Notifications
//
// A webhook with a [schedctl.Notify] is a notification: its events reach people as
// messages, which a [Notifier] sends. It has a cursor and a holder as other
// webhooks do, and one lane instead of two. The lane reads all wanted events after
// the cursor, sends one message about them, and then moves the cursor behind them.
// There are no deliveries: a message that fails leaves the cursor in place, and the
// next one is about later events too.
//
// A message starts at least a minute after the one before. The transaction before
// each message stores the earliest time of the next one, so neither a restart nor
// another daemon sends messages more often. A message may be repeated when its
// sender stopped before the cursor was stored. After failures the pauses grow to an
// hour.
//
// # Goroutines
//
// [Dispatcher.Run] watches, and owns two goroutines for each webhook that it holds,
// its lanes (one for a notification), which are parked when there is nothing to tell. So an endpoint that is slow or
// dead delays nobody else.
package webhook
