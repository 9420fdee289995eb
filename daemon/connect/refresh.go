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

// Refresh returns credentials of an account with another session than the one
// in used, which its network has called expired. Those that are stored are
// returned when they are others already; else the network is asked, once for all
// who ask at the same time, and its answer is stored before it is returned. A
// session that cannot be stored is good all the same, and is kept in memory.
//
// Errors have the outcome not_published. One of kind auth means that the account
// is refused for good; noting that is up to the caller. The network is not left
// alone when ctx ends, for a session that it has given out must not be lost.
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
		// What has come of it may be the very session that has expired.
		if x.credentials != nil && !maps.Equal(x.credentials, used) {
			return maps.Clone(x.credentials), nil
		}
	}
	return nil, refreshError(schedctl.KindNetwork, "the session was not renewed in time; it is tried again", ctx.Err())
}

// How often it is looked whether another daemon has ended its question for a
// session, and for how long.
const (
	holdRetryPause = 100 * time.Millisecond
	holdTimeout    = requestTimeout + 5*time.Second
)

// refreshExclusively is refresh while no other daemon asks for a session of the account:
// networks take what a session is renewed by only once. What another one has got
// meanwhile is in the store.
func (c *Connector) refreshExclusively(ctx context.Context, of schedctl.Account, used publish.Credentials) (publish.Credentials, *publish.Error) {
	if c.cfg.Member == nil {
		return c.refresh(ctx, of, used)
	}
	turn := "session:" + of.ID
	for deadline := time.Now().Add(holdTimeout); ; time.Sleep(holdRetryPause) {
		held, err := c.cfg.Member.Hold(ctx, turn)
		if held {
			break
		}
		if err != nil || time.Now().After(deadline) {
			return nil, refreshError(schedctl.KindNetwork, "the session was not renewed in time; it is tried again", err)
		}
	}
	defer func() {
		if err := c.cfg.Member.Release(ctx, turn); err != nil {
			c.log.Warn("other daemons wait to renew a session", "account", of.ID, "error", err)
		}
	}()
	return c.refresh(ctx, of, used)
}

func (c *Connector) refresh(ctx context.Context, of schedctl.Account, used publish.Credentials) (publish.Credentials, *publish.Error) {
	a, err := c.account(ctx, of.WorkspaceID, of.ID)
	switch {
	case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
		return nil, refreshError(schedctl.KindPlatform, "schedctl cannot read its database; it is tried again", err)
	case err != nil, a.Status == schedctl.AccountDisconnected:
		return nil, refreshError(schedctl.KindAuth, "the account was disconnected; connect it again", err)
	}
	stored, err := c.Open(a)
	if err != nil {
		return nil, unreadableCredentials(err)
	}
	fresh := c.latest(a.ID, stored)
	if maps.Equal(fresh, used) {
		var failure *publish.Error
		if fresh, failure = c.requestSession(ctx, a, used); failure != nil {
			return nil, failure
		}
		c.rememberReplacement(a.ID, used, fresh)
	}
	if !maps.Equal(fresh, stored) {
		c.storeSession(ctx, a, stored, fresh)
	}
	return fresh, nil
}

// requestSession asks the network for a new session.
func (c *Connector) requestSession(ctx context.Context, a schedctl.Account, used publish.Credentials) (fresh publish.Credentials, failure *publish.Error) {
	p, failure := c.publisher(a.Platform)
	if failure != nil {
		return nil, failure
	}
	refresher, ok := p.(publish.Refresher)
	if !ok {
		return nil, refreshError(schedctl.KindAuth, "the network has ended the session; connect the account again", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.recoverPanic(a.Platform, func() (err error) {
		fresh, err = refresher.Refresh(ctx, maps.Clone(used))
		return err
	})
	if err != nil {
		failure = cleanError(publish.AsError(err), p, used)
		failure.Outcome = schedctl.OutcomeNotPublished
		if failure.Kind != schedctl.KindAuth && !failure.Kind.Retryable() {
			failure.Kind = schedctl.KindPlatform // it says nothing of the post
		}
		return nil, failure
	}
	if name := missingField(used, fresh); name != "" {
		err := fmt.Errorf("the refreshed credentials have no %s", name)
		c.log.Error("refreshed session is not used", "account", a.ID, "error", err)
		return nil, refreshError(schedctl.KindPlatform, "the network's new session is incomplete; the old one is kept, and it is tried again", err)
	}
	return fresh, nil
}

// storeSession stores the successor of the account's credentials, if the account has
// them still. One that the store does not take is in memory.
func (c *Connector) storeSession(ctx context.Context, of schedctl.Account, old, fresh publish.Credentials) {
	if err := c.replaceCredentials(ctx, of, old, fresh); err != nil {
		c.log.Error("refreshed session is not stored, it is kept in memory", "account", of.ID, "error", err)
	}
}

// replaceCredentials puts the new credentials in the place of the old ones. An account that
// has others by now, or none, is left alone.
func (c *Connector) replaceCredentials(ctx context.Context, of schedctl.Account, old, fresh publish.Credentials) error {
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
		a.Credentials, a.UpdatedAt = sealed, now
		return tx.PutAccount(a)
	})
}

// refreshError is why there is no new session.
func refreshError(kind schedctl.ErrorKind, message string, cause error) *publish.Error {
	return &publish.Error{Kind: kind, Code: publish.CodeSessionExpired, Outcome: schedctl.OutcomeNotPublished, Message: message, Err: cause}
}
