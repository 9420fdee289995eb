package bolt_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// TestOpenLoadsNothing guards that a database with a million posts that wait
// can be opened in the memory of an empty one. It is not parallel, so that no
// other test allocates meanwhile.
func TestOpenLoadsNothing(t *testing.T) {
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
	runtime.GC() // the first one may only mark what finalizers free
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestPageCostsTheSame guards that a page is looked up and not searched for.
// What a page allocates stands for what it does: every step to another leaf and
// every record that is read shows in it.
func TestPageCostsTheSame(t *testing.T) {
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
			t.Errorf("page %q takes %.0f allocations among many posts, %.0f among few", name, cost, few[name])
		}
	}
}

// pageOf reads a page of 20 and returns where it ends.
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

// TestScanLimit guards that a search among very many posts ends, with a place
// to go on from.
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
				t.Errorf("%d posts and next %v, want none, and a next page: %v", len(page.Posts), page.Next, !last)
			}
			q.After = page.Next
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
