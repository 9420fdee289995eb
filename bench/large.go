package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/schedctl/schedctl/bench/child"
)

// largePosts is the number of posts in a large database.
const largePosts = 1_000_000

// measureLarge measures a daemon with a million waiting posts: how soon it publishes
// after its start, its memory, and its response times compared with a daemon that has a
// thousand posts.
func measureLarge(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.largeDir.get()
	if err != nil {
		return nil, err
	}
	restarts, err := b.measureRestarts(ctx, dir, n)
	if err != nil {
		return nil, err
	}
	empty, err := b.emptyMemory(ctx)
	if err != nil {
		return nil, err
	}
	database := filepath.Join(dir, "schedctl.db")
	before, err := countPosts(database)
	if err != nil {
		return nil, err
	}
	out = append(out, restarts, holds("anonymous memory of an empty daemon", empty, 25e6))
	l := large{b: b, n: n}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		if err := l.publishNow(ctx, d); err != nil {
			return err
		}
		rows, err := l.compareAll(ctx, d)
		out = append(out, rows...)
		return err
	})
	if err != nil {
		return nil, err
	}
	after, err := countPosts(database)
	n.countStored(before+l.acknowledged, after)
	return out, err
}

// large is the daemon with a million posts.
type large struct {
	b            *bench
	n            *counts
	acknowledged int // posts acknowledged by it
}

// publishNow publishes a post and waits until the daemon has read all others.
func (l *large) publishNow(ctx context.Context, d *child.Daemon) error {
	if err := l.b.publishNow(ctx, d, l.n); err != nil {
		return err
	}
	l.acknowledged++
	return waitIdle(ctx, d.PID())
}

// compareMemory returns a row for the memory of a waiting target. It compares freshly
// started daemons: after many requests, uncollected garbage exceeds the targets.
func (l *large) compareMemory(ctx context.Context, few, many *child.Daemon) (result, error) {
	if err := errors.Join(waitIdle(ctx, few.PID()), waitIdle(ctx, many.PID())); err != nil {
		return result{}, err
	}
	less, err := child.Anonymous(few.PID())
	if err != nil {
		return result{}, err
	}
	more, err := child.Anonymous(many.PID())
	posts := largePosts / l.b.scale
	return holds("anonymous memory of each waiting target", float64(more-less)/float64(posts-smallPosts), 64).
		detailed("%s with %d posts, %s with %d", formatBytes(float64(more)), posts, formatBytes(float64(less)), smallPosts), err
}

// emptyMemory returns the memory of an idle daemon without posts.
func (b *bench) emptyMemory(ctx context.Context) (memory float64, err error) {
	err = b.withDaemon(ctx, "", func(d *child.Daemon) error {
		if err := d.Call(ctx, "GET", "/posts", "", nil); err != nil {
			return err
		}
		if err := waitIdle(ctx, d.PID()); err != nil {
			return err
		}
		n, err := child.Anonymous(d.PID())
		memory = float64(n)
		return err
	})
	return memory, err
}

// compareAll compares the daemon with a daemon with a thousand posts.
func (l *large) compareAll(ctx context.Context, many *child.Daemon) (out []result, err error) {
	few, err := l.b.waiting(ctx, smallPosts)
	if err != nil {
		return nil, err
	}
	err = l.b.withDaemon(ctx, few, func(d *child.Daemon) (err error) {
		memory, err := l.compareMemory(ctx, d, many)
		if err != nil {
			return err
		}
		reads, err := l.compareReads(ctx, d, many)
		out = append(reads, memory)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, connections := range []int{64, 1}[:l.b.few] { // a quick run skips the single connection
		row, err := l.compareCreates(ctx, few, many, connections)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// compareReads compares reads of the large database with those of a small one.
func (l *large) compareReads(ctx context.Context, few, many *child.Daemon) ([]result, error) {
	small, err := l.reading(ctx, few)
	if err != nil {
		return nil, err
	}
	large, err := l.reading(ctx, many)
	if err != nil {
		return nil, err
	}
	all, err := compare(ctx, l.b.rounds, large.measure(many, new(cost)), small.measure(few, new(cost)))
	if err != nil {
		return nil, err
	}
	worst, ratio := large.worstPath(all[0])
	name := "GET one, GET list page, uncached after a commit, " + l.sizeNames()
	return []result{
		all[0].row(name+": median", medianFigure, goal{atMost: 1.5}, "µs").detailed("slowest %s: %.2f ×", worst, 1/ratio),
		all[0].row(name+": p99", p99Figure, goal{atMost: 3}, "µs"),
	}, nil
}

// sizeNames names the two databases.
func (l *large) sizeNames() string {
	return fmt.Sprintf("%d posts / %d", largePosts/l.b.scale, smallPosts)
}

// reading returns the reads to measure: pages, and as many posts.
func (l *large) reading(ctx context.Context, d *child.Daemon) (readLoad, error) {
	pages, err := pagePaths(ctx, d)
	if err != nil {
		return readLoad{}, err
	}
	one, err := onePaths(ctx, d)
	if err != nil {
		return readLoad{}, err
	}
	change, err := invalidator(ctx, d)
	return readLoad{paths: append(pages, one[:min(len(one), len(pages))]...), connections: 1, count: l.b.atLeast(300, 700), n: l.n, change: change}, err
}

// compareCreates compares creates in the large database with those in a small one,
// which is recreated each time to stay small.
func (l *large) compareCreates(ctx context.Context, few string, many *child.Daemon, connections int) (result, error) {
	posts := l.b.atLeast(400, 800)
	if connections == 1 {
		posts = l.b.atLeast(50, 80)
	}
	var c cost
	subject := func(ctx context.Context) (s sample, err error) {
		l.acknowledged += warmUpPosts(posts) + posts
		err = c.measure(many.PID(), warmUpPosts(posts)+posts, func() error {
			s, err = createWarm(ctx, many, connections, posts)
			return err
		})
		return s, err
	}
	control := func(ctx context.Context) (s sample, err error) {
		dir, err := l.b.copy(few)
		if err != nil {
			return nil, err
		}
		if err := l.b.withDaemon(ctx, dir, func(d *child.Daemon) (err error) {
			s, err = createWarm(ctx, d, connections, posts)
			return err
		}); err != nil {
			return nil, err
		}
		there, err := countPosts(filepath.Join(dir, "schedctl.db"))
		l.n.countStored(smallPosts+warmUpPosts(posts)+posts, there)
		return s, err
	}
	all, err := compare(ctx, l.b.rounds, subject, control)
	if err != nil {
		return result{}, err
	}
	name := fmt.Sprintf("durable POST /posts, %s, %s", plural(connections, "connection"), l.sizeNames())
	return all[0].row(name, rateFigure, goal{atLeast: 0.70}, "posts/s").with(&c), nil
}

// warmUpPosts returns how many posts to create before measuring: a daemon is slower
// right after its start.
func warmUpPosts(posts int) int { return posts / 4 }

func createWarm(ctx context.Context, d *child.Daemon, connections, posts int) (sample, error) {
	accounts, err := accountIDs(ctx, d, "feed")
	if err != nil {
		return nil, err
	}
	if _, err := createPosts(ctx, serverOf(d), accounts[0], connections, warmUpPosts(posts)); err != nil {
		return nil, err
	}
	return createPosts(ctx, serverOf(d), accounts[0], connections, posts)
}
