package storagetest

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var attemptParts = []part{
	{"AttemptKeepsEveryField", testAttemptKeepsEveryField},
	{"AttemptsAreInOrder", testAttemptsAreInOrder},
	{"LatestAttempts", testLatestAttempts},
	{"RunningAttempts", testRunningAttempts},
}

var publishedParts = []part{
	{"PublishedHistory", testPublishedHistory},
	{"PublishedFollowsPosts", testPublishedFollowsPosts},
}

func (f *fixture) putAttempts(attempts ...schedctl.Attempt) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, a := range attempts {
			if err := tx.PutAttempt(a); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) newAttempt(target string, number int, started time.Time) schedctl.Attempt {
	return schedctl.Attempt{
		ID: newID(schedctl.AttemptPrefix, started), WorkspaceID: f.ws, PostID: newID(schedctl.PostPrefix, epoch), TargetID: target,
		AccountID: newID(schedctl.AccountPrefix, epoch), Number: number, StartedAt: started, Outcome: schedctl.OutcomeRunning,
	}
}

func testLatestAttempts(f *fixture) {
	var targets []string
	var want []schedctl.Attempt
	for _, n := range []int{0, 2, 3, 40} {
		target := newID(schedctl.TargetPrefix, epoch.Add(time.Duration(n)*time.Minute))
		targets = append(targets, target)
		for number := 1; number <= n; number++ {
			a := f.newAttempt(target, number, epoch.Add(time.Duration(number)*time.Second))
			f.putAttempts(a)
			if number > n-3 {
				want = append(want, a)
			}
		}
	}
	f.putAttempts(f.newAttempt(newID(schedctl.TargetPrefix, epoch), 1, epoch))
	latest := func(ids ...string) []schedctl.Attempt {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Attempt, error) { return r.LatestAttempts(ids, 3) })
	}
	wantSame(f, "the latest attempts", want, latest(targets...))
	wantSame(f, "the latest attempts of a target named twice", want[2:5], latest(targets[2], targets[2]))
	wantSame(f, "the latest attempts of no target", []schedctl.Attempt(nil), latest())
	for _, id := range malformedIDs(schedctl.TargetPrefix) {
		wantNotFound(f, "attempts of "+id, func(r storage.Reader) ([]schedctl.Attempt, error) { return r.LatestAttempts([]string{id}, 1) })
	}
}

func testAttemptKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.Attempt](f)
	given := cloneAttempt(want)
	f.putAttempts(given)
	given.Error.Message = "spoiled"
	got := mustRead(f, attemptsOf(want.TargetID))
	wantSame(f, "attempt", []schedctl.Attempt{want}, got)
	got[0].Error.Message = "spoiled"
	wantSame(f, "attempt after a change of what was read", []schedctl.Attempt{want}, mustRead(f, attemptsOf(want.TargetID)))

	bare := f.newAttempt(want.TargetID, want.Number, time.Time{})
	f.putAttempts(bare)
	wantSame(f, "replaced attempt", []schedctl.Attempt{bare}, mustRead(f, attemptsOf(want.TargetID)))
	for _, id := range malformedIDs(schedctl.TargetPrefix) {
		bad := bare
		bad.TargetID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.PutAttempt(bad) })
	}
}

func testAttemptsAreInOrder(f *fixture) {
	target, other := newID(schedctl.TargetPrefix, epoch), newID(schedctl.TargetPrefix, epoch)
	var want []schedctl.Attempt
	for n := 300; n >= 1; n -= 7 {
		a := f.newAttempt(target, n, epoch)
		want = append([]schedctl.Attempt{a}, want...)
		f.putAttempts(a, f.newAttempt(other, n, epoch))
	}
	wantSame(f, "attempts", want, mustRead(f, attemptsOf(target)))
	wantSame(f, "attempts of a target without", []schedctl.Attempt(nil), mustRead(f, attemptsOf(newID(schedctl.TargetPrefix, epoch))))
}

func testRunningAttempts(f *fixture) {
	running := func() []schedctl.Attempt { f.Helper(); return mustRead(f, storage.Reader.RunningAttempts) }
	wantSame(f, "at first", []schedctl.Attempt(nil), running())
	target := newID(schedctl.TargetPrefix, epoch)
	late := f.newAttempt(target, 2, epoch.Add(time.Hour))
	early := f.newAttempt(newID(schedctl.TargetPrefix, epoch), 1, epoch)
	middle := f.newAttempt(newID(schedctl.TargetPrefix, epoch), 1, epoch.Add(time.Minute))
	ended := f.newAttempt(target, 1, epoch)
	ended.FinishedAt, ended.Outcome = epoch.Add(time.Second), schedctl.OutcomeNotPublished
	f.putAttempts(late, ended, early, middle)
	wantSame(f, "the oldest first", []schedctl.Attempt{early, middle, late}, running())

	middle.FinishedAt, middle.Outcome = epoch.Add(time.Hour), schedctl.OutcomePublished
	f.putAttempts(middle, late)
	wantSame(f, "when one has ended", []schedctl.Attempt{early, late}, running())
}

func published(f *fixture, account string, after storage.PublishedTarget, limit int) []storage.PublishedTarget {
	f.Helper()
	return mustRead(f, func(r storage.Reader) ([]storage.PublishedTarget, error) {
		return r.PublishedTargets(account, after, limit)
	})
}

func testPublishedHistory(f *fixture) {
	accounts := newAccountIDs(2)
	var want []storage.PublishedTarget
	for i := range 10 {
		p := f.newPost(epoch, epoch.Add(time.Duration(i/2)*time.Hour), schedctl.Published, accounts...)
		f.putPosts(p)
		t := p.Targets[0]
		want = append(want, storage.PublishedTarget{At: t.PublishedAt, TargetID: t.ID, WorkspaceID: f.ws, PostID: p.ID})
	}
	f.putPosts(f.newPost(epoch, epoch, schedctl.Scheduled, accounts...))
	for i := range want { // the newest first
		for j := i + 1; j < len(want); j++ {
			if a, b := want[i], want[j]; a.At.Before(b.At) || (a.At.Equal(b.At) && a.TargetID < b.TargetID) {
				want[i], want[j] = b, a
			}
		}
	}
	wantSame(f, "all", want, published(f, accounts[0], storage.PublishedTarget{}, 100))
	wantSame(f, "the newest", want[:3], published(f, accounts[0], storage.PublishedTarget{}, 3))
	for i := range want {
		wantSame(f, fmt.Sprint("after ", i), want[i+1:], published(f, accounts[0], want[i], 100))
	}
	wantSame(f, "of another account", []storage.PublishedTarget(nil), published(f, newAccountIDs(1)[0], storage.PublishedTarget{}, 9))
	for _, id := range malformedIDs(schedctl.AccountPrefix) {
		wantNotFound(f, "publications of "+id, func(r storage.Reader) ([]storage.PublishedTarget, error) {
			return r.PublishedTargets(id, storage.PublishedTarget{}, 1)
		})
	}
}

func testPublishedFollowsPosts(f *fixture) {
	l := newPostLife(f, 1)
	account := l.accounts[0].ID
	l.create(schedctl.NewPost{Now: true})
	l.begin(0)
	wantSame(l.fixture, "before", []storage.PublishedTarget(nil), published(f, account, storage.PublishedTarget{}, 9))
	l.finish(0, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1", URL: "https://example.com/1"}})
	want := storage.PublishedTarget{At: l.now, TargetID: l.post.Targets[0].ID, WorkspaceID: f.ws, PostID: l.post.ID}
	wantSame(l.fixture, "after", []storage.PublishedTarget{want}, published(f, account, storage.PublishedTarget{}, 9))
	l.change(func(_ storage.Tx, p *schedctl.Post) error {
		p.Targets[0].PublishedAt = p.Targets[0].PublishedAt.Add(time.Hour)
		return nil
	})
	want.At = want.At.Add(time.Hour)
	wantSame(l.fixture, "when moved", []storage.PublishedTarget{want}, published(f, account, storage.PublishedTarget{}, 9))
}
