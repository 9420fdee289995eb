package storagetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var notifyParts = []part{
	{"NotifyTellsEveryCommit", testNotifyTellsEveryCommit},
	{"NotifyTellsOnlyWhatIsCommitted", testNotifyTellsOnlyWhatIsCommitted},
	{"NotifyComesBeforeTheAnswer", testNotifyComesBeforeTheAnswer},
	{"NotifyComesInOrder", testNotifyComesInOrder},
	{"NotifyTellsHowLongItTook", testNotifyTellsHowLongItTook},
}

// ear hears commits.
type ear struct {
	mu      sync.Mutex // mu guards commits
	commits []storage.Commit
}

func listen(f *fixture) *ear {
	e := &ear{}
	f.store.Notify(func(c storage.Commit) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.commits = append(e.commits, c)
	})
	return e
}

// heard returns what was heard since the last call, put together, in order, and
// leaves out how long it took.
func (e *ear) heard() storage.Commit {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all storage.Commit
	for _, c := range e.commits {
		all.Due = append(all.Due, c.Due...)
		all.Accounts = append(all.Accounts, c.Accounts...)
		all.Webhooks = append(all.Webhooks, c.Webhooks...)
		all.Events += c.Events
	}
	e.commits = nil
	slices.SortFunc(all.Due, schedctl.Due.Compare)
	slices.Sort(all.Accounts)
	slices.Sort(all.Webhooks)
	return all
}

func testNotifyTellsEveryCommit(f *fixture) {
	e := listen(f)
	accounts := newAccountIDs(2)
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, accounts...)
	entries := func(p schedctl.Post) []schedctl.Due {
		due := dueOf(p)
		slices.SortFunc(due, schedctl.Due.Compare)
		return due
	}
	f.putPosts(p)
	same(f, "a new post", storage.Commit{Due: entries(p)}, e.heard())

	p.Content = "other words"
	f.putPosts(p)
	same(f, "a post whose targets wait as before", storage.Commit{}, e.heard())

	p.Targets[0].PublishAt = p.PublishAt.Add(time.Minute)
	f.putPosts(p)
	same(f, "one target moved", storage.Commit{Due: entries(p)[1:]}, e.heard())

	p.Targets = p.Targets[1:]
	f.putPosts(p)
	same(f, "the other target gone", storage.Commit{}, e.heard())

	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	same(f, "a deleted post", storage.Commit{}, e.heard())

	a, b := f.newAccount("a", epoch), f.newAccount("b", epoch)
	f.update(func(tx storage.Tx) error {
		return errors.Join(tx.PutAccount(a), tx.PutAccount(b), tx.AddEvents(f.newEvents(3, epoch)...))
	})
	ids := []string{a.ID, b.ID}
	slices.SortFunc(ids, strings.Compare)
	same(f, "accounts and events", storage.Commit{Accounts: ids, Events: 3}, e.heard())

	f.update(func(tx storage.Tx) error {
		moved := p.Clone()
		moved.Targets[0].PublishAt = epoch.Add(9 * time.Hour)
		return errors.Join(tx.PutPost(p), tx.PutPost(moved), tx.PutPost(p))
	})
	same(f, "an entry that was moved and moved back", storage.Commit{Due: entries(p)}, e.heard())
}

func testNotifyTellsOnlyWhatIsCommitted(f *fixture) {
	e := listen(f)
	fail := errors.New("no")
	err := f.store.Update(context.Background(), func(tx storage.Tx) error {
		p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(1)...)
		return errors.Join(tx.PutPost(p), tx.PutAccount(f.newAccount("a", epoch)), tx.AddEvents(f.newEvents(1, epoch)...),
			tx.PutWebhook(f.newWebhooks(1)[0]), fail)
	})
	if !errors.Is(err, fail) {
		f.Errorf("Update returned %v, want the error of its function", err)
	}
	if e.heard(); len(e.commits) > 0 {
		f.Error("a failed transaction was told of")
	}
	same(f, "told", storage.Commit{}, e.heard())
	read(f, func(r storage.Reader) (any, error) { return r.Workspaces() })
	same(f, "told of a View", storage.Commit{}, e.heard())
}

func testNotifyComesBeforeTheAnswer(f *fixture) {
	var mu sync.Mutex
	told := make(map[schedctl.Due]int)
	total := 0
	f.store.Notify(func(c storage.Commit) {
		mu.Lock()
		defer mu.Unlock()
		for _, d := range c.Due {
			told[d]++
			total++
		}
	})
	var wait sync.WaitGroup
	account := newAccountIDs(1)
	for range 8 {
		wait.Go(func() {
			for range 10 {
				p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, account...)
				f.putPosts(p)
				mu.Lock()
				n := told[dueOf(p)[0]]
				mu.Unlock()
				if n != 1 {
					f.Errorf("told %d times when Update returned, want once", n)
				}
			}
		})
	}
	wait.Wait()
	if total != 80 {
		f.Errorf("told of %d entries, want 80", total)
	}
}

// testNotifyComesInOrder gives each transaction a number, as the time of a post,
// and expects to be told of the numbers in order.
func testNotifyComesInOrder(f *fixture) {
	var told []schedctl.Due
	f.store.Notify(func(c storage.Commit) {
		slices.SortFunc(c.Due, schedctl.Due.Compare) // no order is promised within a group
		told = append(told, c.Due...)
	})
	account := newAccountIDs(1)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 10 {
				f.update(func(tx storage.Tx) error {
					at := epoch
					last, err := tx.Posts(storage.PostQuery{WorkspaceID: f.ws, Sort: storage.PublishDescending, Limit: 1})
					if err == nil && len(last.Posts) > 0 {
						at = last.Posts[0].PublishAt.Add(time.Second)
					}
					return errors.Join(err, tx.PutPost(f.newPost(epoch, at, schedctl.Scheduled, account...)))
				})
			}
		})
	}
	wait.Wait()
	if len(told) != 80 || !slices.IsSortedFunc(told, schedctl.Due.Compare) {
		f.Errorf("told of %d entries, want 80, in order of their commits: %v", len(told), told)
	}
}

func testNotifyTellsHowLongItTook(f *fixture) {
	e := listen(f)
	began := time.Now()
	f.putPosts(f.newPost(epoch, time.Time{}, schedctl.Draft))
	within := time.Since(began)
	for _, c := range e.commits {
		if c.Took < 0 || c.Took > within {
			f.Errorf("a commit took %v, within an Update of %v", c.Took, within)
		}
	}
	same(f, "commits", 1, len(e.commits))
}
