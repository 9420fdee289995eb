package postgres

import "github.com/schedctl/schedctl"

var aliasKind = ownedKind[schedctl.Alias]{
	aliases, schedctl.AliasPrefix, func(a *schedctl.Alias) (string, string) { return a.WorkspaceID, a.ID },
}

func describeAlias(r *row, a *schedctl.Alias) {
	r.id("id", schedctl.AliasPrefix, &a.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &a.WorkspaceID)
	text(r, "kind", &a.Kind)
	text(r, "name", &a.Name)
	r.ids("account_ids", schedctl.AccountPrefix, &a.AccountIDs)
	text(r, "content", &a.Text)
	r.time("created_at", &a.CreatedAt)
	r.time("updated_at", &a.UpdatedAt)
}

// Aliases implements [storage.Reader].
func (r *reader) Aliases(workspaceID string) ([]schedctl.Alias, error) {
	return listOwned(r, &aliasKind, workspaceID)
}

// PutAlias implements [storage.Tx].
func (tx *tx) PutAlias(a schedctl.Alias) error { return putOwned(tx, &aliasKind, &a) }

// DeleteAlias implements [storage.Tx].
func (tx *tx) DeleteAlias(workspaceID, id string) error {
	return deleteOwned(tx, &aliasKind, workspaceID, id)
}
