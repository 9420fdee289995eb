package api

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// accountCache keeps the accounts that posts are made for, so that not every new
// post reads them anew. It forgets all of them with every commit that puts one or
// may have, and each after a while.
type accountCache struct {
	mu      sync.RWMutex // mu guards kept and changes
	kept    map[accountKey]keptAccount
	changes uint64 // how many commits have put accounts
}

type accountKey struct{ workspaceID, id string }

type keptAccount struct {
	account schedctl.Account
	until   time.Time
}

const (
	accountsKept    = time.Second
	maxAccountsKept = 1024
)

// get returns an account, unless it has to be read; who reads it gives changes to
// put. The account is shared and must not be written to.
func (c *accountCache) get(k accountKey, now time.Time) (a schedctl.Account, changes uint64, found bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	kept, found := c.kept[k]
	return kept.account, c.changes, found && now.Before(kept.until)
}

// put keeps an account that was just read, unless any has changed since the
// reading began: then it may be the one, as it was before.
func (c *accountCache) put(a schedctl.Account, changes uint64, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return
	}
	if c.kept == nil || len(c.kept) >= maxAccountsKept {
		c.kept = make(map[accountKey]keptAccount)
	}
	c.kept[accountKey{a.WorkspaceID, a.ID}] = keptAccount{a, now.Add(accountsKept)}
}

// committed forgets what a commit may have changed.
func (c *accountCache) committed(commit storage.Commit) {
	if len(commit.Accounts) == 0 && !commit.Missed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = nil
	c.changes++
}

// recentAccount returns an account of the caller's workspace as of a moment in the
// course of the request, or NOT_FOUND. It is shared and must not be written to.
func (s *Server) recentAccount(ctx context.Context, c *call, id string) (schedctl.Account, error) {
	a, changes, found := s.accounts.get(accountKey{c.key.WorkspaceID, id}, c.now)
	if found {
		return a, nil
	}
	err := s.view(ctx, func(r storage.Reader) (err error) {
		a, err = r.Account(c.key.WorkspaceID, id)
		return err
	})
	if err == nil {
		s.accounts.put(a, changes, c.now)
	}
	return a, err
}
