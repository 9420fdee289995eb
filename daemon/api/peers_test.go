package api_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// newPeers returns APIs of several daemons on one database, each with its own view
// of it. They are notified of commits, and run until the test ends.
func newPeers(t *testing.T, stores []storage.Shared, configure ...func(*api.Config)) []*fixture {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	peers := make([]*fixture, len(stores))
	for i, store := range stores {
		use := append([]func(*api.Config){func(c *api.Config) { c.Store = store }}, configure...)
		if i == 0 {
			peers[i] = newFixtureOn(t, store, use...)
		} else {
			peers[i] = peers[0].newPeer(store, use...)
		}
		server := peers[i].server
		running.Go(func() { server.Run(ctx) })
	}
	t.Cleanup(func() { // before the stores are closed
		stop()
		running.Wait()
	})
	return peers
}

// newPeer returns the API of a second daemon with the same tenants and networks.
func (f *fixture) newPeer(store storage.Store, configure ...func(*api.Config)) *fixture {
	g := &fixture{
		t: f.t, store: storagetest.NewFaulty(store), logs: f.logs, network: f.network,
		publishers: f.publishers, sealer: f.sealer, mine: f.mine, other: f.other,
	}
	logger := slog.New(slog.NewTextHandler(f.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g.connector = connect.New(connect.Config{Store: g.store, Publishers: g.publishers, Sealer: g.sealer, Logger: logger})
	config := api.Config{
		Store: g.store, Version: "test", Publishers: g.publishers, Logger: logger, Connector: g.connector, Sealer: g.sealer, Notifier: f.notifier,
	}
	for _, c := range configure {
		c(&config)
	}
	g.server = api.New(config)
	g.handler = g.server
	g.listen(func(storage.Commit) {})
	f.t.Cleanup(func() { store.Close() })
	return g
}

// inMemory returns several daemons' views of one database in memory.
func inMemory(n int) (memory *storagetest.SharedMemory, stores []storage.Shared) {
	memory = storagetest.NewSharedMemory()
	for range n {
		stores = append(stores, memory.Open())
	}
	return memory, stores
}
