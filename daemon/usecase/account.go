package usecase

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Account loads the account of the request. Errors: NOT_FOUND, also if the key may not use
// it.
func (c *Request) Account(r storage.Reader) (schedctl.Account, error) { return c.AccountByID(r, c.ID) }

// AccountByID is Account for any id.
func (c *Request) AccountByID(r storage.Reader, id string) (schedctl.Account, error) {
	a, err := r.Account(c.Key.WorkspaceID, id)
	if err == nil && c.MayUse(a.ID) {
		return a, nil
	}
	if err == nil || schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no account with this id")
	}
	return schedctl.Account{}, err
}

// RemoveAccount disconnects the account of the request. The record stays, and its secrets
// are erased. Its identity on the network is not a secret and stays too.
func (s *Service) RemoveAccount(c *Request, tx storage.Tx) error {
	a, err := c.Account(tx)
	if err != nil || a.Status == schedctl.AccountDisconnected {
		return err
	}
	if a.Credentials, err = s.Connector.WithoutSecrets(a); err != nil {
		return err
	}
	a.Status, a.Error, a.Warnings = schedctl.AccountDisconnected, nil, nil
	a.UpdatedAt = schedctl.Millis(c.Now)
	return tx.PutAccount(a)
}

// StoreAccount applies a change to the account of the request. If the change has no effect,
// it stores nothing. change may run more than once and must not modify what the account
// points to. The network request before it may have been slow: now is the time after it.
// existing says what becomes of posts that need an approval after the change.
func (c *Request) StoreAccount(tx storage.Tx, now time.Time, change AccountChange, existing schedctl.Existing) (schedctl.Account, error) {
	a, err := c.Account(tx)
	if err != nil {
		return a, err
	}
	before := a
	events, err := change(&a)
	if err != nil {
		return a, err
	}
	sw, err := c.switchAccount(tx, &before, a, existing)
	if err != nil || sw == nil && sameAccount(before, a) {
		return a, err
	}
	a.UpdatedAt = schedctl.Millis(now)
	if err := errors.Join(tx.PutAccount(a), tx.AddEvents(events...)); err != nil || sw == nil {
		return a, err
	}
	return a, sw.settle(tx)
}

// CheckAccount checks what becomes of the posts of the account of the request with new
// settings. Errors: those of policySwitch.check.
func (c *Request) CheckAccount(r storage.Reader, b AccountSettings) error {
	a, err := c.Account(r)
	if err != nil || b.Options[schedctl.OptionApproval] == nil && b.Existing == "" {
		return err
	}
	_, err = c.switchAccount(r, &a, b.applied(a), b.Existing)
	return err
}

// switchAccount returns the checked switch to an account that requires approvals, or nil if
// the account required them before.
func (c *Request) switchAccount(r storage.Reader, before *schedctl.Account, a schedctl.Account, existing schedctl.Existing) (*policySwitch, error) {
	if existing == "" && (before.RequiresApproval() || !a.RequiresApproval()) {
		return nil, nil
	}
	w, err := r.Workspace(a.WorkspaceID)
	if err != nil {
		return nil, err
	}
	accounts, err := r.Accounts(a.WorkspaceID)
	if err != nil {
		return nil, err
	}
	sw := c.newPolicySwitch(a.WorkspaceID, accounts, w.FourEyes, existing)
	sw.accounts[a.ID], sw.affected = a, []string{a.ID}
	return sw, sw.check(r)
}

// sameAccount reports whether two versions of an account have equal visible fields,
// secrets and pauses. Secrets that were sent again count as different, because
// sealing is not deterministic.
func sameAccount(a, b schedctl.Account) bool {
	return reflect.DeepEqual(apiv1.NewAccount(a), apiv1.NewAccount(b)) && slices.Equal(a.Warnings, b.Warnings) && bytes.Equal(a.Credentials, b.Credentials) &&
		a.PausedUntil.Equal(b.PausedUntil) && a.DisruptedSince.Equal(b.DisruptedSince)
}

// maxNamedAccounts is the maximum number of accounts that a warning names.
const maxNamedAccounts = 3

// ShowAccounts returns accounts as the caller may see them. Warnings say that other accounts
// log in as the same user, what the network does not let the credentials do, that they end, or
// that the network cannot fetch files from the daemon.
func (s *Service) ShowAccounts(r storage.Reader, c *Request, accounts ...schedctl.Account) ([]apiv1.Account, error) {
	var identities []schedctl.Identity
	for i := range accounts {
		if s.hasLogin(&accounts[i]) {
			identities = append(identities, accounts[i].Identity())
		}
	}
	var all []schedctl.Account
	if len(identities) > 0 {
		var err error
		if all, err = r.AccountsOf(identities); err != nil {
			return nil, err
		}
	}
	same := map[schedctl.Identity][]schedctl.Account{}
	for _, a := range all {
		if a.Status != schedctl.AccountDisconnected {
			same[a.Identity()] = append(same[a.Identity()], a)
		}
	}
	readings, err := s.readings(r, c, accounts)
	if err != nil {
		return nil, err
	}
	wire := make([]apiv1.Account, len(accounts))
	for i := range accounts {
		wire[i] = apiv1.NewAccount(accounts[i])
		if s.hasLogin(&accounts[i]) {
			wire[i].Warnings = c.warnShared(&accounts[i], same[accounts[i].Identity()])
		}
		wire[i].Waits = accountWaits(&accounts[i], c.Now)
		wire[i].Results = s.accountResults(&accounts[i], readings[accounts[i].ID], c.Now)
		wire[i].Warnings = slices.Concat(c.Cleaned, wire[i].Warnings, accounts[i].Warnings)
		if a := &accounts[i]; a.Status == schedctl.AccountConnected && a.Expiry.EndsSoon(c.Now) {
			wire[i].Warnings = append(wire[i].Warnings, schedctl.ExpiryWarning(*a))
		}
		if p, ok := s.Publishers[accounts[i].Platform].(publish.AddressNeeder); ok && accounts[i].Status != schedctl.AccountDisconnected && p.AddressProblem() != "" {
			wire[i].Warnings = append(wire[i].Warnings, p.AddressProblem())
		}
	}
	return wire, nil
}

// hasLogin reports whether an account logs in as a user of its network. Several
// accounts can log in as the same user.
func (s *Service) hasLogin(a *schedctl.Account) bool {
	p, known := s.Publishers[a.Platform]
	if !known || a.Status == schedctl.AccountDisconnected || a.Identity().Login == "" || slices.Contains(receivers, a.Platform) {
		return false
	}
	credentials, _ := fieldNames(p)
	return len(credentials) > 0
}

// warnShared returns the warning about accounts that log in as the same user. It
// names those that the key may see.
func (c *Request) warnShared(a *schedctl.Account, same []schedctl.Account) []string {
	var named []string
	hidden := 0
	for i := range same {
		switch o := &same[i]; {
		case o.ID == a.ID:
		case o.WorkspaceID == a.WorkspaceID && c.MayUse(o.ID) && len(named) < maxNamedAccounts:
			named = append(named, fmt.Sprintf("%q", o.Name)) // names are unique in a workspace
		default:
			hidden++
		}
	}
	switch {
	case len(named) == 0 && hidden == 0:
		return nil
	case len(named) == 0:
		named = []string{"an account that this API key cannot see"}
	case hidden > 0:
		named = append(named, "others")
	}
	return []string{fmt.Sprintf("it logs in as the same user of %s as %s: a post to both appears there twice; disconnect the account that you do not need",
		a.Platform, strings.Join(named, ", "))}
}
