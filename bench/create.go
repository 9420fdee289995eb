package main

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl/bench/child"
)

// measureCreates compares durable creates through the API with a plain HTTP handler
// that makes the same commits, which is the goal. A bare bbolt database with the same
// bytes in the same buckets, without a server, shows what HTTP costs.
func measureCreates(ctx context.Context, b *bench, n *counts) ([]result, error) {
	many, err := b.measureMany(ctx, n)
	if err != nil {
		return nil, err
	}
	one, err := b.measureOne(ctx, n)
	return append(many, one...), err
}

// plainRatioGoal is the goal for rates relative to a plain handler with the same commit.
var plainRatioGoal = goal{atLeast: 0.85}

// measureMany compares creates over many connections with grouped commits.
func (b *bench) measureMany(ctx context.Context, n *counts) ([]result, error) {
	const connections = 64
	posts := b.atLeast(800, 1600)
	c, err := b.newCreation(ctx, connections, posts, n)
	if err != nil {
		return nil, err
	}
	all, err := compare(ctx, b.rounds, c.run, b.bareGrouped(c.rec, connections), b.plain(c.database, connections, posts))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("durable POST /posts, %d connections", connections)
	return []result{
		all[0].row(name+" / bare grouped commit, for comparison", rateFigure, goal{}, "posts/s").detailed("%d B a post in %d puts", c.rec.size(), len(c.rec[0])).with(&c.cost),
		all[1].row(name+" / plain handler with the same commit", rateFigure, plainRatioGoal, "posts/s").with(&c.cost),
	}, nil
}

// measureOne compares creates over one connection with single transactions.
func (b *bench) measureOne(ctx context.Context, n *counts) ([]result, error) {
	posts := b.atLeast(50, 100)
	c, err := b.newCreation(ctx, 1, posts, n)
	if err != nil {
		return nil, err
	}
	all, err := compare(ctx, b.rounds, c.run, b.bareSingle(c.rec), b.plain(c.database, 1, posts), b.bareSync(c.rec))
	if err != nil {
		return nil, err
	}
	const name = "durable POST /posts, 1 connection"
	return []result{
		all[0].row(name+" / bare single Update, for comparison", rateFigure, goal{}, "posts/s").with(&c.cost),
		all[0].row(name+": median / bare single Update, for comparison", medianFigure, goal{}, "µs").with(&c.cost),
		all[1].row(name+" / plain handler with the same commit", rateFigure, plainRatioGoal, "posts/s").with(&c.cost),
		all[1].row(name+": median / plain handler with the same commit, for comparison", medianFigure, goal{}, "µs").with(&c.cost),
		all[2].row(name+" / fdatasync of as many bytes, for comparison", rateFigure, goal{}, "posts/s").with(&c.cost),
	}, nil
}

// creation creates posts in a new daemon, each time it is run.
type creation struct {
	b                  *bench
	connections, posts int
	n                  *counts
	cost               cost
	database           string    // of the last run
	rec                recording // of the first run
}

// newCreation runs the creation once, as warm-up and to record what the daemon writes.
func (b *bench) newCreation(ctx context.Context, connections, posts int, n *counts) (*creation, error) {
	c := &creation{b: b, connections: connections, posts: posts, n: n}
	if _, err := c.run(ctx); err != nil {
		return nil, err
	}
	var err error
	c.rec, err = record(c.database, posts)
	c.cost = cost{}
	return c, err
}

func (c *creation) run(ctx context.Context) (s sample, err error) {
	err = c.b.withDaemon(ctx, "", func(d *child.Daemon) error {
		c.database = d.Database()
		account, err := d.Connect(ctx, `{"platform":"feed","name":"bench"}`)
		if err != nil {
			return err
		}
		return c.cost.measure(d.PID(), c.posts, func() error {
			s, err = createPosts(ctx, serverOf(d), account, c.connections, c.posts)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	there, err := countPosts(c.database)
	c.n.countStored(c.posts, there)
	return s, err
}
