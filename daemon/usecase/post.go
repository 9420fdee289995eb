package usecase

import (
	"errors"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// Post loads the post of the request. Errors: NOT_FOUND, also if the key may not see it.
func (c *Request) Post(r storage.Reader) (schedctl.Post, error) { return c.PostByID(r, c.ID) }

// PostByID is Post for any id.
func (c *Request) PostByID(r storage.Reader, id string) (schedctl.Post, error) {
	post, err := r.Post(c.Key.WorkspaceID, id)
	if err == nil && c.MaySee(&post) {
		return post, nil
	}
	if err == nil || schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no post with this id")
	}
	return schedctl.Post{}, err
}

// changePost loads the post of the request, applies one operation, and stores the post and
// its events in the transaction; tx is nil on a snapshot. It checks the operation against
// the status before it calls change, so that a wrong status is reported before invalid
// accounts. change may run more than once.
func (c *Request) changePost(r storage.Reader, tx storage.Tx, op schedctl.Operation, change func(*schedctl.Post) ([]schedctl.Event, error)) (schedctl.Post, error) {
	post, err := c.Post(r)
	if err != nil {
		return post, err
	}
	if err := c.mayChange(&post, op); err != nil {
		return post, err
	}
	if err := c.Expected.Check("post", post.Version); err != nil {
		return post, err
	}
	if err := post.CheckOperation(op); err != nil {
		return post, err
	}
	before := post.Version
	events, err := change(&post)
	if err != nil || tx == nil || post.Version == before {
		return post, err
	}
	post.UpdatedBy = c.Key.ID
	return post, errors.Join(tx.PutPost(post), tx.AddEvents(events...))
}

// CancelPost cancels the post of the request. managed changes its Managed in the same step,
// unless it is nil.
func (c *Request) CancelPost(tx storage.Tx, managed *schedctl.Managed) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpCancel, func(p *schedctl.Post) ([]schedctl.Event, error) {
		before := p.Version
		events, err := p.CancelManaged(managed, c.Now)
		if err == nil && p.Version != before {
			err = series.LeaveOut(tx, p, c.Now)
		}
		return events, err
	})
}

// UnschedulePost makes the post of the request a draft.
func (c *Request) UnschedulePost(tx storage.Tx) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpUnschedule, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Unschedule(c.actor(), c.Now) })
}

// ArchivePost puts the post of the request away.
func (c *Request) ArchivePost(tx storage.Tx) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpArchive, func(p *schedctl.Post) ([]schedctl.Event, error) { return nil, p.Archive(c.Now) })
}

// UnarchivePost lists the post of the request again.
func (c *Request) UnarchivePost(tx storage.Tx) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpUnarchive, func(p *schedctl.Post) ([]schedctl.Event, error) { p.Unarchive(c.Now); return nil, nil })
}

// DeletePost deletes the post of the request, which must be a draft.
func (c *Request) DeletePost(tx storage.Tx) error {
	_, err := c.changePost(tx, tx, schedctl.OpDelete, func(p *schedctl.Post) ([]schedctl.Event, error) {
		return nil, errors.Join(series.LeaveOut(tx, p, c.Now), tx.DeletePost(p.WorkspaceID, p.ID))
	})
	return err
}

// RetryPost queues failed targets of the post of the request again. It ends the pauses of
// their accounts, also those that a network has asked for, so that they are tried now. For
// accounts whose outcome is open, storing the account makes its deliverer ask the network.
func (c *Request) RetryPost(tx storage.Tx, retry schedctl.Retry) (schedctl.Post, error) {
	return c.changePost(tx, tx, schedctl.OpRetry, func(p *schedctl.Post) ([]schedctl.Event, error) {
		asked := askedNow(p, retry)
		events, err := p.Retry(retry, c.Now)
		if err != nil {
			return nil, err
		}
		accounts, err := accountsOf(tx, p)
		if err != nil {
			return nil, err
		}
		if err := p.CheckApproved(c.actor(), accounts); err != nil {
			return nil, err
		}
		for i := range accounts {
			if a := &accounts[i]; slices.Contains(asked, a.ID) {
				a.EndPause()
				if err := tx.PutAccount(*a); err != nil {
					return nil, err
				}
			}
		}
		return events, nil
	})
}

// askedNow returns the accounts whose networks a retry asks or tries immediately.
func askedNow(p *schedctl.Post, retry schedctl.Retry) (ids []string) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if (t.WaitsForNetwork() || t.Retries() || t.Status == schedctl.Failed || t.CommentStatus == schedctl.Failed) && (len(retry.TargetIDs) == 0 || slices.Contains(retry.TargetIDs, t.ID)) {
			ids = append(ids, t.AccountID)
		}
	}
	return ids
}
