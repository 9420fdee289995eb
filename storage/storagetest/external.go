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
	{"ExternalIDsBecomeFree", testExternalIDsBecomeFree},
	{"ExternalIDsMoveInOneTransaction", testExternalIDsMoveInOneTransaction},
	{"ExternalIDsOfConcurrentPuts", testExternalIDsOfConcurrentPuts},
	{"ExternalIDsOfUncommittedPuts", testExternalIDsOfUncommittedPuts},
}

// named returns a draft with an external id.
func (f *fixture) named(externalID string) schedctl.Post {
	p := f.newPost(epoch, time.Time{}, schedctl.Draft)
	p.ExternalID = externalID
	return p
}

func byExternalID(ws, externalID string) func(storage.Reader) (schedctl.Post, error) {
	return func(r storage.Reader) (schedctl.Post, error) { return r.PostByExternalID(ws, externalID) }
}

func testExternalIDsAreUnique(f *fixture) {
	first, second, elsewhere := f.named("site/a"), f.named("site/a"), f.named("site/a")
	elsewhere.WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	unnamed, longest := f.named(""), f.named(fmt.Sprintf("%0*d", schedctl.MaxExternalID, 1))
	f.putPosts(first, elsewhere, unnamed, f.named(""), f.named("site/A"), longest)
	f.putPosts(first) // it has its own external id

	var refusal *schedctl.Error
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return tx.PutPost(second) })
	if !errors.As(err, &refusal) || refusal.Code != schedctl.ExternalIDExists || len(refusal.Details) != 1 || refusal.Details[0].Message != first.ID {
		f.Errorf("a second post with the external id: %v, want EXTERNAL_ID_EXISTS that names %s", err, first.ID)
	}
	missing(f, "refused post", postByID(f, second.ID))
	unnamed.ExternalID = "site/a"
	f.refuse(schedctl.ExternalIDExists, func(tx storage.Tx) error {
		if _, err := tx.Post(f.ws, unnamed.ID); err != nil {
			return err
		}
		return tx.PutPost(unnamed)
	})
	same(f, "post here", first, read(f, byExternalID(f.ws, "site/a")))
	same(f, "longest external id", longest, read(f, byExternalID(f.ws, longest.ExternalID)))
	same(f, "post elsewhere", elsewhere, read(f, byExternalID(elsewhere.WorkspaceID, "site/a")))
	missing(f, "no external id", byExternalID(f.ws, ""))
	missing(f, "unknown external id", byExternalID(f.ws, "site/b"))
	missing(f, "unknown workspace", byExternalID(newID(schedctl.WorkspacePrefix, epoch), "site/a"))
	for _, ws := range malformed(schedctl.WorkspacePrefix) {
		missing(f, "malformed workspace", byExternalID(ws, "site/a"))
	}
}

func testExternalIDsBecomeFree(f *fixture) {
	gone, changed := f.named("deleted"), f.named("changed")
	f.putPosts(gone, changed)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, gone.ID) })
	changed.ExternalID = "other"
	f.putPosts(changed)
	missing(f, "deleted", byExternalID(f.ws, "deleted"))
	missing(f, "changed", byExternalID(f.ws, "changed"))
	f.putPosts(f.named("deleted"), f.named("changed"))
	same(f, "other", changed, read(f, byExternalID(f.ws, "other")))
	undone := errors.New("undone")
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return errors.Join(tx.PutPost(f.named("undone")), undone) })
	if !errors.Is(err, undone) {
		f.Fatal(err)
	}
	f.putPosts(f.named("undone"))
}

func testExternalIDsMoveInOneTransaction(f *fixture) {
	old, next := f.named("site/a"), f.named("site/a")
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
	same(f, "new post", next, read(f, byExternalID(f.ws, "site/a")))
	old.ExternalID = ""
	same(f, "old post", old, read(f, postByID(f, old.ID)))
}

// testExternalIDsOfConcurrentPuts lets many transactions look for an external id
// and put a post with it when there is none.
func testExternalIDsOfConcurrentPuts(f *fixture) {
	const n = 16
	var all sync.WaitGroup
	put := make([]bool, n)
	for i := range n {
		all.Go(func() {
			p := f.named("site/a")
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
		f.Errorf("%d transactions have put a post, want 1", posts)
	}
}

// testExternalIDsOfUncommittedPuts guards that a transaction sees its own posts.
func testExternalIDsOfUncommittedPuts(f *fixture) {
	first := f.named("site/a")
	f.refuse(schedctl.ExternalIDExists, func(tx storage.Tx) error {
		if err := tx.PutPost(first); err != nil {
			return err
		}
		if p, err := tx.PostByExternalID(f.ws, "site/a"); err != nil || p.ID != first.ID {
			return fmt.Errorf("%s, %w", p.ID, err)
		}
		return tx.PutPost(f.named("site/a"))
	})
	missing(f, "post of a failed transaction", byExternalID(f.ws, "site/a"))
}
