package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// nodes are two daemons on one PostgreSQL.
type nodes struct {
	b       *bench
	server  *postgrestest.Cluster
	daemons [2]*child.Daemon // the second is nil after it was killed
	started time.Time        // start of the second daemon
	used    cpuShares        // CPU time of the burst of posts
}

// nodeDiscovery is how long a node may not know a node that has just started: until its
// next heartbeat.
const nodeDiscovery = 2200 * time.Millisecond

// measureNodes publishes with two daemons that share a database: many posts within a
// second, posts at sustainable rates, and the posts of a daemon that is killed.
func measureNodes(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	pair, err := b.pair.get()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stopPair(), b.stopServer()) }() // no later case needs them
	many, err := pair.publishMany(ctx, n)
	if err != nil {
		return nil, err
	}
	out = append(out, many)
	rates, err := pair.rates(ctx, n)
	if err != nil {
		return out, err
	}
	out = append(out, rates...)
	worst, err := pair.takeover(ctx, n)
	if err != nil {
		return out, err
	}
	return append(out, within("two nodes on PostgreSQL, posts due after one was killed: the latest", worst, 2*time.Second)), nil
}

// start starts both daemons with a common key for secrets, and creates the accounts.
func (p *nodes) start(ctx context.Context) error {
	c := child.Config{Binary: p.b.binary, Args: []string{"--store", p.server.URL("postgres")}}
	for i := range p.daemons {
		dir, err := p.b.newDir()
		if err != nil {
			return err
		}
		if i > 0 {
			const secret = "secret.key"
			if err := copyFile(filepath.Join(dir, secret), filepath.Join(c.Dir, secret)); err != nil {
				return err
			}
			c.Key = p.daemons[0].Key
		}
		c.Dir, p.started = dir, time.Now()
		if p.daemons[i], err = child.Start(ctx, c); err != nil {
			return err
		}
	}
	return p.b.connectAll(ctx, p.daemons[0])
}

// stopPair stops the two daemons on PostgreSQL, if any.
func (b *bench) stopPair() (err error) {
	if b.pair.value == nil {
		return nil
	}
	for _, d := range b.pair.value.daemons {
		if d != nil {
			err = errors.Join(err, d.Stop())
		}
	}
	b.pair = lazy[*nodes]{err: errors.New("the two nodes were stopped")}
	return err
}

// publishMany publishes many posts within a second. The subject comes last, because
// nothing else can be measured while it is late.
func (p *nodes) publishMany(ctx context.Context, n *counts) (result, error) {
	b := p.b
	w := window{order: []timelineSide{control, control, subject}, posts: 10_000 / b.scale, length: time.Second / time.Duration(b.scale), gap: 200 * time.Millisecond}
	published, err := b.publish(ctx, p.storedStaging(ctx, w), n)
	published.cost = cost{} // of one daemon only; the detail has everything
	r := published.row(fmt.Sprintf("two nodes on PostgreSQL, due → network, %d within %s: p99, for comparison", w.posts, w.length), 0).withoutGoal("")
	return r.detailed("%s", p.used.of(w.posts, w.total())), err
}

// put stores posts as a daemon does.
func (p *nodes) put(ctx context.Context, posts []numberedPost) error {
	store, err := postgres.Open(ctx, p.server.URL("postgres"), postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	s := seedPlan{platform: "http", posts: len(posts), post: func(i int) (string, time.Time) { return contentOf(posts[i].Number), posts[i].At }}
	return errors.Join(s.into(ctx, store), store.Close())
}

// Minimum lead before the first post in PostgreSQL, and the additional lead for storing
// each post.
const (
	leadNodes  = 300 * time.Millisecond
	leadStored = 60 * time.Microsecond
)

// storedStaging returns a staging in which both daemons find their posts in the
// database. The control is a timer without a store.
func (p *nodes) storedStaging(ctx context.Context, w window) staging {
	lead := leadNodes + leadStored*time.Duration(w.share(subject))
	before := time.Duration(w.slices(subject)[0]) * w.slice()
	lead = max(lead, time.Until(p.started.Add(nodeDiscovery-before)))
	return staging{window: w, lead: lead, prepare: func(plan *windowPlan) (*child.Daemon, func() error, error) {
		if err := p.b.setTimer(plan); err != nil {
			return nil, nil, err
		}
		if err := p.put(ctx, plan.of(subject)); err != nil {
			return nil, nil, err
		}
		before, err := p.readCPU()
		return p.daemons[0], func() error {
			after, err := p.readCPU()
			p.used = after.minus(before)
			return err
		}, err
	}}
}

// takeover kills one of two daemons between posts that become due, one for each
// account, while it has no calls in flight. It returns how late the latest of the
// following posts was. (Calls in flight at a kill would end with an unknown outcome.)
// When storing the posts takes too long, or the first posts are late, it is repeated
// with more time.
func (p *nodes) takeover(ctx context.Context, n *counts) (worst time.Duration, err error) {
	lead, gap := leadNodes, 300*time.Millisecond
	for try := 1; ; try++ {
		worst, err = p.tryTakeover(ctx, lead, gap, n)
		if !errors.Is(err, errStoredTooLate) || try == maxWindowTries {
			return worst, err
		}
		lead, gap = 2*lead, 2*gap
	}
}

func (p *nodes) tryTakeover(ctx context.Context, lead, gap time.Duration, n *counts) (worst time.Duration, err error) {
	const each = 25 * time.Millisecond
	half := p.b.atLeast(12, 30)
	posts := 2 * half
	halves := window{order: []timelineSide{subject, subject}, posts: half, length: time.Duration(half) * each, gap: gap}
	w := &windowPlan{halves, time.Now().Add(lead).Truncate(time.Millisecond), p.b.numbers(posts)}
	from, err := p.b.network.count()
	if err != nil {
		return 0, err
	}
	err = p.put(ctx, w.of(subject))
	if time.Now().After(w.first) { // the error may be a consequence of the passed time
		return 0, errors.Join(errStoredTooLate, err, sleepUntil(ctx, w.end()))
	}
	if err != nil {
		return 0, err
	}
	if err := p.killBetween(ctx, w); err != nil {
		return 0, errors.Join(err, sleepUntil(ctx, w.end()))
	}
	o, err := p.b.outcome(ctx, from, p.daemons[:1], w)
	if err != nil {
		return 0, err
	}
	w.sort(o, n)
	for _, a := range o.arrived {
		if !a.Since.Before(w.at(1, 0)) {
			worst = max(worst, a.late())
		}
	}
	return worst, nil
}

// killBetween kills the second daemon between the halves of a plan, when all posts of
// the first half are published.
func (p *nodes) killBetween(ctx context.Context, w *windowPlan) error {
	const before = 50 * time.Millisecond // before the next post
	if err := sleepUntil(ctx, w.at(1, 0).Add(-before)); err != nil {
		return err
	}
	under, err := dueRange{first: w.first, end: w.at(1, 0).Add(-before)}.waiting(ctx, p.daemons[:1])
	if err != nil {
		return err
	}
	if under || time.Until(w.at(1, 0)) < before/2 {
		return errStoredTooLate
	}
	p.daemons[1].Kill()
	p.daemons[1] = nil
	return nil
}
