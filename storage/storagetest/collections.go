package storagetest

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var collectionParts = []part{
	{"collection/keeps every field", collectionKind.testKeepsEveryField},
	{"collection/is listed", collectionKind.testIsListed},
	{"collection/is put once", collectionKind.testIsPutOnce},
	{"collection/malformed ids", collectionKind.testMalformedIDs},
}

// collectionKind reads single collections from the list: there is no other way.
var collectionKind = ownedKind[schedctl.Collection]{
	prefix: schedctl.CollectionPrefix,
	ids:    func(c *schedctl.Collection) (id, ws *string) { return &c.ID, &c.WorkspaceID },
	get: func(r storage.Reader, ws, id string) (schedctl.Collection, error) {
		list, err := r.Collections(ws)
		if err != nil {
			return schedctl.Collection{}, err
		}
		if i := slices.IndexFunc(list, func(c schedctl.Collection) bool { return c.ID == id }); i >= 0 {
			return list[i], nil
		}
		return schedctl.Collection{}, notFound("collection", id)
	},
	list: storage.Reader.Collections, put: storage.Tx.PutCollection, remove: storage.Tx.DeleteCollection,
}
