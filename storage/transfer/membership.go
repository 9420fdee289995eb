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

// How long the lease of a copy is, and how often it is renewed.
const (
	copyLease       = 4 * time.Second
	heartbeatPeriod = time.Second
)

// leaveLimit is how long the end of a copy may take to say that it is over.
const leaveLimit = 2 * time.Second

// BusyError says that a daemon uses a database.
type BusyError struct {
	Database string // its name
	Node     storage.Node
}

// Error says it for people.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is used by the daemon on %s (node %s, started %s)",
		e.Database, e.Node.Name, e.Node.ID, e.Node.StartedAt.UTC().Format(time.RFC3339))
}

// namedStore is a database that several daemons may share, with its name.
type namedStore struct {
	storage.Shared
	name string
}

// membership makes a copy a node of the databases that it works on, where they have
// nodes: so it sees daemons, and they see it.
type membership struct {
	node   storage.Node
	stores []namedStore
	stop   context.CancelFunc
	beats  sync.WaitGroup
}

// join begins the presence. The caller ends it with leave.
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

// run beats until ctx ends. A beat that fails is made up for by the next one: the
// end of the copy looks whether a daemon has come meanwhile.
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

// leave ends the presence.
func (p *membership) leave(ctx context.Context) {
	p.stop()
	p.beats.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	for _, s := range p.stores {
		s.Leave(ctx, p.node.ID) // else the lease runs out
	}
}

// waitForOthers returns a [*BusyError] when another node is alive. Former nodes are runs of
// the same copy that were killed, whose leases are waited for. So is that of any
// other copy from this machine: it may have been killed before it left its mark.
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

// otherNode returns another living node, if there is one, and whether it is one of the
// former ones.
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
