package connect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// CheckResult is the decision of a network about an account: accepted or refused.
type CheckResult struct {
	connector *Connector
	profile   publish.Profile
	refusal   *publish.Error        // of kind auth, or nil
	checked   []publish.Credentials // the result applies to an account with any of these
	fresh     publish.Credentials   // the credentials to store
}

// Refused reports whether the network refused the account.
func (v CheckResult) Refused() bool { return v.refusal != nil }

// Check asks the network about an account with its stored credentials. It renews and
// stores an expired session, and credentials that end soon. An error means that there is no result: the network is
// unreachable, or the credentials or options are malformed.
func (c *Connector) Check(ctx context.Context, a schedctl.Account) (CheckResult, *publish.Error) {
	a = c.renewIfDue(ctx, a)
	stored, err := c.Open(a)
	if err != nil {
		return CheckResult{}, unreadableCredentials(err)
	}
	v := CheckResult{connector: c, checked: []publish.Credentials{stored}}
	failure := c.connectStored(ctx, a, stored, &v)
	if failure != nil && c.refreshMayHelp(a.Platform, failure) {
		var fresh publish.Credentials
		if fresh, failure = c.Refresh(ctx, a.WorkspaceID, a.ID, v.checked[len(v.checked)-1]); failure == nil {
			failure = c.connectStored(ctx, a, fresh, &v)
		}
	}
	if failure != nil && failure.Kind != schedctl.KindAuth {
		return CheckResult{}, failure
	}
	v.refusal = failure
	return v, nil
}

// connectStored calls [Connector.Connect] with the latest credentials of an account, and
// stores the response in v. The network may return a new session.
func (c *Connector) connectStored(ctx context.Context, a schedctl.Account, held publish.Credentials, v *CheckResult) (failure *publish.Error) {
	x, err := c.beginExchange(ctx, a.ID)
	if err != nil {
		return refreshError(schedctl.KindNetwork, "the account was not verified in time", err)
	}
	defer c.endExchange(a.ID, x)
	if c.hasSessions(a.Platform) {
		ctx = context.WithoutCancel(ctx) // a new session must not be lost
	}
	used := c.latest(a.ID, held)
	v.checked = append(v.checked, used)
	v.profile, v.fresh, failure = c.Connect(ctx, a.Platform, publish.Connection{Name: a.Name, Credentials: used, Options: a.Options})
	if failure == nil && !maps.Equal(v.fresh, used) {
		v.checked = append(v.checked, v.fresh)
		c.rememberReplacement(a.ID, used, v.fresh)
	}
	return failure
}

// refreshMayHelp reports whether the error may go away with a new session.
func (c *Connector) refreshMayHelp(platform string, e *publish.Error) bool {
	return c.hasSessions(platform) && e.Code == publish.CodeSessionExpired
}

// hasSessions reports whether accounts of a platform use sessions.
func (c *Connector) hasSessions(platform string) bool {
	_, ok := c.cfg.Publishers[platform].(publish.Refresher)
	return ok
}

func unreadableCredentials(err error) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: "credentials_unreadable", Outcome: schedctl.OutcomeNotPublished, Err: err,
		Message: "the account's stored credentials cannot be decrypted; restore secret.key from your backup, or reconnect the account",
	}
}

// Apply updates an account with the result, and returns the event of a new refusal. It
// does not change an account that was disconnected or that now has other credentials.
// The caller sets UpdatedAt. Apply may be called again when a transaction is retried.
func (v CheckResult) Apply(a *schedctl.Account, now time.Time) []schedctl.Event {
	stored, err := v.connector.Open(*a)
	isStored := func(c publish.Credentials) bool { return maps.Equal(c, stored) }
	if err != nil || a.Status == schedctl.AccountDisconnected || !slices.ContainsFunc(v.checked, isStored) {
		return nil
	}
	if v.refusal != nil {
		return markRefused(a, v.refusal, now)
	}
	if !maps.Equal(v.fresh, stored) {
		if sealed, err := v.connector.Seal(v.fresh, a.ID); err == nil {
			a.Credentials = sealed
		}
	}
	a.Username, a.DisplayName, a.ProfileURL, a.Limits = v.profile.Username, v.profile.DisplayName, v.profile.URL, v.profile.Limits
	ApplyExpiry(a, v.profile.Expiry, false)
	a.Warnings = v.profile.Warnings
	a.Accepted()
	return nil
}

// markRefused sets the status of an account that its network refuses, and the date until
// which it does.
func markRefused(a *schedctl.Account, refusal *publish.Error, now time.Time) []schedctl.Event {
	known := a.Status == schedctl.AccountError
	a.Refused(&schedctl.TargetError{
		Kind: refusal.Kind, Code: refusal.Code, Message: refusal.Message,
		HTTPStatus: refusal.HTTPStatus, Outcome: schedctl.OutcomeNotPublished,
	}, refusal.HeldUntil(now))
	if known {
		return nil
	}
	return []schedctl.Event{schedctl.AccountErrorEvent(*a, now)}
}

// Verify checks a stored account, stores the result, and returns the updated account:
// connected with its current profile, or in status error. Errors, after which the
// account is unchanged: NOT_FOUND, VALIDATION_FAILED for a disconnected account or
// malformed fields, UNAVAILABLE when the network is unreachable.
func (c *Connector) Verify(ctx context.Context, workspaceID, accountID string) (schedctl.Account, error) {
	a, err := c.account(ctx, workspaceID, accountID)
	if err != nil {
		return a, err
	}
	if a.Status == schedctl.AccountDisconnected {
		return a, schedctl.Errorf(schedctl.ValidationFailed, "credentials", "the account is disconnected and its secrets are erased; give credentials to connect it again")
	}
	v, failure := c.Check(ctx, a)
	if failure != nil {
		return a, verifyError(failure)
	}
	return c.storeResult(ctx, a, v)
}

func verifyError(failure *publish.Error) error {
	if failure.Kind == schedctl.KindContent {
		return &schedctl.Error{Code: schedctl.ValidationFailed, Field: failure.Code, Message: failure.Message, Err: failure}
	}
	return &schedctl.Error{
		Code: schedctl.Unavailable, Err: failure,
		Message: fmt.Sprintf("the account could not be verified, and nothing was changed; try again later: %s", failure.Message),
	}
}

// storeResult applies a result to the stored account, and stores the account if it
// changed.
func (c *Connector) storeResult(ctx context.Context, of schedctl.Account, v CheckResult) (a schedctl.Account, err error) {
	now := time.Now()
	err = c.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) (err error) {
		if a, err = tx.Account(of.WorkspaceID, of.ID); err != nil {
			return err
		}
		before := a
		events := v.Apply(&a, now)
		if reflect.DeepEqual(before, a) {
			return nil
		}
		a.UpdatedAt = schedctl.Millis(now)
		return errors.Join(tx.PutAccount(a), tx.AddEvents(events...))
	})
	if err != nil {
		return a, fmt.Errorf("store the check of %s: %w", of.ID, err)
	}
	return a, nil
}

// account reads an account.
func (c *Connector) account(ctx context.Context, workspaceID, id string) (schedctl.Account, error) {
	return storage.Read(ctx, c.cfg.Store.View, func(r storage.Reader) (schedctl.Account, error) { return r.Account(workspaceID, id) })
}
