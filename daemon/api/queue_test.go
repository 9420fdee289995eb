package api_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// delivering runs a deliverer over the fixture's store. The returned channel has a
// value after every commit.
func (f *fixture) delivering() (committed <-chan struct{}) {
	f.t.Helper()
	d := deliver.New(deliver.Config{
		Store: f.store, Publishers: f.publishers, Sealer: f.sealer, Sessions: f.connector, Owner: "test", Logger: slog.New(slog.DiscardHandler),
		Media: f.files,
	})
	news := make(chan struct{}, 1)
	f.listen(func(c storage.Commit) {
		d.Enqueue(c.Due)
		d.AccountsChanged(c.Accounts)
		select {
		case news <- struct{}{}:
		default:
		}
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	f.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			f.t.Error(err)
		}
	})
	return news
}

// await waits until a commit after which good returns true.
func (f *fixture) await(committed <-chan struct{}, good func() bool) {
	f.t.Helper()
	tooLong := time.After(testsize.Patience)
	for !good() {
		select {
		case <-committed:
		case <-tooLong:
			f.t.Fatal("nothing more happens")
		}
	}
}

// TestReconnectLetsTheQueueGoOn holds a post on a rejected account, and reconnects
// the account.
func TestReconnectLetsTheQueueGoOn(t *testing.T) {
	t.Parallel()
	for name, reconnect := range map[string]func(f *fixture, path string) *response{
		"credentials": func(f *fixture, path string) *response {
			return f.do(nil, "PATCH", path, body{"credentials": body{"token": "new"}})
		},
		"verify": func(f *fixture, path string) *response { return f.do(nil, "POST", path+"/verify", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEveryEngine(t, func(t *testing.T, f *fixture) {
				path := "/social-accounts/" + f.mine.account
				f.network.Then(publishtest.Response{Err: &publish.Error{
					Kind: schedctl.KindAuth, Message: "revoked", HTTPStatus: 401, Outcome: schedctl.OutcomeNotPublished,
				}})
				committed := f.delivering()
				p := f.create(body{
					"content": "waits", "social_account_ids": []string{f.mine.account}, "publish_at": "now",
					"target_overrides": []body{override(f.mine.account, "its own", body{"mood": "loud"})},
				})
				f.await(committed, func() bool {
					return f.do(nil, "GET", path, nil).account().Status == schedctl.AccountError
				})
				if held := f.do(nil, "GET", "/posts/"+p.ID, nil).post(); held.Status != schedctl.Publishing || held.Targets[0].Error == nil {
					t.Errorf("the post that met the refusal is %s with %+v", held.Status, held.Targets[0].Error)
				}
				reconnect(f, path).want(200)
				f.await(committed, func() bool {
					return f.do(nil, "GET", "/posts/"+p.ID, nil).post().Status == schedctl.Published
				})
				calls := f.network.Requests()
				if len(calls) != 2 || calls[1].Content != "its own" || calls[1].Account.Options.String("mood") != "loud" {
					t.Errorf("%d calls: %+v", len(calls), calls)
				}
				if n := len(f.timeline(p.ID).Targets[0].Attempts); n != 2 {
					t.Errorf("the timeline has %d attempts", n)
				}
			})
		})
	}
}
