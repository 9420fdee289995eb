package storage

import (
	"errors"

	"github.com/schedctl/schedctl"
)

// ErrPolicyChanged means that an account has another approval policy than the transaction
// expects. Nothing was stored; read the account again.
var ErrPolicyChanged = errors.New("the policy of an account has changed")

// PolicyKeeper is implemented by transactions that know a cheaper way than to read the
// accounts.
type PolicyKeeper interface {
	// KeepPolicies makes the transaction fail with [ErrPolicyChanged] unless the accounts
	// have the same policies as stored; see [schedctl.Account.SamePolicy]. It neither waits
	// for a response nor locks the accounts. A transaction that puts a post of an account
	// before it calls KeepPolicies, and one that lists the scheduled posts of the account
	// and changes its policy, run one after the other. Missing accounts are ignored.
	KeepPolicies(accounts []schedctl.Account) error
}

// KeepPolicies calls [PolicyKeeper.KeepPolicies] if tx implements it; otherwise it reads the
// accounts. Errors: [ErrPolicyChanged].
func KeepPolicies(tx Tx, accounts []schedctl.Account) error {
	if k, ok := tx.(PolicyKeeper); ok {
		return k.KeepPolicies(accounts)
	}
	for i := range accounts {
		now, err := tx.Account(accounts[i].WorkspaceID, accounts[i].ID)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
		case err != nil:
			return err
		case !now.SamePolicy(&accounts[i]):
			return ErrPolicyChanged
		}
	}
	return nil
}
