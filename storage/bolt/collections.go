package bolt

import "github.com/schedctl/schedctl"

var collectionKind = ownedKind[schedctl.Collection]{
	table: table[schedctl.Collection]{
		bucket: collections, owner: schedctl.WorkspacePrefix, record: schedctl.CollectionPrefix, fields: (*coder).collection,
		ids: func(c *schedctl.Collection) (workspaceID, id *string) { return &c.WorkspaceID, &c.ID },
	},
	index: func(dst []indexEntry, _ *schedctl.Collection, _, _ ulid) []indexEntry { return dst },
}

// Collections implements [storage.Reader].
func (r *reader) Collections(workspaceID string) ([]schedctl.Collection, error) {
	return collectionKind.list(r, workspaceID)
}

// PutCollection implements [storage.Tx].
func (tx *tx) PutCollection(c schedctl.Collection) error { return putOwned(tx, &collectionKind, &c) }

// DeleteCollection implements [storage.Tx].
func (tx *tx) DeleteCollection(workspaceID, id string) error {
	return deleteOwned(tx, &collectionKind, workspaceID, id)
}
