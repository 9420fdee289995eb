package api_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// interrupted is a store in which a different writer commits first, once.
type interrupted struct {
	storage.Store

	mu    sync.Mutex // mu guards first
	first func()
}

// before runs a write before the next transaction.
func (s *interrupted) before(write func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first = write
}

func (s *interrupted) Update(ctx context.Context, fn func(storage.Tx) error) error {
	s.mu.Lock()
	write := s.first
	s.first = nil
	s.mu.Unlock()
	if write != nil {
		write()
	}
	return s.Store.Update(ctx, fn)
}

// onInterruptedEngines runs a test on both engines.
func onInterruptedEngines(t *testing.T, test func(*testing.T, *interrupted, *fixture)) {
	t.Helper()
	inside, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, engine := range map[string]storage.Store{"memory": storagetest.NewMemory(), "bolt": inside} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &interrupted{Store: engine}
			test(t, store, newFixtureOn(t, store))
		})
	}
}

// ways are the requests that publish or schedule a draft with its own text.
var ways = []struct {
	method, path string
	body         body
}{
	{"PATCH", "", body{"publish_at": "2036-06-02T15:00:00Z"}},
	{"POST", "/schedule", body{"publish_at": "2036-06-02T15:00:00Z"}},
	{"POST", "/publish-now", body{}},
}

// TestNothingIsMeasuredInTransactions guards that other requests do not wait while
// the text of a post for many networks is measured.
func TestNothingIsMeasuredInTransactions(t *testing.T) {
	t.Parallel()
	onInterruptedEngines(t, func(t *testing.T, store *interrupted, f *fixture) {
		to := []string{f.mine.account, f.newAccount(f.mine, "second"), f.newAccount(f.mine, "third")}
		for _, way := range ways {
			p := f.create(body{
				"content": "a text", "social_account_ids": to,
				"target_overrides": []body{override(to[1], "another", body{"mood": "loud"})},
			})
			before, begun := f.network.checks(), 0
			store.before(func() { begun = f.network.checks() })
			if r := f.do(nil, way.method, "/posts/"+p.ID+way.path, way.body); r.status/100 != 2 {
				t.Fatalf("%s: %s", way.path, r.body)
			}
			if n := begun - before; n != 2 { // two of the accounts get the same
				t.Errorf("%s %s measures %d texts, not 2", way.method, way.path, n)
			}
			if n := f.network.checks() - begun; n != 0 {
				t.Errorf("%s %s measures %d texts in its transaction", way.method, way.path, n)
			}
		}
	})
}

// TestATextIsMeasuredOnceForAllAccounts guards that accounts with equal settings
// share the work.
func TestATextIsMeasuredOnceForAllAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var to []string
	for i := range 30 {
		to = append(to, f.newAccount(f.mine, fmt.Sprint("account ", i)))
	}
	f.changeAccount(to[7], func(a *schedctl.Account) { a.Options = schedctl.Options{"mood": "angry"} })
	f.changeAccount(to[8], func(a *schedctl.Account) { a.Options = schedctl.Options{"mood": "angry"} })
	f.limit(to[9], 3)
	b := body{
		"content": "a text", "social_account_ids": to,
		"target_overrides": []body{override(to[10], "a text", nil), override(to[11], "another", nil)},
	}
	before := f.network.checks()
	got := f.validate(b)
	if n := f.network.checks() - before; n != 4 {
		t.Errorf("validate measures %d texts, not 4", n)
	}
	for i, a := range got.Accounts {
		if a.SocialAccountID != to[i] || a.Allowed != (i != 7 && i != 8 && i != 9) {
			t.Errorf("account %d: %+v", i, a)
		}
	}
	before = f.network.checks()
	b["publish_at"] = in(time.Hour)
	e := f.do(nil, "POST", "/posts", b).refused(schedctl.ValidationFailed)
	if n := f.network.checks() - before; n != 4 || len(e.Details) != 3 {
		t.Errorf("create measures %d texts, not 4, and reports %+v", n, e.Details)
	}
}

// TestLongerThanAnyPostIsNotMeasured guards that no network's rules are applied to
// a text that no post can have.
func TestLongerThanAnyPostIsNotMeasured(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.network.checks()
	got := f.validate(body{"content": strings.Repeat("é", 5001), "social_account_ids": []string{f.mine.account}})
	if f.network.checks() != before || got.Allowed || got.Accounts[0].Length != 5001 {
		t.Errorf("%d checks; %+v", f.network.checks()-before, got)
	}
}

// TestMeasuringEndsWithTheRequest guards that the daemon stops measuring when the
// client disconnects.
func TestMeasuringEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	to := []string{f.newAccount(f.mine, "one"), f.newAccount(f.mine, "two"), f.newAccount(f.mine, "three")}
	b := body{"content": "a text", "social_account_ids": to, "publish_at": in(time.Hour), "target_overrides": []body{
		override(to[1], "a second", nil), override(to[2], "a third", nil),
	}}
	for _, path := range []string{"/posts", "/posts/validate"} {
		ctx, cancel := context.WithCancel(t.Context())
		before := f.network.checks()
		f.network.onCheck(cancel)
		r := f.do(func(r *http.Request) { *r = *r.WithContext(ctx) }, "POST", path, b)
		f.network.onCheck(nil)
		if n := f.network.checks() - before; n != 1 || r.status != 503 {
			t.Errorf("%s checks %d texts and gets %d %s", path, n, r.status, r.body)
		}
	}
}

// TestConcurrentChangesAreMeasuredAgain changes a post or an account between the
// check and the transaction.
func TestConcurrentChangesAreMeasuredAgain(t *testing.T) {
	t.Parallel()
	onInterruptedEngines(t, testMeasuredAgain)
}

func testMeasuredAgain(t *testing.T, store *interrupted, f *fixture) {
	for _, tt := range []struct {
		name  string
		write func(account, post string)
		code  schedctl.Code
	}{
		{"a stricter limit", func(account, _ string) { f.limit(account, 3) }, schedctl.ContentTooLong},
		{"an option", func(account, _ string) {
			f.changeAccount(account, func(a *schedctl.Account) { a.Options = schedctl.Options{"mood": "loud"} })
		}, schedctl.ContentTooLong},
		{"a longer text", func(_, post string) {
			f.changeStored(post, func(p *schedctl.Post) { p.Text = strings.Repeat("x", 11) })
		}, schedctl.ContentTooLong},
		{"an override", func(_, post string) {
			f.changeStored(post, func(p *schedctl.Post) { p.Targets[0].Options = schedctl.Options{"mood": "loud"} })
		}, schedctl.ContentTooLong},
		{"another account", func(_, post string) {
			strict := f.newAccount(f.mine, "strict for "+post)
			f.limit(strict, 1)
			f.changeStored(post, func(p *schedctl.Post) { p.Targets[0].AccountID = strict })
		}, schedctl.ContentTooLong},
		{"a disconnected account", func(account, _ string) {
			f.changeAccount(account, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		}, schedctl.InvalidSocialAccounts},
		{"a canceled post", func(_, post string) {
			f.changeStored(post, func(p *schedctl.Post) { p.CanceledAt = schedctl.Millis(time.Now()) })
		}, schedctl.PostCanceled},
	} {
		for _, way := range ways {
			account := f.newAccount(f.mine, tt.name+way.path)
			f.limit(account, 10)
			p := f.create(body{"content": "a text", "social_account_ids": []string{account}})
			store.before(func() { tt.write(account, p.ID) })
			f.do(nil, way.method, "/posts/"+p.ID+way.path, way.body).refused(tt.code)
			if after := f.do(nil, "GET", "/posts/"+p.ID, nil).post(); after.Status == schedctl.Scheduled || after.Status == schedctl.Publishing {
				t.Errorf("%s, %s: the post is %s", tt.name, way.path, after.Status)
			}
		}
	}
}

// TestManyFaultsAreNotAllReported guards that the response to a request with
// very many wrong fields names 20 of them and the number of the others.
func TestManyFaultsAreNotAllReported(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	many, texts := body{}, body{}
	for i := range 4_000 {
		many[fmt.Sprint("x", i)], texts[fmt.Sprint("x", i)] = 1, "1"
	}
	b := body{"content": "x", "social_account_ids": []string{f.mine.account}, "target_overrides": []body{override(f.mine.account, nil, many)}}
	for _, tt := range []struct {
		method, path string
		body         body
	}{
		{"POST", "/posts", b},
		{"PATCH", "/posts/" + p.ID, body{"target_overrides": b["target_overrides"]}},
		{"PATCH", "/social-accounts/" + f.mine.account, body{"options": many}},
		{"PATCH", "/social-accounts/" + f.mine.account, body{"credentials": texts}},
		{"POST", "/social-accounts", body{"platform": "fake", "name": "x", "credentials": texts}},
	} {
		if e := f.do(nil, tt.method, tt.path, tt.body).refused(schedctl.ValidationFailed); len(e.Details) != 21 || e.Details[20].Message != "and at least 1000 more" {
			t.Errorf("%s %s reports %d faults: %v", tt.method, tt.path, len(e.Details), e.Details)
		}
	}
	if got := f.validate(b); got.Allowed || len(got.Problems) != 21 || got.Problems[20].Message != "and at least 1000 more" {
		t.Errorf("validate reports %d problems: %v", len(got.Problems), got.Problems)
	}
}
