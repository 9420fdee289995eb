package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// sqlConnections is the number of PostgreSQL connections that create posts.
const sqlConnections = 16

// measureSQL compares the cost of creating a post with three targets in the PostgreSQL
// engine, in one transaction with its idempotency record, events and audit entry, with
// sending the same rows through a bare driver.
func measureSQL(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	server, err := b.server.get()
	if err != nil {
		return nil, err
	}
	const database = "bench"
	if err := server.Exec("CREATE DATABASE " + database); err != nil {
		return nil, err
	}
	s := &sqlInserts{server: server, database: database, posts: b.atLeast(200, 600), n: n}
	defer func() { err = errors.Join(err, server.Exec("DROP DATABASE "+database+" WITH (FORCE)")) }()
	for _, warm := range []measure{s.engine, s.bare} {
		if _, err := warm(ctx); err != nil {
			return nil, err
		}
	}
	all, err := compare(ctx, b.rounds, s.engine, s.bare)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("post with three targets on PostgreSQL, %d connections", sqlConnections)
	return []result{
		all[0].row(name+" / the same rows as bare SQL", rateFigure, goal{atLeast: 0.50}, "posts/s"),
		all[0].row(name+": median / the same rows as bare SQL, for comparison", medianFigure, goal{}, "µs"),
	}, nil
}

// sqlInserts creates posts in empty tables, each time it is run.
type sqlInserts struct {
	server   *postgrestest.Cluster
	database string
	posts    int
	n        *counts
}

// engine creates the posts as a daemon does.
func (s *sqlInserts) engine(ctx context.Context) (sample, error) {
	return s.run(ctx, func(store *postgres.Store) ([]time.Duration, error) {
		rows := newRows()
		return s.fromAll(func() error { return rows.createRows(ctx, store) })
	})
}

// bare creates them with nothing but a driver.
func (s *sqlInserts) bare(ctx context.Context) (sample, error) {
	return s.run(ctx, func(*postgres.Store) ([]time.Duration, error) {
		pool, err := pgxpool.New(ctx, fmt.Sprintf("%s&pool_max_conns=%d", s.server.URL(s.database), sqlConnections))
		if err != nil {
			return nil, err
		}
		defer pool.Close()
		rows := newRows()
		return s.fromAll(func() error { return rows.insert(ctx, pool) })
	})
}

// run runs create on empty tables, and checks that the posts exist.
func (s *sqlInserts) run(ctx context.Context, create func(*postgres.Store) ([]time.Duration, error)) (out sample, err error) {
	store, err := postgres.Open(ctx, s.server.URL(s.database), postgres.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := s.empty(ctx); err != nil {
		return nil, err
	}
	started := time.Now()
	took, err := create(store)
	if err != nil {
		return nil, err
	}
	out = writeSample(started, took)
	there := 0
	err = store.View(ctx, func(r storage.Reader) error {
		return r.Due(schedctl.Due{}, func(schedctl.Due) bool { there++; return true })
	})
	s.n.countStored(s.posts*targetsEach, there)
	return out, err
}

// empty empties the tables that are written to.
func (s *sqlInserts) empty(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.server.URL(s.database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "TRUNCATE posts, targets, events, answers, audit_entries, commits")
	return errors.Join(err, conn.Close(ctx))
}

// fromAll calls create from all connections, once for each post.
func (s *sqlInserts) fromAll(create func() error) ([]time.Duration, error) {
	took, failed := make([]time.Duration, s.posts), make([]error, sqlConnections)
	var next atomic.Int64
	var working sync.WaitGroup
	for w := range sqlConnections {
		working.Go(func() {
			for i := next.Add(1) - 1; int(i) < s.posts; i = next.Add(1) - 1 {
				started := time.Now()
				if err := create(); err != nil {
					failed[w] = err
					return
				}
				took[i] = time.Since(started)
			}
		})
	}
	working.Wait()
	return took, errors.Join(failed...)
}
