package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// listAccounts handles GET /social-accounts.
func (s *Server) listAccounts(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, []string{"status"}, nil)
	all := q.has("status") && oneOf(q, "status", q.text("status"), []string{"all"}) == "all"
	if q.err != nil {
		return response{}, q.err
	}
	var list apiv1.AccountList
	err := s.scan(ctx, c, func(r storage.Reader) error {
		accounts, err := r.Accounts(c.Key.WorkspaceID)
		if err != nil {
			return err
		}
		accounts = slices.DeleteFunc(accounts, func(a schedctl.Account) bool {
			return !c.MayUse(a.ID) || !all && a.Status == schedctl.AccountDisconnected
		})
		list.Results, err = s.cases.ShowAccounts(r, &c.Request, accounts...)
		return err
	})
	if err != nil {
		return response{}, err
	}
	list.Count = len(list.Results)
	shown, err := newResponse(http.StatusOK, list)
	shown.fresh = slices.ContainsFunc(list.Results, changes)
	return shown, err
}

// changes reports whether what is shown of an account changes with time: it waits, or its
// readings are counted.
func changes(a apiv1.Account) bool {
	return a.Waits != nil || a.Results.RequestsLastDay > 0 || a.Results.CostUSDMonth > 0 || len(a.Results.DroppedMetrics) > 0
}

// getAccount handles GET /social-accounts/{id}.
func (s *Server) getAccount(ctx context.Context, c *request) (response, error) {
	var found apiv1.AccountEnvelope
	err := s.scan(ctx, c, func(r storage.Reader) error {
		a, err := c.Account(r)
		if err != nil {
			return err
		}
		if found, err = s.accountEnvelope(r, c, a); err != nil {
			return err
		}
		open, err := c.OpenPosts(r, usecase.Owner{AccountID: a.ID})
		found.Open = &open
		if w := found.SocialAccount.Waits; err == nil && w != nil {
			err = s.cases.CountWaiting(r, &c.Request, a.ID, w)
		}
		return err
	})
	if err != nil {
		return response{}, err
	}
	shown, err := newResponse(http.StatusOK, found)
	shown.fresh = changes(found.SocialAccount)
	return shown, err
}

// addAccount handles POST /social-accounts. It stores only an account that its network has
// verified.
func (s *Server) addAccount(ctx context.Context, c *request, b addAccount) (response, error) {
	a, err := s.cases.ConnectAccount(ctx, &c.Request, s.snapshots(ctx), b.platform, b.AccountSettings)
	if err != nil {
		return response{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		added := a // the transaction may run again
		if err := usecase.AddAccount(tx, &added); err != nil {
			return response{}, err
		}
		return s.accountResponse(tx, c, http.StatusCreated, added)
	})
}

// editAccount handles PATCH /social-accounts/{id}.
func (s *Server) editAccount(ctx context.Context, c *request, b usecase.AccountSettings) (response, error) {
	if err := s.scan(ctx, c, func(r storage.Reader) error { return c.CheckAccount(r, b) }); err != nil {
		return response{}, err
	}
	change, err := s.cases.ChangeAccount(ctx, &c.Request, s.snapshots(ctx), b)
	return s.storeAccount(ctx, c, change, b.Existing, err)
}

// verifyAccount handles POST /social-accounts/{id}/verify. It returns 200 with the account,
// whether the network accepts the account or not.
func (s *Server) verifyAccount(ctx context.Context, c *request) (response, error) {
	change, err := s.cases.VerifyAccount(ctx, &c.Request, s.snapshots(ctx))
	return s.storeAccount(ctx, c, change, "", err)
}

// storeAccount stores a change that a network has verified, unless it failed.
func (s *Server) storeAccount(ctx context.Context, c *request, change usecase.AccountChange, existing schedctl.Existing, err error) (response, error) {
	if err != nil {
		return response{}, err
	}
	now := time.Now()
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.StoreAccount(tx, now, change, existing)
		if err != nil {
			return response{}, err
		}
		return s.accountResponse(tx, c, http.StatusOK, a)
	})
}

// removeAccount handles DELETE /social-accounts/{id}.
func (s *Server) removeAccount(ctx context.Context, c *request) (response, error) {
	rm, err := c.readRemoval(usecase.Owner{AccountID: c.ID})
	if err != nil {
		return response{}, err
	}
	if _, err := storage.Read(ctx, s.view, c.Account); err != nil {
		return response{}, err
	}
	return s.remove(ctx, c, rm, func(tx storage.Tx) error { return s.cases.RemoveAccount(&c.Request, tx) }, func() {})
}
