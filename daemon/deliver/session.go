package deliver

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// callPublisher calls a publisher for an attempt, or for an upload before it. If the network reports that the
// session has expired, it repeats the call with a new session. Both calls are part of
// one attempt, because the first one published nothing. Each may take timeout.
func (d *Deliverer) callPublisher(ctx context.Context, c *publisherCall, timeout time.Duration, fn func(context.Context, publish.Request) error) *publish.Error {
	r, failure := d.request(c)
	if failure != nil {
		return failure
	}
	failure = d.callPublisherOnce(ctx, c, timeout, r, fn)
	if failure == nil || !d.needsNewSession(c, failure) {
		return failure
	}
	fresh, failure := d.refresh(ctx, c, r)
	if failure != nil {
		return failure
	}
	r.Credentials = fresh
	return d.callPublisherOnce(ctx, c, timeout, r, fn)
}

func (d *Deliverer) callPublisherOnce(ctx context.Context, c *publisherCall, timeout time.Duration, r publish.Request, fn func(context.Context, publish.Request) error) *publish.Error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if c.byAgent {
		ctx = publish.FetchPublic(ctx)
	}
	if err := d.catchPanic(c, func() error { return fn(ctx, r) }); err != nil {
		return redact(publish.AsError(err), c.publisher, r)
	}
	return nil
}

// needsNewSession reports whether a call failed because its session has expired, and
// the session can be renewed.
func (d *Deliverer) needsNewSession(c *publisherCall, e *publish.Error) bool {
	_, ok := c.publisher.(publish.Refresher)
	return ok && d.cfg.Sessions != nil && e.Code == publish.CodeSessionExpired && e.Outcome == schedctl.OutcomeNotPublished
}

// refresh returns the account's credentials with a new session.
func (d *Deliverer) refresh(ctx context.Context, c *publisherCall, r publish.Request) (publish.Credentials, *publish.Error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	fresh, failure := d.cfg.Sessions.Refresh(ctx, c.attempt.WorkspaceID, c.attempt.AccountID, r.Credentials)
	if failure != nil {
		d.log.Warn("refreshing session failed", "account", c.attempt.AccountID, "attempt", c.attempt.ID, "kind", failure.Kind, "code", failure.Code)
		return nil, redact(failure, c.publisher, r)
	}
	d.log.Debug("session refreshed during an attempt", "account", c.attempt.AccountID, "attempt", c.attempt.ID)
	return fresh, nil
}
