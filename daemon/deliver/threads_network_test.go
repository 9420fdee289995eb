package deliver_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// threadsBubble runs a test on a server with the API of Threads.
func threadsBubble(t *testing.T, network *publishtest.FakeContainers, test func(*rig, schedctl.Account)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := newWire(network)
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		test(r, r.connect(platformOf("threads"), wire.client))
	})
}

// TestThreadsResponses gives the first request to publish each response that the
// documentation and other programs report. Whatever it is, there is one post at most.
func TestThreadsResponses(t *testing.T) {
	t.Parallel()
	type response = publishtest.ContainerResponse
	refuse := func(code, subcode int) response {
		return response{Status: 400, Body: publishtest.MetaError(code, subcode, "no")}
	}
	stored := func(r response) response { r.Store = true; return r }
	const published, heldBack = schedctl.Published, schedctl.Publishing
	for _, tt := range []struct {
		name     string
		first    response
		status   schedctl.Status
		posts    int
		attempts int
		code     string // of the account's error
	}{
		{"accepted", response{}, published, 1, 1, ""},
		{"accepted, then cut", response{Drop: true, Store: true}, published, 1, 1, ""},
		{"cut", response{Drop: true}, published, 1, 1, ""},
		{"unknown error, published", stored(refuse(1, 0)), published, 1, 1, ""},
		{"unknown error, not published", refuse(1, 0), published, 1, 1, ""},
		{"internal error, published", response{Status: 500, Body: publishtest.MetaError(2, 0, "later"), Store: true}, published, 1, 1, ""},
		{"internal error, not published", response{Status: 500, Body: publishtest.MetaError(2, 0, "later")}, published, 1, 1, ""},
		{"no JSON, published", response{Status: 502, Body: "<html>", Store: true}, published, 1, 1, ""},
		{"accepted without an id", response{Status: 200, Body: "{}", Store: true}, published, 1, 1, ""},
		{"not found right after FINISHED", refuse(24, 4279009), published, 1, 2, ""},
		{"rate limit", refuse(4, 0), published, 1, 2, ""},
		{"rate limit of the account", refuse(613, 0), published, 1, 2, ""},
		{"business rate limit", refuse(80007, 0), published, 1, 2, ""},
		{"container refused", refuse(100, 0), published, 1, 1, ""},
		{"duplicate", refuse(506, 0), schedctl.Failed, 0, 1, ""},
		{"token expired", refuse(190, 463), heldBack, 0, 1, "token_expired"},
		{"token revoked", refuse(190, 460), heldBack, 0, 1, "token_revoked"},
		{"scope", refuse(10, 0), heldBack, 0, 1, "missing_scope"},
		{"permission", refuse(200, 0), heldBack, 0, 1, "missing_scope"},
		{"blocked", refuse(368, 0), heldBack, 0, 1, "blocked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI, Respond: func(n int) (r response) {
				if n == 1 {
					r = tt.first
				}
				return r
			}}
			threadsBubble(t, network, func(r *rig, a schedctl.Account) {
				r.start()
				p := r.publishNow(a)
				r.after(time.Hour)
				target, account := r.target(p), r.readAccount(a.ID)
				if target.Status != tt.status || len(r.outcomes(p)) != tt.attempts || len(network.Posts()) != tt.posts {
					t.Errorf("%s after %v, with %d posts, error %+v\n%s", target.Status, r.outcomes(p), len(network.Posts()), target.Error, r.logs.String())
				}
				if tt.posts == 1 && (target.PlatformPostID != network.Posts()[0].ID || target.PlatformPostURL == "") {
					t.Errorf("target %+v", target)
				}
				switch {
				case tt.code == "" && account.Error != nil, tt.code != "" && (account.Error == nil || account.Error.Code != tt.code):
					t.Errorf("account %s, error %+v", account.Status, account.Error)
				}
				r.wantDiscretionOf(platformOf("threads"))
			})
		})
	}
}

// Containers that fail, are never processed, or expire.
func TestThreadsContainers(t *testing.T) {
	t.Parallel()
	t.Run("slow", func(t *testing.T) {
		threadsBubble(t, &publishtest.FakeContainers{API: publishtest.ThreadsAPI, Processing: 4 * time.Minute}, func(r *rig, a schedctl.Account) {
			r.start()
			p := r.publishNow(a)
			r.after(5 * time.Minute)
			r.wantStatus(p, schedctl.Published)
			if n := len(r.outcomes(p)); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	})
	for name, status := range map[string]string{"failed": "ERROR", "never processed": "IN_PROGRESS"} {
		t.Run(name, func(t *testing.T) {
			network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI, Ends: status}
			threadsBubble(t, network, func(r *rig, a schedctl.Account) {
				r.start()
				p := r.publishNow(a)
				r.after(time.Hour)
				got := r.wantStatus(p, schedctl.Failed)
				if got.Error.Kind != schedctl.KindMedia || got.Error.Outcome != no || len(network.Containers()) != 2 || network.Calls() != 0 {
					t.Errorf("error %+v, %d containers", got.Error, len(network.Containers()))
				}
			})
		})
	}
	t.Run("expired after a cut connection", func(t *testing.T) {
		network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
		network.Respond = func(n int) publishtest.ContainerResponse {
			if n == 1 {
				time.AfterFunc(time.Second, network.Expire)
			}
			return publishtest.ContainerResponse{Drop: n == 1}
		}
		threadsBubble(t, network, func(r *rig, a schedctl.Account) {
			r.start()
			p := r.publishNow(a)
			r.after(time.Hour)
			r.wantStatus(p, schedctl.Published)
			if n := len(network.Posts()); n != 1 {
				t.Errorf("%d posts", n)
			}
		})
	})
}

// TestThreadsReplyQuota checks that the parts of a thread wait while the account has as many
// replies as Threads allows, and that this uses up no tries.
func TestThreadsReplyQuota(t *testing.T) {
	network := &publishtest.FakeContainers{API: publishtest.ThreadsAPI}
	var full atomic.Bool
	network.Replies = func() int {
		if full.Load() {
			return 1000
		}
		return 999
	}
	threadsBubble(t, network, func(r *rig, a schedctl.Account) {
		full.Store(true)
		r.start()
		p := r.create(threadOf(2, a))
		r.after(6 * time.Hour)
		target := r.wantStatus(p, schedctl.Publishing)
		if len(network.Posts()) != 1 || target.Error == nil || target.Error.Code != publish.CodeWindowFull || target.ShownNext().IsZero() {
			t.Errorf("%d posts, target %+v, error %+v", len(network.Posts()), target, target.Error)
		}
		full.Store(false)
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Published)
		if len(network.Posts()) != 2 {
			t.Errorf("%d posts", len(network.Posts()))
		}
	})
}

// TestKillsOnThreads kills the daemon at random times on a server that takes seconds for
// each response, cuts connections, reports unknown errors, and expires containers.
func TestKillsOnThreads(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(20, 100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			network := networks.Containers(publishtest.ThreadsAPI, rand.New(rand.NewPCG(seed, 42)))
			threadsBubble(t, network, func(r *rig, a schedctl.Account) {
				random := rand.New(rand.NewPCG(seed, 41))
				thread := threadOf(3, a)
				thread.PublishAt = time.Now().Add(3 * time.Minute)
				r.start()
				posts := []schedctl.Post{r.create(thread), r.schedule(3*time.Minute+time.Second, a)}
				r.after(2 * time.Minute)
				for range 1 + random.IntN(5) {
					r.after(time.Duration(random.Int64N(int64(40 * time.Second))))
					r.endFor(storage.ErrBroken)
					if random.IntN(4) == 0 {
						network.Expire()
					}
					r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
					r.start()
				}
				r.after(8 * time.Hour)
				for _, p := range posts {
					if target := r.target(p); target.Status != schedctl.Published || target.PlatformPostID == "" {
						t.Errorf("target %+v, error %+v\n%s", target, target.Error, r.logs.String())
					}
				}
				checkThreadsPosts(r, network, r.post(posts[0].ID))
			})
		})
	}
}

// checkThreadsPosts checks that each part is on the network once, under its parent.
func checkThreadsPosts(r *rig, network *publishtest.FakeContainers, thread schedctl.Post) {
	r.Helper()
	list := network.Posts()
	if len(list) != 4 {
		r.Errorf("%d posts on the network, want 4\n%s", len(list), r.logs.String())
		return
	}
	parents := map[string]string{}
	for _, p := range list {
		parents[p.ID] = p.ReplyTo
	}
	done := thread.Targets[0].Done
	for i := 1; i < len(done); i++ {
		if parents[done[i].ID] != done[i-1].ID {
			r.Errorf("part %d replies to %q, want %q", i, parents[done[i].ID], done[i-1].ID)
		}
	}
	if strings.Contains(r.logs.String(), "threads-token") {
		r.Error("the log contains the token")
	}
}
