package main

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Limits of the repetition of requests that the daemon limits.
const (
	shortestPause = time.Second
	mostPauses    = 60
)

// patiently repeats a request that the daemon limits for longer than the client
// waits. Commands with many requests need it.
func patiently[T any](ctx context.Context, request func() (T, error)) (v T, err error) {
	for range mostPauses {
		if v, err = request(); schedctl.CodeOf(err) != schedctl.RateLimited {
			return v, err
		}
		var limited *client.Error
		errors.As(err, &limited)
		if !rest(ctx, max(shortestPause, limited.RetryAfter)) {
			return v, ctx.Err()
		}
	}
	return v, err
}

// eachPatiently returns all posts that q selects, page by page.
func eachPatiently(ctx context.Context, c *client.Client, q client.PostQuery) iter.Seq2[apiv1.Post, error] {
	return func(yield func(apiv1.Post, error) bool) {
		for q.Limit = pageSize; ; {
			page, err := patiently(ctx, func() (apiv1.PostList, error) { return c.Posts(ctx, q) })
			if err != nil {
				yield(apiv1.Post{}, err)
				return
			}
			for _, p := range page.Results {
				if !yield(p, nil) {
					return
				}
			}
			if page.NextCursor == nil || *page.NextCursor == q.Cursor {
				return
			}
			q.Cursor = *page.NextCursor
		}
	}
}
