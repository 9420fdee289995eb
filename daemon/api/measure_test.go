package api_test

import (
	"context"
	"fmt"
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

// interrupted is a store on which somebody else is faster once.
type interrupted struct {
	storage.Store

	mu    sync.Mutex // mu guards first
	first func()
}

// before lets somebody write before the next transaction.
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

// ways are the requests by which a draft with a text of its own goes out.
var ways = []struct {
	method, path string
	body         body
}{
	{"PATCH", "", body{"publish_at": "2036-06-02T15:00:00Z"}},
	{"POST", "/schedule", body{"publish_at": "2036-06-02T15:00:00Z"}},
	{"POST", "/publish-now", body{}},
}

// TestNothingIsMeasuredInTransactions guards that nobody has to wait for the
// transaction of somebody whose text goes to many networks.
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
			if n := begun - before; n != len(to) {
				t.Errorf("%s %s measures %d texts for %d accounts", way.method, way.path, n, len(to))
			}
			if n := f.network.checks() - begun; n != 0 {
				t.Errorf("%s %s measures %d texts in its transaction", way.method, way.path, n)
			}
		}
	})
}

// TestWhatChangesMeanwhileIsMeasuredAgain lets a post or an account change
// between the trial and the transaction.
func TestWhatChangesMeanwhileIsMeasuredAgain(t *testing.T) {
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
			f.changeStored(post, func(p *schedctl.Post) { p.Content = strings.Repeat("x", 11) })
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
		if e := f.do(nil, tt.method, tt.path, tt.body).refused(schedctl.ValidationFailed); len(e.Details) != 21 || e.Details[20].Message != "and 3980 more" {
			t.Errorf("%s %s reports %d faults: %v", tt.method, tt.path, len(e.Details), e.Details)
		}
	}
	if got := f.validate(b); got.Allowed || len(got.Problems) != 21 || got.Problems[20].Message != "and 3980 more" {
		t.Errorf("validate reports %d problems: %v", len(got.Problems), got.Problems)
	}
}
