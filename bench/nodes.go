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
	daemons [2]*child.Daemon // the second is nil when it was killed
	began   time.Time        // the younger one
	used    cpuShares        // while many posts were published
}

// nodeDiscovery is for how long a node may not know of one that begins after it: until its
// next beat.
const nodeDiscovery = 2200 * time.Millisecond

// measureNodes publishes with two daemons that share a database: many posts within
// a second, posts at rates that they keep up with, and the posts of one that is killed.
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

// start starts both daemons with one key of the secrets, and makes the accounts.
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
		c.Dir, p.began = dir, time.Now()
		if p.daemons[i], err = child.Start(ctx, c); err != nil {
			return err
		}
	}
	return p.b.connectAll(ctx, p.daemons[0])
}

// stopPair ends the two daemons on a PostgreSQL, if there are any.
func (b *bench) stopPair() (err error) {
	if b.pair.value == nil {
		return nil
	}
	for _, d := range b.pair.value.daemons {
		if d != nil {
			err = errors.Join(err, d.Stop())
		}
	}
	b.pair = lazy[*nodes]{err: errors.New("the two nodes have been stopped")}
	return err
}

// publishMany publishes many posts within a second. The subject comes last: as long as it is
// late, nothing else has its turn.
func (p *nodes) publishMany(ctx context.Context, n *counts) (result, error) {
	b := p.b
	w := window{order: []timelineSide{control, control, subject}, posts: 10_000 / b.scale, length: time.Second / time.Duration(b.scale), gap: 200 * time.Millisecond}
	published, err := b.publish(ctx, p.storedStaging(ctx, w), n)
	published.cost = cost{} // of one daemon alone; the detail has all
	r := published.row(fmt.Sprintf("two nodes on PostgreSQL, due → network, %d within %s: p99, for comparison", w.posts, w.length), 0).withoutGoal("")
	return r.detailed("%s", p.used.of(w.posts, w.total())), err
}

// put writes posts to the database, as a daemon writes them.
func (p *nodes) put(ctx context.Context, posts []numberedPost) error {
	store, err := postgres.Open(ctx, p.server.URL("postgres"), postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	s := seedPlan{platform: "http", posts: len(posts), post: func(i int) (string, time.Time) { return contentOf(posts[i].Number), posts[i].At }}
	return errors.Join(s.into(ctx, store), store.Close())
}

// How far ahead the first post in PostgreSQL is, beside the time that storing each
// post takes.
const (
	leadNodes  = 300 * time.Millisecond
	leadStored = 60 * time.Microsecond
)

// storedStaging returns a staging in which both daemons learn of their posts from the database,
// and a timer without a store is the control.
func (p *nodes) storedStaging(ctx context.Context, w window) staging {
	lead := leadNodes + leadStored*time.Duration(w.share(subject))
	before := time.Duration(w.slices(subject)[0]) * w.slice()
	lead = max(lead, time.Until(p.began.Add(nodeDiscovery-before)))
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

// takeover kills one of two daemons between posts that become due, one for each account,
// when it has none under way, and returns how late the latest was of those that were due
// from then on. What is under way when a daemon is killed is no longer known to have been
// published, and is reported as that. When storing the posts takes too long, or the first
// of them are not out by then, it is done again with more time.
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
	if time.Now().After(w.first) { // an error may be that of a time that has passed
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

// killBetween kills the second daemon between the halves of a plan, when all
// posts of the first half are out.
func (p *nodes) killBetween(ctx context.Context, w *windowPlan) error {
	const before = 50 * time.Millisecond // the next post
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
