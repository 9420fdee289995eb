package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// measureBackup backs up the database of a publishing daemon with a million posts, and
// measures the duration of the backup and how much later posts are published during it.
// It is one round: the control is the time before and after.
func measureBackup(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.largeDir.get()
	if err != nil {
		return nil, err
	}
	before, err := countPosts(filepath.Join(dir, "schedctl.db"))
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		f, err := b.startFeed(ctx, d)
		if err != nil {
			return err
		}
		var c cost
		path := filepath.Join(b.dir, "backup.db")
		defer os.Remove(path)
		started, err := b.backUp(ctx, d, path, f.first, &c)
		arrived, stopped := f.stop(ctx, n)
		if err := errors.Join(err, stopped); err != nil {
			return err
		}
		there, err := countPosts(path)
		if err != nil {
			return err
		}
		// The copy may contain any of the posts created by the feed.
		n.add(before, before-there, there-before-len(f.posts))
		out = backupRows(largePosts/b.scale, started, arrived, &c)
		return nil
	})
	return out, err
}

// backUp makes a backup between two periods without one. It returns when the first
// period started, when the backup started and ended, and when the last period ended.
func (b *bench) backUp(ctx context.Context, d *child.Daemon, path string, first time.Time, c *cost) (started [4]time.Time, err error) {
	quiet := b.length(700 * time.Millisecond)
	args := append([]string{"backup", path, "--quiet"}, atDaemon(d)...)
	started[0] = first
	if err := sleepUntil(ctx, first.Add(quiet)); err != nil {
		return started, err
	}
	started[1] = time.Now()
	if err := c.measure(d.PID(), 1, func() error {
		if text, err := exec.CommandContext(ctx, b.binary, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("schedctl backup: %w\n%s", err, text)
		}
		return nil
	}); err != nil {
		return started, err
	}
	started[2] = time.Now()
	started[3] = started[2].Add(quiet)
	return started, sleepUntil(ctx, started[3])
}

func backupRows(posts int, started [4]time.Time, arrived []arrival, c *cost) []result {
	meanwhile := 0
	for _, a := range arrived {
		if !a.Since.Before(started[1]) && a.Since.Before(started[2]) {
			meanwhile++
		}
	}
	return []result{
		within(fmt.Sprintf("hot backup of %d posts", posts), started[2].Sub(started[1]), 15*time.Second).detailed("with its check").with(c),
		p99Between(started, arrived).row("publishing p99 during the backup / before and after", 0, goal{atMost: 5}, "µs").
			detailed("%d posts during the backup, one every %s", meanwhile, feedEvery),
	}
}

// p99Between compares the lateness of posts during a period with that before and after
// it.
func p99Between(started [4]time.Time, arrived []arrival) comparison {
	p99 := func(part int) sample { return sample{windowStarts(started[:]).p99(part, arrived)} }
	return comparison{{p99(1), [2]sample{p99(0), p99(2)}}}
}
