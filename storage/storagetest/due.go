package storagetest

import (
	"fmt"
	"math"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var dueParts = []part{
	{"DueFollowsALife", testDueIndexFollowsAPost},
	{"DueIsOrderedAndSeeks", testDueIsOrderedAndSeeks},
}

// postLife changes a post with the methods of package schedctl.
type postLife struct {
	*fixture
	post     schedctl.Post
	accounts []schedctl.Account
	now      time.Time
}

func newPostLife(f *fixture, accounts int) *postLife {
	l := &postLife{fixture: f, now: epoch}
	for i := range accounts {
		a := f.newAccount(fmt.Sprint("account ", i), epoch)
		l.accounts = append(l.accounts, a)
	}
	f.putAccounts(l.accounts...)
	return l
}

func (l *postLife) create(n schedctl.NewPost) {
	l.Helper()
	n.WorkspaceID, n.Text, n.Accounts = l.ws, "words", l.accounts
	var events []schedctl.Event
	l.update(func(tx storage.Tx) (err error) {
		if l.post, events, err = schedctl.Create(n, l.now); err != nil {
			return err
		}
		if err := tx.PutPost(l.post); err != nil {
			return err
		}
		return tx.AddEvents(events...)
	})
}

// change applies one method of the post in a transaction, a second later.
func (l *postLife) change(fn func(tx storage.Tx, p *schedctl.Post) error) {
	l.Helper()
	l.now = l.now.Add(time.Second)
	l.update(func(tx storage.Tx) error {
		p, err := tx.Post(l.ws, l.post.ID)
		if err != nil {
			return err
		}
		if err := fn(tx, &p); err != nil {
			return err
		}
		l.post = p
		return tx.PutPost(p)
	})
}

func (l *postLife) begin(target int) {
	l.Helper()
	l.change(func(tx storage.Tx, p *schedctl.Post) error {
		a, err := p.Begin(schedctl.Claim{TargetID: p.Targets[target].ID, Owner: "owner", Lease: time.Minute, Key: p.Targets[target].ID}, l.now)
		if err != nil {
			return err
		}
		return tx.PutAttempt(a)
	})
}

func (l *postLife) finish(target int, r schedctl.Result) {
	l.Helper()
	l.change(func(_ storage.Tx, p *schedctl.Post) error {
		_, err := p.Finish(p.Targets[target].ID, r, l.now)
		return err
	})
}

// checkDue checks that the due index contains exactly these targets at these times.
func (l *postLife) checkDue(what string, at map[int]time.Time) {
	l.Helper()
	want := make(map[string]int64)
	for i, t := range at {
		want[l.post.Targets[i].ID] = t.UnixMilli()
	}
	got := make(map[string]int64)
	for _, d := range l.dueIndex(schedctl.Due{}) {
		got[d.TargetID()] = d.At
	}
	wantSame(l.fixture, "due index "+what, want, got)
}

func testDueIndexFollowsAPost(f *fixture) {
	l := newPostLife(f, 3)
	at := epoch.Add(time.Hour)
	l.create(schedctl.NewPost{})
	l.checkDue("of a draft", nil)
	l.change(func(_ storage.Tx, p *schedctl.Post) error { _, err := p.Schedule(at, nil, l.now); return err })
	l.checkDue("when scheduled", map[int]time.Time{0: at, 1: at, 2: at})
	at = at.Add(time.Minute)
	l.change(func(_ storage.Tx, p *schedctl.Post) error {
		_, err := p.Edit(schedctl.Edit{PublishAt: at}, l.now)
		return err
	})
	l.checkDue("when moved", map[int]time.Time{0: at, 1: at, 2: at})
	fewer := l.accounts[:2]
	l.change(func(_ storage.Tx, p *schedctl.Post) error {
		_, err := p.Edit(schedctl.Edit{Accounts: &fewer}, l.now)
		return err
	})
	l.checkDue("with an account removed", map[int]time.Time{0: at, 1: at})
	l.begin(0)
	l.checkDue("when one is claimed", map[int]time.Time{1: at})
	again := at.Add(10 * time.Second)
	l.finish(0, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindNetwork}, RetryAt: again})
	l.checkDue("when one is deferred", map[int]time.Time{0: again, 1: at})
	l.begin(1)
	l.finish(1, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1"}})
	l.checkDue("when one is published", map[int]time.Time{0: again})
	l.change(func(_ storage.Tx, p *schedctl.Post) error { _, err := p.Cancel(l.now); return err })
	l.checkDue("when canceled", nil)

	l.create(schedctl.NewPost{Now: true})
	l.checkDue("when queued", map[int]time.Time{0: l.now, 1: l.now, 2: l.now})
	for i := range 3 {
		l.begin(i)
		l.finish(i, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindContent}})
	}
	l.checkDue("when failed", nil)
	l.change(func(_ storage.Tx, p *schedctl.Post) error { _, err := p.Retry(schedctl.Retry{}, l.now); return err })
	l.checkDue("when retried", map[int]time.Time{0: l.now, 1: l.now, 2: l.now})
	l.update(func(tx storage.Tx) error { return tx.DeletePost(l.ws, l.post.ID) })
	l.checkDue("when deleted", nil)
}

func testDueIsOrderedAndSeeks(f *fixture) {
	accounts := newAccountIDs(2)
	var posts []schedctl.Post
	for i := range 20 {
		publish := epoch.Add(time.Duration(i/2*7%10) * time.Second)
		posts = append(posts, f.newPost(epoch, publish, schedctl.Scheduled, accounts...))
	}
	f.putPosts(posts...)
	all := f.dueIndex(schedctl.Due{})
	if len(all) != 40 {
		f.Fatalf("%d entries, want 40", len(all))
	}
	for i := range all {
		if i > 0 && all[i-1].Compare(all[i]) >= 0 {
			f.Errorf("entry %d is not after the previous one", i)
		}
		wantSame(f, "from an entry on", all[i:], f.dueIndex(all[i]))
	}
	between := schedctl.Due{At: epoch.UnixMilli() + 1}
	wantSame(f, "from a time on", all[4:], f.dueIndex(between))
	wantSame(f, "from the end on", []schedctl.Due(nil), f.dueIndex(schedctl.Due{At: math.MaxInt64}))
	wantSame(f, "from before all", all, f.dueIndex(schedctl.Due{At: math.MinInt64}))

	var first []schedctl.Due
	mustRead(f, func(r storage.Reader) (any, error) {
		return nil, r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			first = append(first, d)
			return len(first) < 3
		})
	})
	wantSame(f, "the first three", all[:3], first)
}
