package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A repeated read is served from the cache until the next commit, and read again
// after it.
func TestReadsAreRepeatedFromMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the key is read once a second
		store := &readCounting{Store: storagetest.NewMemory()}
		f := newFixtureOn(t, store)
		p := f.scheduled()
		for _, path := range []string{"/posts", "/posts?status=scheduled&limit=1", "/posts/" + p.ID} {
			first := f.do(nil, "GET", path, nil).want(http.StatusOK)
			before := store.views.Load()
			for range 20 {
				again := f.do(nil, "GET", path, nil).want(http.StatusOK)
				if string(again.body) != string(first.body) || again.header.Get("ETag") != first.header.Get("ETag") {
					t.Fatalf("%s is now %s, was %s", path, again.body, first.body)
				}
			}
			if read := store.views.Load() - before; read > 0 {
				t.Errorf("%s read %d snapshots", path, read)
			}
			f.changeStored(p.ID, func(p *schedctl.Post) { p.Text += " more" })
			if changed := f.do(nil, "GET", path, nil).want(http.StatusOK); !strings.Contains(string(changed.body), " more") {
				t.Errorf("%s does not show a change: %s", path, changed.body)
			}
		}
	})
}

// A response to one key is not served to others.
func TestReadsFromMemoryAreOfTheSameKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mine := f.scheduled()
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.newAccount(f.mine, "another")} }))
	scopeless := as(f.scoped(schedctl.ScopeAccountsRead))
	for range 2 {
		f.do(nil, "GET", "/posts/"+mine.ID, nil).want(http.StatusOK)
		f.do(as(f.other.key), "GET", "/posts/"+mine.ID, nil).refused(schedctl.NotFound)
		f.do(limited, "GET", "/posts/"+mine.ID, nil).refused(schedctl.NotFound)
		f.do(scopeless, "GET", "/posts/"+mine.ID, nil).refused(schedctl.InsufficientScope)
		for _, o := range []option{as(f.other.key), limited} {
			list := decodeAs[apiv1.PostList](t, f.do(o, "GET", "/posts", nil).want(http.StatusOK))
			if list.Count != 0 {
				t.Errorf("another key sees %d posts", list.Count)
			}
		}
		if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(http.StatusOK)); list.Count != 1 {
			t.Errorf("I see %d posts", list.Count)
		}
	}
}

// A list that grew while it was read is not cached as the new one.
func TestReadsFromMemoryNeverLagBehindAnAnswer(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		done := make(chan struct{})
		for range 2 {
			go func() {
				defer func() { done <- struct{}{} }()
				for range 60 {
					f.do(nil, "GET", "/posts?limit=1", nil)
				}
			}()
		}
		for i := range 30 {
			content := fmt.Sprint("number ", i)
			f.create(body{"content": content})
			list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?limit=1", nil).want(http.StatusOK))
			if got := list.Results[0].Content; got != content {
				t.Fatalf("after %q was created, the list starts with %q", content, got)
			}
		}
		<-done
		<-done
	})
}
