package storagetest

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var threadParts = []part{
	{"thread/empty overrides", testEmptyOverridesOfParts},
	{"thread/progress", testProgressOfParts},
	{"thread/content", testSameContentOfThreads},
	{"thread/published as", testPublishedAsParts},
	{"thread/search", testSearchOfParts},
	{"thread/media", testMediaOfParts},
	{"thread/comments are due", testCommentsAreDue},
	{"title and style", testTitleAndStyle},
}

// testTitleAndStyle changes a title and a style, which few posts have.
func testTitleAndStyle(f *fixture) {
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(1)...)
	for _, set := range []struct {
		title string
		style schedctl.PostStyle
	}{{"ä title", ""}, {"", schedctl.StyleText}, {"another", schedctl.StyleText}, {"another", schedctl.StyleMediaOnly}, {"", ""}} {
		p.Title, p.Style = set.title, set.style
		p.Version++
		f.putPosts(p)
		wantSame(f, "post", p, mustRead(f, postByID(f, p.ID)))
	}
}

// testEmptyOverridesOfParts guards that an empty override of a thread or of a poll
// differs from none.
func testEmptyOverridesOfParts(f *fixture) {
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(3)...)
	p.Thread = []schedctl.Part{{Content: "two"}}
	p.Targets[0].Thread, p.Targets[1].Poll = []schedctl.Part{}, &schedctl.Poll{}
	f.putPosts(p)
	got := mustRead(f, postByID(f, p.ID))
	wantSame(f, "post", p, got)
	if got.Targets[0].Thread == nil || got.Targets[1].Thread != nil || got.Targets[1].Poll == nil || got.Targets[2].Poll != nil {
		f.Errorf("targets %+v", got.Targets)
	}
}

// testProgressOfParts changes a target as the daemon does, part by part.
func testProgressOfParts(f *fixture) {
	p := f.newPost(epoch, epoch, schedctl.Publishing, newAccountIDs(2)...)
	p.Thread, p.FirstComment = []schedctl.Part{{Content: "two"}}, &schedctl.Part{Content: "comment"}
	f.putPosts(p)
	for _, id := range []string{"1", "2", "3"} {
		t := &p.Targets[0]
		t.Done = append(t.Done, schedctl.PublishedPart{
			ID: id, Ref: "ref " + id, PublishedAt: epoch.Add(time.Second), Attempts: 1,
			Error: schedctl.Degradation{Code: "visibility", Message: "not public"}.TargetError(),
		})
		t.PlatformPostID, t.Attempts = "1", len(t.Done)
		if len(t.Done) == 2 {
			t.Status, t.CommentStatus = schedctl.Published, schedctl.Publishing
		}
		if len(t.Done) == 3 {
			t.CommentStatus = schedctl.Published
		}
		p.Version++
		f.putPosts(p)
		wantSame(f, "post with part "+id, p, mustRead(f, postByID(f, p.ID)))
	}
}

// sameContentOf queries the posts that bring an account what a target publishes.
func sameContentOf(p schedctl.Post, t *schedctl.Target) func(storage.Reader) ([]string, error) {
	return func(r storage.Reader) ([]string, error) {
		return r.SameContent(storage.ContentQuery{
			AccountID: t.AccountID, Fingerprint: p.Fingerprint(t), From: epoch, Until: epoch.Add(time.Hour), Limit: 9,
		})
	}
}

func testSameContentOfThreads(f *fixture) {
	ids := newAccountIDs(2)
	p := f.newPostWithContent("x", time.Minute, ids...)
	p.Thread, p.Poll = []schedctl.Part{{Content: "two"}}, &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour}
	single := p.Clone()
	single.Thread, single.Poll = nil, nil
	f.putPosts(p)
	wantSame(f, "the thread", []string{p.ID}, mustRead(f, sameContentOf(p, &p.Targets[0])))
	wantSame(f, "its part 0 alone", []string(nil), mustRead(f, sameContentOf(single, &p.Targets[0])))
	other := p.Clone()
	other.Targets[1].Thread, other.Targets[1].Poll = []schedctl.Part{}, &schedctl.Poll{}
	f.putPosts(other)
	wantSame(f, "an override without a thread", []string{p.ID}, mustRead(f, sameContentOf(single, &single.Targets[1])))
	wantSame(f, "the thread, where it is overridden", []string(nil), mustRead(f, sameContentOf(p, &p.Targets[1])))

	stopped := p.Clone()
	for i := range stopped.Targets {
		stopped.Targets[i].Status = schedctl.Failed
	}
	stopped.Targets[0].Done = []schedctl.PublishedPart{{ID: "1", PublishedAt: epoch, Attempts: 1}}
	f.putPosts(stopped)
	wantSame(f, "a thread that stopped", []string{p.ID}, mustRead(f, sameContentOf(p, &p.Targets[0])))
	wantSame(f, "a thread that never started", []string(nil), mustRead(f, sameContentOf(p, &p.Targets[1])))
}

// newThread returns a post whose parts have the network's ids.
func (f *fixture) newThread(status schedctl.Status, account string, ids ...string) schedctl.Post {
	p := f.newPost(epoch, epoch, status, account)
	p.Thread = make([]schedctl.Part, 5)
	t := &p.Targets[0]
	t.PlatformPostID = ids[0]
	for _, id := range ids {
		t.Done = append(t.Done, schedctl.PublishedPart{ID: id, PublishedAt: epoch, Attempts: 1})
	}
	return p
}

func testPublishedAsParts(f *fixture) {
	ann, bob := f.newAccountWithProfile("ann", "https://a/@ann"), f.newAccountWithProfile("bob", "https://a/@bob")
	f.putAccounts(ann, bob)
	long := strings.Repeat("at://did:plc:a/", 20)
	done, stopped := f.newThread(schedctl.Published, ann.ID, "1", "2", long, "2"), f.newThread(schedctl.Failed, ann.ID, "7", "ä 8")
	f.putPosts(done, stopped, f.newThread(schedctl.Publishing, bob.ID, "1", "8"))
	first, second := []string{done.Targets[0].ID}, []string{stopped.Targets[0].ID}
	wantSame(f, "parts", [][]string{first, first, first, second, second, nil, nil},
		mustRead(f, publishedAs(ann, "1", "2", long, "7", "ä 8", "8", "3")))
	done.Targets[0].Done = done.Targets[0].Done[:1]
	f.putPosts(done)
	wantSame(f, "after one is gone", [][]string{first, nil}, mustRead(f, publishedAs(ann, "1", "2")))
	f.update(func(tx storage.Tx) error {
		p := f.newThread(schedctl.Publishing, ann.ID, "new", "newer")
		if err := tx.PutPost(p); err != nil {
			return err
		}
		got, err := publishedAs(ann, "newer")(tx)
		wantSame(f, "of the transaction", [][]string{{p.Targets[0].ID}}, got)
		return err
	})
}

func testSearchOfParts(f *fixture) {
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(1)...)
	p.Text, p.Thread, p.FirstComment = "apple", []schedctl.Part{{Content: "Pear"}, {Content: "plum"}}, &schedctl.Part{Content: "cherry"}
	p.Targets[0].Thread = []schedctl.Part{{Content: "grape"}}
	f.putPosts(p)
	for search, found := range map[string]int{"APPLE": 1, "pear": 1, "lum": 1, "Cherry": 1, "grape": 0, "applePear": 0} {
		page := list(f, storage.PostQuery{WorkspaceID: f.ws, Search: search, Limit: 9})
		if len(page.Posts) != found {
			f.Errorf("search for %q found %d posts, want %d", search, len(page.Posts), found)
		}
	}
}

func testMediaOfParts(f *fixture) {
	var assets []string
	media := func() []schedctl.PostMedia {
		assets = append(assets, newID(schedctl.MediaPrefix, epoch))
		return []schedctl.PostMedia{{AssetID: assets[len(assets)-1], SHA256: [32]byte{byte(len(assets))}}}
	}
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Published, newAccountIDs(1)...)
	p.Thread, p.FirstComment = []schedctl.Part{{Media: media()}, {Content: "x", Media: media()}}, &schedctl.Part{Media: media()}
	p.LinkPreview = schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com", Image: media()[0]}
	p.Targets[0].Thread = []schedctl.Part{{Media: media()}}
	newer := p.Clone()
	newer.ID, newer.PublishAt = newID(schedctl.PostPrefix, epoch), epoch.Add(2*time.Hour)
	newer.Targets[0].ID = newID(schedctl.TargetPrefix, epoch)
	p.Targets[0].CommentStatus = schedctl.Failed // needs the media, and therefore comes first
	f.putPosts(p, newer)
	wantSame(f, "post", p, mustRead(f, postByID(f, p.ID)))
	for _, id := range assets {
		wantSame(f, "users of "+id, []string{p.ID, newer.ID}, mustRead(f, func(r storage.Reader) ([]string, error) { return r.MediaUsers(id, 9) }))
	}
}

func testCommentsAreDue(f *fixture) {
	p := f.newPost(epoch, epoch, schedctl.Published, newAccountIDs(2)...)
	p.FirstComment = &schedctl.Part{Content: "comment"}
	for i := range p.Targets {
		p.Targets[i].CommentStatus = schedctl.Publishing
	}
	p.Targets[1].NextAttemptAt = epoch.Add(time.Minute)
	f.putPosts(p)
	due := mustRead(f, func(r storage.Reader) (ids []string, err error) {
		err = r.Due(schedctl.Due{}, func(d schedctl.Due) bool { ids = append(ids, d.TargetID()); return true })
		return ids, err
	})
	if !slices.Equal(due, []string{p.Targets[1].ID}) {
		f.Errorf("due: %v, want %s", due, p.Targets[1].ID)
	}
}
