package connect

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// checkInterval is how often the network of a connected account is asked.
	checkInterval = 24 * time.Hour

	// refusedCheckInterval is how often that of a refused one is.
	refusedCheckInterval = time.Hour

	// pollInterval is how often it is looked for accounts whose turn it is.
	pollInterval = 5 * time.Minute

	// maxParallelChecks is how many networks are asked at a time.
	maxParallelChecks = 4
)

// Run asks networks about their accounts from time to time, until ctx ends:
// once a day about connected accounts, so that a revoked token is known before
// a post meets it, and once an hour about refused ones, so that they go on by
// themselves. Verdicts are stored; a network that is out of reach changes
// nothing. It waits for what it has begun and returns nil.
//
// An account has its turn at a time of the day, or of the hour, that follows
// from its id. So the turns are spread, and a start brings none forward. A
// refused account that was connected again here, and was refused again since,
// has one turn a day: its network takes the credentials but not the posts.
func (c *Connector) Run(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	healed := map[string]time.Time{}
	// Without Round, times would be compared by the monotonic clock, which knows
	// nothing of suspend.
	for last := time.Now().Round(0); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := time.Now().Round(0)
		accounts, err := c.dueAccounts(ctx, last, now, healed)
		if err != nil {
			c.log.Error("accounts to be checked cannot be read", "error", err)
			continue // last stays, so that their turn is not missed
		}
		last = now
		for _, id := range c.checkAll(ctx, accounts) {
			healed[id] = now
		}
	}
}

// dueAccounts returns the accounts whose turn is after last and not after now.
func (c *Connector) dueAccounts(ctx context.Context, last, now time.Time, healed map[string]time.Time) ([]schedctl.Account, error) {
	var due []schedctl.Account
	err := c.cfg.Store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if err != nil {
			return err
		}
		for _, w := range workspaces {
			accounts, err := r.Accounts(w.ID)
			if err != nil {
				return err
			}
			for _, a := range accounts {
				if c.cfg.Member != nil && !c.cfg.Member.Mine(a.ID) {
					continue // another daemon asks
				}
				if every := intervalOf(a, now, healed); every > 0 && isDue(a.ID, every, last, now) {
					due = append(due, a)
				}
			}
		}
		return nil
	})
	return due, err
}

// intervalOf returns how long it is from one turn of an account to the next, 0 for
// one that has none.
func intervalOf(a schedctl.Account, now time.Time, healed map[string]time.Time) time.Duration {
	switch a.Status {
	case schedctl.AccountConnected:
		return checkInterval
	case schedctl.AccountError:
		if at, ok := healed[a.ID]; ok && now.Sub(at) < checkInterval {
			return checkInterval
		}
		return refusedCheckInterval
	}
	return 0
}

// isDue reports whether the account's place in the interval lies between two
// instants.
func isDue(accountID string, every time.Duration, after, until time.Time) bool {
	h := fnv.New64a()
	h.Write([]byte(accountID))
	place := time.Duration(h.Sum64() % uint64(every))
	nth := func(t time.Time) int64 { return (t.UnixNano() - int64(place)) / int64(every) }
	return nth(until) > nth(after)
}

// checkAll verifies accounts, a few at a time, and returns the ids of those that
// were refused before and are connected now.
func (c *Connector) checkAll(ctx context.Context, accounts []schedctl.Account) (healed []string) {
	var (
		mu   sync.Mutex // mu guards healed
		busy sync.WaitGroup
		free = make(chan struct{}, maxParallelChecks)
	)
	for _, a := range accounts {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		busy.Go(func() {
			defer func() { <-free }()
			if c.check(ctx, a) {
				mu.Lock()
				defer mu.Unlock()
				healed = append(healed, a.ID)
			}
		})
	}
	busy.Wait()
	return healed
}

// check verifies an account and reports whether that has connected it again.
func (c *Connector) check(ctx context.Context, a schedctl.Account) (healed bool) {
	now, err := c.Verify(ctx, a.WorkspaceID, a.ID)
	switch {
	case err != nil:
		c.log.Debug("account could not be checked", "account", a.ID, "platform", a.Platform, "error", err)
	case now.Status == a.Status:
	case now.Status == schedctl.AccountError:
		c.log.Warn("account was refused by its network, its queue is held", "account", a.ID, "platform", a.Platform, "code", now.Error.Code)
	case now.Status == schedctl.AccountConnected:
		c.log.Info("account is accepted by its network again", "account", a.ID, "platform", a.Platform)
		return true
	}
	return false
}
