package api

import (
	"context"
	"net/http"
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
		if q.err == nil && !c.MayUse(id) {
			q.fail(schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_id", "this API key may not publish to %s; use a key that may", clip(id, maxName)))
		}
	}
	return s, q.err
}

// listSlots handles GET /queues/{id}/slots.
func (s *Server) listSlots(ctx context.Context, c *request) (response, error) {
	query, err := c.slotQuery(c.Now)
	if err != nil {
		return response{}, err
	}
	list := apiv1.QueueSlots{Results: []apiv1.QueueSlot{}}
	err = s.scan(ctx, c, func(r storage.Reader) error {
		q, err := c.Queue(r, c.ID)
		if err != nil {
			return err
		}
		accounts, err := c.SlotAccounts(r, &q, query.accountIDs)
		if err != nil {
			return err
		}
		search := slots.Search{WorkspaceID: q.WorkspaceID, Accounts: accounts, From: query.after}
		states, err := slots.List(r, &q, search, query.before, query.limit, c.Now)
		if err != nil {
			return err
		}
		proposed, err := c.proposedSlots(r, states, accounts)
		if err != nil {
			return err
		}
		list.Results = make([]apiv1.QueueSlot, len(states))
		for i := range states {
			if list.Results[i], err = c.queueSlot(r, &states[i]); err != nil {
				return err
			}
			if slot := &list.Results[i]; slot.State == apiv1.SlotFree && proposed[states[i].At.UTC()] != nil {
				slot.State, slot.PostIDs = apiv1.SlotProposed, proposed[states[i].At.UTC()]
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

// queueSlot returns the wire form of a slot. A post that the key may not see takes the
// slot, but is not named.
func (c *request) queueSlot(r storage.Reader, s *slots.State) (apiv1.QueueSlot, error) {
	out := apiv1.QueueSlot{At: apiv1.Time{Time: s.At}, Local: string(s.Local), State: apiv1.SlotFree, Note: s.Note}
	switch {
	case len(s.Taken) > 0:
		out.State = apiv1.SlotIsTaken
		id, err := c.PostInSlot(r, s)
		if id != "" {
			out.PostID = &id
		}
		return out, err
	case s.Blocked:
		out.State = apiv1.SlotBlocked
	}
	return out, nil
}

// proposedSlots returns the posts that propose the times of slots for one of the accounts,
// by time.
func (c *request) proposedSlots(r storage.Reader, states []slots.State, accounts []schedctl.Account) (map[time.Time][]string, error) {
	if len(states) == 0 {
		return nil, nil
	}
	ids := make([]string, len(accounts))
	for i := range accounts {
		ids[i] = accounts[i].ID
	}
	found, err := c.Proposals(r, states[0].At, states[len(states)-1].At.Add(time.Millisecond), ids)
	byTime := map[time.Time][]string{}
	for i := range found {
		at := found[i].Proposed.At.UTC()
		byTime[at] = append(byTime[at], found[i].ID)
	}
	return byTime, err
}
