package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	// stopLimit is how long a daemon may take to stop while no network hangs.
	stopLimit = 5 * time.Second

	// secondLimit is how long a daemon may run after a second signal. The signal ends
	// the process at once; the limit allows for a busy machine.
	secondLimit = 3 * time.Second
)

// stopPlan says how a world is stopped.
type stopPlan struct {
	rounds int
	twice  bool // with a second signal during the stop, and hanging networks
}

// stopUnderLoad stops daemons with SIGTERM while clients and networks keep them busy.
// Some get one signal: they must stop cleanly within 5 s and cut off no call, so that
// no outcome is unknown, not even on a network that cannot be queried. Others get a
// second signal while networks hang: they must end at once, and the next start resolves
// the interrupted work.
//
// The quick run makes 80 stops instead of 400.
func stopUnderLoad(ctx context.Context, h *harness) (result, error) {
	rounds := 50
	if h.quick {
		rounds = 10
	}
	total := newTally()
	var wg sync.WaitGroup
	var failed firstError
	for i := range 8 {
		name := fmt.Sprintf("stop-%d", i)
		wg.Go(func() { failed.add(h.stopWorld(ctx, name, stopPlan{rounds: rounds, twice: i%2 == 1}, total)) })
	}
	wg.Wait()
	return total.result(), failed.err
}

func (h *harness) stopWorld(ctx context.Context, name string, plan stopPlan, total *tally) error {
	w, err := h.newWorld(setting{name: name})
	if err != nil {
		return err
	}
	defer w.end()
	w.judged = total.judged
	if err := w.setUp(ctx, killPlan{authors: 4, accounts: 8}); err != nil {
		return err
	}
	moods, stop := []networkMode{accepting, acceptingLate, acceptingLate, acceptingLate, refusing, rateLimiting, unavailableMode}, w.stopOnce
	if plan.twice {
		w.useKinds(idempotent, blind) // the daemon would query the other networks only after a minute
		moods, stop = []networkMode{accepting, acceptingLate, acceptingLate, hanging}, w.stopTwice
	}
	w.certain = !plan.twice
	for _, k := range kinds {
		w.network.setModes(k, moods...)
	}
	err = w.whileAuthorsWork(ctx, func() error {
		random := w.random(w.name + "/stops")
		for range plan.rounds {
			time.Sleep(time.Duration(50+random.IntN(300)) * time.Millisecond)
			if err := stop(ctx, random, total); err != nil {
				return err
			}
			if err := w.start(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.settle(ctx, settleLimit); err != nil {
		return err
	}
	err = w.check(ctx)
	total.add(w)
	return err
}

// stopOnce sends one signal.
func (w *world) stopOnce(ctx context.Context, _ *rand.Rand, total *tally) error {
	started := time.Now()
	w.daemon().Signal(syscall.SIGTERM)
	err := w.awaitEnd(ctx, stopLimit)
	total.count("once_stops", 1)
	total.most("once_max_ms", time.Since(started))
	if err != nil {
		w.judged.violation(brokenStore, "the daemon did not stop cleanly after SIGTERM: %s", err)
	}
	return ctx.Err()
}

// stopTwice sends a second signal during the stop. The daemon may have ended already
// when no call was in flight.
func (w *world) stopTwice(ctx context.Context, random *rand.Rand, total *tally) error {
	w.daemon().Signal(syscall.SIGTERM)
	w.awaitStopping(ctx)
	time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
	started := time.Now()
	w.daemon().Signal(syscall.SIGTERM)
	w.awaitEnd(ctx, secondLimit)
	took := time.Since(started)
	total.count("twice_stops", 1)
	total.most("twice_max_ms", took)
	if took > secondLimit {
		w.judged.violation(brokenStore, "the daemon was still running %s after a second SIGTERM", secondLimit)
	}
	return ctx.Err()
}

// awaitStopping waits until the daemon no longer serves requests: two simultaneous
// signals would count as one.
func (w *world) awaitStopping(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", w.daemon().Address)
		if err != nil {
			return
		}
		conn.Close()
		select {
		case <-w.daemon().Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// awaitEnd waits until the daemon has ended, and kills it after the limit.
func (w *world) awaitEnd(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer w.daemon().Kill()
	return w.daemon().Wait(ctx)
}
