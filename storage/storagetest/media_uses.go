package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var mediaUseParts = []part{
	{"media/of a post", testMediaOfPosts},
	{"media/users", testMediaUsers},
	{"media/users in order", testMediaUsersInOrder},
	{"media/is not deleted while it is attached", testMediaUsersAreLocked},
	{"media/is part of the content", testSameContentWithMedia},
	{"media/like the memory store", testMediaLikeMemory},
}

// mediaList returns media without alt texts, whose hashes follow from the ids.
func mediaList(ids ...string) []schedctl.PostMedia {
	list := []schedctl.PostMedia{}
	for _, id := range ids {
		list = append(list, schedctl.PostMedia{AssetID: id, SHA256: [32]byte([]byte(fmt.Sprintf("%-32.32s", id)))})
	}
	return list
}

func mediaUsers(id string, limit int) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) ([]string, error) { return r.MediaUsers(id, limit) }
}

// testMediaOfPosts guards that an override without media differs from no override.
func testMediaOfPosts(f *fixture) {
	ids := []string{newID(schedctl.MediaPrefix, epoch), newID(schedctl.MediaPrefix, epoch)}
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(3)...)
	p.Text, p.Media = "", mediaList(ids...)
	p.Media[0].HasAltText = true
	p.Media[1].SHA256 = [32]byte{}
	p.Targets[1].Media, p.Targets[2].Media = []schedctl.PostMedia{}, mediaList(ids[1])
	p.Targets[2].Media[0].AltText, p.Targets[2].Media[0].HasAltText = "ünï \x01", true
	for range 2 { // new, then replaced
		f.putPosts(p)
		got := mustRead(f, postByID(f, p.ID))
		wantSame(f, "post", p, got)
		wantSame(f, "no override", true, got.Targets[0].Media == nil)
		wantSame(f, "override without media", true, got.Targets[1].Media != nil)
		p.Version++
	}
	p.Media[0].AltText, p.Targets[0].Media, p.Targets[1].Media = "another", []schedctl.PostMedia{}, nil
	f.update(func(tx storage.Tx) error {
		if _, err := tx.Post(f.ws, p.ID); err != nil { // so that the engine can write only what differs
			return err
		}
		return tx.PutPost(p)
	})
	got := mustRead(f, postByID(f, p.ID))
	wantSame(f, "changed post", p, got)
	wantSame(f, "a new override without media", true, got.Targets[0].Media != nil)
	wantSame(f, "a removed override", true, got.Targets[1].Media == nil)
	p.Media = nil
	f.putPosts(p)
	wantSame(f, "post without media", p, mustRead(f, postByID(f, p.ID)))
}

func testMediaUsers(f *fixture) {
	one, two := newID(schedctl.MediaPrefix, epoch), newID(schedctl.MediaPrefix, epoch)
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(2)...)
	want := func(what string, ofOne, ofTwo bool) {
		f.Helper()
		wantSame(f, "users of the first "+what, ofOne, len(mustRead(f, mediaUsers(one, 9))) > 0)
		wantSame(f, "users of the second "+what, ofTwo, len(mustRead(f, mediaUsers(two, 9))) > 0)
	}
	want("before", false, false)
	p.Media, p.Targets[0].Media = mediaList(one), mediaList(one, two)
	f.putPosts(p)
	want("with an override", true, true)
	wantSame(f, "users", []string{p.ID}, mustRead(f, mediaUsers(one, 9)))
	p.Targets[0].Media = []schedctl.PostMedia{}
	f.putPosts(p)
	want("with an override without media", true, false)
	p.Media, p.Targets[0].Media = mediaList(two), nil
	f.update(func(tx storage.Tx) error {
		if err := tx.PutPost(p); err != nil {
			return err
		}
		users, err := tx.MediaUsers(two, 9)
		if err == nil {
			wantSame(f, "users in the transaction", []string{p.ID}, users)
		}
		return err
	})
	want("after an edit", false, true)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	want("after the post was deleted", false, false)
}

func testMediaUsersInOrder(f *fixture) {
	asset := newID(schedctl.MediaPrefix, epoch)
	post := func(status schedctl.Status, at time.Time) schedctl.Post {
		p := f.newPost(epoch, at, status, newAccountIDs(1)...)
		p.Media = mediaList(asset)
		f.putPosts(p)
		return p
	}
	soon, later := epoch.Add(time.Hour), epoch.Add(2*time.Hour)
	published, canceled := post(schedctl.Published, later), post(schedctl.Published, time.Time{})
	old, failed, scheduled := post(schedctl.Published, epoch), post(schedctl.Failed, soon), post(schedctl.Scheduled, later)
	draft, publishing := post(schedctl.Draft, time.Time{}), post(schedctl.Publishing, soon.Add(time.Minute))
	canceled.CanceledAt = later
	f.putPosts(canceled)
	want := []string{draft.ID, scheduled.ID, publishing.ID, failed.ID, canceled.ID, published.ID, old.ID}
	wantSame(f, "users", want, mustRead(f, mediaUsers(asset, 9)))
	wantSame(f, "first users", want[:2], mustRead(f, mediaUsers(asset, 2)))
	scheduled.Targets[0].Status = schedctl.Published
	f.putPosts(scheduled)
	twins := []string{published.ID, scheduled.ID}
	if published.ID < scheduled.ID {
		twins = []string{scheduled.ID, published.ID}
	}
	want = []string{draft.ID, publishing.ID, failed.ID, canceled.ID, twins[0], twins[1], old.ID}
	wantSame(f, "users after one was published", want, mustRead(f, mediaUsers(asset, 9)))
}

// testMediaUsersAreLocked attaches assets to posts while they are deleted, each only if
// the other has not happened.
func testMediaUsersAreLocked(f *fixture) {
	list := f.newMedia(8)
	f.putMedia(list...)
	refused := errors.New("refused")
	var all sync.WaitGroup
	do := func(fn func(storage.Tx) error) {
		all.Go(func() {
			if err := f.store.Update(context.Background(), fn); err != nil && !errors.Is(err, refused) && !isCode(err, schedctl.NotFound) {
				f.Errorf("Update: %v", err)
			}
		})
	}
	for _, a := range list {
		p := f.newPost(epoch, time.Time{}, schedctl.Draft)
		p.Media = mediaList(a.ID)
		do(func(tx storage.Tx) error {
			if _, err := tx.MediaAsset(f.ws, a.ID); err != nil {
				return err
			}
			return tx.PutPost(p)
		})
		do(func(tx storage.Tx) error {
			users, err := tx.MediaUsers(a.ID, 1)
			if err != nil {
				return err
			}
			if len(users) > 0 {
				return refused
			}
			return tx.DeleteMediaAsset(f.ws, a.ID)
		})
	}
	all.Wait()
	for _, a := range list {
		_, err := tryRead(f, mediaByID(f.ws, a.ID))
		users := mustRead(f, mediaUsers(a.ID, 9))
		if (err == nil) != (len(users) == 1) {
			f.Errorf("asset %s: %v, with the users %v", a.ID, err, users)
		}
	}
}

func testSameContentWithMedia(f *fixture) {
	account := newAccountIDs(2)
	one, two := mediaList(newID(schedctl.MediaPrefix, epoch))[0], mediaList(newID(schedctl.MediaPrefix, epoch.Add(time.Hour)))[0]
	two.SHA256 = [32]byte{2}
	p := f.newPostWithContent("x", time.Minute, account...)
	p.Media, p.Targets[1].Media = []schedctl.PostMedia{one, two}, []schedctl.PostMedia{}
	f.putPosts(p)
	find := func(account string, media ...schedctl.PostMedia) []string {
		return mustRead(f, func(r storage.Reader) ([]string, error) {
			return r.SameContent(storage.ContentQuery{
				AccountID: account, Fingerprint: schedctl.FingerprintOf("x", media...), From: epoch, Until: epoch.Add(time.Hour), Limit: 9,
			})
		})
	}
	wantSame(f, "with its media", []string{p.ID}, find(account[0], one, two))
	wantSame(f, "without media", []string(nil), find(account[0]))
	wantSame(f, "in another order", []string(nil), find(account[0], two, one))
	wantSame(f, "on an account whose override has none", []string{p.ID}, find(account[1]))
	wantSame(f, "with media on that account", []string(nil), find(account[1], one, two))
	one.AssetID, one.AltText, one.HasAltText = newID(schedctl.MediaPrefix, epoch), "alt", true
	wantSame(f, "with the same bytes in another asset", []string{p.ID}, find(account[0], one, two))
}

// testMediaLikeMemory makes random changes in the engine and in a memory store, and
// compares all reads of media.
func testMediaLikeMemory(f *fixture) {
	rapid.Check(f.T, func(t *rapid.T) {
		if skips(t, 2+f.halvings) {
			return
		}
		g := mediaGame{T: t, stores: []storage.Store{f.store, NewMemory()}}
		for i := range 2 {
			g.workspaces = append(g.workspaces, newID(schedctl.WorkspacePrefix, epoch))
			for range 3 {
				g.assets = append(g.assets, newID(schedctl.MediaPrefix, epoch))
				g.posts = append(g.posts, f.newPost(epoch, epoch, schedctl.Draft, newAccountIDs(2)...))
				g.posts[len(g.posts)-1].WorkspaceID = g.workspaces[i]
			}
		}
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			g.change()
		}
		g.compare()
		g.clear()
	})
}

// mediaGame has the ids that are used in a run of testMediaLikeMemory. Assets have the
// same ids in both workspaces.
type mediaGame struct {
	*rapid.T
	stores     []storage.Store
	workspaces []string
	assets     []string
	posts      []schedctl.Post
}

func (g *mediaGame) update(fn func(storage.Tx) error) {
	for _, s := range g.stores {
		if err := s.Update(context.Background(), fn); err != nil && !isCode(err, schedctl.NotFound) {
			g.Fatalf("Update: %v", err)
		}
	}
}

func (g *mediaGame) change() {
	ws, asset := rapid.SampledFrom(g.workspaces).Draw(g.T, "workspace"), rapid.SampledFrom(g.assets).Draw(g.T, "asset")
	switch rapid.IntRange(0, 4).Draw(g.T, "operation") {
	case 0:
		g.update(func(tx storage.Tx) error { return tx.DeleteMediaAsset(ws, asset) })
	case 1:
		p := rapid.SampledFrom(g.posts).Draw(g.T, "post")
		g.update(func(tx storage.Tx) error { return tx.DeletePost(p.WorkspaceID, p.ID) })
	case 2:
		p := clonePost(rapid.SampledFrom(g.posts).Draw(g.T, "post"))
		p.PublishAt = rapid.SampledFrom([]time.Time{{}, epoch, epoch.Add(time.Hour)}).Draw(g.T, "time")
		p.Media = g.draw("media")
		for i := range p.Targets {
			p.Targets[i].Status = rapid.SampledFrom(schedctl.Statuses()).Draw(g.T, "status")
			if rapid.Bool().Draw(g.T, "override") {
				p.Targets[i].Media = g.draw("override of media")
			}
		}
		g.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	default:
		a := schedctl.MediaAsset{
			ID: asset, WorkspaceID: ws, Status: rapid.SampledFrom(schedctl.MediaStatuses()).Draw(g.T, "status"),
			Size: rapid.Int64Range(0, 9).Draw(g.T, "size"), SHA256: [32]byte{rapid.ByteRange(0, 2).Draw(g.T, "hash")},
			ExpiresAt: rapid.SampledFrom([]time.Time{{}, epoch, epoch.Add(time.Hour)}).Draw(g.T, "expiry"),
		}
		g.update(func(tx storage.Tx) error { return tx.PutMediaAsset(a) })
	}
}

// draw returns up to all assets, in their order.
func (g *mediaGame) draw(label string) []schedctl.PostMedia {
	list := []schedctl.PostMedia{}
	for _, id := range g.assets {
		if rapid.IntRange(0, 2).Draw(g.T, label) == 0 {
			list = append(list, mediaList(id)...)
		}
	}
	return list
}

// compare compares all reads of media.
func (g *mediaGame) compare() {
	var seen [2][]any
	for i, s := range g.stores {
		see := func(v any, err error) {
			if err != nil {
				v = schedctl.CodeOf(err)
			}
			seen[i] = append(seen[i], v)
		}
		err := s.View(context.Background(), func(r storage.Reader) error {
			for _, ws := range g.workspaces {
				see(mediaOf(ws)(r))
				see(r.MediaSize(ws))
				for n := range byte(3) {
					see(mediaByHash(ws, [32]byte{n})(r))
				}
			}
			for _, id := range g.assets {
				see(r.MediaUsers(id, 2))
				see(r.MediaUsers(id, 99))
			}
			for n := range byte(3) {
				see(r.HasMedia([32]byte{n}))
			}
			see(r.ExpiredMedia(epoch.Add(2*time.Hour), 99))
			for _, p := range g.posts {
				see(r.Post(p.WorkspaceID, p.ID))
			}
			return nil
		})
		if err != nil {
			g.Fatalf("View: %v", err)
		}
	}
	if diff := cmp.Diff(seen[1], seen[0], cmpopts.EquateEmpty()); diff != "" {
		g.Fatalf("reads of media (-memory +engine):\n%s", diff)
	}
}

// clear removes everything from the engine.
func (g *mediaGame) clear() {
	for _, ws := range g.workspaces {
		for _, id := range g.assets {
			g.update(func(tx storage.Tx) error { return tx.DeleteMediaAsset(ws, id) })
		}
	}
	for _, p := range g.posts {
		g.update(func(tx storage.Tx) error { return tx.DeletePost(p.WorkspaceID, p.ID) })
	}
}
