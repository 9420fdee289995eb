package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

const (
	nodeCount = 3

	// freezeLength is how long a daemon stays frozen, and stallLength how long nothing
	// passes between a daemon and its database. Both exceed the lease of a node, which
	// is five seconds.
	freezeLength     = 13 * time.Second
	stallLength      = 30 * time.Second
	quickStallLength = 13 * time.Second
)

// nodes runs three daemons on one PostgreSQL and breaks the daemons, their connections
// to the database, and the server, while clients use any daemon that responds.
//
// The quick run has 24 faults instead of 200, and shorter stalls.
func nodes(ctx context.Context, h *harness) (result, error) {
	w, server, err := h.newNodes()
	if server == nil {
		return withoutPostgres(err)
	}
	if err != nil {
		return result{}, err
	}
	defer w.removeNodes(server)
	total := newTally()
	total.judged = w.judged
	if err := w.startNodes(ctx); err != nil {
		return result{}, err
	}
	if err := w.setUp(ctx, killPlan{authors: 6, accounts: 12}); err != nil {
		return result{}, err
	}
	f := nodeFaultRun{world: w, server: server, total: total, random: w.random("nodes/faults")}
	if err := w.whileAuthorsWork(ctx, func() error { return f.run(ctx) }); err != nil {
		return total.result(), err
	}
	err = h.idle(func() error { return w.settle(ctx, settleLimit) })
	if err == nil {
		err = w.checkNodes(ctx)
	}
	total.most("settled_ms", w.settled)
	total.add(w)
	return total.result(), err
}

// onOneAndNodes runs the two parts of a scenario at once: one with a lone daemon, and one
// with several daemons, which is skipped without PostgreSQL.
func onOneAndNodes(total *tally, onOne func() error, onNodes func() (result, error)) (result, error) {
	var failed firstError
	var nodes result
	var wg sync.WaitGroup
	wg.Go(func() { failed.add(onOne()) })
	wg.Go(func() {
		var err error
		nodes, err = onNodes()
		failed.add(err)
	})
	wg.Wait()
	out := total.result()
	if nodes.Verdict == skipped {
		out.Detail += "\n  the part with several daemons was skipped: it " + nodes.Detail
	}
	return out, failed.err
}

// killNodes runs fn on several daemons, which fn can kill. Without PostgreSQL, it returns the
// reason as a skipped result.
func (h *harness) killNodes(ctx context.Context, name string, total *tally, fn func(*nodeFaultRun) error) (result, error) {
	w, server, err := h.newNodes()
	if server == nil {
		return withoutPostgres(err)
	}
	if err != nil {
		return result{}, err
	}
	defer w.removeNodes(server)
	w.judged, w.name = total.judged, name
	if err := w.startNodes(ctx); err != nil {
		return result{}, err
	}
	return result{}, fn(&nodeFaultRun{world: w, server: server, total: total, random: w.random(name + "/kills")})
}

// withoutPostgres is the result without PostgreSQL.
func withoutPostgres(err error) (result, error) {
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		return result{}, err
	}
	return result{Verdict: skipped, Detail: fmt.Sprintf("needs PostgreSQL: %v; storage/postgres/postgrestest/install.sh installs it", err)}, nil
}

// node is one of several daemons on one database.
type node struct {
	name   string
	config child.Config
	link   *link
	ready  atomic.Pointer[child.Daemon] // may have been killed
}

// newNodes creates a world of several daemons, which do not run yet, with their own
// PostgreSQL server.
func (h *harness) newNodes() (*world, *postgrestest.Cluster, error) {
	server, err := postgrestest.New()
	if err != nil {
		return nil, nil, err
	}
	w, err := h.newWorld(setting{name: "nodes"})
	if err != nil {
		return nil, server, errors.Join(err, server.Remove())
	}
	for i := range nodeCount {
		m, err := h.newNode(fmt.Sprintf("node-%d", i), server)
		if err != nil {
			return nil, server, errors.Join(err, server.Remove())
		}
		w.nodes = append(w.nodes, m)
	}
	return w, server, nil
}

func (h *harness) newNode(name string, server *postgrestest.Cluster) (*node, error) {
	dir, err := h.newDir()
	if err != nil {
		return nil, err
	}
	k, err := newLink(server.Socket())
	if err != nil {
		return nil, err
	}
	store := url.URL{Scheme: "postgres", User: url.User("schedctl"), Host: k.address(), Path: "/postgres", RawQuery: "sslmode=disable"}
	return &node{name: name, link: k, config: child.Config{Binary: h.binary, Dir: dir, Args: []string{"--store", store.String()}}}, nil
}

// startNodes starts all daemons. The first one creates the key of the workspace, which
// all requests use, and the key of the secrets, which all daemons share.
func (w *world) startNodes(ctx context.Context) error {
	first := w.nodes[0]
	if err := first.start(ctx); err != nil {
		return err
	}
	for _, m := range w.nodes {
		m.config.Key = first.ready.Load().Key
	}
	secret, err := os.ReadFile(filepath.Join(first.config.Dir, "secret.key"))
	if err != nil {
		return err
	}
	for _, m := range w.nodes[1:] {
		if err := os.WriteFile(filepath.Join(m.config.Dir, "secret.key"), secret, 0o600); err != nil {
			return err
		}
		if err := m.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// start starts the daemon and waits until it is ready. It retries while the database is
// unavailable, as a service manager does.
func (m *node) start(ctx context.Context) error {
	var last error
	for patience := time.Now().Add(time.Minute); time.Now().Before(patience) && ctx.Err() == nil; sleep(ctx, 200*time.Millisecond) {
		d, err := child.Launch(m.config)
		if err != nil {
			return err
		}
		m.config.Address = d.Address
		if last = d.AwaitReady(ctx); last == nil {
			m.ready.Store(d)
			return nil
		}
		d.Kill()
	}
	return errors.Join(ctx.Err(), fmt.Errorf("%s did not start: %w", m.name, last))
}

// checkNodes is check for several daemons: resent writes go to any of them, and each
// must stop cleanly.
func (w *world) checkNodes(ctx context.Context) error {
	if err := w.compare(ctx); err != nil {
		return err
	}
	for _, m := range w.nodes {
		if err := m.ready.Load().Stop(); err != nil {
			w.judged.violation(brokenStore, "%s did not stop cleanly: %s", m.name, err)
		}
	}
	return nil
}

// removeNodes kills all processes and removes the database.
func (w *world) removeNodes(server *postgrestest.Cluster) {
	var ends sync.WaitGroup
	for _, m := range w.nodes {
		ends.Go(func() {
			if d := m.ready.Load(); d != nil {
				d.Kill()
			}
			m.link.stop()
			os.RemoveAll(m.config.Dir)
		})
	}
	ends.Wait()
	w.end()
	if err := server.Remove(); err != nil {
		w.progress("nodes", "%s", err)
	}
}
