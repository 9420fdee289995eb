package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// The numbers of slots of one response, and the limits of its period.
const (
	defaultSlots  = 100
	maxSlots      = 1000
	maxSlotPeriod = 366 * 24 * time.Hour
	maxPastSlots  = 31 * 24 * time.Hour // older slots are left out
)

var slotParams = []string{"after", "before", "limit", "social_account_id"}

// slotQuery is the query of GET /queues/{id}/slots.
type slotQuery struct {
	after, before time.Time
	limit         int
	accountIDs    []string // empty for all accounts of the queue
}

// slotQuery reads the parameters of GET /queues/{id}/slots.
func (c *request) slotQuery(now time.Time) (slotQuery, error) {
	q := parseQuery(c.query, slotParams, []string{"social_account_id"})
	s := slotQuery{
		after: q.time("after"), before: q.time("before"), limit: q.number("limit", 1, maxSlots, defaultSlots), accountIDs: q.values["social_account_id"],
	}
	if s.after.IsZero() {
		s.after = schedctl.Millis(now)
	}
	if oldest := schedctl.Millis(now.Add(-maxPastSlots)); s.after.Before(oldest) {
		s.after = oldest
	}
	if s.before.IsZero() {
		s.before = s.after.Add(schedctl.QueueHorizon)
	}
	if s.before.Sub(s.after) > maxSlotPeriod {
		q.refuse("before", "the period from after to before has more than %d days; ask for a shorter one", int(maxSlotPeriod/(24*time.Hour)))
	}
	for _, id := range s.accountIDs[:min(len(s.accountIDs), schedctl.MaxAccounts)] {
		if q.err == nil && !c.mayUse(id) {
			q.fail(schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_id", "this API key may not publish to %s; use a key that may", clip(id, maxName)))
		}
	}
	return s, q.err
}

// listSlots handles GET /queues/{id}/slots.
func (s *Server) listSlots(ctx context.Context, c *request) (response, error) {
	now := time.Now()
	query, err := c.slotQuery(now)
	if err != nil {
		return response{}, err
	}
	list := apiv1.QueueSlots{Results: []apiv1.QueueSlot{}}
	err = s.scan(ctx, c, func(r storage.Reader) error {
		q, err := c.queue(r, c.id)
		if err != nil {
			return err
		}
		accounts, err := c.slotAccounts(r, &q, query.accountIDs)
		if err != nil {
			return err
		}
		search := slots.Search{WorkspaceID: q.WorkspaceID, Accounts: accounts, From: query.after}
		states, err := slots.List(r, &q, search, query.before, query.limit, now)
		if err != nil {
			return err
		}
		list.Results = make([]apiv1.QueueSlot, len(states))
		for i := range states {
			if list.Results[i], err = c.queueSlot(r, &states[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return response{}, err
	}
	list.Count = len(list.Results)
	return newResponse(http.StatusOK, list)
}

// slotAccounts returns the accounts for which slots are listed: the given ones, or all
// connected accounts that the queue serves, also those that the key may not use.
func (c *request) slotAccounts(r storage.Reader, q *schedctl.Queue, ids []string) ([]schedctl.Account, error) {
	if len(ids) > 0 {
		if _, err := c.accounts(r, ids); err != nil {
			return nil, err
		}
		if err := slots.CheckServes(q, ids); err != nil {
			return nil, err
		}
		return slots.Accounts(r, q.WorkspaceID, ids)
	}
	accounts, err := slots.Accounts(r, q.WorkspaceID, q.AccountIDs)
	if len(q.AccountIDs) == 0 {
		accounts, err = r.Accounts(q.WorkspaceID)
	}
	return slices.DeleteFunc(accounts, func(a schedctl.Account) bool { return a.Status == schedctl.AccountDisconnected }), err
}

// queueSlot returns the wire form of a slot. A post that the key may not see takes the
// slot, but is not named.
func (c *request) queueSlot(r storage.Reader, s *slots.State) (apiv1.QueueSlot, error) {
	out := apiv1.QueueSlot{At: apiv1.Time{Time: s.At}, Local: string(s.Local), State: apiv1.SlotFree, Note: s.Note}
	switch {
	case len(s.Taken) > 0:
		out.State = apiv1.SlotIsTaken
		id, err := c.shownPost(r, s)
		if id != "" {
			out.PostID = &id
		}
		return out, err
	case s.Blocked:
		out.State = apiv1.SlotBlocked
	}
	return out, nil
}

// shownPost returns the id of the post that takes a slot: one at its instant, or else
// one near it. It is empty if the key may see none of them.
func (c *request) shownPost(r storage.Reader, s *slots.State) (string, error) {
	taken := slices.Clone(s.Taken)
	slices.SortStableFunc(taken, func(a, b storage.OccupiedTime) int {
		return int(min(1, s.At.Sub(a.At).Abs())) - int(min(1, s.At.Sub(b.At).Abs()))
	})
	for _, o := range taken {
		if !c.limited() {
			return o.PostID, nil
		}
		p, err := r.Post(c.key.WorkspaceID, o.PostID)
		if err != nil {
			return "", err
		}
		if c.maySee(&p) {
			return o.PostID, nil
		}
	}
	return "", nil
}
