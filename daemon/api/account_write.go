package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// addAccount answers POST /social-accounts: the network is asked first, outside
// of any transaction, and only an account that it knows is stored.
func (s *server) addAccount(ctx context.Context, c *call, b addAccount) (answer, error) {
	if len(c.key.AccountIDs) > 0 {
		return answer{}, schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to certain accounts and cannot connect others; use another key")
	}
	p, err := s.publisher(b.platform)
	if err != nil {
		return answer{}, err
	}
	if err := b.check(p); err != nil {
		return answer{}, err
	}
	name := ""
	if b.name != nil {
		name = *b.name
	}
	options := merged(nil, b.options)
	profile, refusal := connect(ctx, p, publish.Connection{Name: name, Credentials: b.credentials, Options: options})
	if refusal != nil {
		return answer{}, connectError(p, refusal)
	}
	now := schedctl.Millis(time.Now()) // asking the network may have taken a while
	a := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: c.key.WorkspaceID, Platform: b.platform,
		Name: cmp.Or(name, profile.Username), Options: options, CreatedAt: now, UpdatedAt: now,
	}
	applyProfile(&a, profile)
	if err := schedctl.CheckAccountName(a.Name); err != nil {
		return answer{}, schedctl.Errorf(schedctl.ValidationFailed, "name", "the network's name for this account cannot be used; give it a name of your own")
	}
	if a.Credentials, err = s.sealCredentials(b.credentials, a.ID); err != nil {
		return answer{}, err
	}
	created, err := accountAnswer(http.StatusCreated, a)
	if err != nil {
		return answer{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (answer, error) { return created, tx.PutAccount(a) })
}

// editAccount answers PATCH /social-accounts/{id}. New credentials replace all
// old ones.
func (s *server) editAccount(ctx context.Context, c *call, b settings) (answer, error) {
	before, err := s.account(ctx, c)
	if err != nil {
		return answer{}, err
	}
	p, err := s.publisher(before.Platform)
	if err != nil {
		return answer{}, err
	}
	if err := cmp.Or(b.check(p), b.mayEdit(&before)); err != nil {
		return answer{}, err
	}
	var profile *publish.Profile
	if b.needsNetwork(p) {
		if profile, err = s.reconnect(ctx, p, before, b); err != nil {
			return answer{}, err
		}
	}
	var sealed []byte
	if b.credentials != nil {
		if sealed, err = s.sealCredentials(b.credentials, before.ID); err != nil {
			return answer{}, err
		}
	}
	return s.changeAccount(ctx, c, func(a *schedctl.Account) ([]schedctl.Event, error) {
		return nil, b.apply(a, sealed, profile)
	})
}

// apply brings an account in line with the settings, the sealed credentials and
// what the network said; nil for what stays as it is.
func (b *settings) apply(a *schedctl.Account, sealed []byte, profile *publish.Profile) error {
	if err := b.mayEdit(a); err != nil {
		return err
	}
	if b.name != nil {
		a.Name = *b.name
	}
	if sealed != nil {
		a.Credentials = sealed
	}
	a.Options = merged(a.Options, b.options)
	if profile != nil {
		applyProfile(a, *profile)
	}
	return nil
}

// mayEdit returns nil when the account is connected or is about to be.
func (b *settings) mayEdit(a *schedctl.Account) error {
	if a.Status == schedctl.AccountDisconnected && b.credentials == nil {
		return schedctl.Errorf(schedctl.ValidationFailed, "credentials", "the account is disconnected and its secrets are erased; give credentials to connect it again")
	}
	return nil
}

// needsNetwork reports whether the change has to be verified: credentials and
// options of the platform's own are; so is a name where there are no
// credentials, because there the name is the account's address.
func (b *settings) needsNetwork(p publish.Publisher) bool {
	for name := range b.options {
		if !slices.Contains(commonOptions, name) {
			return true
		}
	}
	credentials, _ := fieldNames(p)
	return b.credentials != nil || (b.name != nil && len(credentials) == 0)
}

// reconnect verifies an account as it will be after the change.
func (s *server) reconnect(ctx context.Context, p publish.Publisher, a schedctl.Account, b settings) (*publish.Profile, error) {
	c := publish.Connection{Name: a.Name, Credentials: b.credentials, Options: merged(a.Options, b.options)}
	if b.name != nil {
		c.Name = *b.name
	}
	if c.Credentials == nil {
		var err error
		if c.Credentials, err = s.openCredentials(a); err != nil {
			return nil, err
		}
	}
	profile, refusal := connect(ctx, p, c)
	if refusal != nil {
		return nil, connectError(p, refusal)
	}
	return &profile, nil
}

// verifyAccount answers POST /social-accounts/{id}/verify: 200 with the account
// whether its network accepts it or not.
func (s *server) verifyAccount(ctx context.Context, c *call) (answer, error) {
	before, err := s.account(ctx, c)
	if err != nil {
		return answer{}, err
	}
	if err := new(settings).mayEdit(&before); err != nil {
		return answer{}, err
	}
	p, err := s.publisher(before.Platform)
	if err != nil {
		return answer{}, err
	}
	credentials, err := s.openCredentials(before)
	if err != nil {
		return answer{}, err
	}
	profile, refusal := connect(ctx, p, publish.Connection{Name: before.Name, Credentials: credentials, Options: before.Options})
	if refusal != nil && refusal.Kind != schedctl.KindAuth {
		return answer{}, connectError(p, refusal)
	}
	return s.changeAccount(ctx, c, func(a *schedctl.Account) ([]schedctl.Event, error) {
		switch {
		case !bytes.Equal(a.Credentials, before.Credentials):
			return nil, nil // others than those that were verified
		case refusal != nil:
			return refuseAccount(a, refusal, c), nil
		}
		applyProfile(a, profile)
		return nil, nil
	})
}

// refuseAccount notes that the network refuses the account, and returns the
// event of it when that is new.
func refuseAccount(a *schedctl.Account, refusal *publish.Error, c *call) []schedctl.Event {
	known := a.Status == schedctl.AccountError
	a.Status = schedctl.AccountError
	a.Error = &schedctl.TargetError{
		Kind: refusal.Kind, Code: refusal.Code, Message: refusal.Message,
		HTTPStatus: refusal.HTTPStatus, Outcome: schedctl.OutcomeNotPublished,
	}
	if known {
		return nil
	}
	return []schedctl.Event{schedctl.AccountErrorEvent(*a, c.now)}
}
