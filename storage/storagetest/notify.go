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
	{"NotifyTellsEveryCommit", testNotifyReportsEveryCommit},
	{"NotifyTellsOnlyWhatIsCommitted", testNotifyReportsOnlyCommits},
	{"NotifyComesBeforeTheAnswer", testNotifyComesBeforeUpdateReturns},
	{"NotifyComesInOrder", testNotifyComesInOrder},
	{"NotifyTellsHowLongItTook", testNotifyReportsDuration},
}

// commitRecorder records commits.
type commitRecorder struct {
	mu      sync.Mutex // mu guards commits
	commits []storage.Commit
}

func recordCommits(f *fixture) *commitRecorder {
	e := &commitRecorder{}
	f.store.Notify(func(c storage.Commit) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.commits = append(e.commits, c)
	})
	return e
}

// take returns the commits since the last call as one, in order, without their duration.
func (e *commitRecorder) take() storage.Commit {
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

func testNotifyReportsEveryCommit(f *fixture) {
	e := recordCommits(f)
	accounts := newAccountIDs(2)
	p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, accounts...)
	entries := func(p schedctl.Post) []schedctl.Due {
		due := dueOf(p)
		slices.SortFunc(due, schedctl.Due.Compare)
		return due
	}
	f.putPosts(p)
	wantSame(f, "a new post", storage.Commit{Due: entries(p)}, e.take())

	p.Text = "another text"
	f.putPosts(p)
	wantSame(f, "a post with unchanged due times", storage.Commit{}, e.take())

	p.Targets[0].PublishAt = p.PublishAt.Add(time.Minute)
	f.putPosts(p)
	wantSame(f, "one target moved", storage.Commit{Due: entries(p)[1:]}, e.take())

	p.Targets = p.Targets[1:]
	f.putPosts(p)
	wantSame(f, "the other target removed", storage.Commit{}, e.take())

	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	wantSame(f, "a deleted post", storage.Commit{}, e.take())

	a, b := f.newAccount("a", epoch), f.newAccount("b", epoch)
	f.update(func(tx storage.Tx) error {
		return errors.Join(tx.PutAccount(a), tx.PutAccount(b), tx.AddEvents(f.newEvents(3, epoch)...))
	})
	ids := []string{a.ID, b.ID}
	slices.SortFunc(ids, strings.Compare)
	wantSame(f, "accounts and events", storage.Commit{Accounts: ids, Events: 3}, e.take())

	f.update(func(tx storage.Tx) error {
		moved := p.Clone()
		moved.Targets[0].PublishAt = epoch.Add(9 * time.Hour)
		return errors.Join(tx.PutPost(p), tx.PutPost(moved), tx.PutPost(p))
	})
	wantSame(f, "a due entry moved and moved back", storage.Commit{Due: entries(p)}, e.take())
}

func testNotifyReportsOnlyCommits(f *fixture) {
	e := recordCommits(f)
	fail := errors.New("no")
	err := f.store.Update(context.Background(), func(tx storage.Tx) error {
		p := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, newAccountIDs(1)...)
		return errors.Join(tx.PutPost(p), tx.PutAccount(f.newAccount("a", epoch)), tx.AddEvents(f.newEvents(1, epoch)...),
			tx.PutWebhook(f.newWebhooks(1)[0]), fail)
	})
	if !errors.Is(err, fail) {
		f.Errorf("Update returned %v, want the error of its function", err)
	}
	if e.take(); len(e.commits) > 0 {
		f.Error("a failed transaction was reported")
	}
	wantSame(f, "reported", storage.Commit{}, e.take())
	mustRead(f, func(r storage.Reader) (any, error) { return r.Workspaces() })
	wantSame(f, "a View was reported", storage.Commit{}, e.take())
}

func testNotifyComesBeforeUpdateReturns(f *fixture) {
	var mu sync.Mutex
	reported := make(map[schedctl.Due]int)
	total := 0
	f.store.Notify(func(c storage.Commit) {
		mu.Lock()
		defer mu.Unlock()
		for _, d := range c.Due {
			reported[d]++
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
				n := reported[dueOf(p)[0]]
				mu.Unlock()
				if n != 1 {
					f.Errorf("%d notifications when Update returned, want one", n)
				}
			}
		})
	}
	wait.Wait()
	if total != 80 {
		f.Errorf("%d due entries reported, want 80", total)
	}
}

// testNotifyComesInOrder gives each transaction a number, as the time of a post, and
// expects the notifications in order of the numbers.
func testNotifyComesInOrder(f *fixture) {
	var reported []schedctl.Due
	f.store.Notify(func(c storage.Commit) {
		slices.SortFunc(c.Due, schedctl.Due.Compare) // the order within a group is undefined
		reported = append(reported, c.Due...)
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
	if len(reported) != 80 || !slices.IsSortedFunc(reported, schedctl.Due.Compare) {
		f.Errorf("%d due entries reported, want 80, in commit order: %v", len(reported), reported)
	}
}

func testNotifyReportsDuration(f *fixture) {
	e := recordCommits(f)
	began := time.Now()
	f.putPosts(f.newPost(epoch, time.Time{}, schedctl.Draft))
	within := time.Since(began)
	for _, c := range e.commits {
		if c.Took < 0 || c.Took > within {
			f.Errorf("a commit took %v, within an Update of %v", c.Took, within)
		}
	}
	wantSame(f, "commits", 1, len(e.commits))
}
