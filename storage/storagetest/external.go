package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var externalParts = []part{
	{"ExternalIDsAreUnique", testExternalIDsAreUnique},
	{"ExternalIDsBecomeFree", testExternalIDsCanBeReused},
	{"ExternalIDsMoveInOneTransaction", testExternalIDsMoveInOneTransaction},
	{"ExternalIDsOfConcurrentPuts", testExternalIDsOfConcurrentPuts},
	{"ExternalIDsOfUncommittedPuts", testExternalIDsOfUncommittedPuts},
}

// newPostWithExternalID returns a draft with an external id.
func (f *fixture) newPostWithExternalID(externalID string) schedctl.Post {
	p := f.newPost(epoch, time.Time{}, schedctl.Draft)
	p.ExternalID = externalID
	return p
}

func byExternalID(ws, externalID string) func(storage.Reader) (schedctl.Post, error) {
	return func(r storage.Reader) (schedctl.Post, error) { return r.PostByExternalID(ws, externalID) }
}

func testExternalIDsAreUnique(f *fixture) {
	first, second, elsewhere := f.newPostWithExternalID("site/a"), f.newPostWithExternalID("site/a"), f.newPostWithExternalID("site/a")
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	unnamed, longest := f.newPostWithExternalID(""), f.newPostWithExternalID(fmt.Sprintf("%0*d", schedctl.MaxExternalID, 1))
	f.putPosts(first, elsewhere, unnamed, f.newPostWithExternalID(""), f.newPostWithExternalID("site/A"), longest)
	f.putPosts(first) // it has its own external id

	var refusal *schedctl.Error
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return tx.PutPost(second) })
	if !errors.As(err, &refusal) || refusal.Code != schedctl.ExternalIDExists || len(refusal.Details) != 1 || refusal.Details[0].Message != first.ID {
		f.Errorf("a second post with the external id: %v, want EXTERNAL_ID_EXISTS that names %s", err, first.ID)
	}
	wantNotFound(f, "refused post", postByID(f, second.ID))
	unnamed.ExternalID = "site/a"
	f.refuse(schedctl.ExternalIDExists, func(tx storage.Tx) error {
		if _, err := tx.Post(f.ws, unnamed.ID); err != nil {
			return err
		}
		return tx.PutPost(unnamed)
	})
	wantSame(f, "post here", first, mustRead(f, byExternalID(f.ws, "site/a")))
	wantSame(f, "longest external id", longest, mustRead(f, byExternalID(f.ws, longest.ExternalID)))
	wantSame(f, "post elsewhere", elsewhere, mustRead(f, byExternalID(elsewhere.WorkspaceID, "site/a")))
	wantNotFound(f, "no external id", byExternalID(f.ws, ""))
	wantNotFound(f, "unknown external id", byExternalID(f.ws, "site/b"))
	wantNotFound(f, "unknown workspace", byExternalID(newID(schedctl.WorkspacePrefix, epoch), "site/a"))
	for _, ws := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "malformed workspace", byExternalID(ws, "site/a"))
	}
}

func testExternalIDsCanBeReused(f *fixture) {
	gone, changed := f.newPostWithExternalID("deleted"), f.newPostWithExternalID("changed")
	f.putPosts(gone, changed)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, gone.ID) })
	changed.ExternalID = "other"
	f.putPosts(changed)
	wantNotFound(f, "deleted", byExternalID(f.ws, "deleted"))
	wantNotFound(f, "changed", byExternalID(f.ws, "changed"))
	f.putPosts(f.newPostWithExternalID("deleted"), f.newPostWithExternalID("changed"))
	wantSame(f, "other", changed, mustRead(f, byExternalID(f.ws, "other")))
	undone := errors.New("undone")
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return errors.Join(tx.PutPost(f.newPostWithExternalID("undone")), undone) })
	if !errors.Is(err, undone) {
		f.Fatal(err)
	}
	f.putPosts(f.newPostWithExternalID("undone"))
}

func testExternalIDsMoveInOneTransaction(f *fixture) {
	old, next := f.newPostWithExternalID("site/a"), f.newPostWithExternalID("site/a")
	f.putPosts(old)
	f.update(func(tx storage.Tx) error {
		was, err := tx.PostByExternalID(f.ws, "site/a")
		if err != nil {
			return err
		}
		was.ExternalID = ""
		if err := tx.PutPost(was); err != nil {
			return err
		}
		if _, err := tx.PostByExternalID(f.ws, "site/a"); schedctl.CodeOf(err) != schedctl.NotFound {
			return fmt.Errorf("the external id is not free: %w", err)
		}
		return tx.PutPost(next)
	})
	wantSame(f, "new post", next, mustRead(f, byExternalID(f.ws, "site/a")))
	old.ExternalID = ""
	wantSame(f, "old post", old, mustRead(f, postByID(f, old.ID)))
}

// testExternalIDsOfConcurrentPuts lets many transactions check for an external id and
// put a post with it if no post has it yet.
func testExternalIDsOfConcurrentPuts(f *fixture) {
	const n = 16
	var all sync.WaitGroup
	put := make([]bool, n)
	for i := range n {
		all.Go(func() {
			p := f.newPostWithExternalID("site/a")
			err := f.store.Update(context.Background(), func(tx storage.Tx) error {
				_, err := tx.PostByExternalID(f.ws, "site/a")
				if put[i] = schedctl.CodeOf(err) == schedctl.NotFound; !put[i] {
					return err
				}
				return tx.PutPost(p)
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	posts := 0
	for i := range put {
		if put[i] {
			posts++
		}
	}
	if posts != 1 {
		f.Errorf("%d transactions put a post, want 1", posts)
	}
}

// testExternalIDsOfUncommittedPuts guards that a transaction sees its own posts.
func testExternalIDsOfUncommittedPuts(f *fixture) {
	first := f.newPostWithExternalID("site/a")
	f.refuse(schedctl.ExternalIDExists, func(tx storage.Tx) error {
		if err := tx.PutPost(first); err != nil {
			return err
		}
		if p, err := tx.PostByExternalID(f.ws, "site/a"); err != nil || p.ID != first.ID {
			return fmt.Errorf("%s, %w", p.ID, err)
		}
		return tx.PutPost(f.newPostWithExternalID("site/a"))
	})
	wantNotFound(f, "post of a failed transaction", byExternalID(f.ws, "site/a"))
}
