package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// twins finds the posts that are there already with the same text, time and
// accounts as others to be created. It may be used from any goroutine.
type twins struct {
	client *client.Client

	mu    sync.Mutex // mu guards times
	times map[time.Time]*moment
}

// moment is what goes out at one time; the drafts, at the zero time.
type moment struct {
	once  sync.Once
	posts map[string][]apiv1.Post // by printOf, oldest first, without what was called off
	err   error
}

func newTwins(c *client.Client) *twins {
	return &twins{client: c, times: map[time.Time]*moment{}}
}

// printOf returns the fingerprint of a post; the order of its accounts does not
// count.
func printOf(content string, at time.Time, accounts []string) string {
	accounts = slices.Sorted(slices.Values(accounts))
	return keyOf(append([]string{content, apiv1.Time{Time: at}.String()}, accounts...)...)
}

// like returns the posts with this text, time and accounts, oldest first. The
// zero time is for drafts. Posts that were called off are not among them.
func (t *twins) like(ctx context.Context, a *app, content string, at time.Time, accounts []string) ([]apiv1.Post, error) {
	at = at.UTC().Truncate(time.Millisecond)
	t.mu.Lock()
	m := t.times[at]
	if m == nil {
		m = &moment{}
		t.times[at] = m
	}
	t.mu.Unlock()
	m.once.Do(func() { m.posts, m.err = t.load(ctx, a, at) })
	return m.posts[printOf(content, at, accounts)], m.err
}

// load reads all posts of one time.
func (t *twins) load(ctx context.Context, a *app, at time.Time) (map[string][]apiv1.Post, error) {
	// In this order the daemon begins at the time that is asked for.
	q := client.PostQuery{Sort: "publish_at", Limit: pageSize}
	if at.IsZero() {
		q.Statuses = []schedctl.Status{schedctl.Draft}
	} else {
		q.After, q.Before = at, at.Add(time.Millisecond)
	}
	found := map[string][]apiv1.Post{}
	for {
		page, err := patiently(ctx, a, func() (apiv1.PostList, error) { return t.client.Posts(ctx, q) })
		if err != nil {
			return nil, err
		}
		for _, p := range page.Results {
			if p.Status != schedctl.Canceled {
				print := printOf(p.Content, at, p.SocialAccountIDs)
				found[print] = append(found[print], apiv1.Post{ID: p.ID, Status: p.Status, PublishAt: p.PublishAt, TargetOverrides: p.TargetOverrides, Version: p.Version})
			}
		}
		if page.NextCursor == nil || *page.NextCursor == q.Cursor {
			for _, list := range found {
				slices.SortFunc(list, func(a, b apiv1.Post) int { return strings.Compare(a.ID, b.ID) }) // ids increase
			}
			return found, nil
		}
		q.Cursor = *page.NextCursor
	}
}
