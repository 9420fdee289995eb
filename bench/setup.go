package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// lazy is a prepared value that takes long to make, or the error of making it.
type lazy[T any] struct {
	value T
	err   error
}

// get returns the value or the error.
func (m *lazy[T]) get() (T, error) { return m.value, m.err }

// setUp prepares all expensive prerequisites of the named cases in parallel,
// because no measurement is running. The cases that need a value return its error.
func (b *bench) setUp(ctx context.Context, cases []string) error {
	defer startStage("set up")()
	if _, err := b.withAccounts(ctx); err != nil {
		return err
	}
	var making sync.WaitGroup
	for _, m := range []struct {
		make func()
		of   []string
	}{
		{func() { b.largeDir.value, b.largeDir.err = b.waiting(ctx, largePosts/b.scale) }, []string{"large", "backup"}},
		{func() { b.browseDir.value, b.browseDir.err = b.waiting(ctx, browsedPosts/b.scale) }, []string{"tui"}},
		{func() { b.backlogDir.value, b.backlogDir.err = b.makeBehind(ctx, backlog/b.scale) }, []string{"backlog"}},
		{func() { b.program.value, b.program.err = b.build(ctx, "barecobra") }, []string{"start"}},
		{func() { b.startServer(ctx, slices.Contains(cases, "nodes")) }, []string{"sql", "outbox", "nodes"}},
	} {
		if slices.ContainsFunc(m.of, func(name string) bool { return slices.Contains(cases, name) }) {
			making.Go(m.make)
		}
	}
	making.Wait()
	return nil
}

// startServer starts PostgreSQL, and two daemons on it if pair is set: these need a
// while to discover each other.
func (b *bench) startServer(ctx context.Context, pair bool) {
	server, err := postgrestest.New()
	if err != nil {
		err = fmt.Errorf("%w: needs PostgreSQL: %w; storage/postgres/postgrestest/install.sh installs it", errors.ErrUnsupported, err)
	}
	b.server = lazy[*postgrestest.Cluster]{server, err}
	if b.pair.err = err; err == nil && pair {
		b.pair.value = &nodes{b: b, server: server}
		b.pair.err = b.pair.value.start(ctx)
	}
}

// stopServer stops PostgreSQL, if it runs: even an idle server writes now and then.
func (b *bench) stopServer() error {
	server := b.server.value
	if server == nil {
		return nil
	}
	b.server = lazy[*postgrestest.Cluster]{err: errors.New("PostgreSQL was stopped")}
	return server.Remove()
}
