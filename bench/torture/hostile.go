package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

const (
	hostileLate   = time.Second      // how much later posts of others may be published
	hostileStop   = 10 * time.Second // how long the daemon may take to stop
	hostileMemory = 1 << 30          // bytes of memory that the daemon may use
	hostileQueue  = 24               // posts of the hostile workspace that may wait for conversions

	// hostileRestart is the time after a kill in which posts reach a final state. The kill may
	// interrupt a request. Its network is asked after a minute, and the other posts of the
	// account, with their conversions, follow then.
	hostileRestart = 2 * time.Minute

	// Posts of the neighbor without, and again with the hostile workspace.
	hostileNeighbor      = 12
	hostileNeighborQuick = 5

	hostilePace = 400 * time.Millisecond // between two posts of the neighbor
)

// hostileWorkspace publishes pictures of one workspace, first alone, and then while
// another workspace uploads, publishes, links and serves files that cost as much as their
// size allows. The posts of the first one must be published on time, the memory of the
// daemon must stay bounded, and it must stop when it is asked to. After a kill, all posts
// must reach a final state within hostileRestart.
//
// The quick run has smaller files and fewer posts.
func hostileWorkspace(ctx context.Context, h *harness) (result, error) {
	posts, size := hostileNeighbor, 2<<20
	if h.quick {
		posts, size = hostileNeighborQuick, 320<<10
	}
	w, err := h.newHostileWorld(ctx, size)
	if err != nil {
		return result{}, err
	}
	defer w.end()
	counts := map[string]int64{}
	alone, err := w.publishPictures(ctx, "alone", posts)
	if err != nil {
		return result{}, err
	}
	stop := w.attack(ctx)
	defer stop()
	stalls := watchStalls()
	beside, err := w.publishPictures(ctx, "beside", posts)
	stalled := stalls()
	if err != nil {
		return result{}, fmt.Errorf("next to the hostile workspace: %w", err)
	}
	w.judged.judgeNeighbor(alone, beside, stalled)
	counts["alone_max_ms"], counts["beside_max_ms"] = longest(alone).Milliseconds(), longest(beside).Milliseconds()
	if err := w.stopAndKill(ctx, counts); err != nil {
		return result{}, err
	}
	stop()
	counts["requests"], counts["refused"] = w.requests.Load(), w.refused.Load()
	if err := h.idle(func() error { return w.awaitFinal(ctx) }); err != nil {
		return result{}, err
	}
	w.judgeMemory(counts)
	return w.judged.result(counts), w.checkDatabase(ctx)
}

// stopAndKill stops the daemon with SIGTERM, and later kills it, both at work.
func (w *hostileWorld) stopAndKill(ctx context.Context, counts map[string]int64) error {
	w.judgeMemory(counts)
	started := time.Now()
	w.daemon().Signal(syscall.SIGTERM)
	err := w.awaitEnd(ctx, hostileStop)
	counts["stop_ms"] = time.Since(started).Milliseconds()
	if err != nil {
		w.judged.violation(brokenStore, "the daemon did not stop cleanly within %s: %s", hostileStop, err)
	}
	if err := w.start(ctx); err != nil {
		return err
	}
	if err := sleep(ctx, 2*time.Second); err != nil {
		return err
	}
	w.judgeMemory(counts)
	w.daemon().Kill()
	return w.start(ctx)
}

// hostileWorld is a world with a neighbor and a hostile workspace.
type hostileWorld struct {
	*world
	*hostileCounts
	network *hostileNetwork

	neighbor, hostile tenant
	bluesky           string   // the neighbor's account
	pictures          [][]byte // of the neighbor's posts; none is used twice
	files             []mediatest.Worst
	size              int
	calendar          string // path of the hostile calendar feed

	madeMu sync.Mutex
	made   map[string][]byte // madeMu guards made, the files by type and name
}

func (h *harness) newHostileWorld(ctx context.Context, size int) (*hostileWorld, error) {
	inner, err := h.newWorld(setting{name: "hostile"})
	if err != nil {
		return nil, err
	}
	w := &hostileWorld{world: inner, hostileCounts: new(hostileCounts), network: newHostileNetwork(size), files: mediatest.WorstFiles(), size: size, made: map[string][]byte{}}
	w.random("hostile/files").Shuffle(len(w.files), func(i, j int) { w.files[i], w.files[j] = w.files[j], w.files[i] })
	photo := mediatest.PNG(2100, 1400) // more bytes than Bluesky takes
	for i := range 2 * hostileNeighbor {
		w.pictures = append(w.pictures, append(slices.Clip(photo), make([]byte, i)...)) // a camera may fill up its files
	}
	if err := w.connect(ctx); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// end stops everything.
func (w *hostileWorld) end() {
	w.world.end()
	w.network.stop()
}

// connect starts the daemon, and makes the workspaces and their accounts.
func (w *hostileWorld) connect(ctx context.Context) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	var made apiv1.CreatedWorkspace
	if err := w.daemon().Call(ctx, http.MethodPost, "/workspaces", `{"name":"hostile"}`, &made); err != nil {
		return err
	}
	w.neighbor, w.hostile = tenant{world: w, key: w.daemon().Key}, tenant{world: w, key: made.Secret}
	var err error
	w.bluesky, err = w.neighbor.connect(ctx, w.network.bluesky("neighbor"))
	return err
}

// publishPictures publishes posts with pictures, one after another, and returns how long
// each took from its acknowledgment until the network had it.
func (w *hostileWorld) publishPictures(ctx context.Context, phase string, posts int) (took []time.Duration, err error) {
	for i := range posts {
		if err := sleep(ctx, hostilePace); err != nil {
			return nil, err
		}
		picture := w.pictures[0]
		w.pictures = w.pictures[1:]
		media, err := w.neighbor.upload(ctx, picture)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("picture %d %s", i, phase)
		err = w.neighbor.post(ctx, apiv1.CreatePost{Content: text, SocialAccountIDs: []string{w.bluesky}, Media: []apiv1.PostMedia{{ID: media}}})
		if err != nil {
			return nil, err
		}
		acknowledged := time.Now()
		at, err := w.network.await(ctx, text)
		if err != nil {
			return nil, err
		}
		took = append(took, at.Sub(acknowledged))
	}
	return took, nil
}

// awaitFinal waits until no post is in an intermediate state.
func (w *hostileWorld) awaitFinal(ctx context.Context) error {
	for {
		var busy []apiv1.Post
		for _, t := range []tenant{w.neighbor, w.hostile} {
			var page apiv1.PostList
			if err := t.call(ctx, http.MethodGet, "/posts?status=scheduled&status=publishing", nil, &page); err != nil {
				return err
			}
			busy = append(busy, page.Results...)
		}
		since := time.Since(w.daemon().StartTime())
		switch {
		case len(busy) == 0:
			return nil
		case since > hostileRestart:
			for _, p := range busy {
				w.judged.violation(stuckRecord, "post %q is %s %s after the start", p.Content, p.Status, since.Round(time.Second))
			}
			return nil
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// judgeMemory checks how much memory the daemon has used.
func (w *hostileWorld) judgeMemory(counts map[string]int64) {
	peak, err := child.PeakMemory(w.daemon().PID())
	if err != nil {
		return // it is counted on Linux only
	}
	counts["peak_mb"] = max(counts["peak_mb"], peak>>20)
	if peak > hostileMemory {
		w.judged.violation(brokenStore, "the daemon used %d MB of memory, want %d at most", peak>>20, hostileMemory>>20)
	}
}

// judgeNeighbor compares the posts of the neighbor without and with the hostile workspace.
// stalled is how long the machine itself did not run a program that wanted to.
func (j *verdictCollector) judgeNeighbor(alone, beside []time.Duration, stalled time.Duration) {
	most := longest(alone) + hostileLate + stalled
	for i, took := range beside {
		if took > most {
			j.violation(stuckRecord, "post %d next to the hostile workspace was published after %s, want %s at most (%s alone, and %s in which the machine stalled)",
				i, took.Round(time.Millisecond), most.Round(time.Millisecond), longest(alone).Round(time.Millisecond), stalled.Round(time.Millisecond))
		}
	}
}

func longest(all []time.Duration) (most time.Duration) {
	for _, d := range all {
		most = max(most, d)
	}
	return most
}

// watchStalls measures for how long the machine keeps a goroutine that only sleeps from
// running. end returns the longest time.
func watchStalls() (end func() time.Duration) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	var worst time.Duration
	wg.Go(func() {
		const tick = 10 * time.Millisecond
		for {
			began := time.Now()
			select {
			case <-done:
				return
			case <-time.After(tick):
				worst = max(worst, time.Since(began)-tick)
			}
		}
	})
	return func() time.Duration {
		close(done)
		wg.Wait()
		return worst
	}
}
