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
	// Lease is for how long others leave alone what a node owns that is not heard
	// of any more.
	Lease = 5 * time.Second

	// leaseMargin is how much earlier a node takes its lease to be over than the
	// database: as long as clocks of two machines can come to differ in the time
	// of a lease, and much more.
	leaseMargin = time.Second

	heartbeatInterval = time.Second

	// heartbeatTimeout is how long a beat may take, and beatPause how long is waited after
	// one that has failed: there is time for a second and a third try.
	heartbeatTimeout    = 1500 * time.Millisecond
	heartbeatRetryPause = 250 * time.Millisecond

	// leaveTimeout is how long it may take to say goodbye. Who does not get to it is
	// taken for dead a little later.
	leaveTimeout = 2 * time.Second
)

// Config is what a [Member] works with. Store and Logger are required.
type Config struct {
	Store   storage.Shared
	Name    string // of the machine
	Version string // of the program
	Logger  *slog.Logger

	// Admit, if not nil, returns why the daemon may not use the database, if it may
	// not. It is asked before a member comes back that was away for longer than its
	// lease: nobody has counted on it meanwhile.
	Admit func(context.Context) error

	// Wall and Uptime are the clocks of the machine, whose readings are compared
	// with earlier ones of the same; nil for those of package time.
	Wall   func() time.Time
	Uptime func() time.Duration
}

// Member is a daemon as one of several. Its methods may be called from any
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
	ackedAt       instant // before the last beat that was heard
	joined        bool    // there was one under this id
	returning     bool    // the id is not the first one, and was not heard yet
	returnedAt    instant // when the id was first heard, if it is not the first one
	nodes         []storage.Node
	seen          instant // when they were read
	peers         []peer
	dbHeartbeatAt time.Time // when this node had beaten then, by the clock of the database
	lastErr       error     // of the last beat
}

// instant is a moment by two clocks.
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

// SetLag names who knows by how much what the daemon has to publish is late.
// Without one it is not late.
func (m *Member) SetLag(lag func() time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lag = lag
}

// ID returns the id that attempts are begun under now.
func (m *Member) ID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.id
}

// Holds reports whether an id is that of the member, and its lease runs for
// certain.
func (m *Member) Holds(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return id == m.id && m.leaseRuns()
}

// Alive reports whether the lease of the member runs for certain.
func (m *Member) Alive() bool { return m.Holds(m.ID()) }

// Settled reports whether the lease runs, and has for as long as others get to come
// back. After a time in which the database was out of reach for all members, each
// has lost its lease, and those that live have come back by then.
func (m *Member) Settled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leaseRuns() && (m.returnedAt == instant{} || m.since(m.returnedAt) >= Lease)
}

// leaseRuns reports whether the lease runs. mu is held.
func (m *Member) leaseRuns() bool { return m.joined && m.since(m.ackedAt) < Lease-leaseMargin }

func (m *Member) now() instant { return instant{wall: m.wall().Round(0), uptime: m.uptime()} }

// since returns how long ago something was, by the clock that says more.
func (m *Member) since(then instant) time.Duration {
	now := m.now()
	return max(now.uptime-then.uptime, now.wall.Sub(then.wall))
}

// Join makes the daemon one of the nodes. Nothing else of it may use the database
// before.
func (m *Member) Join(ctx context.Context) error {
	if err := m.heartbeat(ctx); err != nil {
		return fmt.Errorf("join the other daemons on the database: %w", err)
	}
	return nil
}

// Run keeps the daemon one of the nodes until ctx ends, and then leaves: others
// take over at once. It returns nil.
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
				m.log.Warn("the database does not hear of this node", "node", m.ID(), "error", err)
			}
		case failing:
			m.log.Info("the database hears of this node again", "node", m.ID())
		}
		failing = err != nil
	}
}

// setLastError keeps the outcome of a beat.
func (m *Member) setLastError(ctx context.Context, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() == nil {
		m.lastErr = err
	}
}

// LastError returns why the last beat was not heard, or nil.
func (m *Member) LastError() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastErr
}

// heartbeat tells that the daemon lives, and reads which others do.
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

// nextHeartbeat returns what the next beat says, under a new id when the lease of the old
// one has run out.
func (m *Member) nextHeartbeat() (storage.Node, instant) {
	m.mu.Lock()
	lag := m.lag
	if m.joined && !m.leaseRuns() {
		old, away := m.id, m.since(m.ackedAt)
		m.id, m.joined, m.returning = newID(m.wall()), false, true
		m.log.Warn("this node was not heard of for longer than its lease, and comes back as a new one",
			"node", m.id, "before", old, "away", away.Round(time.Millisecond))
	}
	n := storage.Node{ID: m.id, Name: m.name, Version: m.version, StartedAt: m.started}
	sent := m.now()
	m.mu.Unlock()
	n.Lag = lag() // may ask others, who may ask this member
	return n, sent
}

// readmit asks whether a member that was away may still use the database. Others
// see it by then.
func (m *Member) readmit(ctx context.Context) error {
	m.mu.Lock()
	back := m.returning
	m.mu.Unlock()
	if !back || m.admit == nil {
		return nil
	}
	return m.admit(ctx)
}

// acknowledge notes that a beat has reached the database. An answer that comes when the lease
// has run out does not revive it: the beat may have come to the database when others
// had taken over, and the member comes back with the next one.
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

// leave ends the lease.
func (m *Member) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	m.mu.Lock()
	id := m.id
	m.joined = false
	m.mu.Unlock()
	if err := m.store.Leave(ctx, id); err != nil {
		m.log.Warn("others take over from this node when its lease is over", "node", id, "error", err)
	}
}

// Nodes returns the nodes as they were when they were read last, at most some
// seconds ago while the database can be reached: those that live, and those that
// have gone within the last hour.
func (m *Member) Nodes() []storage.Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.nodes)
}

// Ages returns how long ago each of the nodes was heard of, by the clock of the
// database, as far as that is known from what it has told this member.
func (m *Member) Ages(nodes []storage.Node) []time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	ages := make([]time.Duration, len(nodes))
	var own time.Time
	for i := range nodes {
		if nodes[i].ID == m.id {
			own = nodes[i].BeatAt
		}
	}
	for i := range nodes {
		if own.IsZero() {
			own = nodes[i].BeatAt
		}
		ages[i] = max(0, m.since(m.ackedAt)+own.Sub(nodes[i].BeatAt))
	}
	return ages
}

// Mine reports whether this node is the one that takes care of a key when all
// that live could. Of nodes that see the same others exactly one does. A node that
// is gone, or new, changes that for its share of the keys alone.
func (m *Member) Mine(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preferred(key) == m.id
}

// Preferred returns the id of the node that [Member.Mine] holds for, as far as this one
// knows.
func (m *Member) Preferred(key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.preferred(key)
}

// preferred returns the id of the node that is preferred for a key. mu is held.
func (m *Member) preferred(key string) string {
	if len(m.peers) == 0 {
		return m.id
	}
	return preferred(m.peers, key, m.expiredBefore())
}

// expiredBefore returns the time of the database whose beats are older than a lease now,
// or the zero time when that is not known. A node whose lease has ended is not
// taken to live until the nodes are read again.
func (m *Member) expiredBefore() time.Time {
	if m.dbHeartbeatAt.IsZero() {
		return time.Time{}
	}
	return m.dbHeartbeatAt.Add(m.since(m.ackedAt) - Lease)
}

// Hold makes this node the holder of a name, unless another one is, and reports
// whether it is now. It ends with Release, and with the lease. A caller who goes
// on for longer asks again.
func (m *Member) Hold(ctx context.Context, name string) (bool, error) {
	id := m.ID()
	if !m.Holds(id) {
		return false, nil
	}
	held, err := m.store.Hold(ctx, id, name)
	return held && err == nil && m.Holds(id), err
}

// Release lets others hold a name.
func (m *Member) Release(ctx context.Context, name string) error {
	return m.store.Release(ctx, m.ID(), name)
}
