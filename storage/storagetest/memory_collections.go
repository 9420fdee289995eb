package storagetest

import (
	"cmp"

	"github.com/schedctl/schedctl"
)

func collectionOwner(c *schedctl.Collection) string { return c.WorkspaceID }

func cloneCollection(c *schedctl.Collection) schedctl.Collection { return *c }

func (r memoryReader) Collections(workspaceID string) ([]schedctl.Collection, error) {
	return owned(workspaceID, r.m.collections, collectionOwner, cloneCollection)
}

func (tx *memoryTx) PutCollection(c schedctl.Collection) error {
	if err := cmp.Or(
		checkIDs(schedctl.CollectionPrefix, c.ID), checkIDs(schedctl.WorkspacePrefix, c.WorkspaceID), checkOptional(schedctl.KeyPrefix, c.AppliedBy.ID),
		checkOwner(c.WorkspaceID, "collection", c.ID, tx.m.collections, collectionOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.collections, c.ID, c)
	return nil
}

func (tx *memoryTx) DeleteCollection(workspaceID, id string) error {
	if _, err := ownedBy(workspaceID, "collection", id, tx.m.collections, collectionOwner, cloneCollection); err != nil {
		return err
	}
	deleteKey(tx, tx.m.collections, id)
	return nil
}
