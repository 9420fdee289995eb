package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var shareKind = ownedKind[schedctl.Share]{
	table: table[schedctl.Share]{
		bucket: shares, owner: schedctl.WorkspacePrefix, record: schedctl.SharePrefix, fields: (*coder).share,
		ids: func(s *schedctl.Share) (workspaceID, id *string) { return &s.WorkspaceID, &s.ID },
	},
	index: func(dst []indexEntry, s *schedctl.Share, ws, id ulid) []indexEntry {
		return append(dst, indexEntry{shareHashes, bytes.Clone(s.Hash[:]), concat(nil, ws[:], id[:])})
	},
}

// Shares implements [storage.Reader].
func (r *reader) Shares(workspaceID string) ([]schedctl.Share, error) {
	return shareKind.list(r, workspaceID)
}

// ShareByHash implements [storage.Reader].
func (r *reader) ShareByHash(hash [32]byte) (schedctl.Share, error) {
	return byTokenHash(r, &shareKind, shareHashes, hash)
}

// PutShare implements [storage.Tx]. It fails if another share has the hash.
func (tx *tx) PutShare(s schedctl.Share) error {
	other, err := tx.ShareByHash(s.Hash)
	return putWithHash(tx, &shareKind, &s, other.ID, err)
}

// DeleteShare implements [storage.Tx].
func (tx *tx) DeleteShare(workspaceID, id string) error {
	return deleteOwned(tx, &shareKind, workspaceID, id)
}

// byTokenHash returns the record whose token has the hash, by the index of hashes of its kind.
func byTokenHash[T any](r *reader, k *ownedKind[T], index bucket, hash [32]byte) (v T, err error) {
	key := r.in(index).Get(hash[:])
	switch {
	case key == nil:
		return v, schedctl.Errorf(schedctl.NotFound, "", "there is no such %s", nouns[k.record])
	case len(key) != 32:
		return v, fmt.Errorf("%q: %w: an entry has %d bytes", index, storage.ErrCorrupt, len(key))
	}
	return k.indexed(r, index, key)
}

// putWithHash puts a record with a token. otherID and err are what byTokenHash returned for
// the hash of the token. It fails if another record has the hash.
func putWithHash[T any](tx *tx, k *ownedKind[T], v *T, otherID string, err error) error {
	_, id := k.ids(v)
	switch {
	case err == nil && otherID != *id:
		return fmt.Errorf("put %s %s: another one has its hash", nouns[k.record], *id)
	case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
		return err
	}
	return putOwned(tx, k, v)
}
