package node

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// Lease is how long after its last heartbeat a node keeps what it owns.
	Lease = 5 * time.Second

	// leaseMargin is how much earlier a node considers its lease expired than the
	// database does. It is much more than two clocks can drift apart during a lease.
	leaseMargin = time.Second

	heartbeatInterval = time.Second

	// heartbeatTimeout and heartbeatRetryPause leave time for three attempts within a
	// lease.
	heartbeatTimeout    = 1500 * time.Millisecond
	heartbeatRetryPause = 250 * time.Millisecond

	// leaveTimeout bounds [storage.Shared.Leave]. If it fails, the lease expires.
	leaveTimeout = 2 * time.Second
)

// Config is what a [Member] works with. Store and Logger are required.
type Config struct {
	Store   storage.Shared
	Name    string // of the machine
	Version string // of the program
	Logger  *slog.Logger

	// Admit, if not nil, returns an error when the daemon must not use the database.
	// It is called before a member rejoins whose lease expired.
	Admit func(context.Context) error

	// Wall and Uptime read the clocks of the machine; nil for those of package time.
	Wall   func() time.Time
	Uptime func() time.Duration
}

// Member is a daemon as one of several nodes. Its methods may be called from any
// goroutine.
type Member struct {
	store   storage.Shared
	name    string
	version string
	started time.Time
	log     *slog.Logger
	wall    func() time.Time
	uptime  func() time.Duration
	admit   func(context.Context) error

	mu            sync.Mutex // mu guards what follows
	lag           func() time.Duration
	id            string
	ackedAt       instant // when the last successful heartbeat was sent
	joined        bool    // a heartbeat succeeded under this id
	returning     bool    // the lease expired, and no heartbeat succeeded since
	returnedAt    instant // when the node last rejoined; zero if it never did
	nodes         []storage.Node
	seen          instant // when nodes was read
	peers         []peer
	dbHeartbeatAt time.Time // of the last heartbeat of this node in nodes, by the clock of the database
	lastErr       error     // of the last heartbeat
}

// instant is a point in time by two clocks.
type instant struct {
	wall   time.Time
	uptime time.Duration
}

// New returns a member that has not joined yet.
func New(c Config) *Member {
	m := &Member{
		store: c.Store, name: c.Name, version: c.Version, log: c.Logger, wall: c.Wall, uptime: c.Uptime,
		lag: func() time.Duration { return 0 }, admit: c.Admit,
	}
	if m.wall == nil {
		m.wall = time.Now
	}
	if m.uptime == nil {
		origin := time.Now()
		m.uptime = func() time.Duration { return time.Since(origin) }
	}
	m.started = schedctl.Millis(m.wall())
	m.id = newID(m.started)
	return m
}

func newID(now time.Time) string { return schedctl.NewULID(now).String() }

// SetLag sets the function that returns how late the daemon publishes. Heartbeats
// report its result. Without one they report no lag.
func (m *Member) SetLag(lag func() time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lag = lag
}

// ID returns the current id of the node, which new attempts are stored with.
func (m *Member) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.id
}

// Holds reports whether id is the current id of the member and its lease is certainly
// valid.
func (m *Member) Holds(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return id == m.id && m.leaseRuns()
}

// Alive reports whether the lease of the member is certainly valid.
func (m *Member) Alive() bool { return m.Holds(m.ID()) }

// Settled reports whether the lease is valid and, after a rejoin, at least one lease
// duration has passed since. When the database was unreachable for all nodes, every
// living node has rejoined by then.
func (m *Member) Settled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leaseRuns() && (m.returnedAt == instant{} || m.since(m.returnedAt) >= Lease)
}

// leaseRuns reports whether the lease is valid. The caller holds mu.
func (m *Member) leaseRuns() bool { return m.joined && m.since(m.ackedAt) < Lease-leaseMargin }

func (m *Member) now() instant { return instant{wall: m.wall().Round(0), uptime: m.uptime()} }

// since returns the time since then, by the clock that shows more.
func (m *Member) since(then instant) time.Duration {
	now := m.now()
	return max(now.uptime-then.uptime, now.wall.Sub(then.wall))
}

// Join registers the node with its first heartbeat. The daemon must not use the
// database before.
func (m *Member) Join(ctx context.Context) error {
	if err := m.heartbeat(ctx); err != nil {
		return fmt.Errorf("join the other nodes on the database: %w", err)
	}
	return nil
}

// Run sends heartbeats until ctx ends. It then gives up the lease, so that other nodes
// take over at once, and returns nil.
func (m *Member) Run(ctx context.Context) error {
	defer m.leave(context.WithoutCancel(ctx))
	failing := false
	for wait := heartbeatInterval; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		err := m.heartbeat(ctx)
		m.setLastError(ctx, err)
		wait = heartbeatInterval
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			wait = heartbeatRetryPause
			if !failing {
				m.log.Warn("heartbeat failed", "node", m.ID(), "error", err)
			}
		case failing:
			m.log.Info("heartbeat works again", "node", m.ID())
		}
		failing = err != nil
	}
}

// setLastError stores the result of a heartbeat.
func (m *Member) setLastError(ctx context.Context, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() == nil {
		m.lastErr = err
	}
}

// LastError returns the error of the last heartbeat, or nil.
func (m *Member) LastError() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastErr
}

// heartbeat renews the lease and reads the list of nodes.
func (m *Member) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatTimeout)
	defer cancel()
	n, sent := m.nextHeartbeat()
	if err := m.store.Heartbeat(ctx, n, Lease); err != nil {
		return err
	}
	if err := m.readmit(ctx); err != nil {
		return err
	}
	m.acknowledge(n.ID, sent)
	nodes, err := m.store.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("read the nodes: %w", err)
	}
	m.setNodes(nodes)
	return nil
}

// nextHeartbeat returns the content of the next heartbeat and the time before it is
// sent. If the lease expired, the node gets a new id.
func (m *Member) nextHeartbeat() (storage.Node, instant) {
	m.mu.Lock()
	lag := m.lag
	if m.joined && !m.leaseRuns() {
		old, away := m.id, m.since(m.ackedAt)
		m.id, m.joined, m.returning = newID(m.wall()), false, true
		m.log.Warn("lease expired, rejoining as a new node",
			"node", m.id, "before", old, "away", away.Round(time.Millisecond))
	}
	n := storage.Node{ID: m.id, Name: m.name, Version: m.version, StartedAt: m.started}
	sent := m.now()
	m.mu.Unlock()
	n.Lag = lag() // without mu, because lag may call this member
	return n, sent
}

// readmit calls Admit for a member that rejoins. Other nodes already see it.
func (m *Member) readmit(ctx context.Context) error {
	m.mu.Lock()
	back := m.returning
	m.mu.Unlock()
	if !back || m.admit == nil {
		return nil
	}
	return m.admit(ctx)
}

// acknowledge renews the lease after a heartbeat succeeded. A response that arrives
// after the lease expired does not revive it: the database may have received the
// heartbeat after other nodes took over. The next heartbeat rejoins instead.
func (m *Member) acknowledge(id string, sent instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == m.id && (!m.joined || m.leaseRuns()) {
		if m.returning {
			m.returnedAt = sent
		}
		m.ackedAt, m.joined, m.returning = sent, true, false
	}
}

func (m *Member) setNodes(nodes []storage.Node) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes, m.seen = nodes, m.now()
	m.peers, m.dbHeartbeatAt = peersOf(nodes, m.id)
}

// leave gives up the lease.
func (m *Member) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	m.mu.Lock()
	id := m.id
	m.joined = false
	m.mu.Unlock()
	if err := m.store.Leave(ctx, id); err != nil {
		m.log.Warn("leave failed, other nodes take over after the lease", "node", id, "error", err)
	}
}

// Nodes returns the nodes that were alive within the last hour. The list is a few
// seconds old at most while the database is reachable.
func (m *Member) Nodes() []storage.Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.nodes)
}

// Ages returns the time since the last heartbeat of each node, by the clock of the
// database. It is estimated from the last heartbeat of this node.
func (m *Member) Ages(nodes []storage.Node) []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	ages := make([]time.Duration, len(nodes))
	var own time.Time
	for i := range nodes {
		if nodes[i].ID == m.id {
			own = nodes[i].HeartbeatAt
		}
	}
	for i := range nodes {
		if own.IsZero() {
			own = nodes[i].HeartbeatAt
		}
		ages[i] = max(0, m.since(m.ackedAt)+own.Sub(nodes[i].HeartbeatAt))
	}
	return ages
}
