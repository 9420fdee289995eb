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
	ws, account, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.AccountPrefix, id)
	if err != nil {
		return schedctl.Account{}, err
	}
	return r.account(ws, account)
}

func (r *reader) account(ws, account ulid) (schedctl.Account, error) {
	key := concat(r.scratch[:0], ws[:], account[:])
	record := r.in(accounts).Get(key)
	if record == nil {
		return schedctl.Account{}, notFound(schedctl.AccountPrefix, account.ID(schedctl.AccountPrefix))
	}
	return readAccount(key, record)
}

func readAccount(key, record []byte) (a schedctl.Account, err error) {
	if len(key) != 32 {
		return a, fmt.Errorf("accounts: %w: a key has %d bytes", storage.ErrCorrupt, len(key))
	}
	a.WorkspaceID, a.ID = id(key[:16], schedctl.WorkspacePrefix), id(key[16:], schedctl.AccountPrefix)
	if err := decode(record, &a, (*coder).account); err != nil {
		return a, fmt.Errorf("account %s: %w", a.ID, err)
	}
	return a, nil
}

// Accounts implements [storage.Reader].
func (r *reader) Accounts(workspaceID string) ([]schedctl.Account, error) {
	return listUnder(r, accounts, workspaceID, readAccount)
}

// listUnder reads all records of a workspace.
func listUnder[T any](r *reader, b bucket, workspaceID string, read func(key, record []byte) (T, error)) (list []T, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	c := r.in(b).Cursor()
	for k, v := c.Seek(ws[:]); bytes.HasPrefix(k, ws[:]); k, v = c.Next() {
		item, err := read(k, v)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
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
	return r.account(ulid(owner), ulid(owner[16:]))
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
			return schedctl.Errorf(schedctl.ValidationFailed, "name", "the name %q is taken; choose another one", a.Name)
		}
	}
	old, err := tx.account(ws, account)
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
		for _, n := range accountNameEntries(&old, ws, account) {
			if err := tx.delete(n.bucket, n.key); err != nil {
				return err
			}
		}
	}
	for _, n := range names {
		if err := tx.put(n.bucket, n.key, n.value); err != nil {
			return err
		}
	}
	return nil
}

// nameEntry is an entry of an account in an index of names or identities.
type nameEntry struct {
	bucket     bucket
	key, value []byte
}

// accountNameEntries returns all entries of an account in the indexes of names and
// identities.
func accountNameEntries(a *schedctl.Account, ws, account ulid) []nameEntry {
	list := []nameEntry{identityEntry(a, ws, account)}
	if a.Status == schedctl.AccountDisconnected {
		return list
	}
	list = append(list, nameEntry{bucket: accountNames, key: concat(nil, ws[:], []byte(a.Name)), value: account[:]})
	if a.Platform == feedPlatform {
		list = append(list, nameEntry{bucket: feeds, key: []byte(a.Name), value: concat(nil, ws[:], account[:])})
	}
	return list
}

func identityEntry(a *schedctl.Account, ws, account ulid) nameEntry {
	return nameEntry{bucket: identities, key: concat(nil, identityKey(a.Identity()), ws[:], account[:])}
}
