package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	crowdPosts       = 100_000
	crowdAccounts    = 500
	crowdRequests    = 10_000
	crowdReaderCount = 16

	// crowdLead is the time for seeding the posts and starting the daemon. When that
	// takes longer, the posts are due at the start.
	crowdLead = 10 * time.Second

	// crowdLimit limits the time to publish all posts. bench measures the speed.
	crowdLimit = 3 * time.Minute
)

// crowd makes 100,000 posts of 500 accounts due at one instant, while readers request
// lists and posts. Each post must be published once, and every request must get a
// response. The quick run has 20,000 posts.
func crowd(ctx context.Context, h *harness) (result, error) {
	w, err := h.newWorld(setting{name: "crowd"})
	if err != nil {
		return result{}, err
	}
	defer w.end()
	w.skipOutbox, w.certain = true, true
	if err := w.start(ctx); err != nil {
		return result{}, err
	}
	for i := range crowdAccounts {
		if _, err := w.connectOne(ctx, []kind{idempotent, blind}[i%2], nil); err != nil {
			return result{}, err
		}
	}
	due := crowdPosts
	if h.quick {
		due /= 5
	}
	at, err := w.seedCrowd(ctx, due)
	if err != nil {
		return result{}, err
	}
	if err := w.start(ctx); err != nil {
		return result{}, err
	}
	time.Sleep(time.Until(at))
	started := time.Now()
	r := &crowdReaders{world: w}
	done := make(chan error, 1)
	go func() { done <- r.read(ctx) }()
	err = w.settle(ctx, crowdLimit)
	out := time.Since(started)
	if readErr := <-done; err == nil {
		err = readErr
	}
	if err != nil {
		return result{}, err
	}
	err = w.check(ctx)
	return w.judged.result(map[string]int64{
		"due": int64(due), "requests": crowdRequests, "out_ms": out.Milliseconds(),
		"read_p50_us": r.quantile(.5).Microseconds(), "read_p99_us": r.quantile(.99).Microseconds(),
	}), err
}

// seedCrowd stores the posts and returns when they are due.
func (w *world) seedCrowd(ctx context.Context, due int) (time.Time, error) {
	accounts := slices.Concat(w.accounts[idempotent], w.accounts[blind])
	posts := make([]plannedPost, due)
	at := time.Now().Add(crowdLead).Truncate(time.Millisecond)
	for i := range posts {
		posts[i] = plannedPost{account: accounts[i%len(accounts)], at: at}
	}
	return at, w.seed(ctx, posts)
}

// crowdReaders send the read requests that people send.
type crowdReaders struct {
	world *world
	asked atomic.Int64
	mu    sync.Mutex // mu guards took
	took  []time.Duration
}

// read sends all requests over several connections.
func (r *crowdReaders) read(ctx context.Context) error {
	transport := &http.Transport{MaxIdleConnsPerHost: crowdReaderCount}
	defer transport.CloseIdleConnections()
	var wg sync.WaitGroup
	var failed firstError
	for i := range crowdReaderCount {
		random := r.world.random(fmt.Sprintf("reader-%d", i))
		wg.Go(func() {
			for ctx.Err() == nil && r.asked.Add(1) <= crowdRequests {
				failed.add(r.ask(ctx, transport, r.path(random)))
			}
		})
	}
	wg.Wait()
	return failed.err
}

// path returns the path of a random request.
func (r *crowdReaders) path(random *rand.Rand) string {
	post := r.world.seeded[random.IntN(len(r.world.seeded))].post
	account := r.world.accounts[blind][random.IntN(len(r.world.accounts[blind]))]
	paths := []string{
		"/posts?limit=20", "/posts?status=scheduled&status=publishing&sort=publish_at", "/posts?status=published&social_account_id=" + account,
		"/posts/" + post, "/posts/" + post + "/timeline", "/me",
	}
	return paths[random.IntN(len(paths))]
}

func (r *crowdReaders) ask(ctx context.Context, transport *http.Transport, path string) error {
	d := r.world.daemon()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.Address+"/api/v1"+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.Key)
	started := time.Now()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		r.world.judged.violation(lostRecord, "GET %s: no response: %s", path, err)
		return ctx.Err()
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		r.world.judged.violation(lostRecord, "GET %s: status %s, %v", path, resp.Status, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, time.Since(started))
	return ctx.Err()
}

// quantile returns a quantile of the response times.
func (r *crowdReaders) quantile(q float64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.took) == 0 {
		return 0
	}
	slices.Sort(r.took)
	return r.took[int(q*float64(len(r.took)-1))]
}
