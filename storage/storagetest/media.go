package storagetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var mediaParts = []part{
	{"media/keeps every field", testMediaKeepsEveryField},
	{"media/malformed ids", testMalformedMediaIDs},
	{"media/is listed", testMediaIsListed},
	{"media/by hash", testMediaByHash},
	{"media/size", testMediaSize},
	{"media/size, concurrently", testMediaQuotaIsKept},
	{"media/expires", testExpiredMedia},
	{"media/emptied in one transaction", testMediaEmptiedInTransaction},
}

func mediaByID(ws, id string) func(storage.Reader) (schedctl.MediaAsset, error) {
	return func(r storage.Reader) (schedctl.MediaAsset, error) { return r.MediaAsset(ws, id) }
}

func mediaOf(ws string) func(storage.Reader) ([]schedctl.MediaAsset, error) {
	return func(r storage.Reader) ([]schedctl.MediaAsset, error) { return r.MediaAssets(ws, "", manyRecords) }
}

// mediaByHash reads the id of the oldest asset with a hash, or "" if no asset has it.
func mediaByHash(ws string, hash [32]byte) func(storage.Reader) (string, error) {
	return func(r storage.Reader) (string, error) {
		list, err := r.MediaByHash(ws, hash, 1)
		if err != nil || len(list) == 0 {
			return "", err
		}
		return list[0].ID, nil
	}
}

func hasMedia(hash [32]byte) func(storage.Reader) (bool, error) {
	return func(r storage.Reader) (bool, error) { return r.HasMedia(hash) }
}

func mediaSize(ws string) func(storage.Reader) (int64, error) {
	return func(r storage.Reader) (int64, error) { return r.MediaSize(ws) }
}

// expiredMedia reads the ids of assets that expire before a time.
func expiredMedia(before time.Time, limit int) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) (ids []string, err error) {
		list, err := r.ExpiredMedia(before, limit)
		for _, a := range list {
			ids = append(ids, a.ID)
		}
		return ids, err
	}
}

func (f *fixture) putMedia(assets ...schedctl.MediaAsset) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, a := range assets {
			if err := tx.PutMediaAsset(a); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) deleteMedia(ids ...string) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, id := range ids {
			if err := tx.DeleteMediaAsset(f.ws, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// newMedia returns n ready assets of 100 bytes with different hashes, a second apart,
// in order.
func (f *fixture) newMedia(n int) []schedctl.MediaAsset {
	list := make([]schedctl.MediaAsset, n)
	for i := range list {
		at := epoch.Add(time.Duration(i) * time.Second)
		list[i] = schedctl.MediaAsset{
			ID: newID(schedctl.MediaPrefix, at), WorkspaceID: f.ws, Status: schedctl.MediaReady, Size: 100, SHA256: [32]byte{byte(i), byte(i >> 8), 1},
			CreatedAt: at, UpdatedAt: at, ExpiresAt: at.Add(time.Hour),
		}
	}
	return list
}

func testMediaKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.MediaAsset](f)
	want.WorkspaceID = f.ws
	wantNotFound(f, "missing asset", mediaByID(f.ws, want.ID))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteMediaAsset(f.ws, want.ID) })
	for _, status := range append(schedctl.MediaStatuses(), want.Status) {
		want.Status = status
		f.putMedia(want)
		wantSame(f, "asset that is "+string(status), want, mustRead(f, mediaByID(f.ws, want.ID)))
		wantSame(f, "list", []schedctl.MediaAsset{want}, mustRead(f, mediaOf(f.ws)))
	}
	f.deleteMedia(want.ID)
	wantNotFound(f, "deleted asset", mediaByID(f.ws, want.ID))
	wantSame(f, "list after that", []schedctl.MediaAsset(nil), mustRead(f, mediaOf(f.ws)))
	bare := schedctl.MediaAsset{ID: want.ID, WorkspaceID: f.ws}
	f.putMedia(bare)
	wantSame(f, "bare asset", bare, mustRead(f, mediaByID(f.ws, bare.ID)))
}

func testMalformedMediaIDs(f *fixture) {
	a := f.newMedia(1)[0]
	f.putMedia(a)
	for _, id := range malformedIDs(schedctl.MediaPrefix) {
		wantNotFound(f, "asset "+id, mediaByID(f.ws, id))
		wantNotFound(f, "users of "+id, mediaUsers(id, 1))
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeleteMediaAsset(f.ws, id) })
		bad, p := a, f.newPost(epoch, time.Time{}, schedctl.Draft, newAccountIDs(1)...)
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutMediaAsset(bad) })
		p.Targets[0].Media = mediaList(id)
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutPost(p) })
		if id != "" {
			wantNotFound(f, "assets after "+id, func(r storage.Reader) ([]schedctl.MediaAsset, error) { return r.MediaAssets(f.ws, id, 1) })
		}
	}
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "asset of "+id, mediaByID(id, a.ID))
		wantNotFound(f, "assets of "+id, mediaOf(id))
		wantNotFound(f, "size of "+id, mediaSize(id))
		wantNotFound(f, "hash in "+id, mediaByHash(id, a.SHA256))
		bad := a
		bad.WorkspaceID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutMediaAsset(bad) })
	}
}

func testMediaIsListed(f *fixture) {
	all := f.newMedia(30)
	other := f.newMedia(1)[0]
	other.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch.Add(time.Hour))
	f.putMedia(all[20:]...)
	f.putMedia(append(all[:20:20], other)...)
	page := func(after string, limit int) []schedctl.MediaAsset {
		return mustRead(f, func(r storage.Reader) ([]schedctl.MediaAsset, error) { return r.MediaAssets(f.ws, after, limit) })
	}
	want := newestFirst(all)
	wantSame(f, "all", want, page("", manyRecords))
	wantSame(f, "the newest", want[:7], page("", 7))
	for i := range want {
		wantSame(f, "after one", want[i+1:min(i+4, len(want))], page(want[i].ID, 3))
	}
	f.deleteMedia(want[3].ID)
	wantSame(f, "after a deleted one", want[4:6], page(want[3].ID, 2))
}

func testMediaByHash(f *fixture) {
	list := f.newMedia(4)
	hash, other := [32]byte{9}, newID(schedctl.WorkspacePrefix, epoch.Add(time.Hour))
	for i := range list {
		list[i].SHA256 = hash
	}
	list[0].Status, list[1].Status = schedctl.MediaPending, schedctl.MediaFailed
	wantSame(f, "no asset has it", false, mustRead(f, hasMedia(hash)))
	f.putMedia(list[0])
	wantSame(f, "a pending one", "", mustRead(f, mediaByHash(f.ws, hash)))
	wantSame(f, "a pending one has it", true, mustRead(f, hasMedia(hash)))
	f.putMedia(list...)
	wantSame(f, "the oldest ready one", list[2].ID, mustRead(f, mediaByHash(f.ws, hash)))
	wantSame(f, "in another workspace", "", mustRead(f, mediaByHash(other, hash)))
	wantSame(f, "all ready ones", list[2:], mustRead(f, func(r storage.Reader) ([]schedctl.MediaAsset, error) { return r.MediaByHash(f.ws, hash, 9) }))
	f.deleteMedia(list[2].ID)
	wantSame(f, "the next", list[3].ID, mustRead(f, mediaByHash(f.ws, hash)))
	list[0].Status = schedctl.MediaReady
	f.putMedia(list[0])
	wantSame(f, "one that became ready", list[0].ID, mustRead(f, mediaByHash(f.ws, hash)))
	f.deleteMedia(list[0].ID, list[3].ID)
	wantSame(f, "a failed one", "", mustRead(f, mediaByHash(f.ws, hash)))
	wantSame(f, "a failed one has it", true, mustRead(f, hasMedia(hash)))
	f.deleteMedia(list[1].ID)
	wantSame(f, "none is left", false, mustRead(f, hasMedia(hash)))

	unknown := f.newMedia(1)[0]
	unknown.SHA256 = [32]byte{}
	f.putMedia(unknown)
	wantSame(f, "the zero hash", "", mustRead(f, mediaByHash(f.ws, [32]byte{})))
	wantSame(f, "one that has the zero hash", false, mustRead(f, hasMedia([32]byte{})))
	unknown.SHA256 = hash
	f.putMedia(unknown)
	wantSame(f, "once its bytes are known", unknown.ID, mustRead(f, mediaByHash(f.ws, hash)))
}

func testMediaSize(f *fixture) {
	list := f.newMedia(3)
	want := func(what string, n int64) {
		f.Helper()
		wantSame(f, "size "+what, n, mustRead(f, mediaSize(f.ws)))
	}
	want("of nothing", 0)
	list[1].Status, list[2].Status = schedctl.MediaPending, schedctl.MediaFailed
	f.putMedia(list...)
	want("of a ready, a pending and a failed asset", 200)
	list[1].Status, list[1].Size, list[1].SHA256 = schedctl.MediaReady, 70, list[0].SHA256
	f.putMedia(list[1], list[1])
	want("with the real size of the second, which has the bytes of the first", 170)
	list[1].Status = schedctl.MediaFailed
	f.putMedia(list[1])
	want("after the second failed", 100)
	other := list[0]
	other.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch.Add(time.Hour))
	f.putMedia(other)
	want("with an asset of another workspace", 100)
	f.update(func(tx storage.Tx) error {
		if err := tx.DeleteMediaAsset(f.ws, list[0].ID); err != nil {
			return err
		}
		n, err := tx.MediaSize(f.ws)
		if err == nil {
			wantSame(f, "size in the transaction that deletes", int64(0), n)
		}
		return err
	})
	want("after the first was deleted", 0)
	f.deleteMedia(list[1].ID, list[2].ID)
	want("of no assets", 0)
}

// testMediaQuotaIsKept adds assets concurrently, each only if the size permits it.
func testMediaQuotaIsKept(f *fixture) {
	const quota = 500
	var all sync.WaitGroup
	for _, a := range f.newMedia(16) {
		all.Go(func() {
			err := f.store.Update(context.Background(), func(tx storage.Tx) error {
				size, err := tx.MediaSize(f.ws)
				if err != nil || size+a.Size > quota {
					return err
				}
				return tx.PutMediaAsset(a)
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	wantSame(f, "size", int64(quota), mustRead(f, mediaSize(f.ws)))
}

func testExpiredMedia(f *fixture) {
	list := f.newMedia(5)
	list[0].ExpiresAt, list[3].ExpiresAt = time.Time{}, list[2].ExpiresAt
	list[4].ExpiresAt = epoch
	f.putMedia(list...)
	want := []string{list[4].ID, list[1].ID, list[2].ID, list[3].ID}
	wantSame(f, "all", want, mustRead(f, expiredMedia(epoch.Add(24*time.Hour), 9)))
	wantSame(f, "the first", want[:2], mustRead(f, expiredMedia(epoch.Add(24*time.Hour), 2)))
	wantSame(f, "before the time of one", want[:1], mustRead(f, expiredMedia(list[1].ExpiresAt, 9)))
	wantSame(f, "a moment later", want[:2], mustRead(f, expiredMedia(list[1].ExpiresAt.Add(time.Millisecond), 9)))
	list[4].ExpiresAt = epoch.Add(48 * time.Hour)
	f.putMedia(list[4])
	f.deleteMedia(list[2].ID)
	wantSame(f, "after a change and a deletion", []string{list[1].ID, list[3].ID}, mustRead(f, expiredMedia(epoch.Add(24*time.Hour), 9)))
}

// testMediaEmptiedInTransaction guards engines whose cursors fail on pages that the
// running transaction has emptied.
func testMediaEmptiedInTransaction(f *fixture) {
	list := f.newMedia(500)
	f.putMedia(list...)
	posts := make([]schedctl.Post, len(list))
	for i := range posts {
		posts[i] = f.newPost(epoch, epoch.Add(time.Duration(i)*time.Second), schedctl.Scheduled)
		posts[i].Media = mediaList(list[0].ID)
	}
	f.putPosts(posts...)
	f.update(func(tx storage.Tx) error {
		for i := range slices.Backward(list) {
			if err := tx.DeleteMediaAsset(f.ws, list[i].ID); err != nil {
				return err
			}
			if err := tx.DeletePost(f.ws, posts[i].ID); err != nil {
				return err
			}
		}
		assets, err := tx.MediaAssets(f.ws, "", 9)
		users, err2 := tx.MediaUsers(list[0].ID, 9)
		if err == nil && err2 == nil {
			wantSame(f, "assets", []schedctl.MediaAsset(nil), assets)
			wantSame(f, "users", []string(nil), users)
		}
		return errors.Join(err, err2)
	})
	wantSame(f, "expired", []string(nil), mustRead(f, expiredMedia(epoch.Add(24*time.Hour), 9)))
}
