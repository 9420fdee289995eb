package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// addAccount handles POST /social-accounts. It verifies the account with its
// network outside of any transaction, and stores only a verified account.
func (s *Server) addAccount(ctx context.Context, c *request, b addAccount) (response, error) {
	if len(c.Key.AccountIDs) > 0 {
		return response{}, schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to certain accounts and cannot connect others; use another key")
	}
	p, err := s.publisher(b.platform)
	if err != nil {
		return response{}, err
	}
	if err := b.check(p); err != nil {
		return response{}, err
	}
	if err := s.useApp(ctx, c, p, &b.settings); err != nil {
		return response{}, err
	}
	name := ""
	if b.name != nil {
		name = *b.name
	}
	options := merged(nil, b.options)
	profile, credentials, failure := s.connector.Connect(ctx, b.platform, publish.Connection{Name: name, Credentials: b.credentials, Options: options})
	if failure != nil {
		return response{}, connectError(p, publish.WhileConnecting(failure))
	}
	now := schedctl.Millis(time.Now()) // the network request may have been slow
	a := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: c.Key.WorkspaceID, Platform: b.platform,
		Name: cmp.Or(name, profile.Username), Options: options, CreatedAt: now, UpdatedAt: now,
	}
	applyProfile(&a, profile)
	if err := schedctl.CheckAccountName(a.Name); err != nil {
		return response{}, schedctl.Errorf(schedctl.ValidationFailed, "name", "the network's name for this account cannot be used; give it a name of your own")
	}
	if a.Credentials, err = s.connector.Seal(credentials, a.ID); err != nil {
		return response{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		added := a // the transaction may run again
		if err := errors.Join(usecase.AdoptBlackouts(tx, &added), adoptPolicy(tx, &added), tx.PutAccount(added)); err != nil {
			return response{}, err
		}
		return s.accountResponse(tx, c, http.StatusCreated, added)
	})
}

// editAccount handles PATCH /social-accounts/{id}. New credentials replace all
// old ones.
func (s *Server) editAccount(ctx context.Context, c *request, b settings) (response, error) {
	before, err := s.account(ctx, c)
	if err != nil {
		return response{}, err
	}
	p, err := s.publisher(before.Platform)
	if err != nil {
		return response{}, err
	}
	if err := cmp.Or(b.check(p), b.mayEdit(&before)); err != nil {
		return response{}, err
	}
	if err := s.useApp(ctx, c, p, &b); err != nil {
		return response{}, err
	}
	verified := func(*schedctl.Account) {}
	if b.needsNetwork(p) {
		if verified, err = s.reconnect(ctx, p, before, b); err != nil {
			return response{}, err
		}
	}
	return s.changeAccount(ctx, c, func(a *schedctl.Account) ([]schedctl.Event, error) {
		if err := b.mayEdit(a); err != nil {
			return nil, err
		}
		*a = b.applied(*a)
		verified(a)
		return nil, nil
	})
}

// applied returns the account with the name and the options of the settings
// applied.
func (b *settings) applied(a schedctl.Account) schedctl.Account {
	if b.name != nil {
		a.Name = *b.name
	}
	a.Options = merged(a.Options, b.options)
	return a
}

// mayEdit returns nil when the account is connected or the settings connect it.
func (b *settings) mayEdit(a *schedctl.Account) error {
	if a.Status == schedctl.AccountDisconnected && b.credentials == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "credentials", "the account is disconnected and its secrets are erased; give credentials to connect it again")
	}
	return nil
}

// needsNetwork reports whether the network must verify the change: new credentials
// and new platform options. On platforms without credentials the name is the
// account's address, so a new name needs verification too.
func (b *settings) needsNetwork(p publish.Publisher) bool {
	for name := range b.options {
		if !slices.Contains(commonOptions, name) {
			return true
		}
	}
	credentials, _ := fieldNames(p)
	return b.credentials != nil || (b.name != nil && len(credentials) == 0)
}

// reconnect verifies the changed account with its network. It returns the function
// that updates the stored account.
func (s *Server) reconnect(ctx context.Context, p publish.Publisher, before schedctl.Account, b settings) (func(*schedctl.Account), error) {
	after := b.applied(before)
	if b.credentials == nil {
		return s.recheck(ctx, p, after)
	}
	given := publish.Connection{Name: after.Name, Credentials: b.credentials, Options: after.Options}
	profile, credentials, failure := s.connector.Connect(ctx, p.Platform(), given)
	if failure != nil {
		return nil, connectError(p, publish.WhileConnecting(failure))
	}
	if err := refuseAnother(p, &before, s.connector.Identity(before), profile); err != nil {
		return nil, err
	}
	sealed, err := s.connector.Seal(credentials, before.ID)
	if err != nil {
		return nil, err
	}
	return func(a *schedctl.Account) {
		a.Credentials = sealed
		applyProfile(a, profile)
	}, nil
}

// recheck is reconnect for unchanged credentials.
func (s *Server) recheck(ctx context.Context, p publish.Publisher, after schedctl.Account) (func(*schedctl.Account), error) {
	verdict, failure := s.connector.Check(ctx, after)
	if failure != nil {
		return nil, connectError(p, failure)
	}
	now := time.Now()
	if verdict.Apply(&after, now); verdict.Refused() {
		return nil, refused(after.Error.Message)
	}
	return func(a *schedctl.Account) { verdict.Apply(a, now) }, nil
}

// verifyAccount handles POST /social-accounts/{id}/verify. It returns 200 with the
// account, whether the network accepts the account or not.
func (s *Server) verifyAccount(ctx context.Context, c *request) (response, error) {
	before, err := s.account(ctx, c)
	if err != nil {
		return response{}, err
	}
	if err := new(settings).mayEdit(&before); err != nil {
		return response{}, err
	}
	p, err := s.publisher(before.Platform)
	if err != nil {
		return response{}, err
	}
	verdict, failure := s.connector.Check(ctx, before)
	if failure != nil {
		return response{}, connectError(p, failure)
	}
	return s.changeAccount(ctx, c, func(a *schedctl.Account) ([]schedctl.Event, error) {
		return verdict.Apply(a, c.Now), nil
	})
}
