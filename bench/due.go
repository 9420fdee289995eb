package main

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// Minimum lead before the first post of a window, and the additional lead for each post
// that is stored through the API or in the file.
const (
	leadAtLeast = 400 * time.Millisecond
	leadCreated = 120 * time.Microsecond
	leadSeeded  = 13 * time.Microsecond
	leadTimed   = time.Microsecond // for a post of the timer
)

// measureSparse publishes posts one at a time and measures how late they reach the
// network. The control is a timer without a store.
func measureSparse(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.withAccounts(ctx)
	if err != nil {
		return nil, err
	}
	w := window{order: inTurns(b.rounds), posts: 6 / min(b.scale, 2), length: b.length(150 * time.Millisecond)}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		p, err := b.publish(ctx, b.scheduledStaging(ctx, w, d), n)
		if err != nil {
			return err
		}
		out = append(out, p.row(fmt.Sprintf("due → network, one post every %s: p99", w.length/time.Duration(w.posts)), 25*time.Millisecond))
		return nil
	})
	return out, err
}

// measureBursts publishes 10,000 posts of 1,000 accounts that become due within
// one second.
func measureBursts(ctx context.Context, b *bench, n *counts) ([]result, error) {
	w := window{order: inTurns(b.few), posts: 10_000 / b.scale, length: time.Second / time.Duration(b.scale), gap: 200 * time.Millisecond}
	p, err := b.publish(ctx, b.seededStaging(ctx, w), n)
	if err != nil {
		return nil, err
	}
	r := p.row(fmt.Sprintf("due → network, %d within %s: p99", w.posts, w.length), 100*time.Millisecond)
	return b.withGoalIfCapable(ctx, r, n)
}

// capableLoopRate is the minimum rate, in posts a second, of the timer without a store
// on a machine that can be expected to publish 10,000 a second with a daemon: a store
// makes a post four times as expensive.
const capableLoopRate = 40_000

// withGoalIfCapable returns a row, without its goal on a machine that cannot reach it.
func (b *bench) withGoalIfCapable(ctx context.Context, r result, n *counts) ([]result, error) {
	if b.loopRate == 0 {
		const posts = 5_000
		took, err := b.measureInstant(control, posts, new(cost), n)(ctx)
		if err != nil {
			return nil, err
		}
		b.loopRate = posts / (took[0] / 1e6)
	}
	if b.loopRate < capableLoopRate {
		r = r.withoutGoal(fmt.Sprintf("no goal: the loop without a store sends %.0f a second here; 10,000 a second requires %d", b.loopRate, capableLoopRate))
	}
	return []result{r}, nil
}

// measureInstants publishes many posts that are due at one instant and measures the
// time until the last one is sent. The control has fewer posts, enough to show whether
// the machine is quiet. A quick run has a tenth of the 10,000 posts and of the time,
// and skips the 100,000.
func measureInstants(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	for _, c := range []struct {
		posts int
		limit time.Duration
	}{
		{10_000 / b.scale, 2 * time.Second / time.Duration(b.scale)},
		{100_000, 15 * time.Second},
	}[:b.few] {
		var used cost
		all, err := compare(ctx, 1, b.measureInstant(subject, c.posts, &used, n), b.measureInstant(control, 5_000/b.scale, &used, n))
		if err != nil {
			return nil, err
		}
		last := toDurations(all[0].subjects(0))
		r := within(fmt.Sprintf("due → network, %d at one instant: all sent", c.posts), quantile(last, 0.5), c.limit, toDurations(all[0].controls(0))...)
		rows := []result{r.detailed("%.0f a second", float64(c.posts)/quantile(last, 0.5).Seconds()).with(&used)}
		if c.posts > 10_000 {
			if rows, err = b.withGoalIfCapable(ctx, rows[0], n); err != nil {
				return nil, err
			}
		}
		out = append(out, rows...)
	}
	return out, nil
}

// measureInstant measures, in µs, how long after their due instant the last post of a
// side is sent.
func (b *bench) measureInstant(of timelineSide, posts int, used *cost, n *counts) measure {
	return func(ctx context.Context) (sample, error) {
		p, err := b.publish(ctx, b.seededStaging(ctx, window{order: []timelineSide{of}, posts: posts}), n)
		if err != nil {
			return nil, err
		}
		if of == subject {
			used.add(p.cost)
		}
		return sample{micros(quantile(p.late[0], 1))}, nil
	}
}

// scheduledStaging returns a staging that creates the posts through the API of a
// running daemon. The control is a timer without a store.
func (b *bench) scheduledStaging(ctx context.Context, w window, d *child.Daemon) staging {
	return staging{window: w, lead: leadAtLeast + leadCreated*time.Duration(w.share(subject)), prepare: func(p *windowPlan) (*child.Daemon, func() error, error) {
		if err := b.setTimer(p); err != nil {
			return nil, nil, err
		}
		accounts, err := accountIDs(ctx, d, "http")
		if err != nil {
			return nil, nil, err
		}
		return d, nil, b.schedule(ctx, d, accounts, p.of(subject))
	}}
}

// seededStaging returns a staging in which a daemon finds the posts at its start. The
// control is a timer without a store.
func (b *bench) seededStaging(ctx context.Context, w window) staging {
	lead := leadAtLeast/2 + leadSeeded*time.Duration(w.share(subject)) + leadTimed*time.Duration(w.share(control))
	if w.share(subject) > 0 {
		lead += leadAtLeast / 2 // for the start of the daemon
	}
	return staging{window: w, lead: lead, prepare: func(p *windowPlan) (*child.Daemon, func() error, error) {
		if len(p.of(control)) > 0 {
			if err := b.setTimer(p); err != nil {
				return nil, nil, err
			}
		}
		posts := p.of(subject)
		if len(posts) == 0 {
			return nil, nil, nil
		}
		dir, err := b.withAccounts(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := seed(ctx, dir, seedPlan{platform: "http", posts: len(posts), post: func(i int) (string, time.Time) {
			return contentOf(posts[i].Number), posts[i].At
		}}); err != nil {
			return nil, nil, err
		}
		d, err := b.start(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		return d, d.Stop, nil
	}}
}

// setTimer gives the posts of the control to the timer.
func (b *bench) setTimer(p *windowPlan) error {
	return b.timer.take(timerOrder{URL: b.network.url, Accounts: httpAccounts / b.scale, Posts: p.of(control)})
}

// row returns a row for the p99 of all posts of the subject.
func (p lateness) row(name string, limit time.Duration) result {
	late := p.of(subject)
	return within(name, quantile(late, 0.99), limit, p.each(control, 0.99)...).
		detailed("median %s, last %s", formatDuration(quantile(late, 0.5)), formatDuration(quantile(late, 1))).with(&p.cost)
}

// schedule creates posts through the API of a daemon, for its accounts in turn.
func (b *bench) schedule(ctx context.Context, d *child.Daemon, accounts []string, posts []numberedPost) error {
	s := serverOf(d)
	_, err := runLoad(ctx, s, load{connections: min(32, len(posts)), count: len(posts), request: func(i int) []byte {
		return s.post("/posts", idempotencyKey(posts[i]), postBody(posts[i], accounts[i%len(accounts)]))
	}})
	return err
}

// idempotencyKey returns the Idempotency-Key of a create.
func idempotencyKey(p numberedPost) string { return fmt.Sprintf("bench-%d", p.Number) }

// postBody returns the body of a create.
func postBody(p numberedPost, account string) string {
	return fmt.Sprintf(`{"content":%q,"social_account_ids":[%q],"publish_at":%q}`,
		contentOf(p.Number), account, p.At.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// accountIDs returns the daemon's accounts on a platform.
func accountIDs(ctx context.Context, d *child.Daemon, platform string) (ids []string, err error) {
	var answer struct {
		Results []struct{ ID, Platform string } `json:"results"`
	}
	if err := d.Call(ctx, "GET", "/social-accounts", "", &answer); err != nil {
		return nil, err
	}
	for _, a := range answer.Results {
		if a.Platform == platform {
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("no account of platform %s on the daemon", platform)
	}
	return ids, nil
}
