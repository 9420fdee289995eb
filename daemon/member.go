package daemon

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/node"
	"github.com/schedctl/schedctl/storage"
)

// join makes the daemon a node of its database until leave is called. The member is nil
// for a database that only one daemon can use.
func join(ctx context.Context, cfg Config, listener net.Listener) (m *node.Member, leave func(), err error) {
	shared, ok := cfg.Store.(storage.Shared)
	if !ok {
		return nil, func() {}, nil
	}
	m = node.New(node.Config{
		Store: shared, Name: nodeName(listener), Version: cfg.Version, Logger: cfg.Logger,
		Admit: func(ctx context.Context) error { return admit(ctx, cfg) },
	})
	if err := m.Join(ctx); err != nil {
		return nil, nil, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { m.Run(running) }) // returns nil
	return m, func() {
		end()
		wg.Wait()
	}, nil
}

// nodeName returns the name of a node for people: the machine, and the port or the
// socket, which distinguish the nodes of one machine.
func nodeName(listener net.Listener) string {
	switch a := listener.Addr().(type) {
	case *net.TCPAddr:
		return net.JoinHostPort(hostName(), strconv.Itoa(a.Port))
	case *net.UnixAddr:
		return hostName() + ":" + a.Name
	}
	return hostName()
}

// hostName returns the name of the machine.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

// loneNode describes a daemon whose database has no other nodes.
type loneNode struct {
	id, version string
	started     time.Time
}

func newLoneNode(cfg Config) loneNode {
	now := time.Now()
	return loneNode{id: schedctl.NewULID(now).String(), version: cfg.Version, started: now}
}

// nodes returns the nodes that use the database, including this one.
func (d *daemon) nodes() []apiv1.Node {
	if d.member == nil {
		return []apiv1.Node{apiv1.NewNode(apiv1.NodeFacts{
			ID: d.self.id, Name: hostName(), Version: d.self.version, Self: true, Alive: true,
			StartedAt: d.self.started, HeardAt: time.Now(), Lag: d.deliverer.Lag(),
		})}
	}
	known := d.member.Nodes()
	list, ages, own := []apiv1.Node{}, d.member.Ages(known), d.member.ID()
	for i, n := range known {
		list = append(list, apiv1.NewNode(apiv1.NodeFacts{
			ID: n.ID, Name: n.Name, Version: n.Version, Self: n.ID == own, Alive: n.Alive,
			StartedAt: n.StartedAt, HeardAt: n.HeartbeatAt, HeardAgo: ages[i], Lag: n.Lag,
		}))
	}
	return list
}
