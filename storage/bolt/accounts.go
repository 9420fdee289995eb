package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// feedPlatform is the platform whose account names are part of public addresses.
const feedPlatform = "feed"

// Account implements [storage.Reader].
func (r *reader) Account(workspaceID, id string) (schedctl.Account, error) {
	return accountTable.get(r, workspaceID, id)
}

// Accounts implements [storage.Reader].
func (r *reader) Accounts(workspaceID string) ([]schedctl.Account, error) {
	return accountTable.list(r, workspaceID)
}

// Feed implements [storage.Reader].
func (r *reader) Feed(name string) (schedctl.Account, error) {
	owner := r.in(feeds).Get([]byte(name))
	if owner == nil {
		return schedctl.Account{}, schedctl.Errorf(schedctl.NotFound, "", "there is no feed %q", name)
	}
	if len(owner) != 32 {
		return schedctl.Account{}, fmt.Errorf("feed %q: %w: its entry has %d bytes", name, storage.ErrCorrupt, len(owner))
	}
	return accountTable.at(r, ulid(owner), ulid(owner[16:]))
}

// PutAccount implements [storage.Tx].
func (tx *tx) PutAccount(a schedctl.Account) error {
	ws, account, err := parse2(schedctl.WorkspacePrefix, a.WorkspaceID, schedctl.AccountPrefix, a.ID)
	if err != nil {
		return err
	}
	names := accountNameEntries(&a, ws, account)
	for _, n := range names {
		if owner := tx.in(n.bucket).Get(n.key); owner != nil && !bytes.Equal(owner, n.value) {
			return schedctl.Errorf(schedctl.NameTaken, "name", "the name %q is taken; choose another one", a.Name)
		}
	}
	old, err := accountTable.at(&tx.reader, ws, account)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	existed := err == nil
	if err := putRecord(tx, accounts, concat(tx.scratch[:0], ws[:], account[:]), &a, (*coder).account); err != nil {
		return err
	}
	if !slices.Contains(tx.accounts, a.ID) {
		tx.accounts = append(tx.accounts, a.ID)
	}
	if existed {
		if err := tx.deleteEntries(accountNameEntries(&old, ws, account)); err != nil {
			return err
		}
	}
	return tx.putEntries(names)
}

// accountNameEntries returns all entries of an account in the indexes of names and
// identities.
func accountNameEntries(a *schedctl.Account, ws, account ulid) []indexEntry {
	list := []indexEntry{identityEntry(a, ws, account)}
	if a.Status == schedctl.AccountDisconnected {
		return list
	}
	list = append(list, indexEntry{bucket: accountNames, key: concat(nil, ws[:], []byte(a.Name)), value: account[:]})
	if a.Platform == feedPlatform {
		list = append(list, indexEntry{bucket: feeds, key: []byte(a.Name), value: concat(nil, ws[:], account[:])})
	}
	return list
}

func identityEntry(a *schedctl.Account, ws, account ulid) indexEntry {
	return indexEntry{bucket: identities, key: concat(nil, identityKey(a.Identity()), ws[:], account[:])}
}
