package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// measureRestarts starts a daemon with a million waiting posts. One post became due
// while it was down. The result is the time until that post reaches the network.
func (b *bench) measureRestarts(ctx context.Context, dir string, n *counts) (result, error) {
	var took, ready []time.Duration
	for range min(b.rounds, 2*b.few-1) {
		from, err := b.network.count()
		if err != nil {
			return result{}, err
		}
		if err := b.leaveOverdue(ctx, dir); err != nil {
			return result{}, err
		}
		d, err := child.Launch(child.Config{Binary: b.binary, Dir: dir})
		if err != nil {
			return result{}, err
		}
		arrived, err := b.network.await(from, 1)
		if err == nil {
			err = d.AwaitReady(ctx)
		}
		if err = errors.Join(err, d.Stop()); err != nil {
			return result{}, err
		}
		n.countArrivals(1, keys(arrived))
		took, ready = append(took, time.Duration(sinceLast(arrived, d.StartTime())*1e3)), append(ready, d.Ready)
	}
	return within(fmt.Sprintf("restart with %d waiting: first publish", largePosts/b.scale), quantile(took, 0.5), time.Second).
		detailed("slowest %s; ready after %s", formatDuration(quantile(took, 1)), formatDuration(quantile(ready, 0.5))), nil
}

// leaveOverdue adds a post that becomes due while no daemon runs.
func (b *bench) leaveOverdue(ctx context.Context, dir string) error {
	number, due := b.numbers(1), time.Time{}
	err := seed(ctx, dir, seedPlan{platform: "http", posts: 1, post: func(int) (string, time.Time) {
		due = time.Now().Add(100 * time.Millisecond) // counted from when the database is open
		return contentOf(number), due
	}})
	return errors.Join(err, sleepUntil(ctx, due))
}

// publishNow publishes one post and waits for it.
func (b *bench) publishNow(ctx context.Context, d *child.Daemon, n *counts) error {
	from, err := b.network.count()
	if err != nil {
		return err
	}
	accounts, err := accountIDs(ctx, d, "http")
	if err != nil {
		return err
	}
	if err := b.schedule(ctx, d, accounts[:1], []numberedPost{{b.numbers(1), time.Now().Add(100 * time.Millisecond)}}); err != nil {
		return err
	}
	arrived, err := b.network.await(from, 1)
	n.countArrivals(1, keys(arrived))
	return err
}
