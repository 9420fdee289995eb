package postgres

import "github.com/schedctl/schedctl"

var collectionKind = ownedKind[schedctl.Collection]{
	collections, schedctl.CollectionPrefix, func(c *schedctl.Collection) (string, string) { return c.WorkspaceID, c.ID },
}

func describeCollection(r *row, c *schedctl.Collection) {
	r.id("id", schedctl.CollectionPrefix, &c.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &c.WorkspaceID)
	text(r, "name", &c.Name)
	text(r, "source", &c.Source)
	text(r, "commit_hash", &c.Revision.Commit)
	r.time("committed_at", &c.Revision.CommittedAt)
	r.time("applied_at", &c.AppliedAt)
	r.optionalID("applied_by", schedctl.KeyPrefix, &c.AppliedBy.ID)
	text(r, "key_name", &c.AppliedBy.Name)
	r.optionalID("share_id", schedctl.SharePrefix, &c.AppliedBy.Share)
	r.time("created_at", &c.CreatedAt)
}

// Collections implements [storage.Reader].
func (r *reader) Collections(workspaceID string) ([]schedctl.Collection, error) {
	return listOwned(r, &collectionKind, workspaceID)
}

// PutCollection implements [storage.Tx].
func (tx *tx) PutCollection(c schedctl.Collection) error { return putOwned(tx, &collectionKind, &c) }

// DeleteCollection implements [storage.Tx].
func (tx *tx) DeleteCollection(workspaceID, id string) error {
	return deleteOwned(tx, &collectionKind, workspaceID, id)
}
