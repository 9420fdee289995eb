// Package webhook sends the events of the outbox to webhooks, signed as Standard
// Webhooks specifies (https://www.standardwebhooks.com).
//
//	commit ─▶ watcher: reads each new event once, wakes the webhooks that want it
//	            ├─▶ lane of first attempts: events after the webhook's cursor, in order
//	            └─▶ lane of retries: pending deliveries that are due, tests first
//	  a lane:  read the webhook and the next event ─▶ call ─▶ one transaction records
//	           the delivery, the cursor, and since when the webhook fails
//
// # Guarantees
//
// Every event that a webhook wants is sent to it at least once, unless all retries
// fail. An attempt is recorded after it ends, so an attempt that a crash or a stop
// interrupts is repeated. Each attempt carries the id of the event as webhook-id, so
// receivers can detect repeats. First attempts are made in the order of the events, one
// at a time. A failed one becomes a pending delivery and does not block later events;
// see [RetryAfter] for the retries.
//
// Cursors and pending deliveries are in the store; the state in memory can be lost at
// any time. Only the current batch of each lane is in memory.
//
// A disabled webhook receives only tests. Events that happen while it is disabled are
// never sent: when it is enabled, its cursor moves to the end of the outbox.
//
// # Several nodes
//
// On a shared store, every node reads the outbox, and one node holds each webhook; see
// [Member]. The holder makes all calls of the webhook and checks its lease before each.
// If a node freezes during a call and its lease expires, the new holder may repeat the
// call. Both attempts are recorded, and no cursor moves back.
//
// Every transaction on a shared store takes several round trips. Successive first
// attempts are therefore recorded in one transaction: up to 32 successful calls that
// start within 50 milliseconds. After a crash, the whole group is repeated. A change of
// the webhook takes effect with the next group. A failed call ends its group.
//
// The store compares positions in the outbox, because the event ids of several nodes
// may not be in outbox order.
//
// # Notifications
//
// A webhook with a [schedctl.Notify] is a notification: its events reach people as
// messages, which a [Notifier] sends. It has a cursor and a holder as other webhooks
// do, and one lane instead of two. The lane reads all wanted events after the cursor,
// sends one message about them, and then moves the cursor. There are no deliveries: a
// failed message leaves the cursor in place, and the next message also covers later
// events.
//
// A message starts at least a minute after the previous one. The transaction before
// each message stores the earliest time of the next one, so neither a restart nor
// another node sends messages more often. A message may be repeated if its sender
// stops before it stores the cursor. After failures the pauses grow to an hour.
//
// # Goroutines
//
// [Dispatcher.Run] watches the outbox. It runs two goroutines, the lanes, for each
// webhook that it holds, and one for each notification. They sleep while there are no
// events. A slow or dead endpoint therefore does not delay other webhooks.
package webhook
