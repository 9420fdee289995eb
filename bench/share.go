package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/schedctl/schedctl/bench/child"
)

// waitingReviews is the number of posts that wait for an approval.
const waitingReviews = 100

// measureShares compares the pages of a share with a list of the API, each after a commit, so that
// no response is cached. The pages are read without their files, over one connection.
func measureShares(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.withAccounts(ctx)
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		post, err := submitAll(ctx, d)
		if err != nil {
			return err
		}
		path, err := shareAll(ctx, d)
		if err != nil {
			return err
		}
		change, err := invalidator(ctx, d)
		if err != nil {
			return err
		}
		s := serverOf(d)
		list := s.get("/posts?limit=50")
		for _, c := range []struct{ name, path string }{
			{fmt.Sprintf("first page of a review of %d posts / GET /posts?limit=50", waitingReviews), path},
			{"page of a post in a review / GET /posts?limit=50", path + "/" + post},
		} {
			page := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", c.path, s.address)
			times := b.atLeast(200, 200)
			all, err := compare(ctx, b.rounds, afterCommits(s, page, times, change), afterCommits(s, list, times, change))
			if err != nil {
				return err
			}
			n.add(times*b.rounds, 0, 0)
			out = append(out, all[0].row(c.name+", uncached after a commit, 1 connection", 0, goal{atMost: 1.3}, "µs"))
		}
		return nil
	})
	return out, err
}

// afterCommits returns the measure of a request that is repeated, each time after a commit. Its
// figure is the median duration in microseconds.
func afterCommits(s server, request []byte, times int, change func(context.Context) error) measure {
	return func(ctx context.Context) (sample, error) {
		var unchanged error
		took, err := runLoad(ctx, s, load{connections: 1, count: times, request: func(int) []byte {
			unchanged = errors.Join(unchanged, change(ctx))
			return request
		}})
		if err := errors.Join(err, unchanged); err != nil {
			return nil, err
		}
		return sample{micros(quantile(took, 0.5))}, nil
	}
}

// submitAll makes posts that wait for an approval, and returns the id of one.
func submitAll(ctx context.Context, d *child.Daemon) (id string, err error) {
	feeds, err := accountIDs(ctx, d, "feed")
	if err != nil {
		return "", err
	}
	for i := range waitingReviews {
		var made struct {
			Post struct {
				ID string `json:"id"`
			} `json:"post"`
		}
		text := fmt.Sprintf("Post number %d of the benchmark. It waits for an approval, and its text is as long as most texts are.", i)
		if err := d.Call(ctx, "POST", "/posts", fmt.Sprintf(`{"content":%q,"social_account_ids":[%q]}`, text, feeds[0]), &made); err != nil {
			return "", err
		}
		id = made.Post.ID
		if err := d.Call(ctx, "POST", "/posts/"+id+"/submit", `{}`, nil); err != nil {
			return "", err
		}
	}
	return id, nil
}

// shareAll makes a review of everything that waits, and returns the path of its page.
func shareAll(ctx context.Context, d *child.Daemon) (path string, err error) {
	var made struct {
		URL string `json:"url"`
	}
	if err := d.Call(ctx, "POST", "/shares", `{"kind":"review","name":"bench","can":"view"}`, &made); err != nil {
		return "", err
	}
	at := strings.Index(made.URL, "/s/")
	if at < 0 {
		return "", fmt.Errorf("the address %q has no path of a share", made.URL)
	}
	return made.URL[at:], nil
}
