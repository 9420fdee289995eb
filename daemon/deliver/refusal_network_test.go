package deliver_test

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// refusingNetwork is a network that keeps state and refuses some requests in its own words.
type refusingNetwork struct {
	platform
	http.Handler
	files mediaRig // for a network that needs pictures

	mu     sync.Mutex // mu guards the fields below
	refuse func(r *http.Request, posts int) *publishtest.Recorded
	calls  int // requests that publish, or create a staged post
}

// newRefusingNetwork returns the network of an account, or nil if it has no address.
func newRefusingNetwork(a networks.Account) *refusingNetwork {
	n := &refusingNetwork{platform: platformOn(a)}
	switch {
	case a.Platform == "threads":
		n.Handler = &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	case a.Platform == "instagram":
		n.Handler = &publishtest.FakeContainers{API: publishtest.InstagramAPI}
	case a.Name == "x":
		n.Handler = publishtest.NewFakeX()
	case a.Accepted != nil:
		n.Handler = &memoryNetwork{platform: n.platform, mishap: mishap{accepts: true, answer: func(w http.ResponseWriter, _ *http.Request, accepted string) {
			io.WriteString(w, accepted)
		}}}
	default:
		return nil
	}
	return n
}

func (n *refusingNetwork) publishes(r *http.Request) bool {
	if n.Platform == "threads" || n.Platform == "instagram" {
		return r.Method == http.MethodPost && (path.Base(r.URL.Path) == "threads" || path.Base(r.URL.Path) == "media")
	}
	return n.IsPost(r)
}

func (n *refusingNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	n.mu.Lock()
	if n.publishes(r) {
		n.calls++
	}
	response := n.refuse(r, n.calls)
	n.mu.Unlock()
	if response != nil {
		response.ServeHTTP(w, r)
		return
	}
	n.Handler.ServeHTTP(w, r)
}

// says returns the first response of a list to a request that publishes, or another one in
// the form of the network.
func (n *refusingNetwork) says(list []publishtest.Recorded) *publishtest.Recorded {
	i := slices.IndexFunc(list, func(r publishtest.Recorded) bool { return r.Purpose == publish.PurposePublish })
	if i < 0 {
		return &publishtest.Recorded{Body: `{"error":{"message":"not allowed"}}`}
	}
	return &list[i]
}

func (n *refusingNetwork) refused() *publishtest.Recorded {
	return n.says(publishtest.Recordings[n.Platform].Refuses)
}

// onRefusingNetworks runs a test for the account of each network. refuse decides about the
// nth request that publishes, and about the others.
func onRefusingNetworks(t *testing.T, refuse func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded, test func(*rig, *refusingNetwork, schedctl.Account)) {
	t.Helper()
	t.Parallel()
	tested := map[string]bool{}
	for _, a := range networks.Accounts() {
		n := newRefusingNetwork(a)
		if n == nil {
			continue
		}
		tested[a.Platform] = true
		n.refuse = func(r *http.Request, nth int) *publishtest.Recorded { return refuse(n, n.publishes(r), nth) }
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				wire := newWire(n)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				if n.Pictures {
					n.files = r.withMedia()
				}
				account := r.connect(n.platform, wire.client)
				r.start()
				test(r, n, account)
			})
		})
	}
	if len(tested) < 14 { // all but the feed, which the daemon serves, and Nostr, whose relays have no HTTP API
		t.Errorf("only %d platforms have a network", len(tested))
	}
}

// newPost publishes a post with a text of its own, and a picture where the network needs one.
func (r *rig) newPost(n *refusingNetwork, a schedctl.Account, text string) schedctl.Post {
	r.Helper()
	post := schedctl.NewPost{Content: schedctl.Content{Text: text}, Accounts: []schedctl.Account{a}, Now: true}
	if n.Pictures {
		post.Media = []schedctl.PostMedia{n.files.assetOf(text, "image/jpeg")}
	}
	return r.create(post)
}

// A network that refuses one post has not refused the account.
func TestOneRefusedPostHoldsNothing(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded {
		if publishes && nth == 1 {
			return n.refused()
		}
		return nil
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		first, second := r.newPost(n, a, "the first post"), r.newPost(n, a, "the second post")
		r.after(time.Hour)
		if e := r.wantStatus(first, schedctl.Failed).Error; e.Kind != schedctl.KindContent || e.Outcome != no || e.HTTPStatus != 403 {
			r.Errorf("error %+v", e)
		}
		r.wantStatus(second, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			r.Errorf("the account is held for %+v", got.Error)
		}
	})
}

// A refused part leaves the parts before it published, and holds nothing.
func TestRefusedPartHoldsNothing(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded {
		again := n.Platform == "linkedin" // which has two APIs for comments, both of which are tried
		if publishes && (nth == 2 || nth == 3 && again) {
			return n.refused()
		}
		return nil
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		if n.Parts() == 1 {
			return
		}
		thread := threadOf(3, a)
		thread.Now = true
		first, second := r.create(thread), r.newPost(n, a, "the post after the thread")
		r.after(time.Hour)
		if target := r.wantStatus(first, schedctl.Failed); len(target.Done) != 1 || target.Error.Kind != schedctl.KindContent || target.Error.Outcome != no {
			r.Errorf("%d parts, error %+v", len(target.Done), target.Error)
		}
		r.wantStatus(second, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			r.Errorf("the account is held for %+v", got.Error)
		}
		r.change(first.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Hour)
		if target := r.wantStatus(first, schedctl.Published); len(target.Done) != 3 {
			r.Errorf("%d parts after a retry", len(target.Done))
		}
	})
}

// A post that holds its account again after a check has healed it fails alone.
func TestHealedHoldProvesNothingAboutThePost(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded {
		if publishes && nth <= 2 {
			return n.says(publishtest.Recordings[n.Platform].Holds)
		}
		return nil
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		first, second := r.newPost(n, a, "the first post"), r.newPost(n, a, "the second post")
		r.after(time.Hour)
		r.wantStatus(first, schedctl.Publishing)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError {
			r.Fatalf("the account is not held\n%s", r.logs.String())
		}
		r.kill()
		r.start() // what is known is in the store
		r.reconnect(a.ID)
		r.after(time.Hour)
		if e := r.wantStatus(first, schedctl.Failed).Error; e.Kind != schedctl.KindContent || e.Outcome != no ||
			!strings.HasPrefix(e.Message, "the network refused this post again, although it accepts the account") || !strings.HasSuffix(e.Message, "; change the post, then retry it") {
			r.Errorf("error %+v", e)
		}
		third := r.newPost(n, a, "the third post")
		r.after(time.Hour)
		r.wantStatus(second, schedctl.Published)
		r.wantStatus(third, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected || len(r.outcomes(first)) != 2 {
			r.Errorf("the account is %s after %d attempts", got.Status, len(r.outcomes(first)))
		}
	})
}

// A network that does not let its account look for posts has not refused the account.
func TestForbiddenLookUpHoldsNothing(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded {
		switch {
		case publishes && nth == 1:
			return &publishtest.Recorded{Status: 500, Body: `{"error":"x"}`}
		case publishes, nth == 0:
			return nil
		}
		return n.refused()
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		if n.Memory != networks.Findable || n.Pictures || n.Platform == "threads" || slices.Contains(n.Traits, networks.RepeatsWithin) {
			return
		}
		post := r.newPost(n, a, "the first post")
		r.after(time.Hour)
		if e := r.wantStatus(post, schedctl.Failed).Error; e.Outcome != maybe {
			r.Errorf("error %+v", e)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			r.Errorf("the account is held for %+v", got.Error)
		}
	})
}

// A network that refuses one post after the other may refuse the account.
func TestThreeRefusedPostsHoldOnce(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, _ int) *publishtest.Recorded {
		if publishes {
			return n.refused()
		}
		return nil
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		var posts []schedctl.Post
		for _, text := range []string{"one", "two", "three", "four", "five"} {
			posts = append(posts, r.newPost(n, a, "the post number "+text))
		}
		r.after(time.Minute)
		r.kill()
		r.start() // what is known is in the store
		r.after(time.Hour)
		for i, p := range posts {
			if failed := r.target(p).Status == schedctl.Failed; failed != (i < 3) {
				r.Errorf("post %d is %s\n%s", i+1, r.target(p).Status, r.logs.String())
			}
		}
		got := r.readAccount(a.ID)
		if got.Status != schedctl.AccountError || got.Error.Code != string(publish.HoldBlocked) || !strings.Contains(got.Error.Message, "in a row") {
			r.Errorf("the account is %s for %+v", got.Status, got.Error)
		}
		if n := count(r.events(), schedctl.EventAccountError); n != 1 {
			r.Errorf("%d account events, want 1", n)
		}
	})
}

// Posts that are refused with publications between them hold nothing.
func TestRefusedPostsBetweenPublishedOnes(t *testing.T) {
	onRefusingNetworks(t, func(n *refusingNetwork, publishes bool, nth int) *publishtest.Recorded {
		if publishes && nth%2 == 1 {
			return n.refused()
		}
		return nil
	}, func(r *rig, n *refusingNetwork, a schedctl.Account) {
		for _, text := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
			r.newPost(n, a, "the post number "+text)
		}
		r.after(2 * time.Hour)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			r.Errorf("the account is held for %+v", got.Error)
		}
	})
}

// A hold with a date lasts until then. A person may try before, and then it is held again:
// the post does not fail for that.
func TestDatedHold(t *testing.T) {
	bubble(t, func(r *rig) {
		until := time.Now().Add(20 * time.Hour)
		dated := publishtest.Response{Err: &publish.Error{
			Kind: schedctl.KindAuth, Code: string(publish.HoldCredits), Message: "no credits", HTTPStatus: 403, Outcome: no, RetryAt: until,
		}}
		a := r.account("me", nil)
		r.fake.Then(dated, dated)
		r.start()
		first, second := r.publishNow(a), r.publishNow(a)
		r.after(time.Hour)
		r.wantCalls(1)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || !got.PausedUntil.Equal(schedctl.Millis(until)) {
			r.Errorf("account %s until %v", got.Status, got.PausedUntil)
		}
		tried := r.readAccount(a.ID)
		tried.Status, tried.Error, tried.PausedUntil = schedctl.AccountConnected, nil, time.Time{}
		r.putAccount(tried)
		r.after(time.Hour)
		r.wantCalls(2)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || !got.PausedUntil.Equal(schedctl.Millis(until)) {
			r.Errorf("account %s until %v", got.Status, got.PausedUntil)
		}
		if target := r.wantStatus(first, schedctl.Publishing); target.Tries() != target.Unreached {
			r.Errorf("%d of %d tries are used up", target.Tries()-target.Unreached, target.Tries())
		}
		r.after(19 * time.Hour)
		r.reconnect(a.ID)
		r.after(time.Minute)
		r.wantStatus(first, schedctl.Published)
		r.wantStatus(second, schedctl.Published)
	})
}
