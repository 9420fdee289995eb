package postgres

import (
	"fmt"

	"github.com/schedctl/schedctl"
)

// Audit implements [storage.Reader].
func (r *reader) Audit(workspaceID, afterID string, limit int) ([]schedctl.AuditEntry, error) {
	_, behind, args, err := pageCondition(schedctl.WorkspacePrefix, workspaceID, schedctl.AuditPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockTable("audit_entries")
	return query(r, auditEntries, "WHERE workspace_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
}

// AddAudit implements [storage.Tx].
func (tx *tx) AddAudit(a schedctl.AuditEntry) error {
	values, err := auditEntries.values(&a)
	if err != nil {
		return err
	}
	taken := tx.rows[a.WorkspaceID+a.ID]
	if !taken && tx.verifyWrites {
		if taken, err = tx.rowExists("SELECT 1 FROM audit_entries WHERE workspace_id = $1 AND id = $2", values[:2]...); err != nil {
			return err
		}
	}
	if taken {
		return fmt.Errorf("add audit entry %s: the id exists already", a.ID)
	}
	tx.rows[a.WorkspaceID+a.ID] = true
	tx.putUnverified(auditEntries.sql().insert, values...)
	return nil
}
