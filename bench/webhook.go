package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres"
)

// addWebhook adds a webhook for events of one type.
func addWebhook(ctx context.Context, d *child.Daemon, url, event string) error {
	return d.Call(ctx, "POST", "/webhooks", fmt.Sprintf(`{"url":%q,"event_types":[%q]}`, url, event), nil)
}

// measureWebhook publishes posts at a steady pace and measures how long after each
// event the webhook receives it. The control is the timer, sending at the same pace.
func measureWebhook(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.withAccounts(ctx)
	if err != nil {
		return nil, err
	}
	w := window{order: inTurns(b.rounds), posts: 30 / min(b.scale, 2), length: b.length(150 * time.Millisecond)}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		if err := addWebhook(ctx, d, b.webhooks.url, "post.published"); err != nil {
			return err
		}
		from, err := b.webhooks.count()
		if err != nil {
			return err
		}
		p, err := b.publish(ctx, b.scheduledStaging(ctx, w, d), n)
		if err != nil {
			return err
		}
		told, err := b.webhooks.await(from, w.share(subject))
		if err != nil {
			return err
		}
		n.countArrivals(w.share(subject), keys(told))
		late := latenesses(told)
		out = append(out, within("webhook, event → fast receiver: p99", quantile(late, 0.99), 250*time.Millisecond, p.each(control, 0.99)...).
			detailed("median %s, last %s, of %d events", formatDuration(quantile(late, 0.5)), formatDuration(quantile(late, 1)), len(late)).with(&p.cost))
		return nil
	})
	return out, err
}

// backlog is the number of events that a webhook has not received.
const backlog = 10_000

// measureBacklog starts a daemon with 10,000 undelivered events and measures the time
// until all are delivered. The control is a loop that makes a tenth as many calls one
// after another, and shows whether the machine is quiet.
func measureBacklog(ctx context.Context, b *bench, n *counts) ([]result, error) {
	events := backlog / b.scale
	behind, err := b.backlogDir.get()
	if err != nil {
		return nil, err
	}
	var c cost
	drain := func(ctx context.Context) (sample, error) {
		dir, err := b.copy(behind)
		if err != nil {
			return nil, err
		}
		return b.drainBacklog(ctx, child.Config{Binary: b.binary, Dir: dir}, events, &c, n)
	}
	all, err := compare(ctx, 1, drain, func(context.Context) (sample, error) { return b.callInOrder(events/10, n) })
	if err != nil {
		return nil, err
	}
	took, calls := toDurations(all[0].subjects(0)), toDurations(all[0].controls(0))
	r := within(fmt.Sprintf("webhook, a backlog of %d: all delivered", events), quantile(took, 0.5), 10*time.Second, calls...)
	return []result{r.with(&c)}, nil
}

// drainBacklog starts a daemon whose webhook has a backlog, and returns the time from
// the start until the webhook has received all events, in µs.
func (b *bench) drainBacklog(ctx context.Context, config child.Config, events int, c *cost, n *counts) (s sample, err error) {
	from, err := b.webhooks.count()
	if err != nil {
		return nil, err
	}
	d, err := child.Start(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	var told []arrival
	err = c.measure(d.PID(), events, func() (err error) {
		told, err = b.webhooks.await(from, events)
		return err
	})
	n.countArrivals(events, keys(told))
	return sample{sinceLast(told, d.StartTime())}, err
}

// measureBacklogOnPostgres is measureBacklog for a daemon on PostgreSQL.
func measureBacklogOnPostgres(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	server, err := b.server.get()
	if err != nil {
		return nil, err
	}
	const database = "backlog"
	if err := server.Exec("CREATE DATABASE " + database); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Exec("DROP DATABASE "+database+" WITH (FORCE)")) }()
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	config := child.Config{Binary: b.binary, Dir: dir, Args: []string{"--store", server.URL(database)}}
	if err := b.makeBehindOn(ctx, config, server.URL(database)); err != nil {
		return nil, err
	}
	var c cost
	events := backlog / b.scale
	took, err := b.drainBacklog(ctx, config, events, &c, n)
	if err != nil {
		return nil, err
	}
	r := within(fmt.Sprintf("webhook on PostgreSQL, a backlog of %d: all delivered", events), toDurations(took)[0], 10*time.Second)
	return []result{r.with(&c)}, nil
}

// makeBehindOn is makeBehind for a daemon on PostgreSQL.
func (b *bench) makeBehindOn(ctx context.Context, config child.Config, url string) error {
	d, err := child.Start(ctx, config)
	if err != nil {
		return err
	}
	_, err = d.Connect(ctx, `{"platform":"feed","name":"bench"}`)
	if err := errors.Join(err, addWebhook(ctx, d, b.webhooks.url, "post.scheduled"), d.Stop()); err != nil {
		return err
	}
	store, err := postgres.Open(ctx, url, postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	posts := farFuture(backlog / b.scale)
	posts.events = true
	return errors.Join(posts.into(ctx, store), store.Close())
}

// makeBehind returns a data directory with events that its webhook has not received.
func (b *bench) makeBehind(ctx context.Context, events int) (dir string, err error) {
	if dir, err = b.withAccounts(ctx); err != nil {
		return "", err
	}
	if err := b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		return addWebhook(ctx, d, b.webhooks.url, "post.scheduled")
	}); err != nil {
		return "", err
	}
	posts := farFuture(events)
	posts.events = true
	return dir, seed(ctx, dir, posts)
}

// callInOrder makes the timer call the webhook receiver from one account.
func (b *bench) callInOrder(calls int, n *counts) (sample, error) {
	from, err := b.webhooks.count()
	if err != nil {
		return nil, err
	}
	now, first := time.Now(), b.numbers(calls)
	posts := make([]numberedPost, calls)
	for i := range posts {
		posts[i] = numberedPost{first + i, now}
	}
	if err := b.timer.take(timerOrder{URL: b.webhooks.url, Accounts: 1, Posts: posts}); err != nil {
		return nil, err
	}
	arrived, err := b.webhooks.await(from, calls)
	var came counts
	came.countArrivals(calls, keys(arrived))
	*n = n.plus(came.asControl())
	return sample{sinceLast(arrived, now)}, err
}

// sinceLast returns how long after a time the last call arrived, in µs.
func sinceLast(arrived []arrival, started time.Time) float64 {
	if len(arrived) == 0 {
		return micros(arrivalTimeout)
	}
	last := slices.MaxFunc(arrived, func(a, b arrival) int { return a.At.Compare(b.At) })
	return micros(last.At.Sub(started))
}

// toDurations converts figures in µs to durations.
func toDurations(figures []float64) []time.Duration {
	d := make([]time.Duration, len(figures))
	for i, f := range figures {
		d[i] = time.Duration(f * 1e3)
	}
	return d
}

// measureDeadWebhook compares the lateness of publishing with and without two dead
// webhooks: one refuses connections, one never responds.
func measureDeadWebhook(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	refusing := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	err = b.withPair(ctx, func(d daemonPair) error {
		for _, url := range []string{refusing, b.webhooks.url + deadPath} {
			if err := addWebhook(ctx, d.subject, url, "post.published"); err != nil {
				return err
			}
		}
		p, err := b.publishBoth(ctx, d, n)
		if err != nil {
			return err
		}
		out = append(out, p.compare(0.99).row("publishing p99 with dead webhooks / without them", 0, goal{atMost: 1.2}, "µs").with(&p.cost))
		return nil
	})
	return out, err
}
