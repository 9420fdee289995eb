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

// world is a daemon with its data, its networks and its clients. The daemon may be
// killed, stopped and restarted; it keeps its address. Violations go to judged.
type world struct {
	*harness
	name    string
	config  child.Config
	network *network
	judged  *verdictCollector
	authors []*author

	seeded       []*story // posts that were not written by authors
	accounts     map[kind][]string
	usedAccounts atomic.Pointer[[]string] // accounts that clients post to

	launched      atomic.Pointer[child.Daemon] // may not be ready yet
	ready         atomic.Pointer[child.Daemon] // may have been killed
	armedKill     atomic.Pointer[killTimer]
	mu            sync.Mutex
	killsByTarget map[string]int // mu guards killsByTarget, the kills during calls for each target
	settled       time.Duration  // time from the last start until the daemon was idle

	nodes        []*node       // daemons of a world with several
	turns        atomic.Uint64 // for choosing the next node
	lastRecovery time.Time     // when the last fault was over

	hasWebhook bool      // the webhook exists
	skipOutbox bool      // the outbox is too large to read
	late       time.Time // see observation
	certain    bool      // see observation
}

// setting says how a world differs from the default.
type setting struct {
	name   string // for the random source and the progress
	binary string // daemon to run; empty for the default
	dir    string // data directory; empty for a new one
	args   []string
	env    []string
}

// newWorld creates a world and starts only its networks. The caller must call end.
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

// startWorld creates a world and starts it. Its violations go to the tally. The caller must
// call end.
func (h *harness) startWorld(ctx context.Context, s setting, total *tally) (*world, error) {
	w, err := h.newWorld(s)
	if err != nil {
		return nil, err
	}
	w.judged = total.judged
	if err := w.start(ctx); err != nil {
		w.end()
		return nil, err
	}
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

// daemon returns the daemon to use, in turns when there are several. It may have been
// killed.
func (w *world) daemon() *child.Daemon {
	if len(w.nodes) > 0 {
		return w.nodes[w.turns.Add(1)%uint64(len(w.nodes))].ready.Load()
	}
	return w.ready.Load()
}

// lastStart returns the time of the last start, or of the last fault with several daemons.
func (w *world) lastStart() time.Time {
	if len(w.nodes) > 0 {
		return w.lastRecovery
	}
	return w.daemon().StartTime()
}

// launch starts the daemon without waiting until it is ready.
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

// newAuthors creates count authors.
func (w *world) newAuthors(count int) {
	for i := range count {
		name := fmt.Sprintf("%s-%d", w.name, i)
		w.authors = append(w.authors, &author{world: w, name: name, random: w.random(name)})
	}
}
