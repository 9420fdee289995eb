package api_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// countedUpdates counts the transactions of a store.
type countedUpdates struct {
	storage.Store
	n atomic.Int64
}

func (s *countedUpdates) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.n.Add(1)
	return s.Store.Update(ctx, fn)
}

// bubble is a fixture in a synctest bubble whose server runs.
func bubble(t *testing.T, test func(f *fixture, updates *countedUpdates, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := &countedUpdates{Store: storagetest.NewMemory()}
		f := newFixtureOn(t, store)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.server.Run(ctx)
		}()
		stop := func() { cancel(); <-done }
		defer stop()
		test(f, store, stop)
	})
}

func (f *fixture) lastUsed(secret string) time.Time {
	f.t.Helper()
	id := f.keyOf(secret).ID
	for _, k := range f.apiKeys() {
		if k.ID == id && k.LastUsedAt != nil {
			return k.LastUsedAt.Time
		}
	}
	return time.Time{}
}

func TestLastUse(t *testing.T) {
	t.Parallel()
	bubble(t, func(f *fixture, updates *countedUpdates, _ func()) {
		t := f.t
		secret := f.scoped(schedctl.ScopePostsRead)
		if at := f.lastUsed(secret); !at.IsZero() {
			t.Errorf("a new key was used at %s", at)
		}
		time.Sleep(flushing) // writes the uses of the fixture's setup
		before := updates.n.Load()
		var used time.Time
		for range 10 {
			time.Sleep(5 * time.Millisecond)
			used = time.Now()
			f.do(as(secret), "GET", "/posts", nil).want(200)
		}
		if at := f.lastUsed(secret); !at.Equal(used) {
			t.Errorf("it was used at %s, the list has %s", used, at)
		}
		if updates.n.Load() != before {
			t.Errorf("%d reads made %d writes", 10, updates.n.Load()-before)
		}
		if at := f.keyOf(secret).LastUsedAt; !at.IsZero() {
			t.Errorf("it is written at once: %s", at)
		}
		time.Sleep(flushing)
		if at := f.keyOf(secret).LastUsedAt; !at.Equal(used) || updates.n.Load() != before+1 {
			t.Errorf("it was used at %s, %s is written, in %d transactions", used, at, updates.n.Load()-before)
		}
		if at := f.lastUsed(secret); !at.Equal(used) {
			t.Errorf("it was used at %s, the list has %s", used, at)
		}
		time.Sleep(10 * flushing)
		if before++; updates.n.Load() > before+1 { // listing used a different key
			t.Errorf("%d transactions without a use", updates.n.Load()-before)
		}
	})
}

// flushing is a time after which all recorded uses are written.
const flushing = time.Minute + time.Second

func TestLastUseIsWrittenAtTheEnd(t *testing.T) {
	t.Parallel()
	bubble(t, func(f *fixture, _ *countedUpdates, stop func()) {
		used := time.Now()
		f.do(nil, "GET", "/me", nil).want(200)
		stop()
		if at := f.keyOf(f.mine.key).LastUsedAt; !at.Equal(used) {
			f.t.Errorf("it was used at %s, %s is written", used, at)
		}
	})
}

func TestLastUseThatIsNotWrittenIsKept(t *testing.T) {
	t.Parallel()
	bubble(t, func(f *fixture, _ *countedUpdates, _ func()) {
		time.Sleep(flushing)
		used := time.Now()
		f.do(nil, "GET", "/me", nil).want(200)
		f.store.FailUpdates(1, storagetest.BeforeDisk)
		time.Sleep(flushing)
		if f.store.RemainingFailures() != 0 {
			f.t.Fatal("nothing was written")
		}
		if at := f.keyOf(f.mine.key).LastUsedAt; at.Equal(used) {
			f.t.Fatal("the request succeeded")
		}
		time.Sleep(flushing)
		if at := f.keyOf(f.mine.key).LastUsedAt; !at.Equal(used) {
			f.t.Errorf("it was used at %s, %s is written", used, at)
		}
	})
}

// TestLastUseKeepsOtherChanges guards that writing the time of a use does not undo
// other changes of the key since.
func TestLastUseKeepsOtherChanges(t *testing.T) {
	t.Parallel()
	bubble(t, func(f *fixture, _ *countedUpdates, _ func()) {
		made := f.newAPIKey(nil, body{"name": "x"})
		f.do(as(made.Secret), "GET", "/me", nil).want(200)
		f.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
		time.Sleep(flushing)
		if k := f.keyOf(made.Secret); k.RevokedAt.IsZero() || k.LastUsedAt.IsZero() {
			f.t.Errorf("revoked at %s, used at %s", k.RevokedAt, k.LastUsedAt)
		}
	})
}

func TestRefusedRequestsAreNoUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	secret := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = time.Now().Add(-time.Hour) })
	f.do(as(secret), "GET", "/me", nil).refused(schedctl.APIKeyExpired)
	if at := f.lastUsed(secret); !at.IsZero() {
		t.Errorf("an expired key was used at %s", at)
	}
}
