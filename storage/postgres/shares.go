package postgres

import (
	"fmt"

	"github.com/schedctl/schedctl"
)

var shareKind = ownedKind[schedctl.Share]{
	shares, schedctl.SharePrefix, func(s *schedctl.Share) (string, string) { return s.WorkspaceID, s.ID },
}

func describeShare(r *row, s *schedctl.Share) {
	r.id("id", schedctl.SharePrefix, &s.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &s.WorkspaceID)
	text(r, "kind", &s.Kind)
	text(r, "name", &s.Name)
	text(r, "rights", &s.Can)
	r.hash("hash", &s.Hash)
	r.ids("post_ids", schedctl.PostPrefix, &s.PostIDs)
	r.ids("account_ids", schedctl.AccountPrefix, &s.Filter.AccountIDs)
	list(r, "labels", &s.Filter.Labels)
	text(r, "approval", &s.Filter.Approval)
	r.optionalID("key_id", schedctl.KeyPrefix, &s.KeyID)
	r.time("expires_at", &s.ExpiresAt)
	r.time("created_at", &s.CreatedAt)
	r.time("revoked_at", &s.RevokedAt)
	r.time("last_used_at", &s.LastUsedAt)
	number(r, "uses", &s.Uses)
}

// Shares implements [storage.Reader].
func (r *reader) Shares(workspaceID string) ([]schedctl.Share, error) {
	return listOwned(r, &shareKind, workspaceID)
}

// ShareByHash implements [storage.Reader].
func (r *reader) ShareByHash(hash [32]byte) (schedctl.Share, error) {
	return byTokenHash(r, &shareKind, hash)
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

// byTokenHash returns the record of a kind whose token has the hash. A transaction locks it.
func byTokenHash[T any](r *reader, k *ownedKind[T], hash [32]byte) (T, error) {
	v, found, err := queryOne(r, k.rows, "WHERE hash = $1"+r.forUpdate(), hash[:])
	if err == nil && !found {
		err = schedctl.Errorf(schedctl.NotFound, "", "there is no such %s", nouns[k.prefix])
	}
	return v, err
}

// putWithHash puts a record with a token. otherID and err are what byTokenHash returned for
// the hash of the token. It fails if another record has the hash.
func putWithHash[T any](tx *tx, k *ownedKind[T], v *T, otherID string, err error) error {
	_, id := k.ids(v)
	switch {
	case err == nil && otherID != id:
		return fmt.Errorf("put %s %s: another one has its hash", nouns[k.prefix], id)
	case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
		return err
	}
	return putOwned(tx, k, v)
}
