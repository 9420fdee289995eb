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
	lease     = 4 * time.Second
	beatPause = time.Second
)

// leavePatience is how long the end of a copy may take to say that it is over.
const leavePatience = 2 * time.Second

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

// named is a database that several daemons may share, with its name.
type named struct {
	storage.Shared
	name string
}

// presence makes a copy a node of the databases that it works on, where they have
// nodes: so it sees daemons, and they see it.
type presence struct {
	node   storage.Node
	stores []named
	stop   context.CancelFunc
	beats  sync.WaitGroup
}

// join begins the presence. The caller ends it with leave.
func join(ctx context.Context, o *Options, from, to storage.Store) (*presence, error) {
	p := &presence{node: storage.Node{
		ID: schedctl.NewULID(o.Now()).String(), Name: o.Host + " (schedctl store copy)", Version: o.Version, StartedAt: schedctl.Millis(o.Now()),
	}}
	for name, store := range map[string]storage.Store{o.From: from, o.To: to} {
		if shared, ok := store.(storage.Shared); ok {
			p.stores = append(p.stores, named{shared, name})
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

func (p *presence) beat(ctx context.Context) error {
	for _, s := range p.stores {
		if err := s.Heartbeat(ctx, p.node, lease); err != nil {
			return fmt.Errorf("become a node of %s: %w", s.name, err)
		}
	}
	return nil
}

// run beats until ctx ends. A beat that fails is made up for by the next one: the
// end of the copy looks whether a daemon has come meanwhile.
func (p *presence) run(ctx context.Context) {
	if len(p.stores) == 0 {
		return
	}
	ticks := time.NewTicker(beatPause)
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
func (p *presence) leave(ctx context.Context) {
	p.stop()
	p.beats.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leavePatience)
	defer cancel()
	for _, s := range p.stores {
		s.Leave(ctx, p.node.ID) // else the lease runs out
	}
}

// alone returns a [*BusyError] when another node is alive. Former nodes are runs of
// the same copy that were killed, whose leases are waited for. So is that of any
// other copy from this machine: it may have been killed before it left its mark.
func (p *presence) alone(ctx context.Context, former ...string) error {
	for deadline := time.Now().Add(lease + beatPause); ; {
		busy, onlyFormer, err := p.others(ctx, former)
		if err != nil || busy == nil {
			return err
		}
		if !onlyFormer || time.Now().After(deadline) {
			return busy
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lease / 20):
		}
	}
}

// others returns another living node, if there is one, and whether it is one of the
// former ones.
func (p *presence) others(ctx context.Context, former []string) (busy error, isFormer bool, err error) {
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
