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

// ApplyExpiry updates when the credentials of an account end. replaced says whether a
// person has given new credentials.
func ApplyExpiry(a *schedctl.Account, now publish.Expiry, replaced bool) {
	was := a.Expiry
	if replaced {
		was = schedctl.Expiry{}
	} else if now == (publish.Expiry{}) {
		return // the publisher has learned nothing new
	}
	a.Expiry = schedctl.Expiry{At: millis(now.At), Assumed: now.Assumed, RenewAt: millis(now.RenewAt), RenewingSince: was.RenewingSince}
	if a.Expiry.At.Equal(was.At) {
		a.Expiry.Announced = was.Announced
	}
}

// millis is [schedctl.Millis], and keeps the zero time.
func millis(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return schedctl.Millis(t)
}

// renewIfDue replaces credentials that end soon, and returns the account with those that
// are stored now. A failure changes nothing: the check that follows finds out whether the
// credentials still work.
func (c *Connector) renewIfDue(ctx context.Context, a schedctl.Account) schedctl.Account {
	p, ok := c.cfg.Publishers[a.Platform].(publish.Renewer)
	if !ok || !renewalIsDue(a, time.Now()) {
		return a
	}
	x, err := c.beginExchange(ctx, a.ID)
	if err != nil {
		return a
	}
	defer c.endExchange(a.ID, x)
	ctx = context.WithoutCancel(ctx) // new credentials must not be lost
	failure := c.exclusively(ctx, a.ID, func() *publish.Error { return c.renew(ctx, p, a) })
	if failure != nil {
		c.log.Warn("renewing credentials failed, will retry", "account", a.ID, "platform", a.Platform, "kind", failure.Kind, "code", failure.Code, "error", failure)
	}
	if stored, err := c.account(ctx, a.WorkspaceID, a.ID); err == nil {
		a.Credentials, a.Expiry = stored.Credentials, stored.Expiry
	}
	return a
}

func renewalIsDue(a schedctl.Account, now time.Time) bool {
	at := a.Expiry.RenewAt
	return a.Status != schedctl.AccountDisconnected && !at.IsZero() && !now.Before(at)
}

// renew replaces the stored credentials. No other renewal of the account is running on any
// node.
func (c *Connector) renew(ctx context.Context, p publish.Renewer, of schedctl.Account) *publish.Error {
	a, err := c.account(ctx, of.WorkspaceID, of.ID)
	if err != nil || !renewalIsDue(a, time.Now()) {
		return nil // another node has renewed them
	}
	stored, err := c.Open(a)
	if err != nil {
		return unreadableCredentials(err)
	}
	if fresh := c.latest(a.ID, stored); !maps.Equal(fresh, stored) {
		return c.storeRenewed(ctx, a, stored, fresh, nil)
	}
	if failure := c.startSingleUse(ctx, a, stored); failure != nil {
		return failure
	}
	var (
		fresh  publish.Credentials
		expiry publish.Expiry
	)
	failure := c.request(ctx, a, stored, func(ctx context.Context) (err error) {
		fresh, expiry, err = p.Renew(ctx, withoutIdentity(stored))
		return err
	})
	if failure != nil {
		return failure
	}
	fresh = withIdentity(mergeCredentials(stored, fresh), stored[identityField])
	c.rememberReplacement(a.ID, stored, fresh)
	return c.storeRenewed(ctx, a, stored, fresh, &expiry)
}

// request makes one request for new credentials. If the outcome of a failure is certain, a
// token for a single use may be sent again.
func (c *Connector) request(ctx context.Context, a schedctl.Account, used publish.Credentials, send func(context.Context) error) *publish.Error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.recoverPanic(a.Platform, func() error { return send(ctx) })
	if err == nil {
		return nil
	}
	failure := cleanError(publish.AsError(err), c.cfg.Publishers[a.Platform], used)
	if failure.Outcome == schedctl.OutcomeNotPublished && c.singleUse(a, used) {
		c.endSingleUse(context.WithoutCancel(ctx), a)
	}
	failure.Outcome = schedctl.OutcomeNotPublished
	return failure
}

// storeRenewed stores new credentials, before anyone uses them.
func (c *Connector) storeRenewed(ctx context.Context, a schedctl.Account, old, fresh publish.Credentials, expiry *publish.Expiry) *publish.Error {
	err := c.replaceCredentials(ctx, a, old, fresh, expiry)
	if err != nil {
		return refreshError(schedctl.KindPlatform, "the new credentials could not be stored; schedctl tries again", err)
	}
	return nil
}

// singleUse reports whether new credentials need a token that the network accepts once.
func (c *Connector) singleUse(a schedctl.Account, used publish.Credentials) bool {
	p, ok := c.cfg.Publishers[a.Platform].(publish.SingleUse)
	return ok && p.SingleUse(withoutIdentity(used))
}

// rotates reports whether a renewal replaces the token for renewals.
func (c *Connector) rotates(a schedctl.Account, used publish.Credentials) bool {
	p, ok := c.cfg.Publishers[a.Platform].(publish.Rotating)
	return ok && p.Rotates(withoutIdentity(used))
}

// startSingleUse stores that a token is sent which the network accepts only once. It
// returns an error of kind auth if it may have been sent before.
func (c *Connector) startSingleUse(ctx context.Context, a schedctl.Account, used publish.Credentials) *publish.Error {
	if !c.singleUse(a, used) {
		return nil
	}
	var sent bool
	err := c.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		now, err := tx.Account(a.WorkspaceID, a.ID)
		if err != nil {
			return err
		}
		if sent = !now.Expiry.RenewingSince.IsZero(); sent {
			return nil
		}
		now.Expiry.RenewingSince = schedctl.Millis(time.Now())
		return tx.PutAccount(now)
	})
	switch {
	case err != nil:
		return refreshError(schedctl.KindPlatform, "schedctl cannot write its database; it tries again", err)
	case sent:
		e := publish.Hold(publish.HoldExpired, a.Platform, 0, "an earlier renewal was interrupted, and the network accepts its token only once")
		return e
	}
	return nil
}

// endSingleUse stores that the token which was to be sent was not accepted.
func (c *Connector) endSingleUse(ctx context.Context, a schedctl.Account) {
	err := c.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		now, err := tx.Account(a.WorkspaceID, a.ID)
		if err != nil || now.Expiry.RenewingSince.IsZero() {
			return err
		}
		now.Expiry.RenewingSince = time.Time{}
		return tx.PutAccount(now)
	})
	if err != nil {
		c.log.Error("storing the end of a renewal failed", "account", a.ID, "error", err)
	}
}

// dueThreshold returns the threshold in days that the end of an account's credentials has
// reached and that no event has announced yet, or 0. Credentials that the daemon is to
// renew later are not announced.
func dueThreshold(a schedctl.Account, now time.Time) int {
	e := a.Expiry
	if e.At.IsZero() || a.Status != schedctl.AccountConnected || now.Before(e.RenewAt.Add(checkInterval)) && !e.RenewAt.IsZero() {
		return 0
	}
	reached := 0
	for _, days := range schedctl.ExpiryThresholds() { // the largest first
		if e.At.Sub(now) <= time.Duration(days)*24*time.Hour {
			reached = days
		}
	}
	if e.Announced != 0 && reached >= e.Announced {
		return 0
	}
	return reached
}

// announce stores an event about the end of an account's credentials, once per threshold.
func (c *Connector) announce(ctx context.Context, of schedctl.Account) error {
	return c.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		a, err := tx.Account(of.WorkspaceID, of.ID)
		if err != nil {
			return err
		}
		now := time.Now()
		days := dueThreshold(a, now)
		if days == 0 {
			return nil
		}
		a.Expiry.Announced = days
		if err := tx.PutAccount(a); err != nil {
			return err
		}
		return tx.AddEvents(schedctl.AccountExpiringEvent(a, now))
	})
}

// announceAll announces the end of credentials.
func (c *Connector) announceAll(ctx context.Context, accounts []schedctl.Account) {
	for _, a := range accounts {
		if err := c.announce(ctx, a); err != nil {
			c.log.Error(fmt.Sprintf("announcing the end of credentials failed, will retry in %s", pollInterval), "account", a.ID, "error", err)
		}
	}
}
