package storagetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var listParts = []part{
	{"ListsAgreeWithTheModel", testListsAgreeWithTheModel},
	{"ListsStayTrueThroughChanges", testListsAfterChanges},
	{"ListsInsideATransaction", testListsInsideATransaction},
	{"PagesAreStableUnderChanges", testPagesAreStableUnderChanges},
	{"BoundsBetweenMilliseconds", testBoundsBetweenMilliseconds},
	{"PostsWithoutATimeComeLast", testUnscheduledPostsComeLast},
	{"SearchFoldsCase", testSearchFoldsCase},
	{"ScanLimit", testScanLimit},
	{"ScanBytes", testScanBytes},
	{"PageBytes", testPageBytes},
	{"CanceledScan", testCanceledScan},
	{"MalformedQueries", testMalformedQueries},
}

var sorts = []storage.Sort{"", storage.NewestFirst, storage.OldestFirst, storage.PublishAscending, storage.PublishDescending}

// randomPosts creates random posts, many of them at the same times.
type randomPosts struct {
	*fixture
	rng      *rand.Rand
	accounts []string
	posts    []schedctl.Post // expected content
}

func newRandomPosts(f *fixture, seed uint64) *randomPosts {
	return &randomPosts{fixture: f, rng: rand.New(rand.NewPCG(seed, 1)), accounts: newAccountIDs(3)}
}

var contentSamples = []string{"apple", "Apple pie", "BANANA", "straße", "Ünïcode", "pineapple"}

func (c *randomPosts) randomTime() time.Time {
	return epoch.Add(time.Duration(c.rng.IntN(20)) * time.Hour)
}

func (c *randomPosts) randomPost(created time.Time) schedctl.Post {
	status := schedctl.Statuses()[c.rng.IntN(6)]
	publish := c.randomTime()
	if status == schedctl.Draft && c.rng.IntN(4) > 0 {
		publish = time.Time{}
	}
	accounts := slices.Clone(c.accounts)
	c.rng.Shuffle(len(accounts), func(i, j int) { accounts[i], accounts[j] = accounts[j], accounts[i] })
	p := c.newPost(created, publish, status, accounts[:c.rng.IntN(len(accounts)+1)]...)
	p.Text = contentSamples[c.rng.IntN(len(contentSamples))] + " " + contentSamples[c.rng.IntN(len(contentSamples))]
	if n := c.rng.IntN(2 * len(collections)); n < len(collections) {
		p.Managed = &schedctl.Managed{Collection: collections[n], Path: "a.md", Digest: "1"}
	}
	if c.rng.IntN(2) == 0 {
		p.ExternalID = fmt.Sprint("post/", p.ID)
	}
	if schedctl.CheckOperation(schedctl.OpArchive, p.Status()) == nil && c.rng.IntN(3) == 0 {
		p.ArchivedAt = publish
	}
	for _, label := range labels {
		if c.rng.IntN(3) > 0 {
			p.Labels = append(p.Labels, label)
		}
	}
	return p
}

var (
	collections = []string{"website", "Website"}
	labels      = []string{"autumn", "größe", "spring sale"}
)

func (c *randomPosts) add(n int) {
	for range n {
		c.posts = append(c.posts, c.randomPost(c.randomTime()))
	}
	c.putPosts(c.posts[len(c.posts)-n:]...)
}

func (c *randomPosts) randomQuery() storage.PostQuery {
	q := storage.PostQuery{WorkspaceID: c.ws, Sort: sorts[c.rng.IntN(len(sorts))], Limit: 1 + c.rng.IntN(12)}
	for c.rng.IntN(2) == 0 {
		q.Statuses = append(q.Statuses, schedctl.Statuses()[c.rng.IntN(6)])
	}
	if c.rng.IntN(3) == 0 {
		q.AccountID = c.accounts[c.rng.IntN(len(c.accounts))]
	}
	if c.rng.IntN(3) == 0 {
		q.PublishAfter = c.randomTime()
	}
	if c.rng.IntN(3) == 0 {
		q.PublishBefore = c.randomTime()
	}
	if c.rng.IntN(4) == 0 {
		q.Search = []string{"APPLE", "STRAß", "ünï", "e b", "nothing"}[c.rng.IntN(5)]
	}
	if c.rng.IntN(4) == 0 {
		q.Offset = c.rng.IntN(9)
	}
	if c.rng.IntN(3) == 0 {
		q.Collection = append(collections, "none")[c.rng.IntN(len(collections)+1)]
	}
	for c.rng.IntN(4) == 0 {
		q.Labels = append(q.Labels, append(labels, "none")[c.rng.IntN(len(labels)+1)])
	}
	if c.rng.IntN(3) > 0 {
		q.Archived = []storage.Archived{storage.NotArchived, storage.OnlyArchived}[c.rng.IntN(2)]
	}
	if c.rng.IntN(5) == 0 && len(c.posts) > 0 {
		q.ExternalID = fmt.Sprint("post/", c.posts[c.rng.IntN(len(c.posts))].ID)
		q.Offset = c.rng.IntN(2)
	}
	return q
}

func list(f *fixture, q storage.PostQuery) storage.PostPage {
	f.Helper()
	return mustRead(f, func(r storage.Reader) (storage.PostPage, error) { return r.Posts(q) })
}

// comparePages compares all pages of a query with the expected ones.
func (c *randomPosts) comparePages(q storage.PostQuery) {
	c.Helper()
	what := fmt.Sprintf("%+v", q)
	for pages := 0; pages <= len(c.posts); pages++ {
		got, want := list(c.fixture, q), selectPage(c.posts, q)
		wantSame(c.fixture, what, want, got)
		if c.Failed() || got.Next == nil {
			return
		}
		q.After, q.Offset = got.Next, 0
	}
	c.Errorf("%s: the list does not end", what)
}

func testListsAgreeWithTheModel(f *fixture) {
	c := newRandomPosts(f, 1)
	c.add(100)
	for _, sort := range sorts {
		for _, status := range append([]schedctl.Status{""}, schedctl.Statuses()...) {
			for _, account := range append([]string{""}, c.accounts...) {
				q := storage.PostQuery{WorkspaceID: f.ws, Sort: sort, AccountID: account, Limit: 9}
				if status != "" {
					q.Statuses = []schedctl.Status{status}
				}
				c.comparePages(q)
			}
		}
	}
	for range 150 {
		c.comparePages(c.randomQuery())
	}
	page := list(f, storage.PostQuery{WorkspaceID: f.ws, Statuses: []schedctl.Status{"no such status"}, Limit: 5})
	wantSame(f, "an unknown status", storage.PostPage{}, page)
	page = list(f, storage.PostQuery{WorkspaceID: f.ws, AccountID: newID(schedctl.AccountPrefix, epoch), Limit: 5})
	wantSame(f, "an account without posts", storage.PostPage{}, page)
	page = list(f, storage.PostQuery{WorkspaceID: f.ws, Offset: 1000, Limit: 5})
	wantSame(f, "an offset behind the end", storage.PostPage{}, page)
}

func testListsAfterChanges(f *fixture) {
	c := newRandomPosts(f, 2)
	c.add(60)
	for range 40 {
		i := c.rng.IntN(len(c.posts))
		changed := c.randomPost(c.posts[i].CreatedAt)
		changed.ID = c.posts[i].ID
		if c.rng.IntN(2) == 0 { // keep some targets
			keep := min(len(changed.Targets), len(c.posts[i].Targets))
			for j := range keep {
				changed.Targets[j].ID = c.posts[i].Targets[j].ID
			}
		}
		if c.rng.IntN(5) == 0 {
			f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, changed.ID) })
			c.posts = slices.Delete(c.posts, i, i+1)
		} else {
			f.putPosts(changed)
			c.posts[i] = changed
		}
		for range 5 {
			c.comparePages(c.randomQuery())
		}
	}
	want := dueOf(c.posts...)
	slices.SortFunc(want, schedctl.Due.Compare)
	wantSame(f, "due index", want, f.dueIndex(schedctl.Due{}))
}

// testListsInsideATransaction lists posts, most of them changed by the same transaction.
func testListsInsideATransaction(f *fixture) {
	c := newRandomPosts(f, 3)
	c.add(600)
	slices.SortFunc(c.posts, func(a, b schedctl.Post) int { return strings.Compare(a.ID, b.ID) })
	kept := slices.Concat(c.posts[:5], c.posts[300:303], c.posts[595:])
	f.update(func(tx storage.Tx) error {
		for _, p := range c.posts {
			if slices.ContainsFunc(kept, func(k schedctl.Post) bool { return k.ID == p.ID }) {
				continue
			}
			if err := tx.DeletePost(f.ws, p.ID); err != nil {
				return err
			}
		}
		for _, sort := range sorts {
			q := storage.PostQuery{WorkspaceID: f.ws, Sort: sort, Limit: 20}
			page, err := tx.Posts(q)
			if err != nil {
				return err
			}
			wantSame(f, "list inside, sort "+string(sort), selectPage(kept, q), page)
		}
		return nil
	})
}

func testBoundsBetweenMilliseconds(f *fixture) {
	early := f.newPost(epoch, epoch, schedctl.Scheduled)
	late := f.newPost(epoch.Add(time.Second), epoch.Add(time.Millisecond), schedctl.Scheduled)
	f.putPosts(early, late)
	between := epoch.Add(time.Microsecond)
	for _, sort := range []storage.Sort{storage.OldestFirst, storage.PublishAscending} {
		q := storage.PostQuery{WorkspaceID: f.ws, Sort: sort, Limit: 9, PublishAfter: between}
		wantSame(f, "after", []schedctl.Post{late}, list(f, q).Posts)
		q.PublishAfter, q.PublishBefore = time.Time{}, between
		wantSame(f, "before", []schedctl.Post{early}, list(f, q).Posts)
	}
}

func testPagesAreStableUnderChanges(f *fixture) {
	for i, sort := range sorts {
		c := newRandomPosts(f, uint64(10+i))
		c.ws = newID(schedctl.WorkspacePrefix, epoch)
		c.add(40)
		was := slices.Clone(c.posts)
		q := storage.PostQuery{WorkspaceID: c.ws, Sort: sort, Limit: 3}
		seen := make(map[string]int)
		for range 200 {
			page := list(f, q)
			for _, p := range page.Posts {
				seen[p.ID]++
			}
			if page.Next == nil {
				break
			}
			q.After = page.Next
			c.add(2)
			last := page.Posts[len(page.Posts)-1] // a position stays valid when its post is deleted
			f.update(func(tx storage.Tx) error { return tx.DeletePost(c.ws, last.ID) })
		}
		for _, p := range was {
			if seen[p.ID] != 1 {
				f.Errorf("sort %q: a post that existed all the time was listed %d times", sort, seen[p.ID])
			}
		}
	}
}

func testUnscheduledPostsComeLast(f *fixture) {
	account := newAccountIDs(1)[0]
	at := func(h int) time.Time { return epoch.Add(time.Duration(h) * time.Hour) }
	var timed, timeless []schedctl.Post
	for h := range 3 {
		timed = append(timed, f.newPost(at(h), at(10+h), schedctl.Scheduled, account))
		timeless = append(timeless, f.newPost(at(h), time.Time{}, schedctl.Draft, account))
	}
	f.putPosts(slices.Concat(timeless, timed)...)
	reversed := func(posts []schedctl.Post) []schedctl.Post {
		c := slices.Clone(posts)
		slices.Reverse(c)
		return c
	}
	for _, account := range []string{"", account} {
		q := storage.PostQuery{WorkspaceID: f.ws, AccountID: account, Limit: 10, Sort: storage.PublishAscending}
		wantSame(f, "ascending", slices.Concat(timed, timeless), list(f, q).Posts)
		q.Sort = storage.PublishDescending
		wantSame(f, "descending", slices.Concat(reversed(timed), reversed(timeless)), list(f, q).Posts)
		q.PublishBefore = at(1000)
		wantSame(f, "bounded", reversed(timed), list(f, q).Posts)
		q.Sort, q.PublishBefore, q.PublishAfter = storage.NewestFirst, time.Time{}, time.Unix(-1<<40, 0)
		wantSame(f, "bounded from long ago", reversed(timed), list(f, q).Posts)
	}
}

func testSearchFoldsCase(f *fixture) {
	contents := map[string]string{
		"ascii": "Hello WORLD", "kelvin": "300 \u212a today", "long s": "Wa\u017f\u017fer", "greek": "ΌΣΟΣ σοφός",
		"turkish": "İstanbul", "sharp": "STRASSE", "astral": "𐐀 deseret",
	}
	posts := make(map[string]schedctl.Post)
	for name, text := range contents {
		p := f.newPost(epoch, time.Time{}, schedctl.Draft)
		p.Text = text
		posts[name] = p
		f.putPosts(p)
	}
	for search, name := range map[string]string{
		"hello world": "ascii", "o w": "ascii", "300 k": "kelvin", "WASSER": "long s", "όςος": "greek", "ΣΟΦΌΣ": "greek",
		"STANBUL": "turkish", "straße": "", "𐐨": "astral", "strasse": "sharp", "missing": "",
	} {
		var want []schedctl.Post
		if name != "" {
			want = append(want, posts[name])
		}
		page := list(f, storage.PostQuery{WorkspaceID: f.ws, Search: search, Limit: 10})
		wantSame(f, "search "+search, want, page.Posts)
	}
}

func testScanLimit(f *fixture) {
	posts := make([]schedctl.Post, storage.ScanLimit+10)
	for i := range posts {
		at := epoch.Add(time.Duration(i) * time.Millisecond)
		posts[i] = f.newPost(at, at, schedctl.Scheduled)
		posts[i].Text = "hay"
	}
	last := len(posts) - 1
	posts[0].Text, posts[last].Text = "needle", "needle"
	f.putPosts(posts...)
	for _, q := range []storage.PostQuery{
		{Search: "needle", Sort: storage.OldestFirst},
		{PublishAfter: posts[last].PublishAt, Sort: storage.OldestFirst},
	} {
		q.WorkspaceID, q.Limit = f.ws, 5
		var found []string
		pages := 0
		for ; pages < 10; pages++ {
			page := list(f, q)
			for _, p := range page.Posts {
				found = append(found, p.ID)
			}
			if q.After = page.Next; q.After == nil {
				break
			}
		}
		want := []string{posts[last].ID}
		if q.Search != "" {
			want = []string{posts[0].ID, posts[last].ID}
		}
		wantSame(f, "found beyond the limit", want, found)
		if pages == 10 {
			f.Error("the list does not end")
		}
	}
}

func testMalformedQueries(f *fixture) {
	for _, id := range malformedIDs(schedctl.AccountPrefix) {
		if id == "" {
			continue // matches everything
		}
		wantNotFound(f, "list of "+id, func(r storage.Reader) (storage.PostPage, error) {
			return r.Posts(storage.PostQuery{WorkspaceID: f.ws, AccountID: id, Limit: 1})
		})
	}
	for _, id := range malformedIDs(schedctl.PostPrefix) {
		wantNotFound(f, "list after "+id, func(r storage.Reader) (storage.PostPage, error) {
			return r.Posts(storage.PostQuery{WorkspaceID: f.ws, After: &storage.Position{PostID: id}, Limit: 1})
		})
	}
}
