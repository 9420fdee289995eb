package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// maxNamedAccounts is the maximum number of accounts that a warning names.
const maxNamedAccounts = 3

// wireAccounts returns accounts as the caller may see them. Warnings say that other accounts
// log in as the same user, that credentials end, or that the network cannot fetch files from
// the daemon.
func (s *Server) wireAccounts(r storage.Reader, c *request, accounts ...schedctl.Account) ([]apiv1.Account, error) {
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
	wire := make([]apiv1.Account, len(accounts))
	for i := range accounts {
		wire[i] = apiv1.NewAccount(accounts[i])
		if s.hasLogin(&accounts[i]) {
			wire[i].Warnings = c.warnShared(&accounts[i], same[accounts[i].Identity()])
		}
		if a := &accounts[i]; a.Status == schedctl.AccountConnected && a.Expiry.EndsSoon(c.Now) {
			wire[i].Warnings = append(wire[i].Warnings, schedctl.ExpiryWarning(*a))
		}
		if p, ok := s.publishers[accounts[i].Platform].(publish.AddressNeeder); ok && accounts[i].Status != schedctl.AccountDisconnected && p.AddressProblem() != "" {
			wire[i].Warnings = append(wire[i].Warnings, p.AddressProblem())
		}
	}
	return wire, nil
}

// hasLogin reports whether an account logs in as a user of its network. Several
// accounts can log in as the same user.
func (s *Server) hasLogin(a *schedctl.Account) bool {
	p, known := s.publishers[a.Platform]
	if !known || a.Status == schedctl.AccountDisconnected || a.Identity().Login == "" || slices.Contains(receivers, a.Platform) {
		return false
	}
	credentials, _ := fieldNames(p)
	return len(credentials) > 0
}

// warnShared returns the warning about accounts that log in as the same user. It
// names those that the key may see.
func (c *request) warnShared(a *schedctl.Account, same []schedctl.Account) []string {
	var named []string
	hidden := 0
	for i := range same {
		switch o := &same[i]; {
		case o.ID == a.ID:
		case o.WorkspaceID == a.WorkspaceID && c.MayUse(o.ID) && len(named) < maxNamedAccounts:
			named = append(named, fmt.Sprintf("%q (%s)", o.Name, o.ID))
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
