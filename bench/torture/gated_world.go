package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// gatedWorld is a world whose networks are behind gates, at which the daemon can be
// killed.
type gatedWorld struct {
	*world
	gates []*networkGate

	armedPoint atomic.Pointer[pointTimer] // nil while no kill is planned
}

// newGatedWorld creates a world for networks that are running. The caller must call end.
func (h *harness) newGatedWorld(name string, gates []*networkGate) (*gatedWorld, error) {
	w, err := h.newWorld(setting{name: name})
	if err != nil {
		return nil, err
	}
	g := &gatedWorld{world: w, gates: gates}
	for _, gate := range gates {
		gate.at = g.atPoint
	}
	return g, nil
}

// pointKills says how a daemon is killed at the points of its networks.
type pointKills struct {
	kills   int
	points  []networkPoint
	quiet   time.Duration // a round lasts up to this time before its point counts
	longest time.Duration // a round ends after this time if its point is not reached
	rest    time.Duration // a pause after every 50 kills, so that outcomes are resolved between kills
}

// killWhileWriting kills and restarts the daemon while authors write to every network.
// The daemon runs at the end, and the networks accept everything from then on.
func (g *gatedWorld) killWhileWriting(ctx context.Context, plan pointKills, writer func(*networkGate) worker) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	enough := make(chan struct{})
	var wg sync.WaitGroup
	var failed firstError
	for _, gate := range g.gates {
		write := writer(gate)
		wg.Go(func() {
			if err := write(ctx, enough); err != nil {
				failed.add(fmt.Errorf("author of %s: %w", gate.name, err))
				giveUp()
			}
		})
	}
	err := g.killRounds(ctx, g.random(g.name+"/kills"), plan)
	if err == nil {
		err = g.start(ctx) // the authors finish their posts
	}
	if err != nil {
		giveUp()
	}
	close(enough)
	wg.Wait()
	g.calmNetworks()
	if failed.err != nil {
		return failed.err
	}
	return err
}

// calmNetworks makes the networks accept everything from now on.
func (g *gatedWorld) calmNetworks() {
	for _, gate := range g.gates {
		gate.calm.Store(true)
	}
}

func (g *gatedWorld) killRounds(ctx context.Context, random *rand.Rand, plan pointKills) error {
	for n := range plan.kills {
		if err := g.pointRound(ctx, random, plan); err != nil {
			return err
		}
		d, err := g.launch()
		if err != nil {
			return err
		}
		many := (n+1)%50 == 0
		if many {
			g.progress(g.name, "%d kills", n+1)
		}
		if !many && random.IntN(8) == 0 {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			continue // killed again during its start
		}
		if err := d.AwaitReady(ctx); err != nil {
			return err
		}
		g.ready.Store(d)
		if many {
			if err := sleep(ctx, plan.rest); err != nil {
				return err
			}
		}
	}
	g.launched.Load().Kill()
	return nil
}

// pointRound kills the daemon at the next point of a random kind, or after a random time.
func (g *gatedWorld) pointRound(ctx context.Context, random *rand.Rand, plan pointKills) error {
	upTo := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	d := g.launched.Load()
	t := &pointTimer{
		daemon: d, point: plan.points[random.IntN(len(plan.points))], killed: make(chan struct{}),
		notBefore: time.Now().Add(upTo(plan.quiet)),
	}
	g.armedPoint.Store(t)
	select {
	case <-t.killed:
	case <-time.After(plan.quiet + upTo(plan.longest-plan.quiet)):
	case <-ctx.Done():
		return ctx.Err()
	}
	g.armedPoint.Store(nil)
	d.Kill()
	return nil
}

// pointTimer kills the daemon once, at a point.
type pointTimer struct {
	daemon    *child.Daemon
	point     networkPoint
	notBefore time.Time
	killed    chan struct{}
}

// atPoint is called at every point, by the goroutine that reaches it. story is the post
// that the request is for, or empty.
func (g *gatedWorld) atPoint(p networkPoint, story string) {
	t := g.armedPoint.Load()
	if t == nil || t.point != p || time.Now().Before(t.notBefore) || !g.mayKill(story) || !g.armedPoint.CompareAndSwap(t, nil) {
		return
	}
	t.daemon.Signal(syscall.SIGKILL)
	close(t.killed)
}

// settleWithin waits until busy returns false, or for the limit.
func (g *gatedWorld) settleWithin(ctx context.Context, limit time.Duration, busy func(context.Context) (bool, error)) error {
	for started := time.Now(); time.Since(started) < limit; {
		more, err := busy(ctx)
		if err != nil || !more {
			return err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
