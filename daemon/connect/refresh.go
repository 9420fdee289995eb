package connect

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Refresh returns credentials of an account with a newer session than the one in used,
// which has expired. If the stored credentials are already newer, it returns them.
// Otherwise it requests a new session, once for all concurrent callers, and stores it
// before it returns. If storing fails, the session is kept in memory and returned.
//
// Errors have the outcome not_published. An error of kind auth means that the network
// refuses the account until it is reconnected; the caller has to record that. The
// request continues after ctx ends, so that a new session is not lost.
func (c *Connector) Refresh(ctx context.Context, workspaceID, accountID string, used publish.Credentials) (publish.Credentials, *publish.Error) {
	for ctx.Err() == nil {
		x, mine := c.joinExchange(accountID)
		if mine {
			defer c.endExchange(accountID, x)
			x.credentials, x.failure = c.refreshExclusively(context.WithoutCancel(ctx), schedctl.Account{ID: accountID, WorkspaceID: workspaceID}, used)
			return x.credentials, x.failure
		}
		if x.wait(ctx) != nil {
			break
		}
		if x.failure != nil {
			return nil, x.failure
		}
		// The result may be the session that has expired.
		if x.credentials != nil && !maps.Equal(x.credentials, used) {
			return maps.Clone(x.credentials), nil
		}
	}
	return nil, refreshError(schedctl.KindNetwork, "the session was not renewed in time; schedctl tries again", ctx.Err())
}

// How often, and for how long, a node tries to hold the right to renew a session.
const (
	holdRetryPause = 100 * time.Millisecond
	holdTimeout    = requestTimeout + 5*time.Second
)

// refreshExclusively calls refresh while no other node renews a session of the account,
// because networks accept a refresh token only once. A session that another node
// received in between is in the store.
func (c *Connector) refreshExclusively(ctx context.Context, of schedctl.Account, used publish.Credentials) (fresh publish.Credentials, failure *publish.Error) {
	failure = c.exclusively(ctx, of.ID, func() (failure *publish.Error) {
		fresh, failure = c.refresh(ctx, of, used)
		return failure
	})
	return fresh, failure
}

// exclusively calls fn while no other node exchanges credentials of the account.
func (c *Connector) exclusively(ctx context.Context, accountID string, fn func() *publish.Error) *publish.Error {
	if c.cfg.Member == nil {
		return fn()
	}
	turn := "session:" + accountID
	for deadline := time.Now().Add(holdTimeout); ; time.Sleep(holdRetryPause) {
		held, err := c.cfg.Member.Hold(ctx, turn)
		if held {
			break
		}
		if err != nil || time.Now().After(deadline) {
			return refreshError(schedctl.KindNetwork, "the session was not renewed in time; schedctl tries again", err)
		}
	}
	defer func() {
		if err := c.cfg.Member.Release(ctx, turn); err != nil {
			c.log.Warn("releasing a session failed, other nodes wait for the lease", "account", accountID, "error", err)
		}
	}()
	return fn()
}

func (c *Connector) refresh(ctx context.Context, of schedctl.Account, used publish.Credentials) (publish.Credentials, *publish.Error) {
	a, err := c.account(ctx, of.WorkspaceID, of.ID)
	switch {
	case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
		return nil, refreshError(schedctl.KindPlatform, "schedctl cannot read its database; it tries again", err)
	case err != nil, a.Status == schedctl.AccountDisconnected:
		return nil, refreshError(schedctl.KindAuth, "the account was disconnected; connect it again", err)
	}
	stored, err := c.Open(a)
	if err != nil {
		return nil, unreadableCredentials(err)
	}
	fresh := c.latest(a.ID, stored)
	if maps.Equal(fresh, used) {
		failure := c.startSingleUse(ctx, a, used)
		if failure != nil {
			return nil, failure
		}
		if fresh, failure = c.requestSession(ctx, a, used); failure != nil {
			return nil, failure
		}
		c.rememberReplacement(a.ID, used, fresh)
	}
	if maps.Equal(fresh, stored) {
		return fresh, nil
	}
	if c.singleUse(a, stored) || c.rotates(a, stored) { // nobody may use what could be lost
		if failure := c.storeRenewed(ctx, a, stored, fresh, nil); failure != nil {
			return nil, failure
		}
		return fresh, nil
	}
	c.storeSession(ctx, a, stored, fresh)
	return fresh, nil
}

// requestSession requests a new session from the network.
func (c *Connector) requestSession(ctx context.Context, a schedctl.Account, used publish.Credentials) (fresh publish.Credentials, failure *publish.Error) {
	p, failure := c.publisher(a.Platform)
	if failure != nil {
		return nil, failure
	}
	refresher, ok := p.(publish.Refresher)
	if !ok {
		return nil, refreshError(schedctl.KindAuth, "the network has ended the session; connect the account again", nil)
	}
	failure = c.request(ctx, a, used, func(ctx context.Context) (err error) {
		fresh, err = refresher.Refresh(ctx, maps.Clone(used))
		return err
	})
	if failure != nil {
		if failure.Kind != schedctl.KindAuth && !failure.Kind.Retryable() {
			failure.Kind = schedctl.KindPlatform // the error is not about the post
		}
		return nil, failure
	}
	if name := missingField(used, fresh); name != "" {
		err := fmt.Errorf("the refreshed credentials have no %s", name)
		c.log.Error("incomplete session ignored", "account", a.ID, "error", err)
		return nil, refreshError(schedctl.KindPlatform, "the new session of the network is incomplete; schedctl keeps the old one and tries again", err)
	}
	return fresh, nil
}

// storeSession replaces the credentials of the account, if they are still the old ones.
// If the store fails, the new ones stay in memory.
func (c *Connector) storeSession(ctx context.Context, of schedctl.Account, old, fresh publish.Credentials) {
	if err := c.replaceCredentials(ctx, of, old, fresh, nil); err != nil {
		c.log.Error("storing a session failed, it is kept in memory", "account", of.ID, "error", err)
	}
}

// Learn adds credentials that a publisher has found out to those of an account, and reports
// whether that has changed it. It changes nothing if the account has others than those in used
// by now. The caller stores the account.
func (c *Connector) Learn(a *schedctl.Account, used, learned publish.Credentials) (changed bool, err error) {
	stored, err := c.Open(*a)
	if err != nil || a.Status == schedctl.AccountDisconnected || !maps.Equal(stored, used) {
		return false, err
	}
	all := maps.Clone(used)
	maps.Copy(all, learned)
	sealed, err := c.Seal(all, a.ID)
	if err == nil {
		a.Credentials = sealed
	}
	return err == nil, err
}

// replaceCredentials stores the new credentials, unless the stored ones are no longer the
// old ones. expiry is when they end, or nil if that has not changed.
func (c *Connector) replaceCredentials(ctx context.Context, of schedctl.Account, old, fresh publish.Credentials, expiry *publish.Expiry) error {
	sealed, err := c.Seal(fresh, of.ID)
	if err != nil {
		return err
	}
	now := schedctl.Millis(time.Now())
	return c.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		a, err := tx.Account(of.WorkspaceID, of.ID)
		if err != nil {
			return err
		}
		stored, err := c.Open(a)
		if err != nil || a.Status == schedctl.AccountDisconnected || !maps.Equal(stored, old) {
			return nil
		}
		a.Credentials, a.UpdatedAt, a.Expiry.RenewingSince = sealed, now, time.Time{}
		if expiry != nil {
			ApplyExpiry(&a, *expiry, false)
		}
		return tx.PutAccount(a)
	})
}

// refreshError returns the error of a failed refresh.
func refreshError(kind schedctl.ErrorKind, message string, cause error) *publish.Error {
	return &publish.Error{Kind: kind, Code: publish.CodeSessionExpired, Outcome: schedctl.OutcomeNotPublished, Message: message, Err: cause}
}
