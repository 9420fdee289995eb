package postgres

import (
	"github.com/schedctl/schedctl"
)

// feedPlatform is the platform whose account names are part of the feed's address.
const feedPlatform = "feed"

// Account implements [storage.Reader].
func (r *reader) Account(workspaceID, id string) (schedctl.Account, error) {
	_, account, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.AccountPrefix, id)
	if err != nil {
		return schedctl.Account{}, err
	}
	if a, ready := r.prepared.accounts[id]; ready && a.WorkspaceID == workspaceID {
		return cloneAccount(a), nil
	}
	a, found, err := queryOne(r, accounts, "WHERE id = $1"+r.forUpdate(), account)
	if err == nil && (!found || a.WorkspaceID != workspaceID) {
		err = notFound(schedctl.AccountPrefix, id)
	}
	if err != nil {
		return schedctl.Account{}, err
	}
	r.cacheAccounts(a)
	return a, nil
}

// cacheAccounts caches accounts that the transaction has locked.
func (r *reader) cacheAccounts(list ...schedctl.Account) {
	if r.tx == nil {
		return
	}
	for _, a := range list {
		r.tx.accounts[a.ID] = a
	}
}

// Accounts implements [storage.Reader].
func (r *reader) Accounts(workspaceID string) ([]schedctl.Account, error) {
	list, err := queryWorkspace(r, accounts, workspaceID)
	r.cacheAccounts(list...)
	return list, err
}

// Feed implements [storage.Reader].
func (r *reader) Feed(name string) (schedctl.Account, error) {
	a, found, err := queryOne(r, accounts, "WHERE platform = 'feed' AND status <> 'disconnected' AND name = $1"+r.forUpdate(), clean(name))
	if err == nil && !found {
		err = schedctl.Errorf(schedctl.NotFound, "", "there is no feed %q", name)
	}
	return a, err
}

// PutAccount implements [storage.Tx].
func (tx *tx) PutAccount(a schedctl.Account) error {
	values, err := accounts.values(&a)
	if err != nil {
		return err
	}
	known, there := tx.accounts[a.ID]
	if !there {
		ws, err := parse(schedctl.WorkspacePrefix, a.WorkspaceID)
		if err != nil {
			return err
		}
		tx.lock(lockOf("accounts", ws.Bytes))
	}
	if !there || !namesUnchanged(&known, &a) {
		if err := tx.checkName(&a); err != nil {
			return err
		}
	}
	delete(tx.prepared.accounts, a.ID)
	tx.putUnverified(accounts.sql().upsert, values...)
	tx.accounts[a.ID] = a
	tx.changedAccounts = appendNew(tx.changedAccounts, a.ID)
	return nil
}

// namesUnchanged reports whether a put keeps the fields that account names are checked
// by.
func namesUnchanged(was, is *schedctl.Account) bool {
	if is.Status == schedctl.AccountDisconnected {
		return true
	}
	return was.Status != schedctl.AccountDisconnected && was.Name == is.Name && was.WorkspaceID == is.WorkspaceID &&
		(was.Platform == feedPlatform) == (is.Platform == feedPlatform)
}

// checkName returns VALIDATION_FAILED when another account has the name.
func (tx *tx) checkName(a *schedctl.Account) error {
	ws, account, err := parse2(schedctl.WorkspacePrefix, a.WorkspaceID, schedctl.AccountPrefix, a.ID)
	if err != nil || a.Status == schedctl.AccountDisconnected {
		return err
	}
	taken := false
	err = tx.send(statement{
		sql: `SELECT 1 FROM accounts WHERE status <> 'disconnected' AND workspace_id = $1 AND name = $2 AND id <> $3
			UNION ALL
			SELECT 1 FROM accounts WHERE status <> 'disconnected' AND platform = 'feed' AND $4 AND name = $2 AND id <> $3`,
		args: []any{ws, clean(a.Name), account, a.Platform == feedPlatform},
		scan: scanOne(&taken),
	})
	if err == nil && taken {
		err = schedctl.Errorf(schedctl.NameTaken, "name", "the name %q is taken; choose another one", a.Name)
	}
	return err
}
