package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// burst is a number of posts that become due within one second, each account's
// own spread over it.
type burst struct {
	accounts []string // on the quick path
	slow     []string // on the slow path
	each     int      // posts of each account
}

// lead is how far ahead a burst is scheduled for each thousand posts, so that
// all of them are stored before the first is due.
const lead = 700 * time.Millisecond

// measureDue publishes 10,000 targets that become due within one second and
// says how late they reached the network.
func measureDue(ctx context.Context, b *bench) (out []result, err error) {
	n, err := b.newNetwork(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	accounts, err := n.connect(ctx, 1000/b.scale, "/")
	if err != nil {
		return nil, err
	}
	posts := 10_000 / b.scale
	late, err := n.publish(ctx, burst{accounts: accounts, each: posts / len(accounts)})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%d due within 1 s, from their time to the network: p99", posts)
	detail := fmt.Sprintf("median %s, last %s; none lost, twice or early", formatDuration(quantile(late, .5)), formatDuration(quantile(late, 1)))
	return []result{atMost(name, quantile(late, .99), 100*time.Millisecond, formatDuration, detail)}, nil
}

// measureSlowAccount compares the lateness of accounts whose network answers at
// once, with and without another account whose network takes 30 s.
func measureSlowAccount(ctx context.Context, b *bench) (out []result, err error) {
	measure := func(slowAccounts int) (func() (float64, error), *network, error) {
		n, err := b.newNetwork(ctx)
		if err != nil {
			return nil, nil, err
		}
		quick, err := n.connect(ctx, 100, "/")
		if err != nil {
			return nil, n, err
		}
		slow, err := n.connect(ctx, slowAccounts, "/slow")
		return func() (float64, error) {
			late, err := n.publish(ctx, burst{accounts: quick, slow: slow, each: 10})
			if err != nil {
				return 0, err
			}
			return float64(quantile(late, .99).Microseconds()), nil
		}, n, err
	}
	var runs [2]func() (float64, error)
	for i := range runs {
		run, n, err := measure(i)
		if n != nil {
			defer n.stop()
		}
		if err != nil {
			return nil, err
		}
		runs[i] = run
	}
	controls, subjects, err := compare(b.rounds, runs[0], runs[1])
	if err != nil {
		return nil, err
	}
	return []result{ratio{name: "p99 of others beside an account that answers after 30 s / without it",
		controls: controls, subjects: subjects, atMost: 1.5, unit: "µs"}.result()}, nil
}

// network is a daemon and the fake network it publishes to.
type network struct {
	*daemon
	receiver *receiver
}

func (b *bench) newNetwork(ctx context.Context) (*network, error) {
	dir, err := b.fresh()
	if err != nil {
		return nil, err
	}
	r, err := startReceiver()
	if err != nil {
		return nil, err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return nil, errors.Join(err, r.stop())
	}
	return &network{d, r}, nil
}

// stop ends the network first: a call that hangs would hold the daemon up.
func (n *network) stop() error { return errors.Join(n.receiver.stop(), n.daemon.stop()) }

// connect adds accounts on a path of the network.
func (n *network) connect(ctx context.Context, count int, path string) (ids []string, err error) {
	for i := range count {
		id, err := n.daemon.connect(ctx, fmt.Sprintf(`{"platform":"http","name":"bench %s %d","credentials":{"url":"%s%s"}}`, path, i, n.receiver.url, path))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// publish schedules a burst, waits for it and returns how late its posts came,
// those on the slow path apart. A post that was lost, early or sent twice is an
// error.
func (n *network) publish(ctx context.Context, burst burst) ([]time.Duration, error) {
	if err := n.receiver.forget(); err != nil {
		return nil, err
	}
	accounts := append(burst.slow, burst.accounts...)
	posts := len(accounts) * burst.each
	first := time.Now().Add(time.Second + lead*time.Duration(posts)/1000).Truncate(time.Millisecond)
	_, err := load(ctx, n.address, 32, posts, func(i int) []byte {
		at := first.Add(time.Second * time.Duration(i) / time.Duration(posts))
		return n.post(fmt.Sprintf("%d-%d", first.UnixNano(), i), fmt.Sprintf(`{"content":"post %d","social_account_ids":[%q],"publish_at":%q}`,
			i, accounts[i%len(accounts)], at.UTC().Format("2006-01-02T15:04:05.000Z")))
	})
	if err != nil {
		return nil, err
	}
	if time.Now().After(first) {
		return nil, fmt.Errorf("storing %d posts took too long for the burst to be measured", posts)
	}
	time.Sleep(time.Until(first.Add(time.Second)))
	return n.await(burst)
}

// await returns the lateness of the burst's quick posts, at most 10 s after it.
func (n *network) await(burst burst) ([]time.Duration, error) {
	want := len(burst.accounts) * burst.each
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		arrivals, err := n.receiver.arrivals()
		if err != nil {
			return nil, err
		}
		late, err := check(arrivals)
		if err != nil || len(late) == want {
			return late, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%d of %d posts arrived within 10 s", len(late), want)
		}
	}
}

// check returns the lateness of what arrived on the quick path, and an error
// when anything came twice or early.
func check(arrivals []arrival) (late []time.Duration, err error) {
	seen := make(map[string]bool, len(arrivals))
	for _, a := range arrivals {
		if seen[a.Target] {
			return nil, fmt.Errorf("target %s was sent twice", a.Target)
		}
		if a.Lateness < 0 {
			return nil, fmt.Errorf("target %s was sent %s early", a.Target, -a.Lateness)
		}
		seen[a.Target] = true
		if !a.Slow {
			late = append(late, a.Lateness)
		}
	}
	return late, nil
}

func quantile(d []time.Duration, q float64) time.Duration {
	v := make([]float64, len(d))
	for i := range d {
		v[i] = float64(d[i])
	}
	return time.Duration(percentile(v, q))
}
