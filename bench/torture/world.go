package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// world is a daemon with its data, the networks it publishes to and the clients
// it has. The daemon may be killed, stopped and started again; it keeps its
// address. Whatever is found wrong goes to judged.
type world struct {
	*harness
	name    string
	config  child.Config
	network *network
	judged  *verdictCollector
	authors []*author

	seeded       []*story // posts that no author wrote
	accounts     map[kind][]string
	usedAccounts atomic.Pointer[[]string] // the accounts that clients post to

	launched      atomic.Pointer[child.Daemon] // perhaps not ready yet
	ready         atomic.Pointer[child.Daemon] // perhaps killed since
	armedKill     atomic.Pointer[killTimer]
	mu            sync.Mutex
	killsByTarget map[string]int // mu guards bites: calls for a target that a fuse could have ended
	settled       time.Duration  // from the last start until nothing was to be done

	nodes        []*node       // the daemons of a world that has several
	turns        atomic.Uint64 // among them
	lastRecovery time.Time     // when the last of their faults was over

	hasWebhook bool      // there is a webhook
	skipOutbox bool      // the outbox is not worth its time
	late       time.Time // see state
	certain    bool      // see state
}

// setting says how a world differs from the usual one.
type setting struct {
	name   string // for the random choices and the progress
	binary string // of the daemon; empty for the one that was built
	dir    string // of the data; empty for a new one
	args   []string
	env    []string
}

// newWorld makes a world and starts nothing but its networks. The caller ends it.
func (h *harness) newWorld(s setting) (*world, error) {
	if s.binary == "" {
		s.binary = h.binary
	}
	if s.dir == "" {
		var err error
		if s.dir, err = h.newDir(); err != nil {
			return nil, err
		}
	}
	n, err := newNetwork(h.random(s.name + "/network"))
	if err != nil {
		return nil, err
	}
	w := &world{
		harness: h, name: s.name, network: n, judged: new(verdictCollector), accounts: map[kind][]string{}, killsByTarget: map[string]int{},
		config: child.Config{Binary: s.binary, Dir: s.dir, Args: s.args, Env: s.env},
	}
	n.at = w.atPoint
	return w, nil
}

// end kills the daemon, stops the networks and removes the data.
func (w *world) end() {
	if d := w.launched.Load(); d != nil {
		d.Kill()
	}
	w.network.stop()
	os.RemoveAll(w.config.Dir)
}

// daemon returns the daemon to ask, of several one after another. It may have
// been killed.
func (w *world) daemon() *child.Daemon {
	if len(w.nodes) > 0 {
		return w.nodes[w.turns.Add(1)%uint64(len(w.nodes))].ready.Load()
	}
	return w.ready.Load()
}

// began returns when the last start, or the last fault of several daemons, was.
func (w *world) began() time.Time {
	if len(w.nodes) > 0 {
		return w.lastRecovery
	}
	return w.daemon().Began()
}

// launch starts the daemon and does not wait until it is ready.
func (w *world) launch() (*child.Daemon, error) {
	d, err := child.Launch(w.config)
	if err != nil {
		return nil, err
	}
	w.config.Address = d.Address
	w.launched.Store(d)
	return d, nil
}

// start starts the daemon and waits until it is ready.
func (w *world) start(ctx context.Context) error {
	d, err := w.launch()
	if err != nil {
		return err
	}
	if err := d.AwaitReady(ctx); err != nil {
		return err
	}
	w.ready.Store(d)
	return nil
}

// newAuthors makes count authors.
func (w *world) newAuthors(count int) {
	for i := range count {
		name := fmt.Sprintf("%s-%d", w.name, i)
		w.authors = append(w.authors, &author{world: w, name: name, random: w.random(name)})
	}
}
