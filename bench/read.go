package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// smallPosts is the number of posts in the smaller database.
const smallPosts = 1000

// measureReads compares reads of posts and list pages with a plain handler that serves
// the same bytes.
func measureReads(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.waiting(ctx, smallPosts)
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		if err := checkList(ctx, d, smallPosts, n); err != nil {
			return err
		}
		one, err := onePaths(ctx, d)
		if err != nil {
			return err
		}
		pages, err := pagePaths(ctx, d)
		if err != nil {
			return err
		}
		rows, _, err := b.compareReads(ctx, d, "GET one", one, 0.5, n)
		if err != nil {
			return err
		}
		lists, least, err := b.compareReads(ctx, d, "GET list page", pages, 0.25, n)
		for i := range lists {
			if i < len(lists)-1 {
				lists[i] = lists[i].detailed("%s", least)
			}
		}
		out = append(rows, lists...)
		return err
	})
	return out, err
}

// compareReads compares a daemon with a server of recorded responses, over many
// connections and over one. It also reports the slowest path over one connection. The
// goal for uncached reads is lower: the daemon builds these responses from the
// database, which the plain handler never does.
func (b *bench) compareReads(ctx context.Context, d *child.Daemon, name string, paths []string, uncached float64, n *counts) (out []result, least string, err error) {
	answers, err := recordResponses(ctx, d, paths)
	if err != nil {
		return nil, "", err
	}
	control, err := b.startCached(answers)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, control.Stop()) }()
	for _, connections := range []int{64, 1} {
		var c cost
		r := readLoad{paths: paths, answers: answers, connections: connections, count: b.atLeast(400, 800), n: n}
		all, err := compare(ctx, b.rounds, r.measure(d, &c), func(ctx context.Context) (sample, error) {
			return r.measureServer(ctx, server{control.Address, "none"})
		})
		if err != nil {
			return nil, "", err
		}
		row := all[0].row(fmt.Sprintf("%s, %s / plain handler with the same bytes", name, plural(connections, "connection")), rateFigure, goal{atLeast: 0.65}, "requests/s")
		out = append(out, row.with(&c))
		worst, ratio := r.worstPath(all[0])
		least = fmt.Sprintf("from one connection, slowest %s: %.2f ×", worst, ratio)
	}
	row, err := b.compareUncached(ctx, d, name, paths, answers, server{control.Address, "none"}, uncached, n)
	return append(out, row), least, err
}

// compareUncached is compareReads over one connection with a commit before the paths
// are read again, so that no response is cached.
func (b *bench) compareUncached(ctx context.Context, d *child.Daemon, name string, paths []string, answers map[string][]byte, control server, least float64, n *counts) (result, error) {
	change, err := invalidator(ctx, d)
	if err != nil {
		return result{}, err
	}
	r := readLoad{paths: paths, answers: answers, connections: 1, count: b.atLeast(200, 300), n: n}
	subject := r
	subject.change = change
	all, err := compare(ctx, b.rounds, subject.measure(d, new(cost)), func(ctx context.Context) (sample, error) { return r.measureServer(ctx, control) })
	if err != nil {
		return result{}, err
	}
	return all[0].row(name+", uncached after a commit, 1 connection / plain handler with the same bytes", rateFigure, goal{atLeast: least}, "requests/s"), nil
}

// invalidator returns a function that commits a change that is not visible in posts.
func invalidator(ctx context.Context, d *child.Daemon) (func(context.Context) error, error) {
	var hook struct {
		Webhook struct {
			ID string `json:"id"`
		} `json:"webhook"`
	}
	if err := d.Call(ctx, "POST", "/webhooks", `{"url":"https://example.com/","event_types":["webhook.disabled"]}`, &hook); err != nil {
		return nil, err
	}
	times := 0
	return func(ctx context.Context) error {
		times++
		return d.Call(ctx, "PATCH", "/webhooks/"+hook.Webhook.ID, fmt.Sprintf(`{"name":"changed %d times"}`, times), nil)
	}, nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// readLoad describes paths to read in turn.
type readLoad struct {
	paths       []string
	answers     map[string][]byte // known responses; nil if unknown
	connections int
	count       int
	n           *counts
	change      func(context.Context) error // called before the paths are read again, unless nil; with one connection only
}

// The figures of a sample of reads. From the third one on they are the medians of the
// paths, as rates.
const (
	p99Figure  = 2
	pathFigure = 3
)

// measure reads from a daemon.
func (r *readLoad) measure(d *child.Daemon, c *cost) measure {
	return func(ctx context.Context) (s sample, err error) {
		err = c.measure(d.PID(), r.count, func() error {
			s, err = r.measureServer(ctx, serverOf(d))
			return err
		})
		return s, err
	}
}

// measureServer reads from a server. A response other than the known one counts as lost.
func (r *readLoad) measureServer(ctx context.Context, s server) (sample, error) {
	requests := make([][]byte, len(r.paths))
	for i, p := range r.paths {
		requests[i] = s.get(p)
	}
	var wrong atomic.Int64
	var unchanged error
	started := time.Now()
	took, err := runLoad(ctx, s, load{
		connections: r.connections, count: r.count,
		request: func(i int) []byte {
			if r.change != nil && i%len(requests) == 0 {
				unchanged = cmp.Or(unchanged, r.change(ctx))
			}
			return requests[i%len(requests)]
		},
		checkBody: func(i int, body []byte) error {
			if want, known := r.answers[r.paths[i%len(r.paths)]]; known && !bytes.Equal(body, want) {
				wrong.Add(1)
			}
			return nil
		},
	})
	out := writeSample(started, took)
	if r.connections == 1 {
		out[rateFigure] = perSecond(len(took), sum(took)) // without the time between requests
	}
	out = append(out, micros(quantile(took, 0.99)))
	r.n.add(r.count, int(wrong.Load()), 0)
	for i := range r.paths {
		var of []time.Duration
		for j := i; j < len(took); j += len(r.paths) {
			of = append(of, took[j])
		}
		out = append(out, 1e6/micros(quantile(of, 0.5)))
	}
	return out, cmp.Or(err, unchanged)
}

// sum returns the total duration.
func sum(times []time.Duration) (all time.Duration) {
	for _, t := range times {
		all += t
	}
	return all
}

// worstPath returns the slowest path relative to the control.
func (r *readLoad) worstPath(c comparison) (path string, ratio float64) {
	ratios := make([]float64, len(r.paths))
	for i := range r.paths {
		ratios[i] = c.ratio(pathFigure + i)
	}
	ratio = slices.Min(ratios)
	return r.paths[slices.Index(ratios, ratio)], ratio
}

// listPage is the part of a list page that is read.
type listPage struct {
	Results []struct {
		ID      string `json:"id"`
		Content string `json:"content"`
	} `json:"results"`
	Next *string `json:"next_cursor"`
}

// checkList reads the whole list and counts missing and repeated posts.
func checkList(ctx context.Context, d *child.Daemon, posts int, n *counts) error {
	var ids []string
	for path := "/posts?limit=100"; path != ""; {
		var page listPage
		if err := d.Call(ctx, "GET", path, "", &page); err != nil {
			return err
		}
		for _, p := range page.Results {
			ids = append(ids, p.ID)
		}
		path = nextPath("/posts?limit=100", page)
	}
	n.countArrivals(posts, slices.Values(ids))
	return nil
}

// nextPath returns the path of the next page, or "" after the last one.
func nextPath(path string, page listPage) string {
	if page.Next == nil {
		return ""
	}
	return path + "&cursor=" + url.QueryEscape(*page.Next)
}

// onePaths returns the paths of single posts.
func onePaths(ctx context.Context, d *child.Daemon) (paths []string, err error) {
	var page listPage
	err = d.Call(ctx, "GET", "/posts?limit=50", "", &page)
	for _, p := range page.Results {
		paths = append(paths, "/posts/"+p.ID)
	}
	return paths, err
}

// pagePaths returns list paths with all kinds of filters, each with its second page, if
// any.
func pagePaths(ctx context.Context, d *child.Daemon) (paths []string, err error) {
	feeds, err := accountIDs(ctx, d, "feed")
	if err != nil {
		return nil, err
	}
	soon := url.QueryEscape(time.Now().Add(26 * time.Hour).UTC().Format(time.RFC3339))
	for _, path := range []string{
		"/posts?limit=20", "/posts?status=scheduled", "/posts?sort=publish_at", "/posts?status=scheduled&status=failed&sort=-publish_at",
		"/posts?status=failed", "/posts?limit=100&sort=created_at", "/posts?social_account_id=" + feeds[0],
		"/posts?sort=publish_at&publish_after=" + soon, "/posts?q=number",
	} {
		var page listPage
		if err := d.Call(ctx, "GET", path, "", &page); err != nil {
			return nil, err
		}
		paths = append(paths, path)
		if second := nextPath(path, page); second != "" {
			paths = append(paths, second)
		}
	}
	return paths, nil
}

// recordResponses returns the daemon's responses, which must be the same each time.
func recordResponses(ctx context.Context, d *child.Daemon, paths []string) (map[string][]byte, error) {
	answers := make(map[string][]byte, len(paths))
	for range 2 {
		for _, path := range paths {
			a, err := d.Do(ctx, child.Request{Method: "GET", Path: path})
			if err != nil {
				return nil, err
			}
			if a.Status != 200 || !json.Valid(a.Body) {
				return nil, fmt.Errorf("GET %s: status %d: %s", path, a.Status, a.Body)
			}
			if before, known := answers[path]; known && !bytes.Equal(before, a.Body) {
				return nil, fmt.Errorf("GET %s: two different responses", path)
			}
			answers[path] = a.Body
		}
	}
	return answers, nil
}
