package deliver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// stageRig is a rig whose network publishes in two steps.
type stageRig struct {
	mediaRig
	staging *publishtest.StagingFake
}

func stageBubble(t *testing.T, test func(stageRig)) {
	t.Helper()
	mediaBubble(t, func(m mediaRig) {
		r := stageRig{m, publishtest.NewStagingFake("fake")}
		r.staging.UploadingFake = m.network
		r.registry = publish.NewRegistry(r.staging)
		test(r)
	})
}

// wantPosts checks how many posts the network shows, and how many it has staged.
func (r stageRig) wantPosts(posts, stages int) {
	r.Helper()
	if got := len(r.fake.Listed()); got != posts {
		r.Errorf("%d posts on the network, want %d\n%s", got, posts, r.logs.String())
	}
	if got := len(r.staging.Stages()); got != stages {
		r.Errorf("%d staged posts, want %d\n%s", got, stages, r.logs.String())
	}
}

func TestPostsAreStagedAhead(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		r.staging.OnStaged = func(_ context.Context, n int, _ string) (bool, error) { return n > 3, nil }
		a := r.account("me", nil)
		r.start()
		p := r.schedule(10*time.Minute, a)
		r.after(9*time.Minute + 30*time.Second)
		r.wantPosts(0, 1)
		r.after(30*time.Second + time.Millisecond)
		r.wantStatus(p, schedctl.Published)
		r.wantPosts(1, 1)
		attempts := r.attempts(p)
		if len(attempts) != 1 || attempts[0].Stage != "stage-1" {
			t.Errorf("attempts %+v", attempts)
		}
	})
}

func (r stageRig) attempts(p schedctl.Post) (list []schedctl.Attempt) {
	r.Helper()
	r.view(func(tx storage.Reader) (err error) {
		list, err = tx.Attempts(p.Targets[0].ID)
		return err
	})
	return list
}

func TestEditsDropTheStagedPost(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		a := r.account("me", nil)
		r.start()
		p := r.schedule(10*time.Minute, a)
		r.after(9*time.Minute + 59*time.Second)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			text := "other words"
			return p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &text}}, time.Now())
		})
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantPosts(1, 2)
		if got := r.fake.Listed()[0].Content; got != "other words" {
			t.Errorf("published %q", got)
		}
	})
}

// TestStagingErrorsPublishNothing guards that no failure to stage a post counts as
// unknown, whatever the publisher says.
func TestStagingErrorsPublishNothing(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		r.staging.OnStage = func(_ context.Context, n int) (bool, error) {
			if n > 3 {
				return true, nil
			}
			return n == 2, &publish.Error{Kind: schedctl.KindNetwork, Message: "cut off", Outcome: maybe}
		}
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Published)
		r.wantPosts(1, 2)
		if got := r.outcomes(p); len(got) != 4 || got[0] != no || got[2] != no {
			t.Errorf("outcomes %v", got)
		}
	})
}

// TestWaitingForTheNetworkIsNoTry guards that a post which is processed for long, and lost
// once, is published by its first attempt.
func TestWaitingForTheNetworkIsNoTry(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		start := time.Now()
		r.staging.OnStaged = func(_ context.Context, _ int, id string) (bool, error) {
			switch {
			case id == "stage-1":
				return false, publish.StageLost(400, "the network could not process it")
			default:
				return time.Since(start) > 4*time.Minute, nil
			}
		}
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(5 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantPosts(1, 2)
		if n := len(r.outcomes(p)); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestPostsThatAreNeverProcessedFail(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		r.staging.OnStaged = func(context.Context, int, string) (bool, error) { return false, nil }
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(15 * time.Minute)
		if got := r.wantStatus(p, schedctl.Failed); got.Error.Kind != schedctl.KindMedia || got.Error.Outcome != no {
			t.Errorf("error %+v", got.Error)
		}
		r.wantPosts(0, 2)
	})
}

// TestStagedPostsInDoubt covers every way in which a request that publishes can end, with a
// network that has published or not.
func TestStagedPostsInDoubt(t *testing.T) {
	down := &publish.Error{Kind: schedctl.KindNetwork, Message: "cut off", Outcome: maybe}
	transient := &publish.Error{Kind: schedctl.KindPlatform, Code: "24", Message: "not yet", HTTPStatus: 400, Outcome: no}
	for _, tt := range []struct {
		name     string
		first    publishtest.Response
		lose     bool // the network forgets the staged post before it is asked
		attempts int
		stages   int
	}{
		{"published without a response", publishtest.Response{Err: down, Accepted: true}, false, 1, 1},
		{"not published, and asked", publishtest.Response{Err: down}, false, 2, 1},
		{"not published, and lost", publishtest.Response{Err: down}, true, 3, 2},
		{"refused for now", publishtest.Response{Err: transient}, false, 2, 1},
		{"lost before the request", publishtest.Response{Err: publish.StageLost(404, "gone")}, false, 1, 2},
		{"published late", publishtest.Response{Err: down, After: 25 * time.Second, Accepted: true}, false, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stageBubble(t, func(r stageRig) {
				r.fake.Then(tt.first)
				r.start()
				p := r.publishNow(r.account("me", nil))
				r.after(time.Second)
				if tt.lose {
					r.staging.LoseStages()
				}
				r.after(time.Hour)
				r.wantStatus(p, schedctl.Published)
				r.wantPosts(1, tt.stages)
				if got := r.outcomes(p); len(got) != tt.attempts {
					t.Errorf("outcomes %v, want %d\n%s", got, tt.attempts, r.logs.String())
				}
			})
		})
	}
}

// TestLateRequestsPublishNothingMore guards that an attempt after one in doubt publishes the
// same staged post: the network publishes the first request after it was asked about it.
func TestLateRequestsPublishNothingMore(t *testing.T) {
	stageBubble(t, func(r stageRig) {
		r.fake.OnCall(func(_ context.Context, request publish.Request) publishtest.Response {
			if request.Attempt > 1 {
				return publishtest.Response{}
			}
			time.AfterFunc(2*time.Minute, func() { r.staging.Accept(request) })
			return publishtest.Response{Err: &publish.Error{Kind: schedctl.KindNetwork, Message: "cut off", Outcome: maybe}}
		})
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Published)
		r.wantPosts(1, 1)
	})
}

// TestKillsAtEveryStep kills the daemon before and after each step of a network with
// stages, at the first, second and third pass of it.
func TestKillsAtEveryStep(t *testing.T) {
	steps := []string{"upload", "stage", "stage stored", "staged", "publish", "published"}
	for _, step := range steps {
		for pass := int64(1); pass <= 3; pass++ {
			for _, ahead := range []bool{false, true} {
				t.Run(fmt.Sprint(step, "/", pass, "/", ahead), func(t *testing.T) {
					stageBubble(t, func(r stageRig) { killAtStep(r, step, pass, ahead) })
				})
			}
		}
	}
}

func killAtStep(r stageRig, step string, pass int64, ahead bool) {
	down := &publish.Error{Kind: schedctl.KindNetwork, Message: "cut off", Outcome: maybe}
	var passed atomic.Int64
	killed := make(chan struct{})
	// kill ends the run as soon as the step was passed often enough, and never returns a
	// result to it.
	kill := func(ctx context.Context, at string) bool {
		if at != step || passed.Add(1) != pass {
			return false
		}
		close(killed)
		<-ctx.Done()
		return true
	}
	r.network.OnUpload = func(ctx context.Context, _ int, _ publish.Request, _ publish.File) error {
		if kill(ctx, "upload") {
			return down
		}
		return nil
	}
	r.staging.OnStage = func(ctx context.Context, _ int) (bool, error) {
		if kill(ctx, "stage") {
			return false, down
		}
		if kill(ctx, "stage stored") {
			return true, down
		}
		return true, nil
	}
	r.staging.OnStaged = func(ctx context.Context, n int, _ string) (bool, error) {
		if kill(ctx, "staged") {
			return false, down
		}
		return n%3 == 0, nil
	}
	r.fake.OnCall(func(ctx context.Context, _ publish.Request) publishtest.Response {
		switch {
		case kill(ctx, "publish"):
			return publishtest.Response{Err: down}
		case kill(ctx, "published"):
			return publishtest.Response{Err: down, Accepted: true}
		}
		return publishtest.Response{}
	})
	first := threadOf(3, r.account("me", nil))
	first.Media = []schedctl.PostMedia{r.asset("a")}
	first.Thread[1].Media = []schedctl.PostMedia{r.asset("b")}
	first.Now = !ahead
	if ahead {
		first.PublishAt = time.Now().Add(3 * time.Minute)
	}
	r.start()
	p := r.create(first)
	select {
	case <-killed:
	case <-time.After(5 * time.Minute): // the step is not passed that often
	}
	r.endFor(storage.ErrBroken)
	r.after(2 * time.Second)
	r.start()
	r.after(3 * time.Hour)
	r.wantStatus(p, schedctl.Published)
	if n := len(r.fake.Listed()); n != 3 {
		r.Errorf("%d posts on the network\n%s", n, r.logs.String())
	}
}

// TestKillsOnStagedNetworks kills the daemon at random times, on a network that loses staged
// posts, processes slowly, and accepts posts without a response.
func TestKillsOnStagedNetworks(t *testing.T) {
	for _, seed := range testsize.Seeds(40, 200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			stageBubble(t, func(r stageRig) {
				random := rand.New(rand.NewPCG(seed, 31))
				r.unreliable(random)
				r.unreliableStages(random)
				first := threadOf(1+random.IntN(3), r.account("me", nil))
				if random.IntN(2) == 0 {
					first.Media = []schedctl.PostMedia{r.asset("a")}
				}
				first.PublishAt = time.Now().Add(5 * time.Minute)
				r.start()
				posts := []schedctl.Post{r.create(first), r.schedule(6*time.Minute, r.account("other", nil))}
				r.after(3 * time.Minute)
				for range 1 + random.IntN(5) {
					r.after(time.Duration(random.Int64N(int64(90 * time.Second))))
					r.endFor(storage.ErrBroken)
					r.after(time.Duration(random.Int64N(int64(5 * time.Second))))
					if random.IntN(3) == 0 {
						r.staging.LoseStages()
					}
					r.start()
				}
				r.after(8 * time.Hour)
				for _, p := range posts {
					r.wantStatus(p, schedctl.Published)
				}
				if n, want := len(r.fake.Listed()), len(first.Thread)+2; n != want {
					t.Errorf("%d posts on the network, want %d\n%s", n, want, r.logs.String())
				}
			})
		})
	}
}

func (r stageRig) unreliableStages(random *rand.Rand) {
	down := &publish.Error{Kind: schedctl.KindNetwork, Message: "down", Outcome: maybe}
	takes, failures, polls := time.Duration(random.Int64N(int64(20*time.Second))), random.IntN(3), random.IntN(4)
	stored := random.IntN(2) == 0
	r.staging.OnStage = func(ctx context.Context, n int) (bool, error) {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return stored, down
		}
		if n <= failures {
			return stored, down
		}
		return true, nil
	}
	r.staging.OnStaged = func(_ context.Context, n int, _ string) (bool, error) { return n%(polls+1) == 0, nil }
}

// TestStagedPostsOnAFile kills the daemon between the steps, and opens the file again.
func TestStagedPostsOnAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, openBolt(t, path))
		network := newStagingNetwork()
		r.registry, r.fake = publish.NewRegistry(network), network.Fake
		network.OnCall(func(context.Context, publish.Request) publishtest.Response {
			return publishtest.Response{After: 5 * time.Second, Accepted: true}
		})
		p := r.create(withComment(threadOf(4, r.accountOn("staging", "me", nil))))
		r.start()
		for range 8 {
			r.after(4 * time.Second)
			r.endFor(storage.ErrBroken)
			if err := r.store.Close(); err != nil {
				t.Fatal(err)
			}
			r.store = openBolt(t, path)
			r.store.Notify(r.committed)
			r.start()
			r.after(time.Minute)
		}
		r.after(time.Hour)
		r.wantThread(p)
		r.kill()
		if err := r.store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestStagedPostsOnPostgres kills one of two daemons on one PostgreSQL while they publish
// in two steps. The test runs in real time.
func TestStagedPostsOnPostgres(t *testing.T) {
	t.Parallel()
	s := server{t, postgrestest.Schema(t)}
	f := newFleet(newRig(t, s.Open()))
	f.database = s
	defer f.end()
	f.join()
	f.join()
	f.staging.OnStaged = nil
	f.networks["staging"].OnCall(func(context.Context, publish.Request) publishtest.Response {
		return publishtest.Response{After: 200 * time.Millisecond, Accepted: true}
	})
	waitFor(t, "the daemons to know each other", func() bool {
		return len(f.nodes[0].member.Nodes()) == 2 && len(f.nodes[1].member.Nodes()) == 2
	})
	var posts []schedctl.Post
	for i := range 8 {
		a := f.accountOf(f.nodes[i%2], "staging", nil)
		posts = append(posts, f.create(threadOf(3, a)), f.create(threadOf(1, a)))
	}
	time.Sleep(700 * time.Millisecond)
	f.nodes[0].kill()
	f.join()
	waitFor(t, "all posts to be published", func() bool {
		return !slices.ContainsFunc(posts, func(p schedctl.Post) bool {
			now := f.post(p.ID)
			return now.Status() != schedctl.Published
		})
	})
	for key, n := range f.networks["staging"].Posts() {
		if n != 1 {
			t.Errorf("%s is on the network %d times", key, n)
		}
	}
}
