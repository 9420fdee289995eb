package storagetest

import (
	"errors"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var postParts = []part{
	{"PostKeepsEveryField", testPostKeepsEveryField},
	{"PostWithoutAnything", testPostWithoutAnything},
	{"PostIsReplaced", testPostIsReplaced},
	{"PostKeepsWorkspaceAndCreation", testPostKeepsWorkspaceAndCreation},
	{"PostIsDeleted", testPostIsDeleted},
	{"RoutesFollowTargets", testRoutesFollowTargets},
	{"PostWithOneAccountTwice", testPostWithOneAccountTwice},
	{"PostsAreCopies", testPostsAreCopies},
	{"MalformedPostIDs", testMalformedPostIDs},
}

func testPostKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.Post](f)
	want.WorkspaceID = f.ws
	f.putPosts(want)
	wantSame(f, "post", want, mustRead(f, postByID(f, want.ID)))

	for _, status := range append(schedctl.Statuses(), "no such account") {
		want.Targets[0].Status = status
		f.putPosts(want)
		wantSame(f, "post with a target "+string(status), want, mustRead(f, postByID(f, want.ID)))
	}
}

func testPostWithoutAnything(f *fixture) {
	want := schedctl.Post{ID: newID(schedctl.PostPrefix, epoch), WorkspaceID: f.ws}
	f.putPosts(want)
	wantSame(f, "empty post", want, mustRead(f, postByID(f, want.ID)))

	want.Text = strings.Repeat("𝄞", schedctl.MaxContent)
	for range schedctl.MaxAccounts {
		want.Targets = append(want.Targets, schedctl.Target{
			ID: newID(schedctl.TargetPrefix, epoch), AccountID: newID(schedctl.AccountPrefix, epoch), Status: schedctl.Draft,
		})
	}
	want.PublishAt = time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	want.CreatedAt = time.Time{}
	f.putPosts(want)
	wantSame(f, "largest post", want, mustRead(f, postByID(f, want.ID)))
}

func testPostIsReplaced(f *fixture) {
	accounts := newAccountIDs(3)
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, accounts[:2]...)
	f.putPosts(p)
	p.Text, p.Version, p.UpdatedAt = "another text", 2, epoch.Add(time.Minute)
	p.Targets = append(p.Targets[1:], f.newPost(epoch, p.PublishAt, schedctl.Scheduled, accounts[2]).Targets...)
	f.putPosts(p)
	wantSame(f, "replaced post", p, mustRead(f, postByID(f, p.ID)))
	page := mustRead(f, func(r storage.Reader) (storage.PostPage, error) {
		return r.Posts(storage.PostQuery{WorkspaceID: f.ws, Limit: 10})
	})
	wantSame(f, "list", []schedctl.Post{p}, page.Posts)
}

func testPostKeepsWorkspaceAndCreation(f *fixture) {
	p := f.newPost(epoch, time.Time{}, schedctl.Draft)
	f.putPosts(p)
	moved := p.Clone()
	moved.CreatedAt, moved.Text = epoch.Add(time.Hour), "new words"
	f.putPosts(moved)
	moved.CreatedAt = p.CreatedAt
	wantSame(f, "post with another creation time", moved, mustRead(f, postByID(f, p.ID)))

	elsewhere := moved.Clone()
	elsewhere.WorkspaceID, elsewhere.Text = newID(schedctl.WorkspacePrefix, epoch), "stolen"
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutPost(elsewhere) })
	wantSame(f, "post after a put from another workspace", moved, mustRead(f, postByID(f, p.ID)))
}

func testPostIsDeleted(f *fixture) {
	accounts := newAccountIDs(2)
	gone := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Published, accounts...)
	kept := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, accounts...)
	attempt := newFilled[schedctl.Attempt](f)
	attempt.TargetID, attempt.FinishedAt = gone.Targets[1].ID, time.Time{}
	f.putPosts(gone, kept)
	f.update(func(tx storage.Tx) error { return tx.PutAttempt(attempt) })
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, gone.ID) })

	wantNotFound(f, "deleted post", postByID(f, gone.ID))
	wantNotFound(f, "route to a deleted post", routeOf(gone.Targets[0].ID))
	wantSame(f, "attempts", []schedctl.Attempt(nil), mustRead(f, attemptsOf(attempt.TargetID)))
	wantSame(f, "running", []schedctl.Attempt(nil), mustRead(f, storage.Reader.RunningAttempts))
	wantSame(f, "publications", []storage.PublishedTarget(nil), mustRead(f, func(r storage.Reader) ([]storage.PublishedTarget, error) {
		return r.PublishedTargets(accounts[0], storage.PublishedTarget{}, 10)
	}))
	wantSame(f, "kept post", kept, mustRead(f, postByID(f, kept.ID)))
	for _, q := range []storage.PostQuery{{}, {AccountID: accounts[1]}, {Sort: storage.PublishAscending}, {AccountID: accounts[0], Sort: storage.PublishDescending}} {
		q.WorkspaceID, q.Limit = f.ws, 10
		page := mustRead(f, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(q) })
		wantSame(f, "list", []schedctl.Post{kept}, page.Posts)
	}
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeletePost(f.ws, gone.ID) })
}

func testRoutesFollowTargets(f *fixture) {
	accounts := newAccountIDs(2)
	p := f.newPost(epoch, time.Time{}, schedctl.Draft, accounts...)
	f.putPosts(p)
	for i, t := range p.Targets {
		want := storage.Route{WorkspaceID: f.ws, PostID: p.ID, AccountID: accounts[i]}
		wantSame(f, "route", want, mustRead(f, routeOf(t.ID)))
	}
	dropped := p.Targets[0].ID
	f.putAttempts(f.newAttempt(dropped, 1, epoch))
	p.Targets = p.Targets[1:]
	f.putPosts(p)
	wantSame(f, "attempts of a removed target", []schedctl.Attempt(nil), mustRead(f, attemptsOf(dropped)))
	wantSame(f, "running attempts", []schedctl.Attempt(nil), mustRead(f, storage.Reader.RunningAttempts))
	wantNotFound(f, "route to a target that the post no longer has", routeOf(dropped))
	wantNotFound(f, "route to a missing target", routeOf(newID(schedctl.TargetPrefix, epoch)))
}

// testPostWithOneAccountTwice guards that an index with one entry for such a post keeps
// it when the first target is removed.
func testPostWithOneAccountTwice(f *fixture) {
	account := newAccountIDs(1)[0]
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, account, account)
	for len(p.Targets) > 0 {
		f.putPosts(p)
		for _, sort := range sorts {
			page := list(f, storage.PostQuery{WorkspaceID: f.ws, AccountID: account, Sort: sort, Limit: 9})
			wantSame(f, "list", []schedctl.Post{p}, page.Posts)
		}
		p.Targets = p.Targets[1:]
	}
}

func testPostsAreCopies(f *fixture) {
	p := newFilled[schedctl.Post](f)
	p.WorkspaceID = f.ws
	want := p.Clone()
	spoil := func(p *schedctl.Post) {
		p.Targets[0].Error.Message = "spoiled"
		p.Targets[1].ID = "spoiled"
	}
	f.putPosts(p)
	spoil(&p)
	got := mustRead(f, postByID(f, want.ID))
	wantSame(f, "post after a change of what was put", want, got)
	spoil(&got)
	page := mustRead(f, func(r storage.Reader) (storage.PostPage, error) {
		return r.Posts(storage.PostQuery{WorkspaceID: f.ws, Limit: 1})
	})
	wantSame(f, "post after a change of what was read", []schedctl.Post{want}, page.Posts)
	spoil(&page.Posts[0])
	wantSame(f, "post after a change of what was listed", want, mustRead(f, postByID(f, want.ID)))
}

func testMalformedPostIDs(f *fixture) {
	p := f.newPost(epoch, time.Time{}, schedctl.Draft, newAccountIDs(1)...)
	f.putPosts(p)
	for _, id := range malformedIDs(schedctl.PostPrefix) {
		wantNotFound(f, "post "+id, postByID(f, id))
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.DeletePost(f.ws, id) })
		bad := p.Clone()
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutPost(bad) })
	}
	for _, id := range malformedIDs(schedctl.TargetPrefix) {
		wantNotFound(f, "route "+id, routeOf(id))
		wantNotFound(f, "attempts "+id, attemptsOf(id))
	}
	for _, id := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "post in "+id, func(r storage.Reader) (schedctl.Post, error) { return r.Post(id, p.ID) })
		wantNotFound(f, "list of "+id, func(r storage.Reader) (storage.PostPage, error) {
			return r.Posts(storage.PostQuery{WorkspaceID: id, Limit: 1})
		})
	}
	if _, err := tryRead(f, postByID(f, newID(schedctl.PostPrefix, epoch))); errors.Is(err, storage.ErrCorrupt) {
		f.Errorf("a missing post: %v", err)
	}
}
