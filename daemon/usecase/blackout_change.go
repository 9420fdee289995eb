package usecase

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// ErrBlackoutChanged means that a blackout changed since its change was planned. Plan the
// change again.
var ErrBlackoutChanged = errors.New("the blackout changed")

// BlackoutChange is a change of a blackout: planned on a snapshot, and stored in a
// transaction.
type BlackoutChange struct {
	request *Request
	before  *schedctl.Blackout // nil for a new one
	after   *schedctl.Blackout // nil for a deleted one
	release slots.Release
}

// CreateBlackout plans a new blackout. set sets its fields.
func (c *Request) CreateBlackout(set func(*schedctl.Blackout)) (*BlackoutChange, error) {
	now := schedctl.Millis(c.Now)
	b := &schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: c.Key.WorkspaceID, CreatedAt: now, UpdatedAt: now, Version: 1}
	set(b)
	if err := resolveBlackout(b); err != nil {
		return nil, err
	}
	if !b.EndsAt.IsZero() && !b.EndsAt.After(now) {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, "to", "the blackout is over already; use an end in the future")
	}
	return &BlackoutChange{request: c, after: b, release: slots.Release{WorkspaceID: b.WorkspaceID}}, c.mayWriteAll(b.AccountIDs)
}

// ChangeBlackout plans a change of the blackout of the request. set changes its fields;
// nil deletes the blackout. A blackout that is over after the change is settled by it.
func (c *Request) ChangeBlackout(r storage.Reader, set func(*schedctl.Blackout)) (*BlackoutChange, error) {
	before, err := c.Blackout(r, c.ID)
	if err == nil {
		err = c.Expected.Check("blackout", before.Version)
	}
	if err == nil {
		err = c.mayWriteAll(before.AccountIDs)
	}
	if err != nil {
		return nil, err
	}
	change := &BlackoutChange{request: c, before: &before, release: slots.Release{WorkspaceID: before.WorkspaceID}}
	if set == nil {
		return change, nil
	}
	after := before.Clone()
	set(&after)
	if err := resolveBlackout(&after); err != nil {
		return nil, err
	}
	now := schedctl.Millis(c.Now)
	switch over := !after.EndsAt.IsZero() && !after.EndsAt.After(now); {
	case !over:
		after.SettledAt = time.Time{}
	case before.SettledAt.IsZero() && before.EndsAt.Equal(after.EndsAt):
		// It is over since a moment ago, and the planner settles it.
	case after.SettledAt.IsZero():
		after.SettledAt = now
	}
	change.after = &after
	return change, c.mayWriteAll(after.AccountIDs)
}

// resolveBlackout checks the fields of a blackout and sets what follows from them.
func resolveBlackout(b *schedctl.Blackout) error {
	given := b.AccountIDs
	if n := len(given); n > schedctl.MaxAccounts {
		return schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids",
			"%d accounts are too many; a blackout names at most %d; leave them out for all accounts", n, schedctl.MaxAccounts)
	}
	b.AccountIDs = slices.Clone(given)
	if err := b.Resolve(); err != nil {
		return err
	}
	if len(b.AccountIDs) < len(given) {
		return schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "an account is named twice; name each account once")
	}
	return nil
}

// Scheduled is [Request.ScheduledIn] for the blackout after the change. It first checks
// the accounts.
func (ch *BlackoutChange) Scheduled(r storage.Reader) ([]string, error) {
	if err := ch.checkAccounts(r); err != nil {
		return nil, err
	}
	return ch.request.ScheduledIn(r, ch.after)
}

// Check returns the blackout after the change and the result of [BlackoutChange.Scheduled],
// or the error with which Store would refuse the change.
func (ch *BlackoutChange) Check(r storage.Reader) (b schedctl.Blackout, scheduled []string, err error) {
	if ch.opens() {
		err = roomForBlackout(r, ch.after.WorkspaceID)
	}
	if err == nil {
		scheduled, err = ch.Scheduled(r)
	}
	return *ch.after, scheduled, err
}

// opens reports whether the change adds a blackout that is not over.
func (ch *BlackoutChange) opens() bool {
	return ch.before == nil || !ch.before.SettledAt.IsZero() && ch.after.SettledAt.IsZero()
}

// checkAccounts checks the accounts that a change names. They exist and are connected, or
// their network refuses them. Those that the blackout has already may be disconnected.
func (ch *BlackoutChange) checkAccounts(r storage.Reader) error {
	_, err := ch.request.accountsOrExcused(r, ch.after.AccountIDs, func(a *schedctl.Account) bool {
		return a.Status == schedctl.AccountError || ch.before != nil && slices.Contains(ch.before.AccountIDs, a.ID)
	})
	return err
}

// Store stores the change, and returns the blackout after it: the old one if the change
// changes nothing, nil if it deletes the blackout. It moves the posts that the change
// releases, and changes the copies in the accounts. Errors: [ErrBlackoutChanged];
// [slots.ErrMoreHeld] if there are more posts than one transaction may move: then call
// [BlackoutChange.Release] first.
func (ch *BlackoutChange) Store(tx storage.Tx) (*schedctl.Blackout, error) {
	if ch.before == nil {
		return ch.after, ch.create(tx)
	}
	if err := ch.step(tx); err != nil {
		return nil, err
	}
	c, before, after := ch.request, ch.before, ch.after
	if err := rewindSeries(tx, before, after, c.Now); err != nil {
		return nil, err
	}
	if after == nil {
		return nil, tx.DeleteBlackout(before.WorkspaceID, before.ID)
	}
	if reflect.DeepEqual(apiv1.NewBlackout(*before), apiv1.NewBlackout(*after)) {
		return before, nil
	}
	after.Version, after.UpdatedAt = before.Version+1, schedctl.Millis(c.Now)
	if err := ch.checkAccounts(tx); err != nil {
		return nil, err
	}
	if ch.opens() {
		if err := roomForBlackout(tx, after.WorkspaceID); err != nil {
			return nil, err
		}
	}
	return after, tx.PutBlackout(*after)
}

// create stores a new blackout.
func (ch *BlackoutChange) create(tx storage.Tx) error {
	if err := roomForBlackout(tx, ch.after.WorkspaceID); err != nil {
		return err
	}
	if err := ch.checkAccounts(tx); err != nil {
		return err
	}
	return errors.Join(ch.step(tx), tx.PutBlackout(*ch.after))
}

// step moves posts that the change releases, and then changes the copies in the accounts.
func (ch *BlackoutChange) step(tx storage.Tx) error {
	if ch.before != nil {
		current, err := tx.Blackout(ch.before.WorkspaceID, ch.before.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && current.Version != ch.before.Version {
			return ErrBlackoutChanged
		}
		if err != nil {
			return err
		}
	}
	return ch.release.Change(tx, ch.before, ch.after, ch.request.Now)
}

// Release moves as many of the released posts as one transaction may. Call
// [BlackoutChange.Released] after its commit.
func (ch *BlackoutChange) Release(tx storage.Tx) error {
	if err := ch.step(tx); !errors.Is(err, slots.ErrMoreHeld) {
		return err
	}
	return nil
}

// Released records that a transaction with [BlackoutChange.Release] was committed.
func (ch *BlackoutChange) Released() { ch.release.Committed() }

// roomForBlackout returns an error if the workspace has as many blackouts as it can have.
// In a transaction, it keeps accounts from being connected until the end of it.
func roomForBlackout(r storage.Reader, workspaceID string) error {
	list, err := r.Blackouts(workspaceID)
	if err != nil {
		return err
	}
	open := 0
	for i := range list {
		if list[i].SettledAt.IsZero() {
			open++
		}
	}
	if open >= schedctl.MaxBlackouts {
		return schedctl.Errorf(schedctl.ValidationFailed, "",
			"this workspace has %d blackouts that are not over, which is the limit; delete one with DELETE %s/blackouts/{id}", open, prefix)
	}
	return nil
}

// rewindSeries lets the next sweep decide again about the coming occurrences of series
// that an earlier version of a blackout may have left out.
func rewindSeries(tx storage.Tx, before, after *schedctl.Blackout, now time.Time) error {
	blocks := before.Label == "" && (before.Mode == schedctl.BlackoutAvoid || !before.EndsAt.IsZero())
	if !blocks || !before.SettledAt.IsZero() {
		return nil
	}
	if after != nil && after.OnAccount() == before.OnAccount() && slices.Equal(before.AccountIDs, after.AccountIDs) {
		return nil
	}
	return series.Reconsider(tx, before.WorkspaceID, before.AccountIDs, now)
}
