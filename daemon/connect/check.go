package connect

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

const (
	// checkInterval is how often connected accounts are checked.
	checkInterval = 24 * time.Hour

	// refusedCheckInterval is how often refused accounts are checked.
	refusedCheckInterval = time.Hour

	// pollInterval is how often Run looks for accounts that are due.
	pollInterval = 5 * time.Minute

	// maxParallelChecks is how many accounts are checked at a time.
	maxParallelChecks = 4
)

// Run checks accounts until ctx ends: connected ones once a day, so that a revoked token
// is found before a post needs it, and refused ones once an hour, so that they recover
// automatically. It stores the results. An unreachable network changes no account. A check
// also renews credentials that end soon. An event announces the end of those that it could
// not renew, 14, 3 and 1 days before. Run
// waits for checks in progress and returns nil.
//
// The time of the day, or of the hour, at which an account is checked depends on its id.
// So the checks are spread evenly, and a restart does not repeat them. An account that
// Run reconnected and that was refused again since is checked once a day: its network
// accepts the credentials but not the posts. So is one whose network charges for the check.
// An account that its network refuses until a date is not checked before, and then at once.
func (c *Connector) Run(ctx context.Context) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	healed := map[string]time.Time{}
	// Round removes the monotonic reading, which does not count the time in suspend.
	var held time.Time // dates of holds are looked for since then: first also those in the past
	for last := time.Now().Round(0); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := time.Now().Round(0)
		accounts, ending, err := c.dueAccounts(ctx, last, now, held, healed)
		if err != nil {
			c.log.Error("reading the accounts to check failed", "error", err)
			continue // keep last, so that no check is skipped
		}
		last, held = now, now
		for _, id := range c.checkAll(ctx, accounts) {
			healed[id] = now
		}
		c.announceAll(ctx, ending)
	}
}

// dueAccounts returns the accounts whose check was due after last and until now, and those
// whose credentials end soon, which no event has announced yet. Those that were held until
// a date after held are due as well.
func (c *Connector) dueAccounts(ctx context.Context, last, now, held time.Time, healed map[string]time.Time) (due, ending []schedctl.Account, err error) {
	err = c.cfg.Store.View(ctx, func(r storage.Reader) error {
		for a, err := range storage.EachAccount(r) {
			if err != nil {
				return err
			}
			if c.cfg.Member != nil && !c.cfg.Member.Mine(a.ID) {
				continue // another node checks it
			}
			if every := c.intervalOf(*a, now, healed); every > 0 && (isDue(a.ID, every, last, now) || holdEnded(*a, held, now)) {
				due = append(due, *a)
			}
			if dueThreshold(*a, now) > 0 {
				ending = append(ending, *a)
			}
		}
		return nil
	})
	return due, ending, err
}

// intervalOf returns the time between two checks of an account, 0 for never.
func (c *Connector) intervalOf(a schedctl.Account, now time.Time, healed map[string]time.Time) time.Duration {
	switch a.Status {
	case schedctl.AccountConnected:
		return checkInterval
	case schedctl.AccountError:
		if a.PausedUntil.After(now) {
			return 0 // the network has said when it takes posts again; reading works before
		}
		if p, ok := c.cfg.Publishers[a.Platform].(publish.PaidCheck); ok && p.PaidCheck() {
			return checkInterval
		}
		if at, ok := healed[a.ID]; ok && now.Sub(at) < checkInterval {
			return checkInterval
		}
		return refusedCheckInterval
	}
	return 0
}

// holdEnded reports whether the date until which a network refuses an account was after one
// time and until another, and no check has changed the account since.
func holdEnded(a schedctl.Account, after, until time.Time) bool {
	return a.Status == schedctl.AccountError && a.PausedUntil.After(after) && !a.PausedUntil.After(until) && !a.UpdatedAt.After(a.PausedUntil)
}

// isDue reports whether the check of an account is due after one time and until another.
func isDue(accountID string, every time.Duration, after, until time.Time) bool {
	h := fnv.New64a()
	h.Write([]byte(accountID))
	place := time.Duration(h.Sum64() % uint64(every))
	nth := func(t time.Time) int64 { return (t.UnixNano() - int64(place)) / int64(every) }
	return nth(until) > nth(after)
}

// checkAll verifies accounts, a few at a time. It returns the ids of refused accounts
// that are connected again.
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

// check verifies an account and reports whether a refused account is connected again.
func (c *Connector) check(ctx context.Context, a schedctl.Account) (healed bool) {
	now, err := c.Verify(ctx, a.WorkspaceID, a.ID)
	switch {
	case err != nil:
		c.log.Debug("account check failed", "account", a.ID, "platform", a.Platform, "error", err)
	case now.Status == a.Status:
	case now.Status == schedctl.AccountError:
		c.log.Warn("account refused by its network, its queue is held", "account", a.ID, "platform", a.Platform, "code", now.Error.Code)
	case now.Status == schedctl.AccountConnected:
		c.log.Info("account accepted by its network again", "account", a.ID, "platform", a.Platform)
		return true
	}
	return false
}
