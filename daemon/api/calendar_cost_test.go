package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fillCalendar stores posts of the first n minutes of a day with these accounts.
func (f *fixture) fillCalendar(n int, text string, accounts ...string) {
	f.t.Helper()
	now := schedctl.Millis(time.Now())
	for from := 0; from < n; from += 100 {
		err := f.store.Update(f.t.Context(), func(tx storage.Tx) error {
			for i := from; i < min(n, from+100); i++ {
				p := schedctl.Post{
					ID: schedctl.NewID(schedctl.PostPrefix, now), WorkspaceID: f.mine.workspace, Content: schedctl.Content{Text: fmt.Sprintf("%05d ", i) + text},
					PublishAt: now.Add(time.Hour + time.Duration(i)*time.Minute), CreatedAt: now, UpdatedAt: now, Version: 1,
				}
				for _, a := range accounts {
					p.Targets = append(p.Targets, schedctl.Target{ID: schedctl.NewID(schedctl.TargetPrefix, now), AccountID: a, Platform: "fake", Status: schedctl.Scheduled})
				}
				if err := tx.PutPost(p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			f.t.Fatal(err)
		}
	}
}

// countedPosts counts the posts that pages have.
type countedPosts struct {
	storage.Store
	posts atomic.Int64
}

func (c *countedPosts) View(ctx context.Context, fn func(storage.Reader) error) error {
	return c.Store.View(ctx, func(r storage.Reader) error { return fn(pagedReader{r, &c.posts}) })
}

type pagedReader struct {
	storage.Reader
	posts *atomic.Int64
}

func (r pagedReader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	page, err := r.Reader.Posts(q)
	r.posts.Add(int64(len(page.Posts)))
	return page, err
}

// TestCalendarFeedReadsPostsOnce guards that the number of accounts that a feed names does
// not multiply its cost, and that repeated requests cost nothing.
func TestCalendarFeedReadsPostsOnce(t *testing.T) {
	t.Parallel()
	store := &countedPosts{Store: storagetest.NewMemory()}
	f := newFixtureOn(t, store)
	accounts := []string{f.mine.account}
	for n := range 30 {
		accounts = append(accounts, f.newAccount(f.mine, fmt.Sprint("account-", n)))
	}
	const posts = 120
	f.fillCalendar(posts, "text", accounts...)
	for _, b := range []body{{"name": "all"}, {"name": "named", "social_account_ids": accounts}, {"name": "one", "social_account_ids": accounts[:1]}} {
		address := f.calendarFeed(nil, b).URL
		before := store.posts.Load()
		first := f.readCalendar(address).want(http.StatusOK)
		if got := strings.Count(string(first.body), "BEGIN:VEVENT"); got != posts {
			t.Errorf("%s: %d events, want %d", b["name"], got, posts)
		}
		f.readCalendar(address).want(http.StatusOK)
		f.readCalendar(address, header("If-None-Match", first.header.Get("ETag"))).want(http.StatusNotModified)
		if read := store.posts.Load() - before; read != posts {
			t.Errorf("%s: %d posts were read for three requests, want %d", b["name"], read, posts)
		}
	}
}

// TestCalendarFeedIsCut guards the limits of a calendar, and that it says so.
func TestCalendarFeedIsCut(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		posts       int
		text        string
		least, most int
	}{
		"many posts": {5100, "", 5000, 5000},
		"long posts": {1000, strings.Repeat("x", 4900), 600, 850},
		"few posts":  {10, "", 10, 10},
	} {
		f := newFixture(t)
		f.fillCalendar(test.posts, test.text, f.mine.account)
		text := strings.ReplaceAll(string(f.readCalendar(f.calendarFeed(nil, body{"name": "all"}).URL).want(200).body), "\r\n ", "")
		if n := strings.Count(text, "BEGIN:VEVENT"); n < test.least || n > test.most {
			t.Errorf("%s: %d events, want %d to %d", what, n, test.least, test.most)
		}
		if !strings.Contains(text, fmt.Sprintf("%05d ", test.posts-1)) {
			t.Errorf("%s: the last post is missing", what)
		}
		if says := strings.Contains(text, "\nDESCRIPTION:This calendar is too long"); says != (test.posts > test.most) {
			t.Errorf("%s: the calendar says that it is cut: %v", what, says)
		}
	}
}
