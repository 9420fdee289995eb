package source_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// noPosts is a store that cannot store posts.
type noPosts struct{ storage.Store }

func (s noPosts) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(noPostsTx{tx}) })
}

type noPostsTx struct{ storage.Tx }

func (noPostsTx) PutPost(schedctl.Post) error { return errors.New("no posts") }

// An item whose post cannot be made waits: neither the item nor its feed is tried again with
// every look.
func TestPostThatCannotBeMade(t *testing.T) {
	t.Parallel()
	r := newRig(t, noPosts{storagetest.NewMemory()}, func(s *schedctl.Source) { s.Delay = time.Minute })
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Publish(dated(4, r.time()))
	r.after(time.Hour)
	r.after(2 * time.Minute)
	asked := len(r.feed.Requests())
	for range 10 {
		r.after(5 * time.Second)
	}
	r.wantSame("waiting", r.items(schedctl.ItemWaiting), []string{"Title 4"})
	r.wantSame("requests", len(r.feed.Requests()), asked)
}

// What is in the feed when a source starts over makes no posts, also if the document has not
// changed; what appears afterwards does.
func TestStartOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Publish(dated(4, r.time()), dated(5, r.time()))
	r.update(func(tx storage.Tx) error {
		s, err := tx.Source(r.ws, r.id)
		if err != nil {
			return err
		}
		s.StartOver()
		return tx.PutSource(s)
	})
	r.after(time.Hour)
	r.wantSame("posts", len(r.posts()), 0)
	r.feed.Publish(dated(6, r.time()))
	r.after(time.Hour)
	r.wantSame("posts", r.texts(), []string{"Title 6"})
}

// Many sources of one host do not keep those of others waiting.
func TestSourcesOfOneHost(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(1)...)
	r.update(func(tx storage.Tx) error {
		s, err := tx.Source(r.ws, r.id)
		if err != nil {
			return err
		}
		for range 14 {
			s.ID = schedctl.NewID(schedctl.SourcePrefix, start)
			if err := tx.PutSource(s); err != nil {
				return err
			}
		}
		return nil
	})
	r.after(0)
	r.wantSame("requests of a look", len(r.feed.Requests()), 10)
	r.after(0)
	r.wantSame("requests of two looks", len(r.feed.Requests()), 15)
}

// The secrets of a source are for the host of its URL. A feed that moves to another host of
// the same site is read there, without them, and the URL stays.
func TestSecretsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	for name, secrets := range map[string][]byte{"with secrets": []byte("sealed"), "without": nil} {
		r := newRig(t, storagetest.NewMemory(), func(s *schedctl.Source) { s.Credentials = secrets })
		moved := strings.Replace(r.feed.URL, "127.0.0.1", "localhost", 1)
		if moved == r.feed.URL {
			moved = strings.Replace(r.feed.URL, "localhost", "127.0.0.1", 1)
		}
		result := &fetch.Result{NotModified: true, MovedTo: moved, SameSite: true}
		s := r.source()
		for range 5 {
			if err := source.Moved(r.runner, &s, result); err != nil {
				t.Fatal(err)
			}
		}
		if (s.URL == moved) != (secrets == nil) {
			t.Errorf("%s: the URL is %s", name, s.URL)
		}
	}
}

// meddler is a network that calls a function when it checks a text.
type meddler struct {
	*publishtest.Fake
	check func()
}

func (m *meddler) Check(a schedctl.Account, c publish.Content) publish.Check {
	if check := m.check; check != nil {
		m.check = nil
		check()
	}
	return m.Fake.Check(a, c)
}

// newMeddler returns the runner of a node with a meddler.
func (r *rig) newMeddler() (*source.Runner, *meddler) {
	network := &meddler{Fake: publishtest.NewFake("fake")}
	return source.New(source.Config{
		Store: r.store, Cases: &usecase.Service{Publishers: publish.NewRegistry(network), MaxLateness: 24 * time.Hour},
		Fetcher: fetch.New(outbound.FetchClient(outbound.AllowPrivate), "test", ""),
		Open:    func(*schedctl.Source) (source.Credentials, error) { return source.Credentials{}, nil },
		Logger:  slog.New(slog.DiscardHandler), Now: r.time,
	}), network
}

// A change by a person counts at once, also while a post is made: what would have been
// published at once becomes a draft.
func TestChangeWhileAPostIsMade(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), func(s *schedctl.Source) { s.Mode = schedctl.SourceNow })
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Publish(dated(4, r.time()))
	runner, network := r.newMeddler()
	network.check = func() {
		r.update(func(tx storage.Tx) error {
			s, err := tx.Source(r.ws, r.id)
			if err != nil {
				return err
			}
			s.Mode, s.Version = schedctl.SourceDraft, s.Version+1
			return tx.PutSource(s)
		})
	}
	if _, err := runner.Fetch(t.Context(), r.ws, r.id); err != nil {
		t.Fatal(err)
	}
	r.after(time.Minute)
	r.wantSame("posts", r.texts(), []string{"Title 4"})
	if p := r.posts()[0]; p.Status() != schedctl.Draft {
		t.Errorf("the post is %s", p.Status())
	}
}

// Two sources with the same link make one post for an account, also at the same moment.
func TestSameLinkAtOnce(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store, nil)
		r.feed.Set(feedtest.Numbered(3)...)
		r.after(0)
		other := r.source()
		other.ID, other.Name = schedctl.NewID(schedctl.SourcePrefix, r.time()), "planet"
		other.Template, other.SourceProgress = "Read: {{.Title}} {{.Link}}", schedctl.SourceProgress{} // another text, which is no repetition
		r.update(func(tx storage.Tx) error { return tx.PutSource(other) })
		if _, err := r.runner.Fetch(t.Context(), r.ws, other.ID); err != nil {
			t.Fatal(err)
		}
		runner, network := r.newMeddler()
		r.mu.Lock()
		r.now = r.now.Add(time.Hour)
		r.mu.Unlock()
		r.feed.Set(append([]feedtest.Item{dated(4, r.time())}, feedtest.Numbered(3)...)...)
		network.check = func() { // while the first one makes its post
			if _, err := r.runner.Fetch(t.Context(), r.ws, other.ID); err != nil {
				t.Error(err)
			}
		}
		if _, err := runner.Fetch(t.Context(), r.ws, r.id); err != nil {
			t.Error(err)
		}
		r.wantSame("posts", len(r.posts()), 1)
	})
}
