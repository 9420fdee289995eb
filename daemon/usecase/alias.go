package usecase

import (
	"cmp"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Snippets returns the snippets of the workspace, sorted by name.
func (c *Request) Snippets(r storage.Reader) ([]schedctl.Alias, error) {
	return c.aliases(r, schedctl.AliasSnippet)
}

// Group is an account group with those of its accounts that exist and that the key may use.
type Group struct {
	schedctl.Alias
	Hidden int // the number of its other accounts that exist
}

// Groups returns the account groups of the workspace, sorted by name. It leaves out groups
// whose accounts the key may not use at all.
func (c *Request) Groups(r storage.Reader) (groups []Group, err error) {
	all, err := c.aliases(r, schedctl.AliasGroup)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	accounts, err := r.Accounts(c.Key.WorkspaceID)
	if err != nil {
		return nil, err
	}
	exists := map[string]bool{}
	for i := range accounts {
		exists[accounts[i].ID] = accounts[i].Status != schedctl.AccountDisconnected
	}
	for _, a := range all {
		if g := c.group(a, exists); len(g.AccountIDs) > 0 || g.Hidden == 0 {
			groups = append(groups, g)
		}
	}
	return groups, nil
}

func (c *Request) group(a schedctl.Alias, exists map[string]bool) Group {
	g := Group{Alias: a.Clone()}
	g.AccountIDs = slices.DeleteFunc(g.AccountIDs, func(id string) bool {
		hidden := exists[id] && !c.MayUse(id)
		if hidden {
			g.Hidden++
		}
		return hidden || !exists[id]
	})
	return g
}

// aliases returns the aliases of a kind, sorted by name.
func (c *Request) aliases(r storage.Reader, kind schedctl.AliasKind) ([]schedctl.Alias, error) {
	all, err := r.Aliases(c.Key.WorkspaceID)
	all = slices.DeleteFunc(all, func(a schedctl.Alias) bool { return a.Kind != kind })
	slices.SortFunc(all, func(a, b schedctl.Alias) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// SetSnippet creates the snippet whose name is the id of the request, or changes its text.
func (c *Request) SetSnippet(tx storage.Tx, text string) (schedctl.Alias, error) {
	if err := schedctl.CheckSnippet(text); err != nil {
		return schedctl.Alias{}, err
	}
	return c.setAlias(tx, schedctl.AliasSnippet, func(a *schedctl.Alias, _ bool) error {
		a.Text = text
		return nil
	})
}

// SetGroup creates the account group whose name is the id of the request, or changes its
// accounts. Errors: ACCOUNT_NOT_ALLOWED, INVALID_SOCIAL_ACCOUNTS, NAME_TAKEN if it exists
// and only a new one is wanted.
func (c *Request) SetGroup(tx storage.Tx, accountIDs []string, createOnly bool) (Group, error) {
	exists := map[string]bool{}
	for i, id := range accountIDs {
		if slices.Contains(accountIDs[:i], id) {
			return Group{}, schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "social_account_ids names %s twice; name it once", id)
		}
		if !c.MayUse(id) {
			return Group{}, schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids", "this API key may not use %s; use a key that may", id)
		}
		account, err := tx.Account(c.Key.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && account.Status == schedctl.AccountDisconnected {
			return Group{}, schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "there is no account %s in this workspace; list them with GET %s/social-accounts", id, prefix)
		}
		if err != nil {
			return Group{}, err
		}
		exists[id] = true
	}
	a, err := c.setAlias(tx, schedctl.AliasGroup, func(a *schedctl.Alias, found bool) error {
		if found && createOnly {
			return schedctl.Errorf(schedctl.NameTaken, "id", "the account group %q exists already; change it, or choose another name", c.ID)
		}
		if !found {
			if err := c.freeGroupName(tx); err != nil {
				return err
			}
		}
		if err := c.mayChangeGroup(tx, a); err != nil {
			return err
		}
		a.AccountIDs = slices.Sorted(slices.Values(accountIDs))
		return nil
	})
	return c.group(a, exists), err
}

// freeGroupName returns nil if @ and the name of the request can only mean a group. Errors:
// NAME_TAKEN.
func (c *Request) freeGroupName(r storage.Reader) error {
	if c.ID == "all" {
		return schedctl.Errorf(schedctl.NameTaken, "id", "%q stands for all accounts; choose another name", c.ID)
	}
	accounts, err := r.Accounts(c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	same := func(a schedctl.Account) bool { return a.Name == c.ID && a.Status != schedctl.AccountDisconnected }
	if slices.ContainsFunc(accounts, same) {
		return schedctl.Errorf(schedctl.NameTaken, "id", "an account has the name %q, so that @%s would mean both; choose another name", c.ID, c.ID)
	}
	return nil
}

// mayChangeGroup returns nil if the key may use all accounts that an account group has.
func (c *Request) mayChangeGroup(r storage.Reader, a *schedctl.Alias) error {
	for _, id := range a.AccountIDs {
		account, err := r.Account(c.Key.WorkspaceID, id)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		if err == nil && account.Status != schedctl.AccountDisconnected && !c.MayUse(id) {
			return schedctl.Errorf(schedctl.AccountNotAllowed, "id", "the account group %q has accounts that this API key may not use; use a key that may", c.ID)
		}
	}
	return nil
}

// setAlias changes the alias whose name is the id of the request, or a new one.
func (c *Request) setAlias(tx storage.Tx, kind schedctl.AliasKind, change func(a *schedctl.Alias, found bool) error) (schedctl.Alias, error) {
	if err := c.mayAlias(); err != nil {
		return schedctl.Alias{}, err
	}
	if err := schedctl.CheckAliasName(c.ID); err != nil {
		return schedctl.Alias{}, err
	}
	all, err := c.aliases(tx, kind)
	if err != nil {
		return schedctl.Alias{}, err
	}
	now := schedctl.Millis(c.Now)
	a := schedctl.Alias{ID: schedctl.NewID(schedctl.AliasPrefix, now), WorkspaceID: c.Key.WorkspaceID, Kind: kind, Name: c.ID, CreatedAt: now}
	i := slices.IndexFunc(all, func(o schedctl.Alias) bool { return o.Name == c.ID })
	if i >= 0 {
		a = all[i]
	} else if len(all) >= schedctl.MaxAliases {
		return a, schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has %d names of this kind, which is the limit; delete one first", len(all))
	}
	if err := change(&a, i >= 0); err != nil {
		return a, err
	}
	a.UpdatedAt = now
	return a, tx.PutAlias(a)
}

// DeleteAlias deletes the alias whose name is the id of the request. Errors: NOT_FOUND,
// ACCOUNT_NOT_ALLOWED.
func (c *Request) DeleteAlias(tx storage.Tx, kind schedctl.AliasKind) error {
	if err := c.mayAlias(); err != nil {
		return err
	}
	all, err := c.aliases(tx, kind)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(o schedctl.Alias) bool { return o.Name == c.ID })
	if i < 0 {
		what := map[schedctl.AliasKind]string{schedctl.AliasGroup: "account group", schedctl.AliasSnippet: "snippet"}[kind]
		return schedctl.Errorf(schedctl.NotFound, "", "this workspace has no %s with this name", what)
	}
	if err := c.mayChangeGroup(tx, &all[i]); err != nil {
		return err
	}
	return tx.DeleteAlias(c.Key.WorkspaceID, all[i].ID)
}

// mayAlias returns nil if the key may change aliases, which are there for the posts of all
// keys. Errors: KEY_NOT_ALLOWED.
func (c *Request) mayAlias() error {
	if !c.Key.OwnOnly() {
		return nil
	}
	return schedctl.Errorf(schedctl.KeyNotAllowed, "", "account groups and snippets are there for the posts of all API keys, and this key changes only its own; use a key that may")
}
