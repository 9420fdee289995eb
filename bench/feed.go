package main

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// A feed creates a post every [feedEvery], or less often when the daemon takes longer,
// each due [feedLead] later.
const (
	feedEvery = 5 * time.Millisecond
	feedLead  = 300 * time.Millisecond
)

// feed keeps a daemon publishing at a steady pace for as long as needed.
type feed struct {
	b      *bench
	d      *child.Daemon
	from   int // calls received by the network before
	first  time.Time
	cancel context.CancelFunc
	done   chan error

	posts []numberedPost // complete after done is closed
}

// startFeed starts creating posts; the first is due at feed.first.
func (b *bench) startFeed(ctx context.Context, d *child.Daemon) (*feed, error) {
	accounts, err := accountIDs(ctx, d, "http")
	if err != nil {
		return nil, err
	}
	from, err := b.network.count()
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, d.Address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{b: b, d: d, from: from, first: time.Now().Add(feedLead).Truncate(time.Millisecond), cancel: cancel, done: make(chan error, 1)}
	go func() { f.done <- errors.Join(f.run(ctx, conn, serverOf(d), accounts), conn.Close()) }()
	return f, nil
}

func (f *feed) run(ctx context.Context, conn *connection, s server, accounts []string) error {
	for at := f.first; sleepUntil(ctx, at.Add(-feedLead)) == nil; at = afterDelay(at.Add(feedEvery), time.Now().Add(feedLead)) {
		p := numberedPost{f.b.numbers(1), at}
		if _, err := conn.exchange(s.post("/posts", idempotencyKey(p), postBody(p, accounts[len(f.posts)%len(accounts)]))); err != nil {
			return err
		}
		f.posts = append(f.posts, p)
	}
	return nil
}

func afterDelay(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stop stops creating posts, waits until the last one has been published, counts them
// and returns the arrivals.
func (f *feed) stop(ctx context.Context, n *counts) ([]arrival, error) {
	f.cancel()
	if err := <-f.done; err != nil {
		return nil, err
	}
	last := f.posts[len(f.posts)-1].At
	if err := sleepUntil(ctx, last); err != nil {
		return nil, err
	}
	o, err := f.b.await(ctx, f.from, len(f.posts), func(arrival) bool { return true }, dueRange{f.first, last}, f.d)
	n.countArrivals(len(f.posts)-len(o.failed), keys(o.arrived))
	n.Checked += len(o.failed)
	n.Failed += len(o.failed)
	for _, a := range o.arrived {
		if a.late() < 0 {
			n.Early++
		}
	}
	return o.arrived, err
}
