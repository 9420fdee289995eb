package storagetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// testScanBytes searches posts so long that one page cannot scan all of them.
func testScanBytes(f *fixture) {
	const size = 20_000
	posts := make([]schedctl.Post, 2*storage.ScanBytes/size)
	for i := range posts {
		posts[i] = f.newPost(epoch.Add(time.Duration(i)*time.Millisecond), time.Time{}, schedctl.Draft)
		posts[i].Text = strings.Repeat("𝄞", size/4)
	}
	last := len(posts) - 1
	posts[last].Text = "needle"
	f.putPosts(posts...)
	q := storage.PostQuery{WorkspaceID: f.ws, Search: "NEEDLE", Sort: storage.OldestFirst, Limit: 5}
	var found []string
	for pages := 0; ; pages++ {
		page := list(f, q)
		for _, p := range page.Posts {
			found = append(found, p.ID)
		}
		if q.After = page.Next; q.After == nil || pages == 10 {
			break
		}
	}
	wantSame(f, "found after many long posts", []string{posts[last].ID}, found)
	if q.After != nil {
		f.Error("the list does not end")
	}
}

// testPageBytes lists posts whose targets have their own long texts and alt texts.
func testPageBytes(f *fixture) {
	accounts, asset := newAccountIDs(10), newID(schedctl.MediaPrefix, epoch)
	posts := make([]schedctl.Post, 30)
	for i := range posts {
		at := epoch.Add(time.Duration(i) * time.Millisecond)
		posts[i] = f.newPost(at, at, schedctl.Scheduled, accounts...)
		for j := range posts[i].Targets {
			text := strings.Repeat("x", storage.PageBytes/100)
			if j%2 == 0 {
				posts[i].Targets[j].Text = text
			} else {
				posts[i].Targets[j].Media = []schedctl.PostMedia{{AssetID: asset, AltText: text, HasAltText: true}}
			}
		}
	}
	f.putPosts(posts...)
	for _, q := range []storage.PostQuery{{}, {Search: "A POST"}, {Sort: storage.PublishDescending, Offset: 3}, {AccountID: accounts[2]}} {
		q.WorkspaceID, q.Limit = f.ws, len(posts)
		page := list(f, q)
		want := selectPage(posts, q)
		wantSame(f, "a page of long posts", want, page)
		if n := len(page.Posts); n < 10 || n > 11 || page.Next == nil {
			f.Errorf("a page has %d posts, next %v, want about 10 and a next page", n, page.Next)
		}
	}
}

// testCanceledScan guards that a canceled request stops scanning. A search once
// continued to its end.
func testCanceledScan(f *fixture) {
	f.putPosts(f.newPost(epoch, epoch, schedctl.Scheduled), f.newPost(epoch, time.Time{}, schedctl.Draft))
	for _, q := range []storage.PostQuery{{Search: "nowhere"}, {PublishAfter: epoch.Add(time.Hour)}} {
		q.WorkspaceID, q.Limit = f.ws, 5
		ctx, cancel := context.WithCancel(f.Context())
		defer cancel()
		err := f.store.View(ctx, func(r storage.Reader) error {
			if _, err := r.Workspaces(); err != nil {
				return err
			}
			cancel()
			_, err := r.Posts(q)
			return err
		})
		if !errors.Is(err, context.Canceled) {
			f.Errorf("a canceled scan returned %v, want %v", err, context.Canceled)
		}
	}
}
