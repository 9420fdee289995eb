package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

const (
	hostileConnections = 4
	hostileDrafts      = 400 // with long texts to search
	hostileWindow      = time.Second
)

// measureHostile compares how late posts of one workspace are published in two
// situations: while a key of a different workspace sends the most expensive possible
// requests, and while it sends ordinary requests to the same operations. Either way a
// few connections send one request after another, as fast as responses arrive.
func measureHostile(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.withAccounts(ctx)
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		h, err := newHostile(ctx, d)
		if err != nil {
			return err
		}
		f, err := b.startFeed(ctx, d)
		if err != nil {
			return err
		}
		stretches, err := h.stretches(ctx, b, f.first)
		arrived, stopped := f.stop(ctx, n)
		if err := errors.Join(err, stopped); err != nil {
			return err
		}
		out = h.rows(stretches, arrived)
		return nil
	})
	return out, err
}

// windowStarts are the start times of the windows, and the end of the last one: a quiet
// window, then an ordinary, a hostile and an ordinary one in each round, and a quiet
// one.
type windowStarts []time.Time

func (h *hostile) stretches(ctx context.Context, b *bench, first time.Time) (started windowStarts, err error) {
	quiet := func(end time.Time) error { return sleepUntil(ctx, end) }
	parts := []func(time.Time) error{quiet}
	for range b.rounds {
		for _, requests := range [][]hostileRequest{h.ordinary, h.requests, h.ordinary} {
			parts = append(parts, func(end time.Time) error { return h.attack(ctx, requests, end) })
		}
	}
	started = windowStarts{first}
	for _, part := range append(parts, quiet) {
		if err := part(started[len(started)-1].Add(b.length(hostileWindow))); err != nil {
			return nil, err
		}
		started = append(started, time.Now()) // the last requests have ended
	}
	return started, nil
}

func (h *hostile) rows(started windowStarts, arrived []arrival) []result {
	var c comparison
	var p99 []float64
	latest := time.Duration(0)
	for i := 1; i+3 < len(started); i += 3 {
		c = append(c, p99Between([4]time.Time(started[i:i+4]), arrived)...)
		p99 = append(p99, c[len(c)-1].subject[0])
	}
	for _, a := range arrived {
		latest = max(latest, a.late())
	}
	silent := []float64{started.p99(0, arrived), started.p99(len(started)-2, arrived)}
	return []result{
		c.row("publishing p99 with a hostile key of a different workspace / with a busy one", 0, goal{atMost: 2}, "µs").
			detailed("%d requests from %s", h.sent.Load(), plural(hostileConnections, "connection")),
		within("publishing with a hostile key: the latest", latest, time.Second).
			detailed("p99 %.0f µs, and %.0f µs without requests", median(p99), median(silent)),
	}
}

// p99 returns the lateness of the posts of a window.
func (started windowStarts) p99(i int, arrived []arrival) float64 {
	var late []time.Duration
	for _, a := range arrived {
		if !a.Since.Before(started[i]) && a.Since.Before(started[i+1]) {
			late = append(late, a.late())
		}
	}
	return micros(quantile(late, 0.99))
}

// hostile is a key of a separate workspace.
type hostile struct {
	server
	client   *http.Client
	requests []hostileRequest
	ordinary []hostileRequest // ordinary requests to the same operations
	sent     atomic.Int64     // requests that got a response
}

type hostileRequest struct{ method, path, body string }

// newHostile creates the workspace and fills it with drafts.
func newHostile(ctx context.Context, d *child.Daemon) (*hostile, error) {
	var made struct{ Secret string }
	if err := d.Call(ctx, "POST", "/workspaces", `{"name":"hostile"}`, &made); err != nil {
		return nil, err
	}
	h := &hostile{server: server{d.Address, made.Secret}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: hostileConnections}}}
	draft := fmt.Sprintf(`{"content":%q}`, strings.Repeat("a", 5000))
	_, err := runLoad(ctx, h.server, load{connections: 8, count: hostileDrafts, request: func(i int) []byte {
		return h.post("/posts", fmt.Sprintf("draft-%d", i), draft)
	}})
	text := strings.Repeat("https://example.org/@a ", 5000/23)
	h.requests = []hostileRequest{
		{"GET", "/posts?limit=100&q=" + url.QueryEscape(strings.Repeat("a", 199)+"b"), ""},
		{"GET", "/posts?limit=100&status=published&status=failed&status=canceled&sort=publish_at", ""},
		{"GET", "/posts?offset=2147483647", ""},
		{"GET", "/audit?limit=100", ""},
		{"POST", "/posts/validate", fmt.Sprintf(`{"content":%q}`, text)},
		{"POST", "/posts", `{"content":` + strings.Repeat("[", 1<<20-20)},
		{"POST", "/posts", "{" + strings.Repeat(`"a":1,`, 1<<20/6-10) + `"a":1}`},
		{"POST", "/posts", `{"social_account_ids":[` + strings.Repeat("0,", 1<<19-20) + `0]}`},
	}
	h.ordinary = []hostileRequest{
		{"GET", "/posts?limit=20", ""},
		{"GET", "/posts?status=draft&sort=publish_at", ""},
		{"GET", "/audit?limit=20", ""},
		{"POST", "/posts/validate", `{"content":"hello"}`},
		{"POST", "/posts", `{"content":"hello"}`},
	}
	return h, err
}

// attack sends requests until end. Refusals of hostile requests are expected.
func (h *hostile) attack(ctx context.Context, requests []hostileRequest, end time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range hostileConnections {
		wg.Go(func() {
			for ctx.Err() == nil {
				h.send(ctx, requests[int(next.Add(1)-1)%len(requests)])
			}
		})
	}
	wg.Wait()
	h.client.CloseIdleConnections()
	if next.Load() == 0 {
		return errors.New("no request was sent")
	}
	return nil
}

// send counts a request that gets any response.
func (h *hostile) send(ctx context.Context, r hostileRequest) {
	req, err := http.NewRequestWithContext(ctx, r.method, "http://"+h.address+"/api/v1"+r.path, strings.NewReader(r.body))
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+h.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		h.sent.Add(1)
	}
}
