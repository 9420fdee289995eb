package deliver_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestPostsWaitForTheWindow publishes seven posts on a network that accepts three in an
// hour. Each is published once there is room, by its first counted try.
func TestPostsWaitForTheWindow(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.Limits.Posts, a.Limits.Window = 3, time.Hour
		r.putAccount(a)
		other := r.account("other", nil)
		r.start()
		var posts []schedctl.Post
		for range 7 {
			posts = append(posts, r.publishNow(a))
		}
		free := r.publishNow(other)
		r.after(10 * time.Second)
		r.wantCalls(4)
		r.wantStatus(free, schedctl.Published)
		waits := r.wantStatus(posts[3], schedctl.Publishing)
		if next := waits.ShownNext(); waits.Error.Code != publish.CodeWindowFull || time.Until(next) > time.Hour || time.Until(next) < 59*time.Minute {
			t.Errorf("next attempt at %s, error %+v", next, waits.Error)
		}
		r.after(time.Hour)
		r.wantCalls(7)
		r.after(time.Hour)
		r.wantCalls(8)
		for _, p := range posts {
			got := r.wantStatus(p, schedctl.Published)
			if got.Attempts-got.Unreached != 1 {
				t.Errorf("%d attempts count", got.Attempts-got.Unreached)
			}
		}
	})
}

// TestHoldsCarryCodeAndSentence guards that each hold reaches the account.
func TestHoldsCarryCodeAndSentence(t *testing.T) {
	for _, code := range publish.HoldCodes() {
		t.Run(string(code), func(t *testing.T) {
			bubble(t, func(r *rig) {
				hold := publish.Hold(code, "fake", 402, "said so")
				r.fake.Then(publishtest.Response{Err: hold})
				a := r.account("me", nil)
				r.start()
				p, next := r.publishNow(a), r.publishNow(a)
				r.after(time.Minute)
				got := r.readAccount(a.ID)
				if got.Status != schedctl.AccountError || got.Error.Code != string(code) || got.Error.Message != hold.Message {
					t.Errorf("account %s, error %+v", got.Status, got.Error)
				}
				r.wantCalls(1)
				r.wantStatus(p, schedctl.Publishing)
				r.reconnect(a.ID)
				r.after(time.Minute)
				r.wantStatus(p, schedctl.Published)
				r.wantStatus(next, schedctl.Published)
			})
		})
	}
}
