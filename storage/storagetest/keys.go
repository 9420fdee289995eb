package storagetest

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var keyParts = []part{
	{"KeyKeepsEveryField", testKeyKeepsEveryField},
	{"KeysAreInOrder", testKeysAreInOrder},
	{"KeyHashNeverChanges", testKeyHashNeverChanges},
}

var workspaceParts = []part{
	{"WorkspaceKeepsEveryField", testWorkspaceKeepsEveryField},
	{"WorkspacesAreInOrder", testWorkspacesAreInOrder},
}

func keyByHash(hash [32]byte) func(storage.Reader) (schedctl.APIKey, error) {
	return func(r storage.Reader) (schedctl.APIKey, error) { return r.KeyByHash(hash) }
}

func keyByID(ws, id string) func(storage.Reader) (schedctl.APIKey, error) {
	return func(r storage.Reader) (schedctl.APIKey, error) { return r.Key(ws, id) }
}

func keysOf(ws string) func(storage.Reader) ([]schedctl.APIKey, error) {
	return func(r storage.Reader) ([]schedctl.APIKey, error) { return r.Keys(ws) }
}

func workspaceByID(id string) func(storage.Reader) (schedctl.Workspace, error) {
	return func(r storage.Reader) (schedctl.Workspace, error) { return r.Workspace(id) }
}

func (f *fixture) putKeys(keys ...schedctl.APIKey) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, k := range keys {
			if err := tx.PutKey(k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) newKey(hash byte, at time.Time) schedctl.APIKey {
	return schedctl.APIKey{ID: newID(schedctl.KeyPrefix, at), WorkspaceID: f.ws, Hash: [32]byte{hash}, CreatedAt: at}
}

func testKeyKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.APIKey](f)
	want.WorkspaceID = f.ws
	given := cloneKey(want)
	spoil := func(k *schedctl.APIKey) { k.Scopes[0], k.AccountIDs[0] = "spoiled", "spoiled" }
	f.putKeys(given)
	spoil(&given)
	got := mustRead(f, keyByHash(want.Hash))
	wantSame(f, "key", want, got)
	spoil(&got)
	listed := mustRead(f, keysOf(f.ws))
	wantSame(f, "listed keys", []schedctl.APIKey{want}, listed)
	wantSame(f, "key by id", want, mustRead(f, keyByID(f.ws, want.ID)))
	spoil(&listed[0])
	wantSame(f, "key after a change of what was listed", want, mustRead(f, keyByHash(want.Hash)))

	bare := schedctl.APIKey{ID: want.ID, WorkspaceID: f.ws, Hash: want.Hash, RevokedAt: epoch}
	f.putKeys(bare)
	wantSame(f, "replaced key", bare, mustRead(f, keyByHash(want.Hash)))
	wantNotFound(f, "no key", keyByHash([32]byte{9}))
	wantNotFound(f, "no key by id", keyByID(f.ws, newID(schedctl.KeyPrefix, epoch)))
	for _, id := range malformedIDs(schedctl.KeyPrefix) {
		wantNotFound(f, "key "+id, keyByID(f.ws, id))
		bad := bare
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutKey(bad) })
	}
}

func testKeysAreInOrder(f *fixture) {
	a, b, c := f.newKey(3, epoch), f.newKey(2, epoch.Add(1e9)), f.newKey(1, epoch.Add(2e9))
	elsewhere := f.newKey(4, epoch)
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	f.putKeys(c, a, b, elsewhere)
	wantSame(f, "keys", []schedctl.APIKey{a, b, c}, mustRead(f, keysOf(f.ws)))
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "keys of "+id, keysOf(id))
	}
}

func testKeyHashNeverChanges(f *fixture) {
	a, b := f.newKey(1, epoch), f.newKey(2, epoch)
	f.putKeys(a, b)
	changed, stolen := a, f.newKey(2, epoch)
	changed.Hash = [32]byte{3}
	for what, k := range map[string]schedctl.APIKey{"another hash": changed, "a second key's hash": stolen} {
		if err := f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.PutKey(k) }); err == nil {
			f.Errorf("a key with %s was put", what)
		}
	}
	wantSame(f, "first key", a, mustRead(f, keyByHash(a.Hash)))
	wantSame(f, "second key", b, mustRead(f, keyByHash(b.Hash)))
	wantNotFound(f, "the other hash", keyByHash(changed.Hash))
}

func (f *fixture) putWorkspaces(workspaces ...schedctl.Workspace) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, w := range workspaces {
			if err := tx.PutWorkspace(w); err != nil {
				return err
			}
		}
		return nil
	})
}

func testWorkspaceKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.Workspace](f)
	f.putWorkspaces(want)
	wantSame(f, "workspace", want, mustRead(f, workspaceByID(want.ID)))
	want.Name, want.Plan = "renamed", ""
	f.putWorkspaces(want)
	wantSame(f, "replaced workspace", want, mustRead(f, workspaceByID(want.ID)))
	wantNotFound(f, "no workspace", workspaceByID(f.ws))
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "workspace "+id, workspaceByID(id))
		bad := want
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutWorkspace(bad) })
	}
}

func testWorkspacesAreInOrder(f *fixture) {
	wantSame(f, "at first", []schedctl.Workspace(nil), mustRead(f, storage.Reader.Workspaces))
	var want []schedctl.Workspace
	for i := range 5 {
		at := epoch.Add(time.Duration(i) * time.Second)
		want = append(want, schedctl.Workspace{ID: newID(schedctl.WorkspacePrefix, at), Name: "w", CreatedAt: at})
	}
	f.putWorkspaces(want[3], want[1], want[4], want[0], want[2])
	wantSame(f, "workspaces", want, mustRead(f, storage.Reader.Workspaces))
}
