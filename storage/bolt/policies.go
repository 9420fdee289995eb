package bolt

import (
	"bytes"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// knownAccount is an account as its record describes it.
type knownAccount struct {
	record  []byte
	account schedctl.Account
}

// maxKnownAccounts is how many accounts the writer remembers.
const maxKnownAccounts = 1024

// KeepPolicies implements [storage.PolicyKeeper]. Each create asks for the same few accounts,
// whose records rarely change, so that the writer decodes a record only if its bytes are not
// those of the last time.
func (tx *tx) KeepPolicies(list []schedctl.Account) error {
	for i := range list {
		owner, account, err := parse2(accountTable.owner, list[i].WorkspaceID, accountTable.record, list[i].ID)
		if err != nil {
			return err
		}
		key := concat(tx.scratch[:0], owner[:], account[:])
		record := tx.in(accounts).Get(key)
		if record == nil {
			continue
		}
		known := tx.known[account]
		if !bytes.Equal(known.record, record) {
			if known.account, err = accountTable.read(key, record); err != nil {
				return err
			}
			known.record = bytes.Clone(record)
			if len(tx.known) >= maxKnownAccounts {
				clear(tx.known)
			}
			tx.known[account] = known
		}
		if !known.account.SamePolicy(&list[i]) {
			return storage.ErrPolicyChanged
		}
	}
	return nil
}
