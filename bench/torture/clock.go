package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	hour  = time.Hour
	days  = 39 * 24 * time.Hour
	years = 10 * 365 * 24 * time.Hour

	lateLimit = 6 * time.Hour

	// dueSoon is long enough to set the clock before a post is due.
	dueSoon = 8 * time.Second
)

// clockJumps sets the clocks of several daemons in parallel, running or stopped: by
// minutes, an hour, 39 days and ten years, forward and back. It also suspends a
// machine. The program and its libraries see the step. The clock since boot continues,
// and jumps only in a suspend.
//
// The daemon believes a step of minutes at its next check of the clock, every 30 s.
// Posts that a longer forward step makes due must wait and must not fail. Posts that
// become due while the machine runs or sleeps must be published. No post is published
// early by the daemon's clock. Events, keys, responses and retries made under a wrong
// clock must not have lasting effects once the clock is right.
//
// The quick run is the same: nearly all the time is spent waiting.
func clockJumps(ctx context.Context, h *harness) (result, error) {
	binary, err := h.instrumented(ctx)
	if err != nil {
		return result{}, err
	}
	total := &failpointTotals{judged: new(verdictCollector), counts: map[string]int64{}}
	var wg sync.WaitGroup
	var failed firstError
	for name, jump := range map[string]func(context.Context, *clockWorld) error{
		"minutes": minutes, "hour-ahead": hourAhead, "hour-back": hourBack, "days-ahead": daysAhead,
		"days-ahead-restarted": daysAheadRestarted, "years-ahead": yearsAhead,
		"years-ahead-restarted": yearsAheadRestarted, "years-back": yearsBack, "suspend": suspend,
	} {
		wg.Go(func() {
			if err := h.jumpClock(ctx, binary, name, jump, total); err != nil {
				failed.add(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	err = h.idle(func() error {
		wg.Wait()
		return failed.err
	})
	return total.judged.result(total.counts), err
}

// jumpClock runs one world.
func (h *harness) jumpClock(ctx context.Context, binary, name string, jump func(context.Context, *clockWorld) error, total *failpointTotals) error {
	ctx, cancel := context.WithTimeout(ctx, 6*time.Minute)
	defer cancel()
	clock, err := h.newClockControl()
	if err != nil {
		return err
	}
	defer clock.close()
	w, err := h.newWorld(setting{name: "clock-" + name, binary: binary, env: []string{clock.env()}, args: []string{"--max-lateness", lateLimit.String()}})
	if err != nil {
		return err
	}
	defer w.end()
	w.judged = total.judged
	x := &clockWorld{world: w, hands: clock}
	if err := w.start(ctx); err != nil {
		return err
	}
	if err := errors.Join(w.connect(ctx, 1), w.listen(ctx)); err != nil {
		return err
	}
	w.newAuthors(1)
	if err := jump(ctx, x); err != nil {
		return err
	}
	if err := x.judgeEarly(ctx); err != nil {
		return err
	}
	err = w.check(ctx)
	counts := w.counts()
	counts["jumps"] = x.jumps
	total.add(counts)
	total.most("waited_max_ms", x.waited)
	return err
}

// minutes jumps by minutes, which the daemon believes both ways.
func minutes(ctx context.Context, x *clockWorld) error {
	due, err := x.schedule(ctx, 5*time.Minute, blind)
	if err != nil {
		return err
	}
	return x.runSteps(ctx,
		x.set(-10*time.Minute), x.publishesOnTime(idempotent), x.hasStatus(due, schedctl.Scheduled),
		x.set(16*time.Minute), x.isPublished(due, clockCheckLimit), x.publishesOnTime(readable),
	)
}

// hourAhead checks that posts that the hour makes due, or that are due right after it,
// are not published until the machine has been suspended for an hour.
func hourAhead(ctx context.Context, x *clockWorld) error {
	near, err := x.schedule(ctx, hour/2, idempotent)
	if err != nil {
		return err
	}
	after, err := x.schedule(ctx, hour+time.Second, readable)
	if err != nil {
		return err
	}
	far, err := x.schedule(ctx, hour+hour/2, blind)
	if err != nil {
		return err
	}
	wait := x.allHaveStatus(schedctl.Scheduled, near, after, far)
	return x.runSteps(ctx,
		x.set(hour), x.publishesSoon(blind), x.wait(time.Second), wait,
		x.set(-hour), x.publishesOnTime(idempotent), wait,
		x.suspends(hour), x.isPublished(near, clockCheckLimit), x.isPublished(after, clockCheckLimit), x.hasStatus(far, schedctl.Scheduled),
		x.suspends(hour), x.isPublished(far, clockCheckLimit),
	)
}

// daysAhead checks that a step of 39 days publishes and fails nothing, and has no
// effect after the clock is set back.
func daysAhead(ctx context.Context, x *clockWorld) error {
	next, err := x.schedule(ctx, hour, idempotent)
	if err != nil {
		return err
	}
	last, err := x.schedule(ctx, 20*hour, blind)
	if err != nil {
		return err
	}
	wait := x.allHaveStatus(schedctl.Scheduled, next, last)
	return x.runSteps(ctx,
		x.set(days), x.publishesSoon(blind), x.wait(time.Second), wait, x.restart, x.publishesSoon(readable), x.wait(time.Second), wait,
		x.set(-days), x.publishesSoon(idempotent), wait,
		x.suspends(hour), x.isPublished(next, clockCheckLimit), x.hasStatus(last, schedctl.Scheduled),
		x.suspends(19*hour), x.isPublished(last, clockCheckLimit),
	)
}

// daysAheadRestarted is daysAhead with a clock that is changed while the daemon is
// stopped.
func daysAheadRestarted(ctx context.Context, x *clockWorld) error {
	next, err := x.schedule(ctx, hour, readable)
	if err != nil {
		return err
	}
	last, err := x.schedule(ctx, 20*hour, idempotent)
	if err != nil {
		return err
	}
	wait := x.allHaveStatus(schedctl.Scheduled, next, last)
	return x.runSteps(ctx,
		x.stopped(x.set(days)), x.publishesSoon(blind), x.wait(time.Second), wait,
		x.stopped(x.set(-days)), x.publishesSoon(idempotent), wait,
		x.stopped(x.suspendFor(hour)), x.isPublished(next, clockCheckLimit), x.hasStatus(last, schedctl.Scheduled),
		x.stopped(x.suspendFor(19*hour)), x.isPublished(last, clockCheckLimit),
	)
}

// hourBack checks that due posts are published and later ones are not.
func hourBack(ctx context.Context, x *clockWorld) error {
	due, err := x.schedule(ctx, dueSoon, blind)
	if err != nil {
		return err
	}
	return x.runSteps(ctx,
		x.set(-hour), x.wait(dueSoon+2*time.Second), x.hasStatus(due, schedctl.Scheduled), x.publishesOnTime(idempotent),
		x.restart, x.hasStatus(due, schedctl.Scheduled), x.publishesOnTime(blind),
		x.set(hour), x.isPublished(due, clockCheckLimit),
	)
}

// yearsAhead checks that waiting posts stay as they are, and that the step has no
// effect after the clock is set back.
func yearsAhead(ctx context.Context, x *clockWorld) error {
	next, err := x.schedule(ctx, hour, blind)
	if err != nil {
		return err
	}
	key, err := x.newKey(ctx, 24*hour)
	if err != nil {
		return err
	}
	x.network.setModes(idempotent, unavailableMode)
	retried := new(story)
	return x.runSteps(ctx,
		x.set(years), x.publishesSoon(blind), x.resendAll, x.wait(time.Second), x.hasStatus(next, schedctl.Scheduled),
		x.publishes(retried, idempotent), x.awaitFailedAttempt(retried), x.remember,
		x.set(-years), x.isPublished(retried, clockCheckLimit), x.resumesEvents(blind), x.keyWorks(key), x.hasStatus(next, schedctl.Scheduled),
		x.suspends(hour), x.isPublished(next, clockCheckLimit),
	)
}

// yearsAheadRestarted is yearsAhead with a daemon that restarts while the clock is wrong.
func yearsAheadRestarted(ctx context.Context, x *clockWorld) error {
	next, err := x.schedule(ctx, hour, blind)
	if err != nil {
		return err
	}
	return x.runSteps(ctx,
		x.set(years), x.publishesSoon(readable), x.restart, x.publishesSoon(blind), x.remember, x.hasStatus(next, schedctl.Scheduled),
		x.set(-years), x.restart, x.resumesEvents(readable), x.resendAll, x.hasStatus(next, schedctl.Scheduled),
		x.suspends(hour), x.isPublished(next, clockCheckLimit),
	)
}

// yearsBack checks that the daemon waits, and continues after the clock is corrected.
func yearsBack(ctx context.Context, x *clockWorld) error {
	due, err := x.schedule(ctx, dueSoon, readable)
	if err != nil {
		return err
	}
	return x.runSteps(ctx,
		x.remember, x.set(-years), x.wait(dueSoon+2*time.Second), x.hasStatus(due, schedctl.Scheduled),
		x.resumesEvents(idempotent), x.restart, x.resumesEvents(blind), x.resendAll, x.hasStatus(due, schedctl.Scheduled),
		x.set(years), x.isPublished(due, clockCheckLimit), x.publishesOnTime(blind),
	)
}

// suspend suspends the machine for a night, and for longer than a post may be late.
func suspend(ctx context.Context, x *clockWorld) error {
	morning, err := x.schedule(ctx, 7*hour, idempotent)
	if err != nil {
		return err
	}
	noon, err := x.schedule(ctx, 9*hour, readable)
	if err != nil {
		return err
	}
	if err := x.runSteps(ctx,
		x.suspends(8*hour), x.isPublished(morning, clockCheckLimit), x.hasStatus(noon, schedctl.Scheduled), x.publishesOnTime(blind),
		x.suspends(12*hour), x.reachesStatus(noon, schedctl.Failed, clockCheckLimit),
	); err != nil {
		return err
	}
	x.late = x.hands.now().Add(-lateLimit)
	return nil
}

// suspends stops the daemon briefly while the machine is suspended.
func (x *clockWorld) suspends(d time.Duration) clockStep {
	return func(ctx context.Context) error {
		x.daemon().Signal(syscall.SIGSTOP)
		err := errors.Join(sleep(ctx, 200*time.Millisecond), x.suspendFor(d)(ctx))
		x.daemon().Signal(syscall.SIGCONT)
		return err
	}
}
