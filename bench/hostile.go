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
	hostileDrafts      = 400 // long texts, to be searched
	hostileStretch     = 1500 * time.Millisecond
)

// measureHostile compares how late posts of one workspace are published while a key
// of another workspace sends the dearest requests that it can, one after another from
// a few connections, with the time before and after.
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
		stretch := b.length(hostileStretch)
		began := [4]time.Time{f.first, f.first.Add(stretch), f.first.Add(2 * stretch), f.first.Add(3 * stretch)}
		err = errors.Join(until(ctx, began[1]), h.attack(ctx, began[2]))
		began[2] = time.Now() // the last requests have ended
		began[3] = began[2].Add(stretch)
		err = errors.Join(err, until(ctx, began[3]))
		arrived, stopped := f.stop(ctx, n)
		if err := errors.Join(err, stopped); err != nil {
			return err
		}
		out = []result{p99Between(began, arrived).row("publishing p99 while a key of another workspace is hostile / before and after", 0, goal{atMost: 2}, "µs").
			detailed("%d hostile requests from %s", h.sent.Load(), plural(hostileConnections, "connection"))}
		return nil
	})
	return out, err
}

// hostile is a key of a workspace of its own.
type hostile struct {
	server
	client   *http.Client
	requests []hostileRequest
	sent     atomic.Int64
}

type hostileRequest struct{ method, path, body string }

// newHostile makes the workspace, and fills it with drafts.
func newHostile(ctx context.Context, d *child.Daemon) (*hostile, error) {
	var made struct{ Secret string }
	if err := d.Call(ctx, "POST", "/workspaces", `{"name":"hostile"}`, &made); err != nil {
		return nil, err
	}
	h := &hostile{server: server{d.Address, made.Secret}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: hostileConnections}}}
	draft := fmt.Sprintf(`{"content":%q}`, strings.Repeat("a", 5000))
	_, err := load(ctx, h.server, loading{connections: 8, count: hostileDrafts, request: func(i int) []byte {
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
	return h, err
}

// attack sends requests until an instant. Refusals are what is to be expected.
func (h *hostile) attack(ctx context.Context, end time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range hostileConnections {
		wg.Go(func() {
			for ctx.Err() == nil {
				h.send(ctx, h.requests[int(next.Add(1)-1)%len(h.requests)])
			}
		})
	}
	wg.Wait()
	h.client.CloseIdleConnections()
	if h.sent.Load() == 0 {
		return errors.New("no hostile request was answered")
	}
	return nil
}

// send counts a request that has a response, whatever it is.
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
