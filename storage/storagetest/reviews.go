package storagetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var reviewParts = []part{
	{"review/posts are listed by approval", testApprovalListsPosts},
	{"review/posts are listed by their proposed times", testProposedTimesListPosts},
	{"review/posts are listed by author", testAuthorListsPosts},
	{"review/notes count as text of a page", testNotesCountAsText},
}

func testApprovalListsPosts(f *fixture) {
	account := newAccountIDs(1)[0]
	var pending []schedctl.Post
	for i := range 9 {
		p := f.newPost(epoch.Add(time.Duration(i)*time.Second), epoch.Add(time.Duration(i)*time.Hour), schedctl.Scheduled, account)
		if i%3 > 0 {
			p.Approval = &schedctl.Approval{State: schedctl.ApprovalStates()[i%3-1], RequestedAt: epoch, Digest: p.ReviewDigest()}
		}
		if i%3 == 1 {
			pending = append(pending, p)
		}
		f.putPosts(p)
	}
	posts := func(q storage.PostQuery) []schedctl.Post {
		q.WorkspaceID, q.Limit = f.ws, manyRecords
		return mustRead(f, func(r storage.Reader) ([]schedctl.Post, error) {
			page, err := r.Posts(q)
			return page.Posts, err
		})
	}
	for _, sort := range []storage.Sort{storage.OldestFirst, storage.PublishAscending} {
		wantSame(f, "pending", pending, posts(storage.PostQuery{Approval: schedctl.ApprovalPending, Sort: sort}))
		wantSame(f, "pending of an account", pending, posts(storage.PostQuery{Approval: schedctl.ApprovalPending, AccountID: account, Sort: sort}))
		wantSame(f, "withdrawn", []schedctl.Post(nil), posts(storage.PostQuery{Approval: schedctl.ApprovalWithdrawn, Sort: sort}))
	}
	page := mustRead(f, func(r storage.Reader) (storage.PostPage, error) {
		return r.Posts(storage.PostQuery{WorkspaceID: f.ws, Approval: schedctl.ApprovalPending, Sort: storage.OldestFirst, Limit: 2})
	})
	wantSame(f, "first page", pending[:2], page.Posts)
	wantSame(f, "second page", pending[2:], posts(storage.PostQuery{Approval: schedctl.ApprovalPending, Sort: storage.OldestFirst, After: page.Next}))

	withdrawn := pending[0].Clone()
	withdrawn.Approval.State = schedctl.ApprovalWithdrawn
	f.putPosts(withdrawn)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, pending[1].ID) })
	wantSame(f, "pending after changes", pending[2:], posts(storage.PostQuery{Approval: schedctl.ApprovalPending}))
	wantSame(f, "withdrawn after changes", []schedctl.Post{withdrawn}, posts(storage.PostQuery{Approval: schedctl.ApprovalWithdrawn}))
}

// testProposedTimesListPosts lists drafts by their proposed times, where posts are selected by
// approval.
func testProposedTimesListPosts(f *fixture) {
	account := newAccountIDs(1)[0]
	hour := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Hour) }
	var list []schedctl.Post // in order of their times
	for i, status := range []schedctl.Status{schedctl.Draft, schedctl.Failed, schedctl.Draft, schedctl.Draft, schedctl.Draft} {
		p := f.newPost(epoch.Add(time.Duration(10-i)*time.Second), time.Time{}, status, account)
		p.Approval = &schedctl.Approval{State: schedctl.ApprovalPending, RequestedAt: epoch, Digest: p.ReviewDigest()}
		switch {
		case status == schedctl.Failed:
			p.PublishAt = hour(i)
		case i < 4:
			p.Proposed.At = hour(i)
		default:
			p.Proposed.NextSlot = true // without a time
		}
		list = append(list, p)
	}
	f.putPosts(list...)
	posts := func(q storage.PostQuery) []schedctl.Post {
		q.WorkspaceID, q.Limit, q.Sort = f.ws, manyRecords, cmp.Or(q.Sort, storage.PublishAscending)
		return mustRead(f, func(r storage.Reader) ([]schedctl.Post, error) {
			page, err := r.Posts(q)
			return page.Posts, err
		})
	}
	pending := schedctl.ApprovalPending
	wantSame(f, "all", list, posts(storage.PostQuery{Approval: pending}))
	wantSame(f, "from the second on", list[1:4], posts(storage.PostQuery{Approval: pending, PublishAfter: hour(1)}))
	wantSame(f, "the second and third", list[1:3], posts(storage.PostQuery{Approval: pending, PublishAfter: hour(1), PublishBefore: hour(3)}))
	wantSame(f, "drafts of an account", []schedctl.Post{list[0], list[2]}, posts(storage.PostQuery{
		Approval: pending, AccountID: account, Statuses: []schedctl.Status{schedctl.Draft}, PublishBefore: hour(3),
	}))
	wantSame(f, "by age", list[2:4], posts(storage.PostQuery{Approval: pending, PublishAfter: hour(2), PublishBefore: hour(4), Sort: storage.NewestFirst}))
	wantSame(f, "after the second", list[2:], posts(storage.PostQuery{Approval: pending, After: &storage.Position{PublishAt: hour(1), PostID: list[1].ID}}))
	wantSame(f, "by time without an approval", list[1:2], posts(storage.PostQuery{PublishAfter: hour(0)}))

	other := f.newPost(epoch, hour(2).Add(time.Minute), schedctl.Scheduled, newAccountIDs(1)[0])
	plain := f.newPost(epoch, time.Time{}, schedctl.Draft, account)
	plain.Proposed.At = hour(2)
	f.putPosts(other, plain)
	both := []schedctl.Post{list[0], list[1], list[2], other, list[3]}
	wantSame(f, "with proposals", both, posts(storage.PostQuery{Proposed: true}))
	wantSame(f, "the latest first", []schedctl.Post{list[3], other, list[2], list[1], list[0]}, posts(storage.PostQuery{Proposed: true, Sort: storage.PublishDescending}))
	wantSame(f, "scheduled, with proposals", []schedctl.Post{list[0], list[2], other, list[3]}, posts(storage.PostQuery{Proposed: true, Statuses: []schedctl.Status{schedctl.Scheduled}}))
	wantSame(f, "proposals alone", []schedctl.Post{list[2]}, posts(storage.PostQuery{
		Proposed: true, Statuses: []schedctl.Status{schedctl.Draft}, PublishAfter: hour(1), PublishBefore: hour(3),
	}))
	wantSame(f, "of an account, with proposals", []schedctl.Post{list[2], list[3]}, posts(storage.PostQuery{Proposed: true, AccountID: account, PublishAfter: hour(2)}))
	var paged []schedctl.Post
	for q := (storage.PostQuery{WorkspaceID: f.ws, Proposed: true, Sort: storage.PublishAscending, Limit: 2}); len(paged) < 9; {
		page := mustRead(f, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(q) })
		paged = append(paged, page.Posts...)
		if q.After = page.Next; q.After == nil {
			break
		}
	}
	wantSame(f, "pages", both, paged)

	moved := list[2].Clone()
	moved.Proposed.At = hour(9)
	f.putPosts(moved)
	wantSame(f, "moved", []schedctl.Post{list[3], moved}, posts(storage.PostQuery{Approval: pending, PublishAfter: hour(2)}))
}

func testAuthorListsPosts(f *fixture) {
	account, keys := newAccountIDs(1)[0], []string{newID(schedctl.KeyPrefix, epoch), newID(schedctl.KeyPrefix, epoch), ""}
	var own []schedctl.Post
	for i := range 9 {
		p := f.newPost(epoch.Add(time.Duration(i)*time.Second), epoch.Add(time.Duration(i)*time.Hour), schedctl.Scheduled, account)
		if p.CreatedBy = keys[i%3]; i%3 == 1 {
			own = append(own, p)
		}
		f.putPosts(p)
	}
	posts := func(q storage.PostQuery) storage.PostPage {
		q.WorkspaceID, q.CreatedBy, q.Limit = f.ws, keys[1], cmp.Or(q.Limit, manyRecords)
		return mustRead(f, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(q) })
	}
	for _, sort := range []storage.Sort{storage.OldestFirst, storage.PublishAscending} {
		wantSame(f, "own", own, posts(storage.PostQuery{Sort: sort}).Posts)
		wantSame(f, "own for an account", own, posts(storage.PostQuery{Sort: sort, AccountID: account}).Posts)
		page := posts(storage.PostQuery{Sort: sort, Limit: 2})
		wantSame(f, "first page", own[:2], page.Posts)
		wantSame(f, "second page", own[2:], posts(storage.PostQuery{Sort: sort, After: page.Next}).Posts)
	}
	wantSame(f, "own drafts", []schedctl.Post(nil), posts(storage.PostQuery{Statuses: []schedctl.Status{schedctl.Draft}}).Posts)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, own[1].ID) })
	wantSame(f, "own after a deletion", []schedctl.Post{own[0], own[2]}, posts(storage.PostQuery{Sort: storage.OldestFirst}).Posts)
	wantNotFound(f, "posts of a malformed key", func(r storage.Reader) (storage.PostPage, error) {
		return r.Posts(storage.PostQuery{WorkspaceID: f.ws, CreatedBy: "key_", Limit: 1})
	})
}

func testNotesCountAsText(f *fixture) {
	p := f.newPost(epoch, epoch, schedctl.Scheduled, newAccountIDs(1)[0])
	before := storage.TextBytes(&p)
	p.Notes = slices.Repeat([]schedctl.PostNote{{ID: newID(schedctl.NotePrefix, epoch), Text: "four"}}, 3)
	f.putPosts(p)
	got := mustRead(f, func(r storage.Reader) (schedctl.Post, error) { return r.Post(f.ws, p.ID) })
	if n := storage.TextBytes(&got) - before; n != 12 {
		f.Errorf("three notes of four bytes count as %d bytes", n)
	}
}
