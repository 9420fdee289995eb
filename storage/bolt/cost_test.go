package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// TestOpenLoadsNothing guards that opening a database with a million scheduled posts
// takes no more memory than opening an empty one. It is not parallel, because other tests
// would change the measured memory.
func TestOpenLoadsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("what one goroutine allocates")
	}
	const posts = 20_000
	path := filepath.Join(t.TempDir(), "large.db")
	s := open(t, path)
	c := newCreator(s)
	c.unanswered = true
	c.fill(t, posts)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := heap()
	s = open(t, path)
	grown := heap() - before
	runtime.KeepAlive(s)
	if grown > posts*16 {
		t.Errorf("opening %d posts took %d bytes", posts, grown)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // the first run may leave objects with finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestPageCostsTheSame guards that the cost of a page does not depend on the number of
// posts. The number of allocations measures the cost, because every visited leaf and every
// read record allocates.
func TestPageCostsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("what one goroutine allocates")
	}
	s := open(t, filepath.Join(t.TempDir(), "pages.db"))
	c := newCreator(s)
	account, first := c.account.ID, storage.Position{}
	queries := map[string]storage.PostQuery{
		"newest":  {},
		"oldest":  {Sort: storage.OldestFirst},
		"soonest": {Sort: storage.PublishAscending, Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Failed}},
		"account": {Sort: storage.PublishDescending, AccountID: account},
		"bounded": {Sort: storage.PublishAscending, PublishAfter: c.at},
		"resumed": {Sort: storage.OldestFirst, After: &first},
	}
	costs := func() map[string]float64 {
		m := make(map[string]float64)
		for name, q := range queries {
			q.WorkspaceID, q.Limit = c.account.WorkspaceID, 20
			m[name] = testing.AllocsPerRun(20, func() { pageOf(t, s, q) })
		}
		return m
	}
	c.fill(t, 1_000)
	first = pageOf(t, s, storage.PostQuery{WorkspaceID: c.account.WorkspaceID, Sort: storage.OldestFirst, Limit: 20})
	few := costs()
	c.fill(t, 30_000)
	for name, cost := range costs() {
		if cost > 1.5*few[name] {
			t.Errorf("page %q takes %.0f allocations with many posts, %.0f with few", name, cost, few[name])
		}
	}
}

// pageOf reads a page of 20 posts and returns the position of its end.
func pageOf(t *testing.T, s *bolt.Store, q storage.PostQuery) storage.Position {
	var page storage.PostPage
	err := s.View(context.Background(), func(r storage.Reader) (err error) {
		page, err = r.Posts(q)
		return err
	})
	if err != nil || len(page.Posts) != 20 || page.Next == nil {
		t.Fatalf("a page of %d posts, %v", len(page.Posts), err)
	}
	return *page.Next
}

// TestScanLimit guards that a search stops after ScanLimit posts and returns a position
// to continue from.
func TestScanLimit(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "scan.db"))
	c := newCreator(s)
	c.unanswered = true
	c.fill(t, storage.ScanLimit+5)
	q := storage.PostQuery{WorkspaceID: c.account.WorkspaceID, Search: "nowhere", Limit: 5}
	for _, last := range []bool{false, true} {
		err := s.View(t.Context(), func(r storage.Reader) error {
			page, err := r.Posts(q)
			if err == nil && (len(page.Posts) != 0 || (page.Next == nil) != last) {
				t.Errorf("%d posts and next %v, want no posts, and a next page: %v", len(page.Posts), page.Next, !last)
			}
			q.After = page.Next
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestPagesOfDeliveriesCostTheSame guards that a page of deliveries, of pending
// deliveries or of the audit log reads only its own records.
func TestPagesOfDeliveriesCostTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("what one goroutine allocates")
	}
	s := open(t, filepath.Join(t.TempDir(), "deliveries.db"))
	now := time.Now()
	w := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now)}
	if err := s.Update(context.Background(), func(tx storage.Tx) error { return tx.PutWebhook(w) }); err != nil {
		t.Fatal(err)
	}
	pages := map[string]func(storage.Reader) (int, error){
		"deliveries": func(r storage.Reader) (int, error) { l, err := r.Deliveries(w.ID, "", 20); return len(l), err },
		"pending":    func(r storage.Reader) (int, error) { l, err := r.PendingDeliveries(w.ID, 20); return len(l), err },
		"audit":      func(r storage.Reader) (int, error) { l, err := r.Audit(w.WorkspaceID, "", 20); return len(l), err },
	}
	costs := func() map[string]float64 {
		m := make(map[string]float64)
		for name, page := range pages {
			m[name] = testing.AllocsPerRun(20, func() { pageOf20(t, s, page) })
		}
		return m
	}
	tell(t, s, w, 500)
	few := costs()
	tell(t, s, w, 20_000)
	for name, cost := range costs() {
		if cost > 1.5*few[name] {
			t.Errorf("a page of %q takes %.0f allocations with many records, %.0f with few", name, cost, few[name])
		}
	}
}

// tell adds n pending deliveries to a webhook, and as many audit entries.
func tell(t *testing.T, s *bolt.Store, w schedctl.Webhook, n int) {
	t.Helper()
	now := time.Now()
	err := s.Update(context.Background(), func(tx storage.Tx) error {
		for range n {
			d := schedctl.Delivery{
				ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: w.ID, EventID: schedctl.NewID(schedctl.EventPrefix, now),
				Status: schedctl.DeliveryPending, NextAttemptAt: now, CreatedAt: now,
			}
			a := schedctl.AuditEntry{ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: w.WorkspaceID, At: now}
			if err := errors.Join(tx.PutDelivery(d), tx.AddAudit(a)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func pageOf20(t *testing.T, s *bolt.Store, page func(storage.Reader) (int, error)) {
	err := s.View(context.Background(), func(r storage.Reader) error {
		n, err := page(r)
		if n != 20 {
			t.Errorf("a page of %d, want 20", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDeletingAWebhookCostsTheSame guards that the cost of deleting a webhook does not
// depend on the number of its pending deliveries.
func TestDeletingAWebhookCostsTheSame(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "deleted.db"))
	cost := func(pending int) float64 {
		now := time.Now()
		w := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now)}
		put := func(tx storage.Tx) error { return tx.PutWebhook(w) }
		if err := s.Update(context.Background(), put); err != nil {
			t.Fatal(err)
		}
		tell(t, s, w, pending)
		return testing.AllocsPerRun(1, func() {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				return errors.Join(tx.DeleteWebhook(w.WorkspaceID, w.ID), tx.PutWebhook(w))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	few := cost(100)
	if among := cost(10_000); among > 2*few {
		t.Errorf("deleting a webhook takes %.0f allocations with many pending deliveries, %.0f with few", among, few)
	}
}

// TestAuditIsCheap guards that adding a new audit entry does not search for an existing
// one, because every accepted write adds an entry.
func TestAuditIsCheap(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "audit.db"))
	ws := schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
	const n = 1000
	cost := func(order func([]schedctl.AuditEntry)) float64 {
		batches := make([][]schedctl.AuditEntry, 0, 6) // AllocsPerRun runs once more than it measures
		for range cap(batches) {
			batches = append(batches, newAudit(ws, n))
			order(batches[len(batches)-1])
		}
		return testing.AllocsPerRun(len(batches)-1, func() {
			err := s.Update(context.Background(), func(tx storage.Tx) error {
				for _, a := range batches[0] {
					if err := tx.AddAudit(a); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			batches = batches[1:]
		}) / n
	}
	inOrder, within := cost(func([]schedctl.AuditEntry) {}), cost(slices.Reverse)
	if inOrder > 2*within/3 {
		t.Errorf("an entry takes %.2f allocations at the end of the log, and %.2f in the middle", inOrder, within)
	}
}

func newAudit(ws string, n int) (entries []schedctl.AuditEntry) {
	now := time.Now()
	for range n {
		entries = append(entries, schedctl.AuditEntry{
			ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: ws, At: now, Action: "createPost",
		})
	}
	return entries
}

// TestSameContentCostsTheSame guards that the cost of the duplicate check depends neither
// on other posts of the account at that time nor on other accounts with the same content.
func TestSameContentCostsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("what one goroutine allocates")
	}
	s := open(t, filepath.Join(t.TempDir(), "contents.db"))
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, time.Now()), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now())}
	at := time.Now().Add(time.Hour)
	fill := func(from, to int) {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			for i := from; i < to; i++ {
				other := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, time.Now()), WorkspaceID: account.WorkspaceID}
				for content, a := range map[string]schedctl.Account{fmt.Sprint("post ", i): account, "same": other} {
					p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: account.WorkspaceID, Content: schedctl.Content{Text: content}, Accounts: []schedctl.Account{a}, PublishAt: at}, time.Now())
					if err := errors.Join(err, tx.PutPost(p)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	cost := func() float64 {
		return testing.AllocsPerRun(20, func() {
			err := s.View(t.Context(), func(r storage.Reader) error {
				for _, content := range []string{"post 7", "same"} {
					q := storage.ContentQuery{AccountID: account.ID, Fingerprint: schedctl.FingerprintOf(content), From: at.Add(-time.Hour), Until: at.Add(time.Hour), Limit: 2}
					if _, err := r.SameContent(q); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	fill(0, 100)
	few := cost()
	fill(100, 10_000)
	if many := cost(); many > 2*few {
		t.Errorf("a lookup takes %.0f allocations with 10,000 posts and %.0f with 100", many, few)
	}
}

// TestSlotSearchCostsTheSame guards that the cost of a search for slots depends neither on
// posts at other times nor on other accounts, and that a sweep of due series depends
// on no others.
func TestSlotSearchCostsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("what one goroutine allocates")
	}
	s := open(t, filepath.Join(t.TempDir(), "slots.db"))
	now := schedctl.Millis(time.Now())
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	accounts := make([]schedctl.Account, 3)
	for i := range accounts {
		accounts[i] = schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws}
	}
	at := func(i int) time.Time { return now.Add(time.Duration(i+1) * time.Hour) }
	fill := func(from, to int) {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			for i := from; i < to; i++ {
				series := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: ws, SweepAt: at(i)}
				for _, a := range accounts {
					p, _, err := schedctl.Create(schedctl.NewPost{
						WorkspaceID: ws, Content: schedctl.Content{Text: fmt.Sprint("post ", i)}, Accounts: []schedctl.Account{a}, PublishAt: at(i),
						Booking: schedctl.Booking{Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(at(i)), Timezone: "UTC"}},
					}, now)
					if err := errors.Join(err, tx.PutPost(p)); err != nil {
						return err
					}
				}
				if err := tx.PutSeries(series); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	cost := func() float64 {
		return testing.AllocsPerRun(20, func() {
			err := s.View(t.Context(), func(r storage.Reader) error {
				q := storage.OccupiedQuery{WorkspaceID: ws, AccountIDs: []string{accounts[0].ID}, From: at(10), Until: at(20), Limit: 1000}
				times, err := r.Occupied(q)
				due, err2 := r.SeriesDue(at(10), 100)
				if len(times) != 10 || len(due) != 10 {
					t.Errorf("%d occupied times and %d series, want 10 of each", len(times), len(due))
				}
				return errors.Join(err, err2)
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	fill(0, 100)
	few := cost()
	fill(100, 3_000)
	if many := cost(); many > 1.5*few {
		t.Errorf("a search takes %.0f allocations with 9,000 posts and %.0f with 300", many, few)
	}
}
