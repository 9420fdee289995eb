package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// schedulePost handles POST /posts/{id}/schedule.
func (s *Server) schedulePost(ctx context.Context, c *request, b schedulePost) (response, error) {
	slot := slotTaker{c: c, choice: b.slotChoice}
	return s.changeFitting(ctx, c, http.StatusOK, schedctl.OpSchedule, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		if b.publishAt.nextSlot {
			if err := slot.lock(r, known); err != nil {
				return nil, err
			}
		}
		accounts, err := c.launchAccounts(r, p, b.accountIDs)
		if err != nil {
			return nil, err
		}
		taken, was := slots.Taken{At: b.publishAt.at}, *p
		if b.publishAt.nextSlot {
			if taken, err = slot.take(r, p, accounts, known); err != nil {
				return nil, err
			}
		}
		events, err := p.ScheduleSlot(taken.Booking, taken.At, accounts, c.Now)
		if err == nil && !b.allowBlackout {
			err = c.refuseEditInBlackout(r, &was, p)
		}
		if err != nil {
			return nil, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{by: c.Key.Actor(), now: c.Now, allowDuplicate: b.allowDuplicate}, known)
	})
}

// publishPost handles POST /posts/{id}/publish-now.
func (s *Server) publishPost(ctx context.Context, c *request, b publishPost) (response, error) {
	return s.changeFitting(ctx, c, http.StatusAccepted, schedctl.OpPublishNow, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		accounts, err := c.launchAccounts(r, p, b.accountIDs)
		if err != nil {
			return nil, err
		}
		events, err := p.PublishNow(accounts, c.Now)
		if err != nil {
			return nil, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{by: c.Key.Actor(), now: c.Now, allowDuplicate: b.allowDuplicate}, known)
	})
}

// cancelPost handles POST /posts/{id}/cancel.
func (s *Server) cancelPost(ctx context.Context, c *request, b cancelPost) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.changeable(tx, schedctl.OpCancel)
		if err != nil {
			return response{}, err
		}
		before := post.Version
		events, err := post.CancelManaged(b.managed, c.Now)
		if err != nil {
			return response{}, err
		}
		if post.Version != before {
			if err := errors.Join(series.LeaveOut(tx, &post, c.Now), tx.PutPost(post), tx.AddEvents(events...)); err != nil {
				return response{}, err
			}
		}
		return s.postResponse(tx, http.StatusOK, post)
	})
}

// unschedulePost handles POST /posts/{id}/unschedule.
func (s *Server) unschedulePost(ctx context.Context, c *request) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpUnschedule, func(_ storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		return p.Unschedule(c.Now)
	})
}

// retryPost handles POST /posts/{id}/retry.
func (s *Server) retryPost(ctx context.Context, c *request, b schedctl.Retry) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.changeable(tx, schedctl.OpRetry)
		if err != nil {
			return response{}, err
		}
		asked := askedNow(&post, b)
		events, err := post.Retry(b, c.Now)
		if err == nil {
			err = refuseUnapproved(tx, &post, c.Key.Actor())
		}
		if err != nil {
			return response{}, err
		}
		if err := errors.Join(askNow(tx, post.WorkspaceID, asked), tx.PutPost(post), tx.AddEvents(events...)); err != nil {
			return response{}, err
		}
		return s.postResponse(tx, http.StatusAccepted, post)
	})
}

// askedNow returns the accounts whose networks a retry asks immediately.
func askedNow(p *schedctl.Post, b schedctl.Retry) (ids []string) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.WaitsForNetwork() && (len(b.TargetIDs) == 0 || slices.Contains(b.TargetIDs, t.ID)) {
			ids = append(ids, t.AccountID)
		}
	}
	return ids
}

// askNow ends the wait for the next probe of accounts. Storing an account, changed
// or not, makes its deliverer ask the network about unknown outcomes.
func askNow(tx storage.Tx, workspace string, accounts []string) error {
	for _, id := range accounts {
		a, err := tx.Account(workspace, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		a.EndDisruption()
		if err := tx.PutAccount(a); err != nil {
			return err
		}
	}
	return nil
}
