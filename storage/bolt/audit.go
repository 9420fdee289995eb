package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl"
)

// Audit implements [storage.Reader].
func (r *reader) Audit(workspaceID, afterID string, limit int) ([]schedctl.AuditEntry, error) {
	return auditTable.page(r, workspaceID, afterID, limit)
}

// AddAudit implements [storage.Tx].
func (tx *tx) AddAudit(a schedctl.AuditEntry) error {
	ws, entry, err := parse2(schedctl.WorkspacePrefix, a.WorkspaceID, schedctl.AuditPrefix, a.ID)
	if err != nil {
		return err
	}
	key := concat(tx.scratch[:0], ws[:], entry[:])
	if !tx.youngestAudit(key) && tx.in(audit).Get(key) != nil {
		return fmt.Errorf("add audit entry %s: there is one with this id", a.ID)
	}
	return putRecord(tx, audit, key, &a, (*coder).auditEntry)
}

// youngestAudit is [tx.youngest] for the audit entries of one workspace. It caches only
// the last workspace, because transactions of a group rarely write to several.
func (tx *tx) youngestAudit(key []byte) bool {
	last := &tx.lastAudit
	if !bytes.Equal(last[:16], key[:16]) {
		k := seekBefore(tx.in(audit).Cursor(), afterAll(key[:16]))
		if *last = [32]byte{}; bytes.HasPrefix(k, key[:16]) {
			copy(last[:], k)
		}
	}
	if bytes.Compare(key, last[:]) <= 0 {
		return false
	}
	copy(last[:], key)
	return true
}
