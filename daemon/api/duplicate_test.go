package api_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// guarded sets a duplicate guard of a day on my account.
func (f *fixture) guarded() {
	f.t.Helper()
	f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"options": body{"duplicate_guard": "24h"}}).want(200)
}

// planned is a body that schedules a text on my account.
func (f *fixture) planned(text string, after time.Duration) body {
	return body{"content": text, "social_account_ids": []string{f.mine.account}, "publish_at": in(after)}
}

func TestDuplicatesAreRefused(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testDuplicatesAreRefused)
}

func testDuplicatesAreRefused(t *testing.T, f *fixture) {
	f.guarded()
	first := f.do(key("first"), "POST", "/posts", f.planned("same", 48*time.Hour)).want(201).post()
	other := f.create(f.planned("other", 50*time.Hour))
	later := f.create(f.planned("same", 100*time.Hour))
	draft := f.create(body{"content": "same", "social_account_ids": []string{f.mine.account}})
	urgent := f.create(f.planned("urgent", 48*time.Hour))
	f.create(body{"content": "urgent", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	near := in(49 * time.Hour)
	for _, tt := range []struct {
		method, path string
		body         body
		granted      int
	}{
		{"PATCH", "/posts/" + other.ID, body{"content": "same"}, 200},
		{"PATCH", "/posts/" + later.ID, body{"publish_at": near}, 200},
		{"PATCH", "/posts/" + draft.ID, body{"publish_at": near}, 200},
		{"POST", "/posts/" + f.create(body{"content": "same"}).ID + "/schedule", body{"publish_at": near, "social_account_ids": []string{f.mine.account}}, 200},
		{"POST", "/posts", f.planned("same", 25*time.Hour), 201},
		{"POST", "/posts/" + urgent.ID + "/publish-now", body{}, 202},
	} {
		e := f.do(nil, tt.method, tt.path, tt.body).refused(schedctl.DuplicateContent)
		if len(e.Details) != 1 || e.Details[0].Field != "content" {
			t.Errorf("%s %s: details %+v", tt.method, tt.path, e.Details)
		}
		allowed := body{"allow_duplicate": true}
		for name, value := range tt.body {
			allowed[name] = value
		}
		f.do(nil, tt.method, tt.path, allowed).want(tt.granted)
	}
	f.do(nil, "PATCH", "/posts/"+first.ID, body{"content": "same"}).want(200) // changes nothing
	f.do(nil, "PATCH", "/posts/"+first.ID, body{"allow_duplicate": true}).refused(schedctl.ValidationFailed)
}

func TestNotADuplicate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.create(f.planned("twice", time.Hour))
	f.create(f.planned("twice", time.Hour)) // without the option

	f.guarded()
	at := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	plan := func(at time.Time) body {
		return body{"content": "same", "social_account_ids": []string{f.mine.account}, "publish_at": at.Format(time.RFC3339Nano)}
	}
	first := f.do(key("first"), "POST", "/posts", plan(at)).want(201)
	f.do(key("first"), "POST", "/posts", plan(at)).want(201)
	f.do(nil, "POST", "/posts", plan(at.Add(-24*time.Hour+time.Millisecond))).refused(schedctl.DuplicateContent)
	f.do(nil, "POST", "/posts", plan(at.Add(24*time.Hour-time.Millisecond))).refused(schedctl.DuplicateContent)
	f.do(nil, "POST", "/posts", plan(at.Add(-24*time.Hour))).want(201)
	f.do(nil, "POST", "/posts", plan(at.Add(24*time.Hour))).want(201)

	unguarded := f.newAccount(f.mine, "second")
	f.create(body{"content": "same", "social_account_ids": []string{unguarded}, "publish_at": in(48 * time.Hour)})
	f.create(body{"content": "Same", "social_account_ids": []string{f.mine.account}, "publish_at": in(48 * time.Hour)})
	f.do(nil, "PATCH", "/posts/"+first.post().ID, body{"publish_at": in(48*time.Hour + time.Minute), "content": "new"}).want(200)
	f.do(nil, "POST", "/posts", body{"content": "new", "social_account_ids": []string{unguarded}, "publish_at": "now"}).want(201)
}

// TestDuplicatesByOutcome checks which final statuses of a post allow its text
// again.
func TestDuplicatesByOutcome(t *testing.T) {
	t.Parallel()
	for status, free := range map[schedctl.Status]bool{
		schedctl.Draft: true, schedctl.Publishing: false, schedctl.Published: false, schedctl.Failed: true, schedctl.Canceled: true,
	} {
		f := newFixture(t)
		f.guarded()
		p := f.inStatus(status)
		r := f.do(nil, "POST", "/posts", f.planned(p.Content, time.Hour))
		if granted := r.status == http.StatusCreated; granted != free {
			t.Errorf("after a %s post: %s", status, r.body)
		}
	}
	f := newFixture(t)
	f.guarded()
	p := f.inStatus(schedctl.Publishing)
	f.finish(p.ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}})
	f.do(nil, "POST", "/posts", f.planned(p.Content, time.Hour)).refused(schedctl.DuplicateContent)
}

// TestOneOfTwinsSentAtOnce guards that duplicates are checked in the transaction
// that commits.
func TestOneOfTwinsSentAtOnce(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		f.guarded()
		const twins = 16
		var statuses [twins]int
		var wg sync.WaitGroup
		for i := range twins {
			wg.Go(func() {
				statuses[i] = f.do(nil, "POST", "/posts", f.planned("at once", time.Hour)).status
			})
		}
		wg.Wait()
		created := 0
		for _, status := range statuses {
			if status == http.StatusCreated {
				created++
			}
		}
		if created != 1 {
			t.Errorf("%d of %d twins were created: %v", created, twins, statuses)
		}
	})
}

// readCounter counts the posts that are read.
type readCounter struct {
	storage.Store
	posts atomic.Int64
}

func (s *readCounter) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error { return fn(countedReader{r, s}) })
}

func (s *readCounter) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Store.Update(ctx, func(tx storage.Tx) error { return fn(countedTx{tx, countedReader{tx, s}}) })
}

type countedReader struct {
	storage.Reader
	counter *readCounter
}

func (r countedReader) Post(workspaceID, id string) (schedctl.Post, error) {
	r.counter.posts.Add(1)
	return r.Reader.Post(workspaceID, id)
}

func (r countedReader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	page, err := r.Reader.Posts(q)
	r.counter.posts.Add(int64(len(page.Posts)))
	return page, err
}

type countedTx struct {
	storage.Tx
	reader countedReader
}

func (tx countedTx) Post(workspaceID, id string) (schedctl.Post, error) {
	return tx.reader.Post(workspaceID, id)
}
func (tx countedTx) Posts(q storage.PostQuery) (storage.PostPage, error) { return tx.reader.Posts(q) }

// TestDuplicatesAreLookedUp guards that the guard reads no posts. It once read all
// posts of the account within its duration, in the transaction that all other
// writers wait for.
func TestDuplicatesAreLookedUp(t *testing.T) {
	t.Parallel()
	counter := &readCounter{Store: storagetest.NewMemory()}
	f := newFixtureOn(t, counter)
	f.guarded()
	plan := func(text string) body {
		return body{"content": text, "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)}
	}
	for i := range 300 {
		f.create(plan(fmt.Sprint("text ", i)))
	}
	draft := f.create(body{"content": "draft", "social_account_ids": []string{f.mine.account}})
	for _, tt := range []struct {
		what         string
		method, path string
		body         body
		most         int64
	}{
		{"create", "POST", "/posts", plan("another"), 0},
		{"refused", "POST", "/posts", plan("text 7"), 0},
		{"validate", "POST", "/posts/validate", plan("text 8"), 0},
		// It reads only the changed post. The store of the test runs transactions
		// twice.
		{"edit", "PATCH", "/posts/" + draft.ID, body{"content": "text 9", "publish_at": in(time.Hour)}, 4},
		{"schedule", "POST", "/posts/" + draft.ID + "/schedule", body{"publish_at": in(time.Hour)}, 4},
	} {
		counter.posts.Store(0)
		f.do(nil, tt.method, tt.path, tt.body)
		if read := counter.posts.Load(); read > tt.most {
			t.Errorf("%s: %d posts were read, want at most %d", tt.what, read, tt.most)
		}
	}
}
