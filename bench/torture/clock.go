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
)

// clockJumps sets the clocks of daemons, side by side, while they run and while they
// are stopped: by minutes, an hour, 39 days and ten years, ahead and back. It also
// suspends a machine. The program and its libraries see the step; the clock that
// counts from the boot continues, and advances in a suspend alone.
//
// A step of minutes is believed when the clock is read, which is every 30 s. What a
// longer step ahead makes due must wait and must not be failed. What becomes due while
// the machine is running or suspended must be published. Nothing is published before
// its time by the clock of the daemon. What a clock has made of events, keys, responses
// and retries while it was wrong is over when it is set right.
//
// Quick leaves nothing out: all of it is waiting.
func clockJumps(ctx context.Context, h *harness) (result, error) {
	binary, err := h.instrumented(ctx)
	if err != nil {
		return result{}, err
	}
	total := &failTotal{judged: new(judgement), counts: map[string]int64{}}
	var wg sync.WaitGroup
	var failed firstError
	for name, jump := range map[string]func(context.Context, *timed) error{
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
func (h *harness) jumpClock(ctx context.Context, binary, name string, jump func(context.Context, *timed) error, total *failTotal) error {
	ctx, cancel := context.WithTimeout(ctx, 6*time.Minute)
	defer cancel()
	clock, err := h.newHands()
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
	x := &timed{world: w, hands: clock}
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

// minutes are believed both ways.
func minutes(ctx context.Context, x *timed) error {
	due, err := x.schedule(ctx, 5*time.Minute, blind)
	if err != nil {
		return err
	}
	return x.do(ctx,
		x.set(-10*time.Minute), x.postsInTime(idempotent), x.staysAt(due, schedctl.Scheduled),
		x.set(16*time.Minute), x.goesOut(due, slow), x.postsInTime(readable),
	)
}

// hourAhead publishes nothing that the hour makes due, or that is due right after it,
// until the machine has been suspended for it.
func hourAhead(ctx context.Context, x *timed) error {
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
	wait := x.each(schedctl.Scheduled, near, after, far)
	return x.do(ctx,
		x.set(hour), x.postsSoon(blind), x.wait(time.Second), wait,
		x.set(-hour), x.postsInTime(idempotent), wait,
		x.sleeps(hour), x.goesOut(near, slow), x.goesOut(after, slow), x.staysAt(far, schedctl.Scheduled),
		x.sleeps(hour), x.goesOut(far, slow),
	)
}

// daysAhead publishes and fails nothing that 39 days make due or late, and is over when
// the clock is set right.
func daysAhead(ctx context.Context, x *timed) error {
	next, err := x.schedule(ctx, hour, idempotent)
	if err != nil {
		return err
	}
	last, err := x.schedule(ctx, 20*hour, blind)
	if err != nil {
		return err
	}
	wait := x.each(schedctl.Scheduled, next, last)
	return x.do(ctx,
		x.set(days), x.postsSoon(blind), x.wait(time.Second), wait, x.restart, x.postsSoon(readable), x.wait(time.Second), wait,
		x.set(-days), x.postsSoon(idempotent), wait,
		x.sleeps(hour), x.goesOut(next, slow), x.staysAt(last, schedctl.Scheduled),
		x.sleeps(19*hour), x.goesOut(last, slow),
	)
}

// daysAheadRestarted is the same for a clock that is set, and set right, while the
// daemon is stopped.
func daysAheadRestarted(ctx context.Context, x *timed) error {
	next, err := x.schedule(ctx, hour, readable)
	if err != nil {
		return err
	}
	last, err := x.schedule(ctx, 20*hour, idempotent)
	if err != nil {
		return err
	}
	wait := x.each(schedctl.Scheduled, next, last)
	return x.do(ctx,
		x.stopped(x.set(days)), x.postsSoon(blind), x.wait(time.Second), wait,
		x.stopped(x.set(-days)), x.postsSoon(idempotent), wait,
		x.stopped(x.passes(hour)), x.goesOut(next, slow), x.staysAt(last, schedctl.Scheduled),
		x.stopped(x.passes(19*hour)), x.goesOut(last, slow),
	)
}

// hourBack keeps what is due, and nothing else.
func hourBack(ctx context.Context, x *timed) error {
	due, err := x.schedule(ctx, 3*time.Second, blind)
	if err != nil {
		return err
	}
	return x.do(ctx,
		x.set(-hour), x.wait(5*time.Second), x.staysAt(due, schedctl.Scheduled), x.postsInTime(idempotent),
		x.restart, x.staysAt(due, schedctl.Scheduled), x.postsInTime(blind),
		x.set(hour), x.goesOut(due, slow),
	)
}

// yearsAhead decides nothing of what waits, and is over when it is set right.
func yearsAhead(ctx context.Context, x *timed) error {
	next, err := x.schedule(ctx, hour, blind)
	if err != nil {
		return err
	}
	key, err := x.newKey(ctx, 24*hour)
	if err != nil {
		return err
	}
	x.network.setMoods(idempotent, closed)
	retried := new(story)
	return x.do(ctx,
		x.set(years), x.postsSoon(blind), x.repeats, x.wait(time.Second), x.staysAt(next, schedctl.Scheduled),
		x.postsTo(retried, idempotent), x.waitsForRetry(retried), x.remember,
		x.set(-years), x.goesOut(retried, slow), x.resumes(blind), x.opens(key), x.staysAt(next, schedctl.Scheduled),
		x.sleeps(hour), x.goesOut(next, slow),
	)
}

// yearsAheadRestarted is the same for a daemon that is started again meanwhile.
func yearsAheadRestarted(ctx context.Context, x *timed) error {
	next, err := x.schedule(ctx, hour, blind)
	if err != nil {
		return err
	}
	return x.do(ctx,
		x.set(years), x.postsSoon(readable), x.restart, x.postsSoon(blind), x.remember, x.staysAt(next, schedctl.Scheduled),
		x.set(-years), x.restart, x.resumes(readable), x.repeats, x.staysAt(next, schedctl.Scheduled),
		x.sleeps(hour), x.goesOut(next, slow),
	)
}

// yearsBack waits, and is over when it is set right.
func yearsBack(ctx context.Context, x *timed) error {
	due, err := x.schedule(ctx, 3*time.Second, readable)
	if err != nil {
		return err
	}
	return x.do(ctx,
		x.remember, x.set(-years), x.wait(5*time.Second), x.staysAt(due, schedctl.Scheduled),
		x.resumes(idempotent), x.restart, x.resumes(blind), x.repeats, x.staysAt(due, schedctl.Scheduled),
		x.set(years), x.goesOut(due, slow), x.postsInTime(blind),
	)
}

// suspend suspends the machine: for a night, and for longer than a post may be late.
func suspend(ctx context.Context, x *timed) error {
	morning, err := x.schedule(ctx, 7*hour, idempotent)
	if err != nil {
		return err
	}
	noon, err := x.schedule(ctx, 9*hour, readable)
	if err != nil {
		return err
	}
	if err := x.do(ctx,
		x.sleeps(8*hour), x.goesOut(morning, slow), x.staysAt(noon, schedctl.Scheduled), x.postsInTime(blind),
		x.sleeps(12*hour), x.reaches(noon, schedctl.Failed, slow),
	); err != nil {
		return err
	}
	x.late = x.hands.now().Add(-lateLimit)
	return nil
}

// sleeps stops the daemon for a moment in which the machine is suspended.
func (x *timed) sleeps(d time.Duration) step {
	return func(ctx context.Context) error {
		x.daemon().Signal(syscall.SIGSTOP)
		err := errors.Join(sleep(ctx, 200*time.Millisecond), x.passes(d)(ctx))
		x.daemon().Signal(syscall.SIGCONT)
		return err
	}
}
