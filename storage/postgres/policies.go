package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// keepPolicies fails with codeDivisionByZero if an account has another policy than the
// arguments say. It is sent with the writes of its transaction, and so cannot return rows.
const keepPolicies = `SELECT 1 / (NOT EXISTS (
	SELECT 1 FROM accounts JOIN unnest($1::uuid[], $2::text[], $3::boolean[]) AS seen (id, approvals, required) ON accounts.id = seen.id
	WHERE accounts.approvals <> seen.approvals OR (accounts.options ->> 'approval' IS NOT DISTINCT FROM 'required') <> seen.required
))::int`

// KeepPolicies implements [storage.PolicyKeeper].
func (tx *tx) KeepPolicies(list []schedctl.Account) error {
	ids, approvals, required := make([]pgtype.UUID, len(list)), make([]string, len(list)), make([]bool, len(list))
	for i := range list {
		var err error
		if ids[i], err = parse(schedctl.AccountPrefix, list[i].ID); err != nil {
			return err
		}
		approvals[i], required[i] = string(list[i].Approvals), list[i].RequiresApproval()
	}
	tx.write(keepPolicies, ids, approvals, required)
	return nil
}
