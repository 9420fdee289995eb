package api

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Creating a post reads its accounts. They are cached until an account changes,
// but not longer than cachedAccountTTL: another daemon may have changed them.
const (
	cachedAccountTTL  = time.Second
	maxCachedAccounts = 1024
)

type accountKey struct{ workspaceID, id string }

// recentAccount returns an account of the caller's workspace as it was at some
// time during the request, or NOT_FOUND. Callers share the account and must not
// modify it.
func (s *Server) recentAccount(ctx context.Context, c *request, id string) (schedctl.Account, error) {
	k := accountKey{c.Key.WorkspaceID, id}
	a, generation, found := s.accounts.get(k, c.Now)
	if found {
		return a, nil
	}
	a, err := s.currentAccount(ctx, c, id)
	if err == nil {
		s.accounts.put(k, a, 1, generation, c.Now)
	}
	return a, err
}

// currentAccount is recentAccount without the cache.
func (s *Server) currentAccount(ctx context.Context, c *request, id string) (schedctl.Account, error) {
	return storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.Account, error) { return r.Account(c.Key.WorkspaceID, id) })
}
