package storagetest

import (
	"cmp"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var aliasParts = []part{
	{"alias/keeps every field", aliasKind.testKeepsEveryField},
	{"alias/is listed", aliasKind.testIsListed},
	{"alias/is put once", aliasKind.testIsPutOnce},
	{"alias/malformed ids", aliasKind.testMalformedIDs},
}

// aliasKind reads single aliases from the list: there is no other way.
var aliasKind = ownedKind[schedctl.Alias]{
	prefix: schedctl.AliasPrefix,
	ids:    func(a *schedctl.Alias) (id, ws *string) { return &a.ID, &a.WorkspaceID },
	get: func(r storage.Reader, ws, id string) (schedctl.Alias, error) {
		list, err := r.Aliases(ws)
		if err != nil {
			return schedctl.Alias{}, err
		}
		if i := slices.IndexFunc(list, func(a schedctl.Alias) bool { return a.ID == id }); i >= 0 {
			return list[i], nil
		}
		return schedctl.Alias{}, notFound("alias", id)
	},
	list: storage.Reader.Aliases, put: storage.Tx.PutAlias, remove: storage.Tx.DeleteAlias,
}

func aliasOwner(a *schedctl.Alias) string { return a.WorkspaceID }

func (r memoryReader) Aliases(workspaceID string) ([]schedctl.Alias, error) {
	return owned(workspaceID, r.m.aliases, aliasOwner, (*schedctl.Alias).Clone)
}

func (tx *memoryTx) PutAlias(a schedctl.Alias) error {
	if err := cmp.Or(
		checkIDs(schedctl.AliasPrefix, a.ID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID), checkIDs(schedctl.AccountPrefix, a.AccountIDs...),
		checkOwner(a.WorkspaceID, "alias", a.ID, tx.m.aliases, aliasOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.aliases, a.ID, a.Clone())
	return nil
}

func (tx *memoryTx) DeleteAlias(workspaceID, id string) error {
	if _, err := ownedBy(workspaceID, "alias", id, tx.m.aliases, aliasOwner, (*schedctl.Alias).Clone); err != nil {
		return err
	}
	deleteKey(tx, tx.m.aliases, id)
	return nil
}
