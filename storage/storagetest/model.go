package storagetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	_ "github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

var modelParts = []part{
	{"Model", testAgainstModel},
}

// testAgainstModel plays random scripts of requests and events on the engine. Each
// script has its own workspaces and deletes its posts.
func testAgainstModel(f *fixture) {
	rapid.Check(f.T, func(t *rapid.T) {
		if !skips(t, f.halvings) {
			playScript(t, newModelSubject(t, f.store, nil))
		}
	})
}

// skips reports whether to skip a random script, for a test that halves their number
// several times. Unlike a range of numbers, [rapid.Bool] has no preferred value.
func skips(t *rapid.T, halvings int) bool {
	for range halvings {
		if rapid.Bool().Draw(t, "skip") {
			return true
		}
	}
	return false
}

func playScript(t *rapid.T, s *modelSubject) {
	defer s.clear()
	oracle.Check(t, s)
}

// RunReopened plays random scripts on a persistent engine that is closed and reopened
// during them. open must open the store in the folder; the suite closes it.
func RunReopened(t *testing.T, open func(t testing.TB, folder string) storage.Store) {
	folder := t.TempDir()
	store := open(t, folder)
	t.Cleanup(func() { store.Close() })
	reopen := func() storage.Store {
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		store = open(t, folder)
		return store
	}
	rapid.Check(t, func(t *rapid.T) {
		if !skips(t, 1) { // opening a file is slow
			playScript(t, newModelSubject(t, store, reopen))
		}
	})
}

// newWorld creates two workspaces, with three accounts and one, as many assets, and a key
// each.
func (s *modelSubject) newWorld() oracle.World {
	w := oracle.World{SlotEvery: 20 * time.Minute, SlotOffset: 500 * time.Millisecond}
	scopes := []string{"posts:read", "posts:write"}
	for i, name := range []string{"all", "other"} {
		ws := newID(schedctl.WorkspacePrefix, epoch)
		for range 3 - 2*i {
			a := schedctl.MediaAsset{ID: newID(schedctl.MediaPrefix, epoch), WorkspaceID: ws, Status: schedctl.MediaReady, Size: 1, CreatedAt: epoch}
			a.SHA256 = sha256.Sum256([]byte(a.ID))
			s.update(func(tx storage.Tx) error { return tx.PutMediaAsset(a) })
			w.Assets = append(w.Assets, oracle.Asset{ID: a.ID, Workspace: ws})
		}
		s.workspaces = append(s.workspaces, ws)
		w.Keys = append(w.Keys, oracle.Key{Name: name, Workspace: ws, Scopes: scopes})
		for n := range 3 - 2*i {
			a := schedctl.Account{
				ID: newID(schedctl.AccountPrefix, epoch), WorkspaceID: ws, Platform: "mastodon", Name: ws + string(rune('a'+n)),
				Status: schedctl.AccountConnected, Options: schedctl.Options{"idempotent": n == 2, "whole": n == 1}, CreatedAt: epoch, UpdatedAt: epoch,
			}
			a.ProfileURL = "https://example.com/" + a.ID
			s.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
			w.Accounts = append(w.Accounts, oracle.Account{
				ID: a.ID, Workspace: ws, Status: string(a.Status), Idempotent: n == 2, Whole: n == 1,
			})
		}
	}
	return w
}
