package node_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/node"
	"github.com/schedctl/schedctl/storage"
)

// errAway is the error of an unreachable database.
var errAway = errors.New("the database is away")

// database is the part of a shared database that nodes use.
type database struct {
	storage.Store // no method of it is called

	mu    sync.Mutex // mu guards what follows
	away  bool
	stuck bool          // calls end only with their context
	slow  time.Duration // delay of heartbeat responses
	until map[string]time.Time
	nodes map[string]storage.Node
	holds map[string]string
}

func newDatabase() *database {
	return &database{until: map[string]time.Time{}, nodes: map[string]storage.Node{}, holds: map[string]string{}}
}

// set changes how the database responds.
func (d *database) set(change func(*database)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// reach is the way to the database.
func (d *database) reach(ctx context.Context) error {
	d.mu.Lock()
	away, stuck := d.away, d.stuck
	d.mu.Unlock()
	switch {
	case stuck:
		<-ctx.Done()
		return ctx.Err()
	case away:
		return errAway
	}
	return ctx.Err()
}

func (d *database) Heartbeat(ctx context.Context, n storage.Node, lease time.Duration) error {
	if err := d.reach(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n.HeartbeatAt = time.Now()
	d.nodes[n.ID], d.until[n.ID] = n, time.Now().Add(lease)
	slow := d.slow
	d.mu.Unlock()
	time.Sleep(slow)
	d.mu.Lock()
	return nil
}

func (d *database) Leave(ctx context.Context, id string) error {
	if err := d.reach(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until[id] = time.Now()
	return nil
}

func (d *database) Nodes(ctx context.Context) ([]storage.Node, error) {
	if err := d.reach(ctx); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []storage.Node
	for id, n := range d.nodes {
		n.Alive = d.alive(id)
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b storage.Node) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

// alive reports whether a lease is valid. The caller holds mu.
func (d *database) alive(id string) bool { return time.Now().Before(d.until[id]) }

func (d *database) Hold(ctx context.Context, id, name string) (bool, error) {
	if err := d.reach(ctx); err != nil {
		return false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.alive(id) || d.alive(d.holds[name]) && d.holds[name] != id {
		return false, nil
	}
	d.holds[name] = id
	return true, nil
}

func (d *database) Release(ctx context.Context, id, name string) error {
	if err := d.reach(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.holds[name] == id {
		delete(d.holds, name)
	}
	return nil
}

func (d *database) UseTokens(context.Context, []storage.TokenUse) ([]time.Time, error) {
	panic("no node spends")
}

func (d *database) Refuse(context.Context, storage.IdempotencyScope) (*storage.IdempotencyRecord, error) {
	panic("no node refuses")
}

// clocks are the clocks of a machine that can be suspended and set. They are used in a
// synctest bubble by one goroutine at a time.
type clocks struct {
	mu    sync.Mutex // mu guards what follows
	slept time.Duration
	set   time.Duration
	start time.Time
}

func (c *clocks) wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.set)
}

func (c *clocks) uptime() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.start) - c.slept
}

// join returns a member of the database's nodes.
func join(t *testing.T, d *database, name string) *node.Member {
	t.Helper()
	m := node.New(node.Config{Store: d, Name: name, Version: "1.2.3", Logger: slog.New(slog.DiscardHandler)})
	if err := m.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// run makes a member send heartbeats until the returned function is called.
func run(t *testing.T, m *node.Member) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func keys(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("acct_%026d", i))
	}
	return list
}
