package api_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// readCounting counts snapshots.
type readCounting struct {
	storage.Store
	views atomic.Int64
}

func (s *readCounting) View(ctx context.Context, fn func(storage.Reader) error) error {
	s.views.Add(1)
	return s.Store.View(ctx, fn)
}

// Creating posts must not read the account each time.
func TestNewPostsDoNotReadTheirAccountAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // the key and the account are cached for a second
		store := &readCounting{Store: storagetest.NewMemory()}
		f := newFixtureOn(t, store)
		create := func() {
			f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}}).want(http.StatusCreated)
		}
		create()
		before := store.views.Load()
		for range 20 {
			create()
		}
		if read := store.views.Load() - before; read > 0 {
			t.Errorf("20 posts read %d snapshots", read)
		}
	})
}

// The next post sees a change of an account, also while many posts are created.
func TestChangedAccountsAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					f.do(nil, "POST", "/posts", body{"content": fmt.Sprintf("%d %d", i, n), "social_account_ids": []string{f.mine.account}})
				}
			})
		}
		defer wg.Wait()
		defer close(stop)
		for range 30 {
			for status, want := range map[schedctl.AccountStatus]int{
				schedctl.AccountConnected: http.StatusCreated, schedctl.AccountError: http.StatusBadRequest,
			} {
				f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = status })
				f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}}).want(want)
			}
		}
	})
}
