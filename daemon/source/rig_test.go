package source_test

import (
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// fataler is a test, or a check of rapid.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// rig is a store with a key, an account, and a source of a feed server, and a clock that the
// test moves.
type rig struct {
	testing.TB
	f       fataler
	store   storage.Store
	feed    *feedtest.Server
	runner  *source.Runner
	files   *media.Service // or nil
	account schedctl.Account
	key     schedctl.APIKey
	id      string // of the source
	ws      string

	mu  sync.Mutex // guards now
	now time.Time
}

// start is after the dates of the numbered items.
var start = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func newRig(t testing.TB, store storage.Store, set func(*schedctl.Source)) *rig {
	t.Helper()
	r := &rig{TB: t, f: t, store: store, feed: feedtest.New(t), now: start}
	r.setUp(set)
	return r
}

func (r *rig) setUp(set func(*schedctl.Source)) {
	now := r.now
	r.ws = schedctl.NewID(schedctl.WorkspacePrefix, now)
	r.account = schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.ws, Platform: "fake", Name: "a", Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
	}
	r.key = schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: r.ws, Name: "ci", Scopes: schedctl.FirstScopes(), CreatedAt: now, Hash: [32]byte([]byte(schedctl.NewID(schedctl.KeyPrefix, now) + "......"))}
	s := schedctl.Source{
		ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: r.ws, KeyID: r.key.ID, Name: "blog", State: schedctl.SourceActive, CreatedAt: now, UpdatedAt: now, Version: 1,
		SourceSettings: schedctl.SourceSettings{URL: r.feed.URL, AccountIDs: []string{r.account.ID}},
		SourceProgress: schedctl.SourceProgress{NextFetchAt: now, WakeAt: now},
	}
	if set != nil {
		set(&s)
	}
	s.SetDefaults()
	r.id = s.ID
	r.update(func(tx storage.Tx) error {
		for _, err := range []error{tx.PutWorkspace(schedctl.Workspace{ID: r.ws, Name: "mine", CreatedAt: now}), tx.PutAccount(r.account), tx.PutKey(r.key), tx.PutSource(s)} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	r.runner = r.newRunner(r.store)
}

// newRunner returns the runner of another node, or of the time after a start.
func (r *rig) newRunner(store storage.Store) *source.Runner {
	cases := &usecase.Service{Publishers: publish.NewRegistry(publishtest.NewFake("fake"), publishtest.NewUploadingFake("pictures")), Limits: media.DefaultLimits, MaxLateness: 24 * time.Hour}
	if r.files != nil {
		cases.Blobs = r.files.Blobs()
	}
	return source.New(source.Config{
		Store: store, Cases: cases, Files: r.files,
		Fetcher: fetch.New(outbound.FetchClient(outbound.AllowPrivate), "test", ""),
		Open:    func(*schedctl.Source) (source.Credentials, error) { return source.Credentials{}, nil },
		Logger:  slog.New(slog.NewTextHandler(r.Output(), nil)), Now: r.time,
	})
}

func (r *rig) time() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.f.Helper()
	if err := r.store.Update(r.Context(), fn); err != nil {
		r.f.Fatal(err)
	}
}

// after moves the clock and lets the runner look once.
func (r *rig) after(d time.Duration) {
	r.f.Helper()
	r.mu.Lock()
	r.now = r.now.Add(d)
	r.mu.Unlock()
	if err := r.runner.Look(r.Context()); err != nil {
		r.f.Fatal(err)
	}
}

func (r *rig) source() (s schedctl.Source) {
	r.f.Helper()
	r.read(func(reader storage.Reader) (err error) {
		s, err = reader.Source(r.ws, r.id)
		return err
	})
	return s
}

func (r *rig) read(fn func(storage.Reader) error) {
	r.f.Helper()
	if err := r.store.View(r.Context(), fn); err != nil {
		r.f.Fatal(err)
	}
}

// items returns the titles of the items in a state, the oldest first.
func (r *rig) items(state schedctl.ItemState) (titles []string) {
	r.f.Helper()
	r.read(func(reader storage.Reader) error {
		items, err := reader.SourceItems(storage.SourceItemQuery{WorkspaceID: r.ws, SourceID: r.id, State: state, Limit: 20_000})
		for _, i := range slices.Backward(items) {
			titles = append(titles, i.Title)
		}
		return err
	})
	return titles
}

// posts returns all posts, the oldest first.
func (r *rig) posts() (list []schedctl.Post) {
	r.f.Helper()
	r.read(func(reader storage.Reader) error {
		page, err := reader.Posts(storage.PostQuery{WorkspaceID: r.ws, Limit: 20_000})
		list = page.Posts
		slices.Reverse(list)
		return err
	})
	return list
}

func (r *rig) texts() (texts []string) {
	r.f.Helper()
	for _, p := range r.posts() {
		first, _, _ := cutLine(p.Text)
		texts = append(texts, first)
	}
	return texts
}

// events returns the types of the events of sources.
func (r *rig) events() (types []schedctl.EventType) {
	r.f.Helper()
	r.read(func(reader storage.Reader) error {
		events, err := reader.Events("", 1000)
		for _, e := range events {
			if e.SourceID != "" {
				types = append(types, e.Type)
			}
		}
		return err
	})
	return types
}

func (r *rig) wantSame(what string, got, want any) {
	r.f.Helper()
	if !same(got, want) {
		r.f.Fatalf("%s: %v, want %v", what, got, want)
	}
}
