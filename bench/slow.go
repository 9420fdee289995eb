package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// daemonPair is two daemons that differ only in what is measured.
type daemonPair struct {
	control, subject *child.Daemon
	accounts         []string // accounts of both, on the network
}

// withPair runs two daemons with accounts on the network while fn works with them. The
// daemons are killed: a hanging call would delay a clean stop.
func (b *bench) withPair(ctx context.Context, fn func(daemonPair) error) error {
	var p daemonPair
	for _, d := range []**child.Daemon{&p.control, &p.subject} {
		dir, err := b.withAccounts(ctx)
		if err != nil {
			return err
		}
		if *d, err = b.start(ctx, dir); err != nil {
			return err
		}
		defer (*d).Kill()
	}
	var err error
	if p.accounts, err = accountIDs(ctx, p.control, "http"); err != nil {
		return err
	}
	return fn(p)
}

// publishBoth lets both daemons publish in turns, with posts created through their API.
func (b *bench) publishBoth(ctx context.Context, d daemonPair, n *counts) (lateness, error) {
	w := window{order: inTurns(b.rounds), posts: 120 / min(b.scale, 2), length: b.length(120 * time.Millisecond), gap: 20 * time.Millisecond}
	lead := leadAtLeast + leadCreated*time.Duration(w.total())
	return b.publish(ctx, staging{window: w, lead: lead, peer: d.control, prepare: func(p *windowPlan) (*child.Daemon, func() error, error) {
		err := errors.Join(b.schedule(ctx, d.control, d.accounts, p.of(control)), b.schedule(ctx, d.subject, d.accounts, p.of(subject)))
		return d.subject, nil, err
	}}, n)
}

// measureSlowAccount compares the lateness of accounts with a fast network, with and
// without another account whose network takes 30 s to respond.
func measureSlowAccount(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	err = b.withPair(ctx, func(d daemonPair) error {
		slow, err := d.subject.Connect(ctx, fmt.Sprintf(`{"platform":"http","name":"slow","credentials":{"url":%q}}`, b.network.url+slowPath))
		if err != nil {
			return err
		}
		for range 10 {
			body := fmt.Sprintf(`{"content":"waits","social_account_ids":[%q],"publish_at":"now"}`, slow)
			if err := d.subject.Call(ctx, "POST", "/posts", body, nil); err != nil {
				return err
			}
		}
		p, err := b.publishBoth(ctx, d, n)
		if err != nil {
			return err
		}
		out = append(out, p.compare(0.99).row("publishing p99 with an account that responds after 30 s / without it", 0, goal{atMost: 1.5}, "µs").with(&p.cost))
		return nil
	})
	return out, err
}
