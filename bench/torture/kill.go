package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// killPlan is the size of a kill loop.
type killPlan struct {
	worlds, rounds, authors, accounts int // rounds, authors and accounts of each world; accounts of each kind
}

// killLoop kills several daemons in parallel, at random instants and at the critical
// ones: right after a client or a network got a response, and between a network's
// acceptance and its response. At the same time clients create, change, cancel and
// publish posts and retry each request with its key, and networks respond, respond
// late, refuse, limit rates, accept and cut the connection, or accept and hang.
//
// The quick run makes 500 kills instead of 5000, and uses readable networks only in the
// first half: the daemon queries them a minute after a call.
func killLoop(ctx context.Context, h *harness) (result, error) {
	plan := killPlan{worlds: 10, rounds: 500, authors: 3, accounts: 12}
	if h.quick {
		plan.rounds = 50
	}
	total := newTally()
	var wg sync.WaitGroup
	var failed firstError
	var working sync.WaitGroup
	working.Add(plan.worlds)
	for i := range plan.worlds {
		wg.Go(func() {
			failed.add(h.killWorld(ctx, fmt.Sprintf("kill-%d", i), plan, total, sync.OnceFunc(working.Done)))
		})
	}
	working.Wait()
	err := h.idle(func() error {
		wg.Wait()
		return failed.err
	})
	return total.result(), err
}

// killWorld runs one world. It calls waits for its final part, which mostly waits.
func (h *harness) killWorld(ctx context.Context, name string, plan killPlan, total *tally, waits func()) (err error) {
	defer waits()
	w, err := h.newWorld(setting{name: name})
	if err != nil {
		return err
	}
	defer w.end()
	w.judged = total.judged
	if err := w.setUp(ctx, plan); err != nil {
		return err
	}
	if err := w.killRepeatedly(ctx, plan, total); err != nil {
		return err
	}
	if err := w.start(ctx); err != nil {
		return err
	}
	waits()
	if err := w.settle(ctx, settleLimit); err != nil {
		return err
	}
	err = w.check(ctx)
	total.most("settled_ms", w.settled)
	total.add(w)
	return err
}

// settleLimit is how long after the last start something may be in progress: the minute
// after which the response of a network is final, and what a busy machine needs.
const settleLimit = 90 * time.Second

// setUp starts the daemon, connects everything and sets the modes of the networks.
func (w *world) setUp(ctx context.Context, plan killPlan) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	if err := w.connect(ctx, plan.accounts); err != nil {
		return err
	}
	if err := w.listen(ctx); err != nil {
		return err
	}
	w.newAuthors(plan.authors)
	for _, k := range kinds {
		w.network.setModes(k, accepting, accepting, accepting, acceptingLate, acceptingLate, acceptingLate, refusing, rateLimiting, unavailableMode, droppingConnection, hanging)
	}
	return nil
}

// killRepeatedly kills and restarts the daemon while the authors work. It returns when
// all stories are finished and the daemon is dead.
func (w *world) killRepeatedly(ctx context.Context, plan killPlan, total *tally) error {
	random := w.random(w.name + "/kills")
	err := w.whileAuthorsWork(ctx, func() error {
		for round := range plan.rounds {
			if w.quick && round == plan.rounds/2 {
				w.useKinds(idempotent, blind)
			}
			if err := w.round(ctx, random); err != nil {
				return err
			}
			if n := total.count("kills", 1); n%250 == 0 {
				w.progress("kill", "%d kills", n)
			}
		}
		return w.start(ctx) // the authors finish their stories
	})
	w.launched.Load().Kill()
	return err
}

// killTimes kills and restarts the daemon a number of times, and leaves it running.
func (w *world) killTimes(ctx context.Context, times int, total *tally) error {
	random := w.random(w.name + "/kills")
	for range times {
		if err := w.round(ctx, random); err != nil {
			return err
		}
		total.count("kills", 1)
	}
	return w.start(ctx)
}

// round starts the daemon and kills it.
func (w *world) round(ctx context.Context, random *rand.Rand) error {
	w.launched.Load().Kill()
	d, err := w.launch()
	if err != nil {
		return err
	}
	if random.IntN(8) == 0 {
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) // during its start
		d.Kill()
		return nil
	}
	if err := d.AwaitReady(ctx); err != nil {
		return err
	}
	w.ready.Store(d)
	f := w.armKill(d, random)
	select {
	case <-f.killed:
	case <-time.After(time.Duration(150+random.IntN(500)) * time.Millisecond):
	case <-ctx.Done():
		return ctx.Err()
	}
	d.Kill()
	return nil
}
