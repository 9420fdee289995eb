package deliver_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// refusedAlone is the response of a network to a post that it does not allow.
var refusedAlone = publishtest.Response{Err: &publish.Error{Kind: schedctl.KindContent, Message: "not allowed", HTTPStatus: 403, Outcome: no}}

// tooLong is the response of a network to a post whose text it does not take.
var tooLong = publishtest.Response{Err: &publish.Error{Kind: schedctl.KindContent, Message: "too long", HTTPStatus: 400, Outcome: no}}

// The first refusals of a large queue hold the account, whatever stands before and after
// them in the lists of its posts.
func TestRefusalsInALargeQueueHold(t *testing.T) {
	for _, test := range []struct {
		name    string
		now     bool // the posts are published now
		others  bool // they wait for another account
		retried bool // they have failed before
		reverse bool // and are retried in the opposite order
	}{
		{name: "scheduled"},
		{name: "scheduled on two accounts", others: true},
		{name: "published now", now: true},
		{name: "published now on two accounts", now: true, others: true},
		{name: "retried", retried: true},
		{name: "retried from the last to the first", retried: true, reverse: true},
		{name: "retried on two accounts", retried: true, others: true},
		{name: "retried on two accounts from the last to the first", retried: true, others: true, reverse: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				accounts := []schedctl.Account{r.account("me", nil)}
				if test.others {
					silent := r.account("silent", nil)
					silent.PausedUntil = schedctl.Millis(time.Now().Add(10 * time.Hour))
					r.putAccount(silent)
					accounts = append(accounts, silent)
				}
				var posts []schedctl.Post
				for range 40 {
					if test.now {
						posts = append(posts, r.publishNow(accounts...))
						time.Sleep(time.Second)
					} else {
						posts = append(posts, r.schedule(time.Minute, accounts...))
					}
				}
				if test.retried {
					r.failAll(posts)
				}
				if test.reverse {
					slices.Reverse(posts)
				}
				for _, p := range posts {
					if test.retried {
						r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
						time.Sleep(time.Second)
					}
				}
				calls := 0
				r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
					calls++
					return refusedAlone
				})
				r.after(time.Minute)
				r.start()
				r.after(time.Hour)
				if calls != 3 {
					t.Errorf("%d posts were refused before the hold, want 3", calls)
				}
				if got := r.readAccount(accounts[0].ID); got.Status != schedctl.AccountError || got.Error.Code != string(publish.HoldBlocked) {
					t.Errorf("the account is %s for %+v", got.Status, got.Error)
				}
			})
		})
	}
}

// failAll publishes posts on a network that refuses their texts.
func (r *rig) failAll(posts []schedctl.Post) {
	r.Helper()
	r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response { return tooLong })
	r.start()
	r.after(time.Hour)
	r.kill()
	for _, p := range posts {
		r.wantStatus(p, schedctl.Failed)
	}
}

// The date of a refusal of old credentials does not pause an account that was reconnected
// during the call.
func TestDatedHoldOfOldCredentials(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(publishtest.Response{After: 10 * time.Second, Err: &publish.Error{
			Kind: schedctl.KindAuth, Code: string(publish.HoldCredits), HTTPStatus: 403, Outcome: no, RetryAt: time.Now().Add(20 * time.Hour),
		}})
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		a.Credentials = r.seal(a.ID, "another-token")
		r.putAccount(a)
		r.after(time.Minute)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected || !got.PausedUntil.IsZero() {
			t.Errorf("the account is %s until %v", got.Status, got.PausedUntil)
		}
		r.wantStatus(p, schedctl.Published)
	})
}

// A pause that was asked for before or after an account is refused is not the date of the
// refusal.
func TestPauseIsNotTheDateOfAHold(t *testing.T) {
	for name, paused := range map[string]bool{"paused before": true, "paused after": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", nil)
				limited := &publish.Error{Kind: schedctl.KindRateLimited, Code: "slow_down", HTTPStatus: 429, Outcome: no, RetryAt: time.Now().Add(20 * time.Hour)}
				refused := &publish.Error{Kind: schedctl.KindAuth, Code: "revoked", HTTPStatus: 401, Outcome: no}
				end := limited
				if paused {
					end = refused
				}
				r.fake.Then(publishtest.Response{After: 10 * time.Second, Err: end})
				r.start()
				r.publishNow(a)
				r.after(time.Second)
				if a = r.readAccount(a.ID); paused {
					a.PausedUntil = schedctl.Millis(limited.RetryAt)
				} else {
					a.Refused(&schedctl.TargetError{Kind: schedctl.KindAuth, Code: "revoked", HTTPStatus: 401, Outcome: no}, time.Time{})
				}
				r.putAccount(a)
				r.after(time.Minute)
				if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || !got.PausedUntil.IsZero() {
					t.Errorf("the account is %s until %v", got.Status, got.PausedUntil)
				}
			})
		})
	}
}

// A network that refuses the files of one post after the other may refuse the account, too.
func TestRefusedFilesHold(t *testing.T) {
	mediaBubble(t, func(r mediaRig) {
		r.network.OnUpload = func(context.Context, int, publish.Request, publish.File) error {
			return &publish.Error{Kind: schedctl.KindMedia, Message: "the network refused a file", HTTPStatus: 403, Outcome: no}
		}
		a := r.account("me", nil)
		var posts []schedctl.Post
		for i := range 6 {
			posts = append(posts, r.create(schedctl.NewPost{
				Content:  schedctl.Content{Text: secret, Media: []schedctl.PostMedia{r.asset("a")}},
				Accounts: []schedctl.Account{a}, PublishAt: time.Now().Add(time.Duration(i+1) * time.Minute),
			}))
		}
		r.start()
		r.after(20 * time.Minute)
		for i, p := range posts {
			if failed := r.target(p).Status == schedctl.Failed; failed != (i < 3) {
				t.Errorf("post %d is %s\n%s", i+1, r.target(p).Status, r.logs.String())
			}
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || got.Error.Code != string(publish.HoldBlocked) {
			t.Errorf("the account is %s for %+v", got.Status, got.Error)
		}
	})
}
