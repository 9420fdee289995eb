package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// listBlackouts handles GET /blackouts.
func (s *Server) listBlackouts(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Blackout, error) { return r.Blackouts(c.key.WorkspaceID) })
	if err != nil {
		return response{}, err
	}
	list = slices.DeleteFunc(list, func(b schedctl.Blackout) bool { return !c.maySeeAll(b.AccountIDs) })
	return newResponse(http.StatusOK, apiv1.BlackoutList{Results: convert(list, apiv1.NewBlackout), Count: len(list)})
}

// getBlackout handles GET /blackouts/{id}.
func (s *Server) getBlackout(ctx context.Context, c *request) (response, error) {
	var out response
	err := s.scan(ctx, c, func(r storage.Reader) error {
		b, err := c.blackout(r)
		if err != nil {
			return err
		}
		scheduled, err := c.scheduledIn(r, &b)
		if err != nil {
			return err
		}
		out, err = blackoutResponse(http.StatusOK, b, scheduled)
		return err
	})
	return out, err
}

// blackout loads the blackout of the path. It returns NOT_FOUND if the key may not see
// it.
func (c *request) blackout(r storage.Reader) (schedctl.Blackout, error) {
	b, err := r.Blackout(c.key.WorkspaceID, c.id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.maySeeAll(b.AccountIDs) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no blackout with this id")
	}
	return b, err
}

// changeableBlackout loads the blackout of the path for a change.
func (c *request) changeableBlackout(r storage.Reader) (schedctl.Blackout, error) {
	b, err := c.blackout(r)
	if err == nil {
		err = c.match.checkVersion("blackout", b.Version)
	}
	return b, err
}

// maySeeAll reports whether the key may see an object that is about these accounts, or
// about all accounts if the list is empty.
func (c *request) maySeeAll(accountIDs []string) bool {
	return !slices.ContainsFunc(accountIDs, func(id string) bool { return !c.mayUse(id) })
}

// mayWriteAll returns nil if the key may write an object that is about these accounts. It
// refuses objects about all accounts for a key that is limited to some.
func (c *request) mayWriteAll(accountIDs []string) error {
	if len(accountIDs) == 0 && c.limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids",
			"this is about all accounts, and this API key is limited to some; name accounts of the key, or use another key")
	}
	for _, id := range accountIDs {
		if !c.mayUse(id) {
			return schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids", "this API key may not use %s; use a key that may", clip(id, maxID))
		}
	}
	return nil
}

// blackoutResponse returns a response with a blackout, its ETag and the posts in its
// period.
func blackoutResponse(status int, b schedctl.Blackout, scheduled []string) (response, error) {
	a, err := newResponse(status, apiv1.BlackoutEnvelope{Blackout: apiv1.NewBlackout(b), Scheduled: scheduled})
	a.etag, a.fresh = versionTag(b.Version), true // a post in the period may change alone
	if status == http.StatusCreated {
		a.created, a.location = b.ID, prefix+"/blackouts/"+b.ID
	}
	return a, err
}

// Limits of scheduledIn.
const (
	maxScheduledIn      = 100 // ids in a response
	maxScheduledInReads = 500 // posts that are read to find them
)

// scheduledIn returns the ids of the first scheduled posts in the period of a blackout
// that the key may see, in order of time. A blackout that is settled has none. Read them
// on a snapshot: a transaction would lock all these posts.
func (c *request) scheduledIn(r storage.Reader, b *schedctl.Blackout) ([]string, error) {
	ids := []string{}
	accounts, err := c.accountsOf(r, b)
	if err != nil || len(accounts) == 0 || !b.SettledAt.IsZero() {
		return ids, err
	}
	q := storage.OccupiedQuery{WorkspaceID: c.key.WorkspaceID, AccountIDs: accounts, From: b.StartsAt, Until: b.EndsAt, Limit: maxScheduledInReads}
	if q.Until.IsZero() {
		q.Until = endOfTimes
	}
	found, err := r.Occupied(q)
	if err != nil {
		return nil, err
	}
	last := ""
	for _, o := range found {
		if o.PostID == last || len(ids) == maxScheduledIn {
			continue
		}
		last = o.PostID
		p, err := r.Post(c.key.WorkspaceID, o.PostID)
		if err != nil {
			return nil, err
		}
		if p.Status() == schedctl.Scheduled && c.maySee(&p) {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// endOfTimes is after every publish time.
var endOfTimes = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// accountsOf returns the ids of the accounts of a blackout that the key may use.
func (c *request) accountsOf(r storage.Reader, b *schedctl.Blackout) ([]string, error) {
	ids := b.AccountIDs
	if len(ids) == 0 {
		all, err := r.Accounts(c.key.WorkspaceID)
		if err != nil {
			return nil, err
		}
		ids = convert(all, func(a schedctl.Account) string { return a.ID })
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !c.mayUse(id) }), nil
}

// adoptBlackouts gives a new account the copies of the blackouts that are about all
// accounts.
func adoptBlackouts(tx storage.Tx, a *schedctl.Account) error {
	list, err := tx.Blackouts(a.WorkspaceID)
	for i := range list {
		a.SetBlackout(&list[i])
	}
	return err
}
