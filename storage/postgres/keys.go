package postgres

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// Workspace implements [storage.Reader].
func (r *reader) Workspace(id string) (schedctl.Workspace, error) {
	ws, err := parse(schedctl.WorkspacePrefix, id)
	if err != nil {
		return schedctl.Workspace{}, err
	}
	w, found, err := queryOne(r, workspaces, "WHERE id = $1"+r.forUpdate(), ws)
	if err == nil && !found {
		err = notFound(schedctl.WorkspacePrefix, id)
	}
	if err == nil {
		r.cacheWorkspaces(w)
	}
	return w, err
}

// cacheWorkspaces caches workspaces that the transaction has locked.
func (r *reader) cacheWorkspaces(list ...schedctl.Workspace) {
	if r.tx == nil {
		return
	}
	for _, w := range list {
		r.tx.rows[w.ID] = true
	}
}

// Workspaces implements [storage.Reader].
func (r *reader) Workspaces() ([]schedctl.Workspace, error) {
	r.lockList("workspaces", pgtype.UUID{})
	list, err := query(r, workspaces, "ORDER BY id"+r.forUpdate())
	r.cacheWorkspaces(list...)
	return list, err
}

// PutWorkspace implements [storage.Tx].
func (tx *tx) PutWorkspace(w schedctl.Workspace) error {
	values, err := workspaces.values(&w)
	if err != nil {
		return err
	}
	if !tx.rows[w.ID] {
		tx.lock(lockOf("workspaces", [16]byte{}))
		tx.rows[w.ID] = true
	}
	tx.put(workspaces.sql().upsert, values...)
	return nil
}

// KeyByHash implements [storage.Reader].
func (r *reader) KeyByHash(hash [32]byte) (schedctl.APIKey, error) {
	k, found, err := queryOne(r, apiKeys, "WHERE hash = $1"+r.forUpdate(), hash[:])
	if err == nil && !found {
		err = schedctl.Errorf(schedctl.NotFound, "", "there is no such API key")
	}
	if err == nil {
		r.cacheKeys(k)
	}
	return k, err
}

// Key implements [storage.Reader].
func (r *reader) Key(workspaceID, id string) (schedctl.APIKey, error) {
	ws, key, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.KeyPrefix, id)
	if err != nil {
		return schedctl.APIKey{}, err
	}
	k, found, err := queryOne(r, apiKeys, "WHERE id = $1 AND workspace_id = $2", key, ws)
	if err == nil && !found {
		err = notFound(schedctl.KeyPrefix, id)
	}
	return k, err
}

// cacheKeys caches keys that the transaction has locked.
func (r *reader) cacheKeys(list ...schedctl.APIKey) {
	if r.tx == nil {
		return
	}
	for _, k := range list {
		r.tx.keys[k.ID] = k
	}
}

// Keys implements [storage.Reader].
func (r *reader) Keys(workspaceID string) ([]schedctl.APIKey, error) {
	list, err := queryWorkspace(r, apiKeys, workspaceID)
	r.cacheKeys(list...)
	return list, err
}

// PutKey implements [storage.Tx]. It fails when the key changes its hash, or when
// another key has the hash.
func (tx *tx) PutKey(k schedctl.APIKey) error {
	values, err := apiKeys.values(&k)
	if err != nil {
		return err
	}
	known, there := tx.keys[k.ID]
	if !there {
		ws, key, err := parse2(schedctl.WorkspacePrefix, k.WorkspaceID, schedctl.KeyPrefix, k.ID)
		if err != nil {
			return err
		}
		tx.lock(lockOf("api_keys", ws.Bytes))
		if err := tx.checkHash(&k, key); err != nil {
			return err
		}
	} else if known.Hash != k.Hash {
		return errHashConflict(k.ID)
	}
	tx.putUnverified(apiKeys.sql().upsert, values...)
	tx.keys[k.ID] = k
	return nil
}

// checkHash fails when the stored key has another hash, or another key has this hash.
func (tx *tx) checkHash(k *schedctl.APIKey, id pgtype.UUID) error {
	found, err := query(&tx.reader, apiKeys, "WHERE id = $1 OR hash = $2", id, k.Hash[:])
	if err != nil {
		return err
	}
	for i := range found {
		if (found[i].ID == k.ID) != (found[i].Hash == k.Hash) {
			return errHashConflict(k.ID)
		}
	}
	return nil
}

func errHashConflict(id string) error {
	return fmt.Errorf("put API key %s: a hash belongs to one key and never changes", id)
}
