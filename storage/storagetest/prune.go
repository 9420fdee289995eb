package storagetest

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var pruneParts = []part{
	{"PruneIsBounded", testPruneIsBounded},
	{"PruneKeepsTheYounger", testPruneKeepsNewerRecords},
	{"PruneLooksBehindAClockThatWasAhead", testPruneSkipsRecordsFromTheFuture},
	{"PruneTakesPostEventsAway", testPruneRemovesPostEvents},
	{"PruneTakesOldDeliveriesAway", testPruneRemovesOldDeliveries},
	{"PruneTakesDeliveriesOfGoneWebhooksAway", testPruneRemovesDeliveriesOfDeletedWebhooks},
	{"PruneTakesAuditEntriesAway", testPruneRemovesAuditEntries},
}

func testPruneRemovesPostEvents(f *fixture) {
	posts := twoPosts()
	events := f.newEventsAbout(posts, 40)
	f.addEvents(events[:15]...)
	for _, e := range events[15:] {
		f.addEvents(e)
	}
	for left := events; len(left) > 0; {
		f.prune(storage.Retention{Events: epoch.Add(time.Hour)}, 1)
		left = left[1:]
		for _, post := range posts {
			wantSame(f, "events left", eventsAbout(left, post), eventsOf(f, post, 100))
		}
	}
}

func (f *fixture) prune(before storage.Retention, limit int) int {
	f.Helper()
	var n int
	f.update(func(tx storage.Tx) (err error) {
		n, err = tx.Prune(before, limit)
		return err
	})
	return n
}

func testPruneIsBounded(f *fixture) {
	events := f.newEvents(10, epoch)
	f.addEvents(events...)
	for i := range 10 {
		f.putIdempotencyRecord(f.idempotencyScope(string(rune('a'+i))), storage.IdempotencyRecord{CreatedAt: epoch.Add(time.Duration(i) * time.Minute)})
	}
	left := func() (n int) {
		f.Helper()
		for i := range 10 {
			if _, err := tryRead(f, newIdempotencyRecord(f.idempotencyScope(string(rune('a'+i))))); err == nil {
				n++
			}
		}
		return n + len(eventsAfter(f, "", 100))
	}
	later := storage.Retention{IdempotencyRecords: epoch.Add(time.Hour), Events: epoch.Add(time.Hour)}
	for total := 20; total > 0; {
		n := f.prune(later, 3)
		if n != min(3, total) {
			f.Fatalf("Prune removed %d of %d, want 3", n, total)
		}
		total -= n
		wantSame(f, "left", total, left())
	}
	wantSame(f, "removed from nothing", 0, f.prune(later, 3))
}

func testPruneKeepsNewerRecords(f *fixture) {
	events := f.newEvents(10, epoch)
	f.addEvents(events...)
	old, young := f.idempotencyScope("old"), f.idempotencyScope("young")
	f.putIdempotencyRecord(young, storage.IdempotencyRecord{CreatedAt: epoch})
	f.putIdempotencyRecord(old, storage.IdempotencyRecord{CreatedAt: epoch.Add(-time.Millisecond)})
	wantSame(f, "removed", 1+4, f.prune(storage.Retention{IdempotencyRecords: epoch, Events: events[4].CreatedAt}, 100))
	wantSame(f, "events", events[4:], eventsAfter(f, "", 100))
	wantNotFound(f, "the old record", newIdempotencyRecord(old))
	mustRead(f, newIdempotencyRecord(young))
	wantSame(f, "removed with zero times", 0, f.prune(storage.Retention{}, 100))

	f.putIdempotencyRecord(old, storage.IdempotencyRecord{CreatedAt: epoch, Status: 7})
	wantSame(f, "a record stored again", 7, mustRead(f, newIdempotencyRecord(old)).Status)
}

func testPruneRemovesOldDeliveries(f *fixture) {
	webhooks := f.newWebhooks(3)
	f.putWebhooks(webhooks...)
	for i, w := range webhooks {
		f.putDeliveries(newDeliveries(w, 6, epoch.Add(time.Duration(i)*time.Millisecond))...) // every second one is pending
	}
	wantSame(f, "removed with a zero time", 0, f.prune(storage.Retention{}, 100))
	before := storage.Retention{Deliveries: epoch.Add(3 * time.Millisecond)}
	wantSame(f, "removed", 2, f.prune(before, 2))
	wantSame(f, "removed of what was left", 3+2+1-2, f.prune(before, 100))
	wantSame(f, "removed from what is younger", 0, f.prune(before, 100))
	for i, w := range webhooks {
		left := mustRead(f, deliveriesOf(w.ID))
		wantSame(f, "deliveries left", 3+i, len(left))
		for _, d := range left {
			if d.CreatedAt.Before(before.Deliveries) {
				f.Errorf("a delivery of %v is left", d.CreatedAt)
			}
		}
		wantSame(f, "pending deliveries left", pendingOf(left), mustRead(f, pendingDeliveriesOf(w.ID)))
	}
}

func testPruneRemovesDeliveriesOfDeletedWebhooks(f *fixture) {
	webhooks := f.newWebhooks(3)
	f.putWebhooks(webhooks...)
	for _, w := range webhooks {
		f.putDeliveries(newDeliveries(w, 5, epoch)...)
	}
	f.update(func(tx storage.Tx) error { return tx.DeleteWebhook(f.ws, webhooks[1].ID) })
	for left := 5; left > 0; {
		wantSame(f, "deliveries left", left, len(mustRead(f, deliveriesOf(webhooks[1].ID))))
		n := f.prune(storage.Retention{}, 2)
		wantSame(f, "removed", min(2, left), n)
		left -= n
	}
	wantSame(f, "removed from nothing", 0, f.prune(storage.Retention{}, 2))
	wantSame(f, "deliveries of the gone webhook", []schedctl.Delivery{}, mustRead(f, deliveriesOf(webhooks[1].ID)))
	for _, w := range []schedctl.Webhook{webhooks[0], webhooks[2]} {
		wantSame(f, "deliveries of the remaining webhook", 5, len(mustRead(f, deliveriesOf(w.ID))))
	}

	again := f.newWebhooks(1)[0] // a webhook with the same id must not get the old deliveries
	again.ID = webhooks[1].ID
	f.putWebhooks(again)
	wantSame(f, "pending deliveries under the same id", []schedctl.Delivery{}, mustRead(f, pendingDeliveriesOf(again.ID)))
}

func testPruneRemovesAuditEntries(f *fixture) {
	other := newID(schedctl.WorkspacePrefix, epoch.Add(time.Hour))
	here, there := newAudit(f.ws, 6, epoch), newAudit(other, 6, epoch.Add(time.Millisecond))
	f.addAudit(here...)
	f.addAudit(there...)
	wantSame(f, "removed with a zero time", 0, f.prune(storage.Retention{}, 100))
	before := storage.Retention{Audit: epoch.Add(3 * time.Millisecond)}
	wantSame(f, "removed", 1, f.prune(before, 1))
	wantSame(f, "removed of what was left", 3+2-1, f.prune(before, 100))
	wantSame(f, "entries here", newestFirst(here[3:]), mustRead(f, auditOf(f.ws)))
	wantSame(f, "entries there", newestFirst(there[2:]), mustRead(f, auditOf(other)))
}

// Records from the future, made while the clock was wrong, must not block the pruning
// of newer records for years.
func testPruneSkipsRecordsFromTheFuture(f *fixture) {
	w := f.newWebhooks(1)[0]
	f.putWebhooks(w)
	events, entries, deliveries := f.newEvents(4, epoch), newAudit(f.ws, 4, epoch), newDeliveries(w, 4, epoch)
	years := epoch.AddDate(10, 0, 0)
	events[1].CreatedAt, entries[1].At, deliveries[1].CreatedAt = years, years, years
	f.addEvents(events...)
	f.addAudit(entries...)
	f.putDeliveries(deliveries...)

	day := func(t time.Time) storage.Retention {
		return storage.Retention{Events: t, Deliveries: t, Audit: t, Now: t.Add(time.Hour)}
	}
	wantSame(f, "removed", 3*3, f.prune(day(epoch.Add(time.Hour)), 100))
	wantSame(f, "events left", events[1:2], eventsAfter(f, "", 100))
	wantSame(f, "entries left", entries[1:2], mustRead(f, auditOf(f.ws)))
	wantSame(f, "deliveries left", deliveries[1:2], mustRead(f, deliveriesOf(w.ID)))
	wantSame(f, "removed from that", 0, f.prune(day(epoch.Add(2*time.Hour)), 100))
	wantSame(f, "removed in ten years", 3, f.prune(day(years.Add(time.Hour)), 100))
}
