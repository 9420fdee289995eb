package bolt

import "github.com/schedctl/schedctl"

var aliasKind = ownedKind[schedctl.Alias]{
	table: table[schedctl.Alias]{
		bucket: aliases, owner: schedctl.WorkspacePrefix, record: schedctl.AliasPrefix, fields: (*coder).alias,
		ids: func(a *schedctl.Alias) (workspaceID, id *string) { return &a.WorkspaceID, &a.ID },
	},
	index: func(dst []indexEntry, _ *schedctl.Alias, _, _ ulid) []indexEntry { return dst },
}

// Aliases implements [storage.Reader].
func (r *reader) Aliases(workspaceID string) ([]schedctl.Alias, error) {
	return aliasKind.list(r, workspaceID)
}

// PutAlias implements [storage.Tx].
func (tx *tx) PutAlias(a schedctl.Alias) error { return putOwned(tx, &aliasKind, &a) }

// DeleteAlias implements [storage.Tx].
func (tx *tx) DeleteAlias(workspaceID, id string) error {
	return deleteOwned(tx, &aliasKind, workspaceID, id)
}
