package postgres

import (
	"github.com/schedctl/schedctl"
)

// ownedKind describes records that belong to a workspace and whose ids are unique in the
// database: queues, blackouts, series, calendar feeds, collections, aliases,
// shares and sources with their items, and the results of targets and accounts.
type ownedKind[T any] struct {
	rows   *layout[T]
	prefix schedctl.Prefix
	ids    func(v *T) (workspaceID, id string)
}

// getOwned returns a record of a workspace. A transaction locks it.
func getOwned[T any](r *reader, k *ownedKind[T], workspaceID, id string) (v T, err error) {
	_, own, err := parse2(schedctl.WorkspacePrefix, workspaceID, k.prefix, id)
	if err != nil {
		return v, err
	}
	v, found, err := queryOne(r, k.rows, "WHERE id = $1"+r.forUpdate(), own)
	if err != nil {
		return v, err
	}
	owner := ""
	if found {
		owner, _ = k.ids(&v)
	}
	if r.tx != nil {
		r.tx.owners[id] = owner
	}
	if owner != workspaceID {
		var none T
		return none, notFound(k.prefix, id)
	}
	return v, nil
}

// listOwned returns the records of a workspace in order of their ids. A transaction locks
// the list.
func listOwned[T any](r *reader, k *ownedKind[T], workspaceID string) ([]T, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	r.lockList(k.rows.table, ws)
	list, err := query(r, k.rows, "WHERE workspace_id = $1 ORDER BY id"+r.forUpdate(), ws)
	if r.tx != nil {
		for i := range list {
			owner, id := k.ids(&list[i])
			r.tx.owners[id] = owner
		}
	}
	return list, err
}

// ownerOf returns the workspace of a record, or "" for a missing one.
func ownerOf[T any](tx *tx, k *ownedKind[T], workspaceID, id string) (string, error) {
	if _, known := tx.owners[id]; !known {
		if _, err := getOwned(&tx.reader, k, workspaceID, id); err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return "", err
		}
	}
	return tx.owners[id], nil
}

// putOwned creates or replaces a record.
func putOwned[T any](tx *tx, k *ownedKind[T], v *T) error {
	workspaceID, id := k.ids(v)
	values, err := k.rows.values(v)
	if err != nil {
		return err
	}
	owner, err := ownerOf(tx, k, workspaceID, id)
	if err != nil {
		return err
	}
	if owner != "" && owner != workspaceID {
		return notFound(k.prefix, id)
	}
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return err
	}
	tx.lock(lockOf(k.rows.table, ws.Bytes))
	tx.put(k.rows.sql().upsert, values...)
	tx.owners[id] = workspaceID
	return nil
}

// deleteOwned deletes a record.
func deleteOwned[T any](tx *tx, k *ownedKind[T], workspaceID, id string) error {
	ws, own, err := parse2(schedctl.WorkspacePrefix, workspaceID, k.prefix, id)
	if err != nil {
		return err
	}
	owner, err := ownerOf(tx, k, workspaceID, id)
	if err != nil {
		return err
	}
	if owner != workspaceID {
		return notFound(k.prefix, id)
	}
	tx.lock(lockOf(k.rows.table, ws.Bytes))
	tx.put("DELETE FROM "+k.rows.table+" WHERE id = $1", own)
	tx.owners[id] = ""
	return nil
}
