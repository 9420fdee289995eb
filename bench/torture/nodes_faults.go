package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// nodeFault is a fault of daemons that share a database, or of their server.
type nodeFault string

const (
	killed     nodeFault = "kills"
	frozen     nodeFault = "freezes"    // SIGSTOP beyond the lease, then SIGCONT
	cut        nodeFault = "cuts"       // its connections are closed, and new ones refused for a while
	stalled    nodeFault = "stalls"     // nothing passes to and from the database
	terminated nodeFault = "terminated" // the server ends every session
	crashed    nodeFault = "crashes"    // the server crashes and is restarted
)

// nodeFaultRun applies the faults of one run.
type nodeFaultRun struct {
	world  *world
	server *postgrestest.Cluster
	total  *tally

	mu     sync.Mutex
	random *rand.Rand // mu guards random

	serverMu sync.Mutex // held while the server is broken
}

// plan returns the faults in their order.
func (f *nodeFaultRun) plan() (list []nodeFault) {
	shares := map[nodeFault]int{killed: 104, frozen: 16, cut: 40, stalled: 8, terminated: 20, crashed: 12}
	if f.world.quick {
		shares = map[nodeFault]int{killed: 14, frozen: 2, cut: 3, stalled: 1, terminated: 2, crashed: 2}
	}
	for _, kind := range []nodeFault{killed, frozen, cut, stalled, terminated, crashed} {
		for range shares[kind] {
			list = append(list, kind)
		}
	}
	f.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// run applies faults to all nodes in parallel, one after another on each node, and
// leaves all nodes running. Posts to readable networks are made in the first half only:
// the daemon queries these networks a minute after a call.
func (f *nodeFaultRun) run(ctx context.Context) error {
	plan := f.plan()
	next := make(chan nodeFault)
	var members sync.WaitGroup
	var failed firstError
	for _, m := range f.world.nodes {
		members.Go(func() {
			for kind := range next {
				failed.add(f.apply(ctx, m, kind))
				f.total.count(string(kind), 1)
			}
		})
	}
	for i, kind := range plan {
		if i == len(plan)/2 {
			f.world.useKinds(idempotent, blind)
		}
		next <- kind
		if (i+1)%25 == 0 {
			f.world.progress("nodes", "%d of %d faults", i+1, len(plan))
		}
	}
	close(next)
	members.Wait()
	f.world.lastRecovery = time.Now()
	return failed.err
}

// apply applies a fault to a node or to the server, and returns when it has recovered.
func (f *nodeFaultRun) apply(ctx context.Context, m *node, kind nodeFault) error {
	sleep(ctx, f.upTo(300*time.Millisecond))
	switch kind {
	case killed:
		return f.kill(ctx, m)
	case frozen:
		d := m.ready.Load()
		d.Signal(syscall.SIGSTOP)
		sleep(ctx, freezeLength)
		d.Signal(syscall.SIGCONT)
		sleep(ctx, f.upTo(time.Second))
	case cut:
		m.link.breakFor(ctx, f.upTo(3*time.Second))
	case stalled:
		if f.world.quick {
			m.link.stallFor(ctx, quickStallLength)
		} else {
			m.link.stallFor(ctx, stallLength)
		}
	case terminated:
		return f.breakServer(func() error {
			return f.server.Exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		})
	case crashed:
		return f.breakServer(func() error {
			if err := f.server.Stop(postgrestest.Immediate); err != nil {
				return err
			}
			sleep(ctx, f.upTo(2*time.Second))
			return f.server.Run()
		})
	}
	return nil
}

// breakServer serializes faults of the server.
func (f *nodeFaultRun) breakServer(fn func() error) error {
	f.serverMu.Lock()
	defer f.serverMu.Unlock()
	return fn()
}

// kill kills a daemon at a random instant or at a kill point, and restarts it.
// Sometimes it is killed again during its start.
func (f *nodeFaultRun) kill(ctx context.Context, m *node) error {
	d := m.ready.Load()
	f.mu.Lock()
	fuse := f.world.armKill(d, f.random)
	f.mu.Unlock()
	select {
	case <-fuse.killed:
	case <-time.After(150*time.Millisecond + f.upTo(500*time.Millisecond)):
	case <-ctx.Done():
		return ctx.Err()
	}
	d.Kill()
	if f.upTo(8) == 0 {
		again, err := child.Launch(m.config)
		if err != nil {
			return err
		}
		sleep(ctx, f.upTo(80*time.Millisecond))
		again.Kill()
	}
	return m.start(ctx)
}

// killAll kills each node a number of times, all nodes at once.
func (f *nodeFaultRun) killAll(ctx context.Context, times int) error {
	var failed firstError
	var wg sync.WaitGroup
	for _, m := range f.world.nodes {
		wg.Go(func() {
			for range times {
				if err := f.kill(ctx, m); err != nil {
					failed.add(err)
					return
				}
				f.total.count("node_kills", 1)
			}
		})
	}
	wg.Wait()
	return failed.err
}

// upTo returns a random duration below a limit.
func (f *nodeFaultRun) upTo(limit time.Duration) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.random.Int64N(int64(limit)))
}
