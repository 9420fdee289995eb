package api_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// replays fails the test unless the second response repeats the first one.
func replays(t *testing.T, first, second *response) {
	t.Helper()
	if first.header.Get("Idempotent-Replayed") != "" || second.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("Idempotent-Replayed: %q, then %q", first.header.Get("Idempotent-Replayed"), second.header.Get("Idempotent-Replayed"))
	}
	if first.status != second.status || string(first.body) != string(second.body) {
		t.Errorf("the statuses are %d and %d:\n%s", first.status, second.status, cmp.Diff(string(first.body), string(second.body)))
	}
	for _, name := range []string{"ETag", "Location", "Content-Type", "Content-Length"} {
		if a, b := first.header.Get(name), second.header.Get(name); a != b {
			t.Errorf("%s is %q, then %q", name, a, b)
		}
	}
}

func TestRepeatedCreateMakesOnePost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 3 {
		f.do(key("once"), "POST", "/posts", body{"content": "x"}).want(201)
	}
	list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200))
	if list.Count != 1 || f.events(list.Results[0].ID) != "post.created" {
		t.Errorf("%d posts", list.Count)
	}
}

func TestRepeatAfterTheTimeHasPassed(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testRepeatAfterTheTimeHasPassed)
}

func testRepeatAfterTheTimeHasPassed(t *testing.T, f *fixture) {
	var past body
	var first *response
	for soon := 20 * time.Millisecond; first == nil || first.status != http.StatusCreated; soon *= 2 {
		past = body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": in(soon)}
		first = f.do(key("soon"), "POST", "/posts", past) // a slow machine may be too late for it
	}
	for f.do(nil, "POST", "/posts", past).status == http.StatusCreated {
	}
	replays(t, first, f.do(key("soon"), "POST", "/posts", past))
}

func TestRepeatLooksAtTheRawBody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.do(key("k"), "POST", "/posts", `{"content":"x"}`).want(201)
	f.do(key("k"), "POST", "/posts", `{"content": "x"}`).refused(schedctl.IdempotencyKeyReused)
	f.do(key("k"), "POST", "/posts", `not even JSON`).refused(schedctl.IdempotencyKeyReused)
	f.do(key("k"), "POST", "/posts", nil).refused(schedctl.IdempotencyKeyReused)
}

// The error links to the object that the first request created.
func TestReusedKeyLeadsToWhatItMade(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201).post()
	r := f.do(key("k"), "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
	r.refused(schedctl.IdempotencyKeyReused)
	if got := r.header.Get("Location"); got != "/api/v1/posts/"+made.ID {
		t.Errorf("Location %q", got)
	}
	f.do(key("e"), "PATCH", "/posts/"+made.ID, body{"content": "y"}).want(200)
	r = f.do(key("e"), "PATCH", "/posts/"+made.ID, body{"content": "z"})
	r.refused(schedctl.IdempotencyKeyReused)
	if _, there := r.header["Location"]; there {
		t.Error("an edit made nothing, and has a Location")
	}
}

func TestKeysAreScoped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b := f.draft().ID, f.draft().ID
	f.do(key("k"), "PATCH", "/posts/"+a, body{"content": "y"}).want(200)
	for name, r := range map[string]*response{
		"another path":      f.do(key("k"), "PATCH", "/posts/"+b, body{"content": "y"}),
		"another method":    f.do(key("k"), "DELETE", "/posts/"+a, nil),
		"another workspace": f.do(all(as(f.other.key), key("k")), "POST", "/posts", body{"content": "y"}),
	} {
		if r.status >= 300 || r.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s has the status %d, replayed %q", name, r.status, r.header.Get("Idempotent-Replayed"))
		}
	}
}

func TestFailedCallsAreNotRemembered(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	k := key("k")
	f.do(k, "POST", "/posts", body{"content": ""}).refused(schedctl.ValidationFailed)
	f.store.FailUpdates(1, storagetest.BeforeDisk)
	f.do(k, "POST", "/posts", body{"content": "x"}).refused(schedctl.Unavailable)
	f.do(k, "POST", "/posts", body{"content": "x"}).want(201)
}

func TestAnswerIsCommittedWithItsEffect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.FailUpdates(1, storagetest.AfterCommit)
	f.do(key("k"), "POST", "/posts", body{"content": "x"}).refused(schedctl.Unavailable)
	r := f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201)
	if r.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the effect is stored without its response")
	}
	if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200)); list.Count != 1 {
		t.Errorf("%d posts are there", list.Count)
	}
}

func TestOldAnswersAreForgotten(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testOldAnswersAreForgotten)
}

func testOldAnswersAreForgotten(t *testing.T, f *fixture) {
	first := f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201).post()
	f.update(func(tx storage.Tx) error {
		k := storage.IdempotencyScope{WorkspaceID: f.mine.workspace, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: "k"}
		a, err := tx.IdempotencyRecord(k)
		if err != nil {
			return err
		}
		a.CreatedAt = a.CreatedAt.Add(-24*time.Hour - time.Second) // which may lie ahead by the rest of a millisecond
		return tx.PutIdempotencyRecord(k, a)
	})
	if second := f.do(key("k"), "POST", "/posts", body{"content": "y"}).want(201).post(); second.ID == first.ID {
		t.Error("a response of yesterday is returned")
	}
}

// TestRacingRequests gives the same key to two daemons on one store at once. Neither
// knows of the other, so only the transaction can decide.
func TestRacingRequests(t *testing.T) {
	t.Parallel()
	inside := storagetest.NewMemory()
	f := newFixtureOn(t, inside)
	twin := newFixtureOn(t, inside)
	const callers = 8
	answers := make([]*response, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			daemon := f
			if i%2 == 1 {
				daemon = twin
			}
			for {
				r := daemon.do(all(as(f.mine.key), key("race")), "POST", "/posts", body{"content": "x"})
				if r.status != http.StatusConflict {
					answers[i] = r
					return
				}
				r.refused(schedctl.IdempotencyRunning)
			}
		})
	}
	wg.Wait()
	fresh := 0
	for _, r := range answers {
		if string(r.want(201).body) != string(answers[0].body) {
			t.Errorf("two answers:\n%s\n%s", r.body, answers[0].body)
		}
		if r.header.Get("Idempotent-Replayed") == "" {
			fresh++
		}
	}
	if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200)); list.Count != 1 || fresh != 1 {
		t.Errorf("%d posts, %d responses that are not replayed", list.Count, fresh)
	}
}

// interposed runs a function right before the next Update.
type interposed struct {
	storage.Store
	between func()
}

func (s *interposed) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if between := s.between; between != nil {
		s.between = nil
		between()
	}
	return s.Store.Update(ctx, fn)
}

func (s *interposed) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// TestResponseStoredConcurrently lets a second daemon store a response to the same
// request after this one has looked for it and before it writes.
func TestResponseStoredConcurrently(t *testing.T) {
	t.Parallel()
	inside := storagetest.NewMemory()
	store := &interposed{Store: inside}
	f, twin := newFixtureOn(t, store), newFixtureOn(t, inside)
	var first *response
	store.between = func() {
		first = twin.do(all(as(f.mine.key), key("k")), "POST", "/posts", body{"content": "x"}).want(201)
	}
	second := f.do(key("k"), "POST", "/posts", body{"content": "x"})
	replays(t, first, second)

	store.between = func() {
		twin.do(all(as(f.mine.key), key("other")), "POST", "/posts", body{"content": "x"}).want(201)
	}
	f.do(key("other"), "POST", "/posts", body{"content": "y"}).refused(schedctl.IdempotencyKeyReused)
	if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200)); list.Count != 2 {
		t.Errorf("%d posts, want 2", list.Count)
	}
}

// TestEventIDsFollowCommits lets a second request overtake the first. A client that
// continues after the last id it saw must not miss the late event.
func TestEventIDsFollowCommits(t *testing.T) {
	t.Parallel()
	inside := storagetest.NewMemory()
	store := &interposed{Store: inside}
	f := newFixtureOn(t, store)
	var early, late string
	store.between = func() { early = f.create(body{"content": "overtakes"}).ID }
	late = f.create(body{"content": "is overtaken"}).ID
	var order []string
	err := inside.View(t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 100)
		order = nil
		for _, e := range events {
			order = append(order, e.PostID)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{early, late}; !cmp.Equal(order, want) {
		t.Errorf("events are in the order %v, commits were in the order %v", order, want)
	}
}

// uncertain is a store whose next commits have an unknown outcome.
type uncertain struct {
	storage.Store
	left int
}

func (s *uncertain) Update(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.Store.Update(ctx, fn); err != nil || s.left == 0 {
		return err
	}
	s.left--
	return fmt.Errorf("commit: %w", storage.ErrUnknownOutcome)
}

// TestUnknownOutcome makes the outcome of a commit unknown. With a key the
// client repeats the request. Without a key the error says that the post may exist.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	store := &uncertain{Store: storagetest.NewMemory()}
	f := newFixtureOn(t, store, func(c *api.Config) { c.Store = store })
	store.left = 1
	f.do(key("k"), "POST", "/posts", body{"content": "x"}).refused(schedctl.IdempotencyRunning)
	replayed := f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201)
	if replayed.header.Get("Idempotent-Replayed") != "true" {
		t.Error("the repetition made another post")
	}
	store.left = 1
	e := f.do(nil, "POST", "/posts", body{"content": "y"}).refused(schedctl.Unavailable)
	if strings.Contains(e.Message, "nothing was changed") || !strings.Contains(e.Message, "is unknown") {
		t.Errorf("without a key: %s", e.Message)
	}
}

// TestRepetitionDuringSlowCommit repeats a create request during the slow commit of
// the first one. By then the request would be rejected.
func TestRepetitionDuringSlowCommit(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		started, release := make(chan struct{}), make(chan struct{})
		slow := &interposed{Store: f.store, between: func() { close(started); <-release }}
		g := f.newPeer(f.store, func(c *api.Config) { c.Store = slow })
		create := func() *response {
			return g.do(key("k"), "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
		}
		done := make(chan *response)
		go func() { done <- create() }()
		<-started
		create().refused(schedctl.IdempotencyRunning)
		close(release)
		replays(t, (<-done).want(201), create())
	})
}

// Two repetitions of a request that has ended meet: both get its response.
func TestRepetitionsMeet(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		slow := &interposed{Store: f.store}
		g := f.newPeer(f.store, func(c *api.Config) { c.Store = slow })
		create := func() *response { return g.do(key("k"), "POST", "/posts", body{"content": "x"}) }
		first := create().want(201)
		for then := schedctl.Millis(time.Now()); schedctl.Millis(time.Now()).Equal(then); {
		} // the next request is not of the same millisecond
		started, release := make(chan struct{}), make(chan struct{})
		slow.between = func() { close(started); <-release }
		done := make(chan *response)
		go func() { done <- create() }()
		<-started
		replays(t, first, create())
		g.do(key("k"), "POST", "/posts", body{"content": "y"}).refused(schedctl.IdempotencyKeyReused)
		close(release)
		replays(t, first, <-done)
	})
}

// TestStoredResponseIsForItsKey guards that a repetition with a different API key
// gets neither the response nor its location, and has no effect.
func TestStoredResponseIsForItsKey(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testStoredResponseIsForItsKey)
}

func testStoredResponseIsForItsKey(t *testing.T, f *fixture) {
	hidden := f.newAccount(f.mine, "hidden")
	b := body{"content": "which only the first key may read", "social_account_ids": []string{hidden}}
	first := f.do(key("k"), "POST", "/posts", b).want(201)
	made := first.post()
	for name, other := range map[string]string{
		"limited": f.limitedKey(f.mine.account), "without posts:read": f.scoped(schedctl.ScopePostsWrite), "of the same rights": f.newKey(f.mine.workspace, func(*schedctl.APIKey) {}),
	} {
		for _, sent := range []any{b, body{"content": "another body"}} {
			r := f.do(all(as(other), key("k")), "POST", "/posts", sent)
			r.refused(schedctl.IdempotencyKeyReused)
			for part, text := range map[string]string{"body": string(r.body), "Location": r.header.Get("Location"), "ETag": r.header.Get("ETag")} {
				if text != "" && part != "body" || strings.Contains(text, made.ID) || strings.Contains(text, made.Content) || strings.Contains(text, hidden) {
					t.Errorf("a key %s is shown in %s: %s", name, part, text)
				}
			}
		}
	}
	replays(t, first, f.do(key("k"), "POST", "/posts", b))
	if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200)); list.Count != 1 {
		t.Errorf("%d posts were made", list.Count)
	}
}

// TestStoredResponsesOfEarlierVersions tests records whose fingerprints cover only
// the body.
func TestStoredResponsesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		const sent = `{"content":"x"}`
		first := f.do(key("old"), "POST", "/posts", sent).want(201)
		f.update(func(tx storage.Tx) error {
			k := storage.IdempotencyScope{WorkspaceID: f.mine.workspace, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: "old"}
			stored, err := tx.IdempotencyRecord(k)
			if err != nil {
				return err
			}
			stored.Fingerprint = sha256.Sum256([]byte(sent))
			return tx.PutIdempotencyRecord(k, stored)
		})
		replays(t, first, f.do(key("old"), "POST", "/posts", sent))
		f.do(key("old"), "POST", "/posts", `{"content":"y"}`).refused(schedctl.IdempotencyKeyReused)
		f.do(all(as(f.limitedKey(f.mine.account)), key("old")), "POST", "/posts", sent).refused(schedctl.IdempotencyKeyReused)
	})
}
