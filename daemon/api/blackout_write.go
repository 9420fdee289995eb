package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// createBlackout handles POST /blackouts.
func (s *Server) createBlackout(ctx context.Context, c *request, change blackoutChange) (response, error) {
	now := schedctl.Millis(c.now)
	b := schedctl.Blackout{ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: c.key.WorkspaceID, CreatedAt: now, UpdatedAt: now, Version: 1}
	change.apply(&b)
	if err := resolveBlackout(&b); err != nil {
		return response{}, err
	}
	if !b.EndsAt.IsZero() && !b.EndsAt.After(now) {
		return response{}, schedctl.Errorf(schedctl.ValidationFailed, "to", "the blackout is over already; use an end in the future")
	}
	if err := c.mayWriteAll(b.AccountIDs); err != nil {
		return response{}, err
	}
	scheduled, err := s.findScheduledIn(ctx, c, &b, nil)
	if err != nil {
		return response{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		if err := roomForBlackout(tx, c.key.WorkspaceID); err != nil {
			return response{}, err
		}
		if err := c.checkCovered(tx, b.AccountIDs, nil); err != nil {
			return response{}, err
		}
		release := slots.Release{WorkspaceID: b.WorkspaceID}
		if err := errors.Join(release.Change(tx, nil, &b, now), tx.PutBlackout(b)); err != nil {
			return response{}, err
		}
		return blackoutResponse(http.StatusCreated, b, scheduled)
	})
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

// checkCovered checks accounts that a request names. They exist and are connected, or
// their network rejects them. Those in known may be disconnected.
func (c *request) checkCovered(r storage.Reader, ids, known []string) error {
	_, err := c.findAccounts(func(id string) (schedctl.Account, error) {
		a, err := r.Account(c.key.WorkspaceID, id)
		if a.Status == schedctl.AccountError || slices.Contains(known, id) {
			a.Status = schedctl.AccountConnected
		}
		return a, err
	}, ids)
	return err
}

// findScheduledIn is scheduledIn on a new snapshot. It first checks the accounts; known
// are those of the blackout before the change.
func (s *Server) findScheduledIn(ctx context.Context, c *request, b *schedctl.Blackout, known []string) (ids []string, err error) {
	err = s.scan(ctx, c, func(r storage.Reader) (err error) {
		if err := c.checkCovered(r, b.AccountIDs, known); err != nil {
			return err
		}
		ids, err = c.scheduledIn(r, b)
		return err
	})
	return ids, err
}

// editBlackout handles PATCH /blackouts/{id}.
func (s *Server) editBlackout(ctx context.Context, c *request, change blackoutChange) (response, error) {
	for {
		before, after, err := s.plannedBlackout(ctx, c, change)
		if err != nil {
			return response{}, err
		}
		scheduled, err := s.findScheduledIn(ctx, c, &after, before.AccountIDs)
		if err != nil {
			return response{}, err
		}
		out, err := s.changeBlackout(ctx, c, before, &after, func(tx storage.Tx) (response, error) {
			if reflect.DeepEqual(apiv1.NewBlackout(before), apiv1.NewBlackout(after)) {
				return blackoutResponse(http.StatusOK, before, scheduled)
			}
			after.Version, after.UpdatedAt = before.Version+1, schedctl.Millis(c.now)
			if err := c.checkCovered(tx, after.AccountIDs, before.AccountIDs); err != nil {
				return response{}, err
			}
			if reopened := !before.SettledAt.IsZero() && after.SettledAt.IsZero(); reopened {
				if err := roomForBlackout(tx, c.key.WorkspaceID); err != nil {
					return response{}, err
				}
			}
			if err := tx.PutBlackout(after); err != nil {
				return response{}, err
			}
			return blackoutResponse(http.StatusOK, after, scheduled)
		})
		if !errors.Is(err, errBlackoutChanged) {
			return out, err
		}
	}
}

// plannedBlackout returns the blackout of the path before and after a change. A blackout
// that is over after the change is settled by it.
func (s *Server) plannedBlackout(ctx context.Context, c *request, change blackoutChange) (before, after schedctl.Blackout, err error) {
	if before, err = storage.Read(ctx, s.view, c.changeableBlackout); err != nil {
		return before, after, err
	}
	after = before.Clone()
	change.apply(&after)
	if err := resolveBlackout(&after); err != nil {
		return before, after, err
	}
	for _, ids := range [][]string{before.AccountIDs, after.AccountIDs} {
		if err := c.mayWriteAll(ids); err != nil {
			return before, after, err
		}
	}
	now := schedctl.Millis(c.now)
	switch over := !after.EndsAt.IsZero() && !after.EndsAt.After(now); {
	case !over:
		after.SettledAt = time.Time{}
	case before.SettledAt.IsZero() && before.EndsAt.Equal(after.EndsAt):
		// It is over since a moment ago, and the planner settles it.
	case after.SettledAt.IsZero():
		after.SettledAt = now
	}
	return before, after, nil
}

// deleteBlackout handles DELETE /blackouts/{id}.
func (s *Server) deleteBlackout(ctx context.Context, c *request) (response, error) {
	for {
		before, err := storage.Read(ctx, s.view, c.changeableBlackout)
		if err == nil {
			err = c.mayWriteAll(before.AccountIDs)
		}
		if err != nil {
			return response{}, err
		}
		out, err := s.changeBlackout(ctx, c, before, nil, func(tx storage.Tx) (response, error) {
			return noContent, tx.DeleteBlackout(c.key.WorkspaceID, c.id)
		})
		if !errors.Is(err, errBlackoutChanged) {
			return out, err
		}
	}
}

// errBlackoutChanged means that a blackout changed since it was read on a snapshot.
var errBlackoutChanged = errors.New("the blackout changed")

// changeBlackout moves the posts that a change of a blackout releases, changes the copies
// in the accounts, and calls store in the same transaction. If there are more posts than
// one transaction may move, earlier ones move the first. after is nil if the blackout is
// deleted.
func (s *Server) changeBlackout(ctx context.Context, c *request, before schedctl.Blackout, after *schedctl.Blackout, store func(storage.Tx) (response, error)) (response, error) {
	release := &slots.Release{WorkspaceID: c.key.WorkspaceID}
	step := func(tx storage.Tx) error {
		current, err := tx.Blackout(c.key.WorkspaceID, before.ID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && current.Version != before.Version {
			return errBlackoutChanged
		}
		if err != nil {
			return err
		}
		return release.Change(tx, &before, after, c.now)
	}
	for {
		out, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			if err := step(tx); err != nil {
				return response{}, err
			}
			if err := rewindSeries(tx, &before, after, c.now); err != nil {
				return response{}, err
			}
			return store(tx)
		})
		if !errors.Is(err, slots.ErrMoreHeld) {
			return out, err
		}
		err = s.store.Update(ctx, func(tx storage.Tx) error {
			if err := step(tx); !errors.Is(err, slots.ErrMoreHeld) {
				return err
			}
			return nil
		})
		if err != nil {
			return response{}, storeError(err, "the daemon could not move all posts that the blackout held; repeat the request")
		}
		release.Committed()
	}
}

// rewindSeries lets the next sweep decide again about the coming occurrences of series
// that an earlier version of a blackout may have left out.
func rewindSeries(tx storage.Tx, before, after *schedctl.Blackout, now time.Time) error {
	blocks := before.Mode == schedctl.BlackoutAvoid || !before.EndsAt.IsZero()
	if !blocks || !before.SettledAt.IsZero() {
		return nil
	}
	if after != nil && after.OnAccount() == before.OnAccount() && slices.Equal(before.AccountIDs, after.AccountIDs) {
		return nil
	}
	return series.Reconsider(tx, before.WorkspaceID, before.AccountIDs, now)
}
