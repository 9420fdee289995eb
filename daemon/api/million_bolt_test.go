//go:build unix

package api_test

import (
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// TestWorstRequestsOnBolt measures processor time, which other processes do not
// affect. It is not parallel, so that no other test adds to it. A request that reads
// all posts costs as much as thousands of plain pages.
func TestWorstRequestsOnBolt(t *testing.T) {
	if testing.Short() {
		t.Skip("measures processor time, and says nothing about goroutines")
	}
	store, err := bolt.Open(filepath.Join(t.TempDir(), "million.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	started := time.Now()
	seedBolt(t, store)
	t.Logf("seeded in %v", time.Since(started))
	m, serve := newMillion(t, store)
	server := serve(store)
	m.cost = func(request func(http.Handler)) float64 {
		least := math.Inf(1)
		for range 3 {
			server.Committed(storage.Commit{}) // which drops cached responses
			before := processTime(t)
			request(server)
			least = min(least, float64((processTime(t) - before).Microseconds()))
		}
		return least
	}
	testWorstRequests(t, m, func(plain float64) float64 { return 300 * max(plain, 100) })
	t.Logf("measured in %v", time.Since(started))
}

func processTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// seedBolt writes the same data as seed.sql of storage/postgres, except data that
// no request reads.
func seedBolt(t *testing.T, store storage.Store) {
	t.Helper()
	ws, start := seeded(schedctl.WorkspacePrefix, 0), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(n int) time.Time { return start.Add(time.Duration(n) * 10 * time.Second) }
	each := func(n int, put func(tx storage.Tx, n int) error) {
		t.Helper()
		const group = 20_000
		for first := 1; first <= n; first += group {
			err := store.Update(t.Context(), func(tx storage.Tx) error {
				for i := first; i < min(first+group, n+1); i++ {
					if err := put(tx, i); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	each(1, func(tx storage.Tx, _ int) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: ws, Name: "one", Timezone: "UTC"})
	})
	each(50, func(tx storage.Tx, n int) error {
		return tx.PutWebhook(schedctl.Webhook{ID: seeded(schedctl.WebhookPrefix, n), WorkspaceID: ws})
	})
	each(50, func(tx storage.Tx, n int) error {
		return tx.PutWebhook(schedctl.Webhook{ID: seeded(schedctl.WebhookPrefix, 100+n), WorkspaceID: ws, Notify: new(schedctl.Notify)})
	})
	each(1, func(tx storage.Tx, n int) error {
		return tx.PutCollection(schedctl.Collection{ID: seeded(schedctl.CollectionPrefix, n), WorkspaceID: ws, Name: "site9", Source: "example.org/site9"})
	})
	each(200, func(tx storage.Tx, n int) error {
		return tx.PutBlackout(schedctl.Blackout{
			ID: seeded(schedctl.BlackoutPrefix, n), WorkspaceID: ws, Mode: schedctl.BlackoutHold, Timezone: "UTC", From: "2020-01-01T00:00", StartsAt: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		})
	})
	each(schedctl.MaxSeries, func(tx storage.Tx, n int) error {
		return tx.PutSeries(schedctl.Series{
			ID: seeded(schedctl.SeriesPrefix, n), WorkspaceID: ws, Name: "series", Template: schedctl.Post{WorkspaceID: ws, Content: schedctl.Content{Text: "text"}}, State: schedctl.SeriesActive,
			Timezone: "UTC", Start: "2020-01-01T09:00", Rule: "FREQ=DAILY", AheadDays: 14, Cursor: "2020-01-01T09:00", Version: 1,
		})
	})
	each(schedctl.MaxSources, func(tx storage.Tx, n int) error {
		return tx.PutSource(schedctl.Source{ID: seeded(schedctl.SourcePrefix, 1+n), WorkspaceID: ws, KeyID: seeded(schedctl.KeyPrefix, 1), Name: fmt.Sprint("source ", n), State: schedctl.SourceActive, CreatedAt: at(n), UpdatedAt: at(n), Version: 1})
	})
	each(10_000, func(tx storage.Tx, n int) error {
		return tx.PutSourceItem(schedctl.SourceItem{ID: seeded(schedctl.SourceItemPrefix, n), SourceID: seeded(schedctl.SourcePrefix, 100), WorkspaceID: ws, State: schedctl.ItemBaseline, Title: "item", FirstSeenAt: at(n)})
	})
	each(testsize.Of(100_000, 1_000_000), func(tx storage.Tx, n int) error { return tx.PutPost(seededPost(n, at(n))) })
	each(20_000, func(tx storage.Tx, n int) error {
		return tx.PutDelivery(schedctl.Delivery{
			ID: seeded(schedctl.DeliveryPrefix, n), WebhookID: seeded(schedctl.WebhookPrefix, 9), EventID: seeded(schedctl.EventPrefix, n),
			Status: schedctl.DeliveryDelivered, CreatedAt: at(n),
		})
	})
	each(20_000, func(tx storage.Tx, n int) error {
		return tx.AddAudit(schedctl.AuditEntry{ID: seeded(schedctl.AuditPrefix, n), WorkspaceID: ws, At: at(n), Action: "createPost"})
	})
}

// seededPost returns the n-th post. Nearly all are published.
func seededPost(n int, at time.Time) schedctl.Post {
	status := schedctl.Published
	switch {
	case n%20 == 0:
		status = schedctl.Scheduled
	case n%97 == 0:
		status = schedctl.Failed
	}
	target := schedctl.Target{
		ID: seeded(schedctl.TargetPrefix, n), AccountID: seeded(schedctl.AccountPrefix, n%50), Platform: "mastodon", Status: status, PublishAt: at,
	}
	if status == schedctl.Published {
		target.PublishedAt = at
	}
	p := schedctl.Post{
		ID: seeded(schedctl.PostPrefix, n), WorkspaceID: seeded(schedctl.WorkspacePrefix, 0), Content: schedctl.Content{Text: fmt.Sprint("post ", n)},
		PublishAt: at, CreatedAt: at, UpdatedAt: at, Version: 1, Targets: []schedctl.Target{target}, Labels: []string{"all"},
	}
	if n%3 == 0 { // as in seed.sql
		p.ExternalID = fmt.Sprint("site/", n)
		p.Managed = &schedctl.Managed{Collection: fmt.Sprint("site", n%20), Path: fmt.Sprint(n, ".md"), Digest: "1"}
	}
	return p
}
