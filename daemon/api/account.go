package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
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
		list.Results, err = s.wireAccounts(r, c, accounts...)
		return err
	})
	if err != nil {
		return response{}, err
	}
	list.Count = len(list.Results)
	return newResponse(http.StatusOK, list)
}

// getAccount handles GET /social-accounts/{id}.
func (s *Server) getAccount(ctx context.Context, c *request) (response, error) {
	var found response
	err := s.view(ctx, func(r storage.Reader) error {
		a, err := c.account(r)
		if err != nil {
			return err
		}
		found, err = s.accountResponse(r, c, http.StatusOK, a)
		return err
	})
	return found, err
}

// removeAccount handles DELETE /social-accounts/{id}. The account record stays, and
// its secrets are erased. Its identity on the network is not a secret and stays
// too.
func (s *Server) removeAccount(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.account(tx)
		if err != nil || a.Status == schedctl.AccountDisconnected {
			return noContent, err
		}
		if a.Credentials, err = s.connector.WithoutSecrets(a); err != nil {
			return response{}, err
		}
		a.Status, a.Error = schedctl.AccountDisconnected, nil
		a.UpdatedAt = schedctl.Millis(c.Now)
		return noContent, tx.PutAccount(a)
	})
}

// account loads the account of the path.
func (s *Server) account(ctx context.Context, c *request) (schedctl.Account, error) {
	return storage.Read(ctx, s.view, c.account)
}

// account loads the account of the path. It returns NOT_FOUND for an account that
// the key may not use.
func (c *request) account(r storage.Reader) (schedctl.Account, error) { return c.accountByID(r, c.ID) }

// accountByID is account for any id.
func (c *request) accountByID(r storage.Reader, id string) (schedctl.Account, error) {
	a, err := r.Account(c.Key.WorkspaceID, id)
	if err == nil && c.MayUse(a.ID) {
		return a, nil
	}
	if err == nil || schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no account with this id")
	}
	return schedctl.Account{}, err
}

// sameAccount reports whether two versions of an account have equal visible fields,
// secrets and pauses. Secrets that were sent again count as different, because
// sealing is not deterministic.
func sameAccount(a, b schedctl.Account) bool {
	return reflect.DeepEqual(apiv1.NewAccount(a), apiv1.NewAccount(b)) && bytes.Equal(a.Credentials, b.Credentials) &&
		a.PausedUntil.Equal(b.PausedUntil) && a.DisruptedSince.Equal(b.DisruptedSince)
}

// changeAccount loads the account of the path, applies change, and stores the
// account, the events and the response in one transaction. If change had no effect,
// it stores nothing. change may run more than once and must not modify what the
// account points to.
func (s *Server) changeAccount(ctx context.Context, c *request, change func(*schedctl.Account) ([]schedctl.Event, error)) (response, error) {
	now := schedctl.Millis(time.Now()) // the network request may have been slow
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.account(tx)
		if err != nil {
			return response{}, err
		}
		before := a
		events, err := change(&a)
		if err != nil {
			return response{}, err
		}
		if sameAccount(before, a) {
			return s.accountResponse(tx, c, http.StatusOK, a)
		}
		a.UpdatedAt = now
		if err := errors.Join(tx.PutAccount(a), tx.AddEvents(events...)); err != nil {
			return response{}, err
		}
		return s.accountResponse(tx, c, http.StatusOK, a)
	})
}
