package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// seriesPlan is the size of a series loop.
type seriesPlan struct {
	clients   int
	kills     int // of a lone daemon
	nodeKills int // of each of several daemons
	copyKills int // of a restored copy
}

// seriesLoop kills a lone daemon, and daemons on one PostgreSQL, while clients create,
// edit, skip, cancel, remove, pause, resume, end and delete series and their occurrences.
// The machine of the lone daemon sleeps for hours between kills, so that sweeps make
// occurrences of many days, and the daemon publishes them. A backup of it is restored after
// the original has published for some more days.
//
// No occurrence may exist or be published twice. None that was edited, skipped, canceled or
// removed may come back, and none may be missing. The copy may not publish what the
// original may have published.
//
// The quick run has 14, 6 and 3 kills instead of 200, 90 and 30.
func seriesLoop(ctx context.Context, h *harness) (result, error) {
	plan := seriesPlan{clients: 4, kills: 200, nodeKills: 30, copyKills: 30}
	if h.quick {
		plan.kills, plan.nodeKills, plan.copyKills = 14, 2, 3
	}
	total := newTally()
	return onOneAndNodes(total,
		func() error { return h.seriesOnOne(ctx, plan, total) },
		func() (result, error) { return h.seriesOnNodes(ctx, plan, total) })
}

// seriesOnOne runs the loop on one daemon and on a restored copy.
func (h *harness) seriesOnOne(ctx context.Context, plan seriesPlan, total *tally) error {
	binary, err := h.instrumented(ctx)
	if err != nil {
		return err
	}
	clock, err := h.newClockControl()
	if err != nil {
		return err
	}
	defer clock.close()
	w, err := h.startWorld(ctx, setting{name: "series", binary: binary, env: []string{clock.env()}}, total)
	if err != nil {
		return err
	}
	defer w.end()
	x := &seriesWorld{world: w, clock: clock}
	var backup string
	err = x.run(ctx, plan, total, func() error {
		random := w.random("series/kills")
		for i := range plan.kills {
			if i == plan.kills/2 {
				if backup, err = x.backUp(ctx); err != nil {
					return err
				}
			}
			if err := x.killAndSleep(ctx, random); err != nil {
				return err
			}
			total.count("kills", 1)
		}
		return x.restart(ctx)
	})
	if err != nil {
		return err
	}
	defer os.Remove(backup)
	if err := x.judgeCopy(ctx, backup, plan.copyKills, total); err != nil {
		return err
	}
	return w.checkDatabase(ctx)
}

// killAndSleep lets the daemon run for a moment and kills it. Then the machine may sleep
// for hours.
func (x *seriesWorld) killAndSleep(ctx context.Context, random *rand.Rand) error {
	if err := x.round(ctx, random); err != nil || random.IntN(2) == 0 {
		return err
	}
	return x.clock.sleep(time.Duration(1+random.IntN(5*60)) * time.Minute)
}

// restart starts the daemon after the machine has slept for longer than the outcome of a
// call can be open.
func (x *seriesWorld) restart(ctx context.Context) error {
	x.launched.Load().Kill()
	if err := x.clock.sleep(10 * time.Minute); err != nil {
		return err
	}
	x.swept = x.clock.now()
	return x.start(ctx)
}

// seriesOnNodes runs the loop on several daemons, whose clocks are right.
func (h *harness) seriesOnNodes(ctx context.Context, plan seriesPlan, total *tally) (result, error) {
	return h.killNodes(ctx, "series-nodes", total, func(f *nodeFaultRun) error {
		x := &seriesWorld{world: f.world, swept: time.Now(), publishes: true}
		return x.run(ctx, plan, total, func() error {
			if err := f.killAll(ctx, plan.nodeKills); err != nil {
				return err
			}
			for patience := time.Now().Add(settleLimit); x.published.Load() == 0 && time.Now().Before(patience); {
				if err := sleep(ctx, 20*time.Millisecond); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// seriesWorld is a world whose clients use series.
type seriesWorld struct {
	*world
	clock     *clockControl // nil for a right clock
	swept     time.Time     // the daemon has looked for due sweeps at this time of its clock, or later
	publishes bool          // clients publish occurrences before their time
	published atomic.Int64  // by clients
	chosen    []string      // accounts
	clients   []*seriesClient
}

// now returns the time of the daemon's clock.
func (x *seriesWorld) now() time.Time {
	if x.clock == nil {
		return time.Now()
	}
	return x.clock.now()
}

// run lets clients use series while breakIt runs, and then judges them. breakIt must leave
// running daemons.
func (x *seriesWorld) run(ctx context.Context, plan seriesPlan, total *tally, breakIt func() error) error {
	for _, k := range []kind{blind, blind, idempotent} {
		id, err := x.connectOne(ctx, k, map[string]any{"pacing": "0s"})
		if err != nil {
			return err
		}
		x.chosen = append(x.chosen, id)
	}
	var workers []worker
	for n := range plan.clients {
		name := fmt.Sprintf("%s-client-%d", x.name, n)
		c := &seriesClient{seriesWorld: x, name: name, random: x.random(name)}
		x.clients = append(x.clients, c)
		workers = append(workers, repeatedly(name, c.step))
	}
	if err := whileWorking(ctx, workers, breakIt); err != nil {
		return err
	}
	for _, c := range x.clients {
		total.count("acknowledged", c.acknowledged)
		total.count("refused", c.refused)
		total.count("series", len(c.stories))
	}
	if err := x.settleSeries(ctx); err != nil {
		return err
	}
	return x.judge(ctx, total)
}

// settleSeries waits until no post is due or being published.
func (x *seriesWorld) settleSeries(ctx context.Context) error {
	x.network.acceptAll()
	for patience := time.Now().Add(settleLimit); ; {
		busy, err := x.hasDuePosts(ctx)
		if err != nil || !busy {
			return err
		}
		if time.Now().After(patience) {
			x.judged.violation(stuckRecord, "%s: posts are due or being published after %s", x.name, settleLimit)
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

func (x *seriesWorld) hasDuePosts(ctx context.Context) (bool, error) {
	for _, query := range []string{"status=publishing", "status=scheduled&publish_before=" + apiv1.Time{Time: x.now()}.String()} {
		var page apiv1.PostList
		if err := x.daemon().Call(ctx, "GET", "/posts?limit=1&"+query, "", &page); err != nil || page.Count > 0 {
			return page.Count > 0, err
		}
	}
	return false, nil
}

// stories returns the series of all clients.
func (x *seriesWorld) stories() (list []*seriesStory) {
	for _, c := range x.clients {
		list = append(list, c.stories...)
	}
	return list
}

// judge compares the daemon and the networks with the acknowledged responses. The clients
// have ended.
func (x *seriesWorld) judge(ctx context.Context, total *tally) error {
	j, err := x.observe(ctx)
	if err != nil {
		return err
	}
	for patience := time.Now().Add(clockCheckLimit); len(j.missing(x.stories())) > 0 && time.Now().Before(patience); {
		if err := sleep(ctx, 100*time.Millisecond); err != nil { // a sweep is due
			return err
		}
		if j, err = x.observe(ctx); err != nil {
			return err
		}
	}
	j.judge(x.judged, x.stories())
	published := 0
	for _, d := range j.seen {
		published += d.posts
	}
	total.count("posts", len(j.posts))
	total.count("published", published)
	if published == 0 {
		return errors.New("no occurrence was published")
	}
	for _, c := range x.clients {
		if r := c.last; r != nil {
			if err := x.resend(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// observe reads the posts and the series of the daemon, and what the networks received.
func (x *seriesWorld) observe(ctx context.Context) (j seriesObservation, err error) {
	if j.posts, err = x.posts(ctx); err != nil {
		return j, err
	}
	j.series, j.until, j.seen = map[string]apiv1.Series{}, x.swept, x.network.seen()
	for cursor := ""; ; {
		var page apiv1.SeriesList
		if err := x.daemon().Call(ctx, "GET", "/series?limit=100"+cursor, "", &page); err != nil {
			return j, err
		}
		for _, s := range page.Results {
			j.series[s.ID] = s
		}
		if page.NextCursor == nil {
			return j, nil
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}
