package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// check judges an idle daemon, stops it, and runs schedctl daemon check on its database.
func (w *world) check(ctx context.Context) error {
	if err := w.compare(ctx); err != nil {
		return err
	}
	return w.checkDatabase(ctx)
}

// compare resends every acknowledged write and compares all observations.
func (w *world) compare(ctx context.Context) error {
	for _, a := range w.authors {
		for _, s := range a.stories {
			for _, r := range s.writes {
				if err := w.resend(ctx, r); err != nil {
					return err
				}
			}
		}
	}
	s, err := w.collectState(ctx)
	if err != nil {
		return err
	}
	w.judged.judge(s)
	return nil
}

// collectState collects what clients, networks, webhook and daemon have observed.
func (w *world) collectState(ctx context.Context) (s observation, err error) {
	s = observation{stories: w.seeded, kinds: map[string]kind{}, missedBefore: w.late, noUnknownAllowed: w.certain}
	for _, a := range w.authors {
		s.stories = append(s.stories, a.stories...)
	}
	for k, accounts := range w.accounts {
		for _, id := range accounts {
			s.kinds[id] = k
		}
	}
	s.posts, err = w.posts(ctx)
	s.seen = w.network.seen() // after the posts: networks have seen whatever the posts call published
	if err != nil || w.skipOutbox {
		return s, err
	}
	if s.events, err = w.outbox(ctx); err != nil {
		return s, err
	}
	if w.hasWebhook {
		s.webhookDeliveries = w.awaitWebhook(ctx, s.events)
	}
	return s, nil
}

// awaitWebhook waits a few seconds for the webhook to receive all events, and returns
// how often it received each.
func (w *world) awaitWebhook(ctx context.Context, events []apiv1.Event) map[string]int {
	for patience := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		told := w.network.webhookDeliveries()
		missing := slices.ContainsFunc(events, func(e apiv1.Event) bool { return told[e.ID] == 0 })
		if !missing || time.Now().After(patience) || ctx.Err() != nil {
			return told
		}
	}
}

// posts reads the whole list.
func (w *world) posts(ctx context.Context) (map[string]apiv1.Post, error) {
	out := map[string]apiv1.Post{}
	for cursor := ""; ; {
		var page apiv1.PostList
		if err := w.daemon().Call(ctx, "GET", "/posts?limit=100"+cursor, "", &page); err != nil {
			return nil, err
		}
		for _, p := range page.Results {
			if _, again := out[p.ID]; again {
				w.judged.violation(brokenStore, "the list contains post %s twice", p.ID)
			}
			out[p.ID] = p
		}
		if page.NextCursor == nil {
			return out, nil
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// outbox reads all events.
func (w *world) outbox(ctx context.Context) (events []apiv1.Event, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	d := w.daemon()
	c, err := client.New(client.Config{URL: "http://" + d.Address, Key: d.Key})
	if err != nil {
		return nil, err
	}
	last, err := c.CreatePost(ctx, apiv1.CreatePost{Content: "the event of this draft is the last one"})
	if err != nil {
		return nil, err
	}
	for e, err := range c.Events(ctx, "evt_00000000000000000000000000") {
		if err != nil {
			return nil, fmt.Errorf("read the outbox: %w", err)
		}
		if e.Data.PostID == last.ID {
			break
		}
		events = append(events, e)
	}
	return events, nil
}

// checkDatabase stops the daemon cleanly and runs schedctl daemon check on its database.
func (w *world) checkDatabase(ctx context.Context) error {
	if err := w.daemon().Stop(); err != nil {
		w.judged.violation(brokenStore, "the daemon did not stop cleanly: %s", err)
	}
	out, err := exec.CommandContext(ctx, w.binary, "daemon", "check", "--data-dir", w.config.Dir).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		w.judged.violation(brokenStore, "daemon check: %s", out)
		return nil
	}
	return err
}

// counts returns the counts of a world.
func (w *world) counts() map[string]int64 {
	c := map[string]int64{"acknowledged": 0, "calls": 0, "posts": 0}
	for _, a := range w.authors {
		for _, s := range a.stories {
			for _, r := range s.writes {
				if r.acknowledged() {
					c["acknowledged"]++
				}
			}
		}
	}
	for _, d := range w.network.seen() {
		c["calls"] += int64(d.calls)
		c["posts"] += int64(d.posts)
		c[string(d.kind)] += int64(d.posts)
	}
	return c
}
