package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// slow is a store on which a search blocks until release is closed. It holds its
// snapshot, and on PostgreSQL its connection.
type slow struct {
	storage.Store
	release chan struct{}

	mu      sync.Mutex // mu guards what follows
	running int
	most    int
	changed chan struct{} // gets a token for each search that starts
}

func newSlow(store storage.Store) *slow {
	return &slow{Store: store, release: make(chan struct{}), changed: make(chan struct{}, 100)}
}

func (s *slow) MaxReaders() int {
	if b, ok := s.Store.(storage.BoundedReading); ok {
		return b.MaxReaders()
	}
	return 1000
}

func (s *slow) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error { return fn(slowReader{r, s}) })
}

type slowReader struct {
	storage.Reader
	store *slow
}

func (r slowReader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	page, err := r.Reader.Posts(q)
	if q.Search == "" {
		return page, err
	}
	r.store.count(1)
	<-r.store.release
	r.store.count(-1)
	return page, err
}

func (s *slow) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += n
	s.most = max(s.most, s.running)
	if n > 0 {
		s.changed <- struct{}{}
	}
}

// TestSearchesHoldUpNothing sends fifty searches of one key that do not end. A few
// of them run and the others are refused. During that time the key can read, a
// second key can search, and publishing gets a snapshot and a transaction.
func TestSearchesHoldUpNothing(t *testing.T) {
	t.Parallel()
	engines := map[string]func(*testing.T) storage.Store{
		"bolt": func(t *testing.T) storage.Store {
			s, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"postgres": func(t *testing.T) storage.Store {
			s, err := postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	}
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inside := open(t)
			store := newSlow(inside)
			f := newFixtureOn(t, inside, func(c *api.Config) { c.Store = store })
			testSearchesHoldUpNothing(t, f, store)
		})
	}
}

func testSearchesHoldUpNothing(t *testing.T, f *fixture, store *slow) {
	const searches, mayRun = 50, 4
	post := f.draft()
	responses := make(chan *response, searches+1)
	search := func(o option) { go func() { responses <- f.do(o, "GET", "/posts?q=draft", nil) }() }
	for range searches {
		search(nil)
	}
	for range searches - mayRun {
		r := <-responses
		if r.refused(schedctl.RateLimited); r.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q, want 1", r.header.Get("Retry-After"))
		}
	}
	search(as(f.other.key))
	for range mayRun + 1 {
		<-store.changed
	}
	f.do(nil, "GET", "/posts/"+post.ID, nil).want(200)
	f.do(nil, "GET", "/posts", nil).want(200)
	f.do(nil, "POST", "/posts", body{"content": "meanwhile"}).want(201)
	ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience) // for the test to fail instead of hanging
	defer cancel()
	for range 3 {
		if err := store.Store.View(ctx, func(r storage.Reader) error { _, err := r.RunningAttempts(); return err }); err != nil {
			t.Errorf("a snapshot of the deliverer: %v", err)
		}
		if err := store.Store.Update(ctx, func(tx storage.Tx) error { _, err := tx.RunningAttempts(); return err }); err != nil {
			t.Errorf("a transaction of the deliverer: %v", err)
		}
	}
	close(store.release)
	for range mayRun + 1 {
		decodeAs[apiv1.PostList](t, (<-responses).want(200))
	}
	if store.most != mayRun+1 {
		t.Errorf("%d searches ran at once, want %d for the first key and one for the second", store.most, mayRun)
	}
	f.do(nil, "GET", "/posts?q=draft", nil).want(200)
}

// TestStreamsOfAKeyAreBounded opens as many event streams as a key may have.
func TestStreamsOfAKeyAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 1000
		f := newFixture(t)
		ctx, cancel := context.WithCancel(t.Context())
		open := func(key string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/events", nil)
			r.Header.Set("Authorization", "Bearer "+key)
			w := httptest.NewRecorder()
			go f.handler.ServeHTTP(w, r)
			return w
		}
		for range most {
			open(f.mine.key)
		}
		synctest.Wait()
		tooMany, another := open(f.mine.key), open(f.other.key)
		synctest.Wait()
		if tooMany.Code != http.StatusTooManyRequests || tooMany.Header().Get("Retry-After") == "" {
			t.Errorf("one stream too many: %d %s", tooMany.Code, tooMany.Body)
		}
		if another.Code != http.StatusOK {
			t.Errorf("a stream of a second key: %d %s", another.Code, another.Body)
		}
		cancel()
		synctest.Wait()
		ctx, cancel = context.WithCancel(t.Context())
		again := open(f.mine.key)
		synctest.Wait()
		if again.Code != http.StatusOK {
			t.Errorf("a stream after the others ended: %d %s", again.Code, again.Body)
		}
		cancel()
	})
}

// heldCopy is a store whose copy blocks until release is closed.
type heldCopy struct {
	storage.Store
	begun   chan struct{}
	release chan struct{}
}

func (s *heldCopy) Copy(_ context.Context, w io.Writer) (int64, error) {
	s.begun <- struct{}{}
	<-s.release
	n, err := io.WriteString(w, "a copy")
	return int64(n), err
}

// TestBackupsAreBounded guards that only a few slow backups run at once: while a
// copy is made, the database cannot reuse space.
func TestBackupsAreBounded(t *testing.T) {
	t.Parallel()
	const mayRun = 2
	store := &heldCopy{storagetest.NewMemory(), make(chan struct{}), make(chan struct{})}
	f := newFixtureOn(t, store, func(c *api.Config) { c.Store = store })
	responses := make(chan *response, mayRun)
	for range mayRun {
		go func() { responses <- f.do(nil, "GET", "/backup", nil) }()
		<-store.begun
	}
	f.do(nil, "GET", "/backup", nil).refused(schedctl.RateLimited)
	close(store.release)
	for range mayRun {
		(<-responses).want(http.StatusOK)
	}
	go func() { responses <- f.do(nil, "GET", "/backup", nil) }()
	<-store.begun
	(<-responses).want(http.StatusOK)
}
