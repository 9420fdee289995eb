package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	// refuseLimit limits the time to refuse a write on a full disk, and to serve a read.
	refuseLimit = 5 * time.Second

	// resumeLimit is how long a daemon may take to resume once there is space.
	resumeLimit = 20 * time.Second

	// diskSize is enough for a database to grow through five rounds: each needs more
	// space to use up the file's free pages.
	diskSize = 64 << 20

	// recordLimit limits the time to record the results of calls.
	recordLimit = 20 * time.Second
)

// errNoDisk means that this machine cannot mount a small disk.
var errNoDisk = errors.New("cannot mount a small file system: that needs root or user namespaces")

// fullDisk fills the disk under busy daemons, while calls are in flight between a
// network's acceptance and its response. Writes must be refused, reads served, results
// of calls recorded and no new calls started. With free space, everything must resume.
// One of the daemons is killed and restarted on the full disk with its calls in flight.
//
// The quick run fills the disk twice under one daemon, and once under a killed
// daemon, instead of five times under each of four.
func fullDisk(ctx context.Context, h *harness) (result, error) {
	if r, done, err := fullDiskAsRoot(ctx, h); done {
		return r, err
	}
	plans := []fullPlan{
		{name: "full-0", rounds: 5}, {name: "full-1", rounds: 5}, {name: "full-2", rounds: 5}, {name: "full-kill", rounds: 5, kill: true},
	}
	if h.quick {
		plans = []fullPlan{{name: "full", rounds: 2}, {name: "full-kill", rounds: 1, kill: true}}
	}
	total := newTally()
	var wg sync.WaitGroup
	var failed firstError
	for _, plan := range plans {
		wg.Go(func() { failed.add(h.fullWorld(ctx, plan, total)) })
	}
	wg.Wait()
	if errors.Is(failed.err, errNoDisk) {
		return withoutDisk()
	}
	return total.result(), failed.err
}

// withoutDisk is the result on a machine without a disk to fill.
func withoutDisk() (result, error) {
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		return result{}, errNoDisk
	}
	return result{Verdict: skipped, Detail: errNoDisk.Error()}, nil
}

// fullPlan says how often a disk is filled, and whether the daemon is killed.
type fullPlan struct {
	name   string
	rounds int
	kill   bool
}

// fullWorld is a world on a disk that is filled.
type fullWorld struct {
	*world
	fullPlan
	disk  *disk
	gate  *gate
	total *tally
	keys  int
}

func (h *harness) fullWorld(ctx context.Context, plan fullPlan, total *tally) (err error) {
	dir, err := h.newDir()
	if err != nil {
		return err
	}
	d, err := mountDisk(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.unmount()) }()
	w, err := h.newWorld(setting{name: plan.name, dir: dir + "/data"})
	if err != nil {
		return err
	}
	defer w.end()
	f := &fullWorld{world: w, fullPlan: plan, disk: d, gate: new(gate), total: total}
	defer f.gate.open()
	at := w.network.at
	w.network.at = func(m killPoint, target string) {
		if at(m, target); m == callAccepted {
			f.gate.pass()
		}
	}
	w.judged = total.judged
	if err := f.run(ctx); err != nil {
		return fmt.Errorf("%s: %w", plan.name, err)
	}
	return nil
}

func (f *fullWorld) run(ctx context.Context) error {
	if err := f.setUp(ctx, killPlan{authors: 6, accounts: 6}); err != nil {
		return err
	}
	for _, k := range kinds {
		f.network.setModes(k, accepting, acceptingLate)
	}
	f.certain = !f.kill
	if f.kill && f.quick {
		f.useKinds(idempotent, blind) // the daemon would query the other networks only after a minute
	}
	err := f.whileAuthorsWork(ctx, func() error {
		for range f.rounds {
			if err := f.round(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if said := strings.Count(f.daemon().Log(), "disk full: writes are refused"); !f.kill && said != f.rounds {
		f.judged.violation(wrongStatus, "the log reports %d times that the disk is full, want %d", said, f.rounds)
	}
	if err := f.settle(ctx, settleLimit); err != nil {
		return err
	}
	err = f.check(ctx)
	f.total.add(f.world)
	return err
}

// round fills the disk with calls in flight, checks the daemon, and frees the disk.
func (f *fullWorld) round(ctx context.Context) error {
	f.gate.shut()
	defer f.gate.open()
	if err := f.gate.awaitHeld(ctx, 6); err != nil {
		return err
	}
	if err := f.disk.fill(); err != nil {
		return err
	}
	defer f.disk.free()
	if err := f.writeUntilRefused(ctx); err != nil {
		return err
	}
	before, err := f.whileFull(ctx)
	if err != nil {
		return err
	}
	if err := f.checkReads(ctx); err != nil {
		return err
	}
	time.Sleep(time.Second) // until the authors' scheduled posts are due
	after := f.traffic()
	if after != before {
		f.judged.violation(brokenStore, "on a full disk there were %d calls to networks and %d to the webhook", after.calls-before.calls, after.told-before.told)
	}
	if err := f.disk.free(); err != nil {
		return err
	}
	return f.resume(ctx, after)
}

// whileFull ends the held calls, with a kill or without, and returns the numbers of
// calls at that point.
func (f *fullWorld) whileFull(ctx context.Context) (t callCounts, err error) {
	if f.kill {
		err = f.killAndStart(ctx)
	}
	t = f.traffic()
	for range 20 { // until started calls have reached their network
		time.Sleep(200 * time.Millisecond)
		before := t
		if t = f.traffic(); t == before {
			break
		}
	}
	if !f.kill {
		err = f.endCalls(ctx)
	}
	return t, err
}
