package transfer

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Length and renewal period of a copy's lease.
const (
	copyLease       = 4 * time.Second
	heartbeatPeriod = time.Second
)

// leaveLimit limits the time to end the lease after a copy.
const leaveLimit = 2 * time.Second

// BusyError means that a daemon uses a database.
type BusyError struct {
	Database string // name of the database
	Node     storage.Node
}

// Error names the database and the daemon.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is used by the daemon on %s (node %s, started %s)",
		e.Database, e.Node.Name, e.Node.ID, e.Node.StartedAt.UTC().Format(time.RFC3339))
}

// namedStore is a shared database with its name.
type namedStore struct {
	storage.Shared
	name string
}

// membership makes a copy a node of the databases that it works on, where they have
// nodes: the copy sees daemons, and they see it.
type membership struct {
	node   storage.Node
	stores []namedStore
	stop   context.CancelFunc
	beats  sync.WaitGroup
}

// join registers the copy as a node. The caller must call leave.
func join(ctx context.Context, o *Options, from, to storage.Store) (*membership, error) {
	p := &membership{node: storage.Node{
		ID: schedctl.NewULID(o.Now()).String(), Name: o.Host + " (schedctl store copy)", Version: o.Version, StartedAt: schedctl.Millis(o.Now()),
	}}
	for name, store := range map[string]storage.Store{o.From: from, o.To: to} {
		if shared, ok := store.(storage.Shared); ok {
			p.stores = append(p.stores, namedStore{shared, name})
		}
	}
	if err := p.beat(ctx); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	p.stop = stop
	p.beats.Go(func() { p.run(running) })
	return p, nil
}

func (p *membership) beat(ctx context.Context) error {
	for _, s := range p.stores {
		if err := s.Heartbeat(ctx, p.node, copyLease); err != nil {
			return fmt.Errorf("become a node of %s: %w", s.name, err)
		}
	}
	return nil
}

// run sends heartbeats until ctx ends. A failed heartbeat needs no handling: the next
// one follows, and the end of the copy checks whether a daemon has started.
func (p *membership) run(ctx context.Context) {
	if len(p.stores) == 0 {
		return
	}
	ticks := time.NewTicker(heartbeatPeriod)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			p.beat(ctx)
		}
	}
}

// leave ends the membership.
func (p *membership) leave(ctx context.Context) {
	p.stop()
	p.beats.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	for _, s := range p.stores {
		s.Leave(ctx, p.node.ID) // on an error the lease expires later
	}
}

// waitForOthers returns a [*BusyError] when another node is alive. It waits for the
// leases of killed runs of this copy, given as former, and of other copies from this
// machine, which may have been killed before they marked the databases.
func (p *membership) waitForOthers(ctx context.Context, former ...string) error {
	for deadline := time.Now().Add(copyLease + heartbeatPeriod); ; {
		busy, onlyFormer, err := p.otherNode(ctx, former)
		if err != nil || busy == nil {
			return err
		}
		if !onlyFormer || time.Now().After(deadline) {
			return busy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(copyLease / 20):
		}
	}
}

// otherNode returns an error that names another living node, if any, and whether it is
// one of the former nodes.
func (p *membership) otherNode(ctx context.Context, former []string) (busy error, isFormer bool, err error) {
	for _, s := range p.stores {
		nodes, err := s.Nodes(ctx)
		if err != nil {
			return nil, false, fmt.Errorf("look for daemons on %s: %w", s.name, err)
		}
		for _, n := range nodes {
			if !n.Alive || n.ID == p.node.ID {
				continue
			}
			busy, isFormer = &BusyError{Database: s.name, Node: n}, slices.Contains(former, n.ID) || n.Name == p.node.Name
			if !isFormer {
				return busy, false, nil
			}
		}
	}
	return busy, isFormer, nil
}
