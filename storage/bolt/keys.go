package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl"
)

// Workspace implements [storage.Reader].
func (r *reader) Workspace(id string) (schedctl.Workspace, error) {
	ws, err := parse(schedctl.WorkspacePrefix, id)
	if err != nil {
		return schedctl.Workspace{}, err
	}
	record := r.in(workspaces).Get(append(r.scratch[:0], ws[:]...))
	if record == nil {
		return schedctl.Workspace{}, notFound(schedctl.WorkspacePrefix, id)
	}
	return readWorkspace(ws[:], record)
}

// Workspaces implements [storage.Reader].
func (r *reader) Workspaces() ([]schedctl.Workspace, error) {
	return listUnder(r, workspaces, nil, readWorkspace)
}

func readWorkspace(key, record []byte) (w schedctl.Workspace, err error) {
	if len(key) != 16 {
		return w, wrongKey(workspaces, key)
	}
	w.ID = id(key, schedctl.WorkspacePrefix)
	if err := decode(record, &w, (*coder).workspace); err != nil {
		return w, fmt.Errorf("workspace %s: %w", w.ID, err)
	}
	return w, nil
}

// PutWorkspace implements [storage.Tx].
func (tx *tx) PutWorkspace(w schedctl.Workspace) error {
	ws, err := parse(schedctl.WorkspacePrefix, w.ID)
	if err != nil {
		return err
	}
	return putRecord(tx, workspaces, append(tx.scratch[:0], ws[:]...), &w, (*coder).workspace)
}

// KeyByHash implements [storage.Reader].
func (r *reader) KeyByHash(hash [32]byte) (schedctl.APIKey, error) {
	owner := r.in(keyHashes).Get(append(r.scratch[:0], hash[:]...))
	if owner == nil {
		return schedctl.APIKey{}, schedctl.Errorf(schedctl.NotFound, "", "there is no such API key")
	}
	return keyTable.indexed(r, keyHashes, owner)
}

// Key implements [storage.Reader].
func (r *reader) Key(workspaceID, id string) (schedctl.APIKey, error) {
	return keyTable.get(r, workspaceID, id)
}

// Keys implements [storage.Reader].
func (r *reader) Keys(workspaceID string) ([]schedctl.APIKey, error) {
	return keyTable.list(r, workspaceID)
}

// PutKey implements [storage.Tx]. It fails if the hash of the key has changed, or if
// another key has the same hash.
func (tx *tx) PutKey(k schedctl.APIKey) error {
	ws, key, err := parse2(schedctl.WorkspacePrefix, k.WorkspaceID, schedctl.KeyPrefix, k.ID)
	if err != nil {
		return err
	}
	self := concat(nil, ws[:], key[:])
	owner := tx.in(keyHashes).Get(append(tx.scratch[:0], k.Hash[:]...))
	if known := tx.in(keys).Get(self) != nil; known != (owner != nil) || known && !bytes.Equal(owner, self) {
		return fmt.Errorf("put API key %s: a hash belongs to one key and never changes", k.ID)
	}
	if err := putRecord(tx, keys, self, &k, (*coder).key); err != nil {
		return err
	}
	return tx.put(keyHashes, append(tx.scratch[:0], k.Hash[:]...), self)
}
