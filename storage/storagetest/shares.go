package storagetest

import (
	"cmp"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var shareParts = []part{
	{"share/keeps every field", shareKind.testKeepsEveryField},
	{"share/is listed", testSharesAreListed},
	{"share/malformed ids", shareKind.testMalformedIDs},
	{"share/by hash", testShareByHash},
}

// shareKind reads single shares from the list: there is no other way.
var shareKind = ownedKind[schedctl.Share]{
	prefix: schedctl.SharePrefix,
	ids:    func(s *schedctl.Share) (id, ws *string) { return &s.ID, &s.WorkspaceID },
	get: func(r storage.Reader, ws, id string) (schedctl.Share, error) {
		list, err := r.Shares(ws)
		if err != nil {
			return schedctl.Share{}, err
		}
		if i := slices.IndexFunc(list, func(s schedctl.Share) bool { return s.ID == id }); i >= 0 {
			return list[i], nil
		}
		return schedctl.Share{}, notFound("share", id)
	},
	list: storage.Reader.Shares, put: storage.Tx.PutShare, remove: storage.Tx.DeleteShare,
}

func shareByHash(hash [32]byte) func(storage.Reader) (schedctl.Share, error) {
	return func(r storage.Reader) (schedctl.Share, error) { return r.ShareByHash(hash) }
}

func (f *fixture) newShares(n int) []schedctl.Share {
	list := make([]schedctl.Share, n)
	for i := range list {
		list[i] = shareKind.new(f, epoch)
		list[i].Hash = [32]byte{byte(i + 1)}
	}
	slices.SortFunc(list, func(a, b schedctl.Share) int { return compareStrings(a.ID, b.ID) })
	return list
}

func testSharesAreListed(f *fixture) {
	want := f.newShares(5)
	shareKind.putAll(f, want...)
	wantSame(f, "list", want, mustRead(f, shareKind.all(f.ws)))
}

func testShareByHash(f *fixture) {
	list := f.newShares(2)
	shareKind.putAll(f, list...)
	wantSame(f, "by hash", list[1], mustRead(f, shareByHash(list[1].Hash)))
	wantNotFound(f, "unknown hash", shareByHash([32]byte{99}))
	list[1].Uses++
	shareKind.putAll(f, list[1])
	wantSame(f, "after a change", list[1], mustRead(f, shareByHash(list[1].Hash)))
	f.update(func(tx storage.Tx) error { return tx.DeleteShare(f.ws, list[1].ID) })
	wantNotFound(f, "hash of a deleted share", shareByHash(list[1].Hash))
	wantSame(f, "the other one", list[0], mustRead(f, shareByHash(list[0].Hash)))
}

func shareOwner(s *schedctl.Share) string { return s.WorkspaceID }

func (r memoryReader) Shares(workspaceID string) ([]schedctl.Share, error) {
	return owned(workspaceID, r.m.shares, shareOwner, (*schedctl.Share).Clone)
}

func (r memoryReader) ShareByHash(hash [32]byte) (schedctl.Share, error) {
	for _, s := range r.m.shares {
		if s.Hash == hash {
			return s.Clone(), nil
		}
	}
	return schedctl.Share{}, notFound("share", "")
}

func (tx *memoryTx) PutShare(s schedctl.Share) error {
	if err := cmp.Or(
		checkIDs(schedctl.SharePrefix, s.ID), checkIDs(schedctl.WorkspacePrefix, s.WorkspaceID), checkOptional(schedctl.KeyPrefix, s.KeyID),
		checkIDs(schedctl.PostPrefix, s.PostIDs...), checkIDs(schedctl.AccountPrefix, s.Filter.AccountIDs...),
		checkOwner(s.WorkspaceID, "share", s.ID, tx.m.shares, shareOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.shares, s.ID, s.Clone())
	return nil
}

func (tx *memoryTx) DeleteShare(workspaceID, id string) error {
	if _, err := ownedBy(workspaceID, "share", id, tx.m.shares, shareOwner, (*schedctl.Share).Clone); err != nil {
		return err
	}
	deleteKey(tx, tx.m.shares, id)
	return nil
}
