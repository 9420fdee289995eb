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
	years = 10 * 365 * 24 * time.Hour

	lateLimit = 6 * time.Hour
)

// clockJumps sets the clocks of daemons, side by side, while they run: by an hour
// and by ten years, each way, and stops one while its clock goes on, which is what
// a program sees of a machine that sleeps. The program and its libraries see the
// jump; the monotonic clock goes on.
//
// What is due must go out as soon as a clock is looked at, which is every 30 s;
// nothing goes out before its time by the clock of the daemon; what a clock has
// made of events, keys, answers and retries while it was wrong is over when it is
// set right.
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
		"hour-ahead": hourAhead, "hour-back": hourBack, "years-ahead": yearsAhead,
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

// hourAhead brings what is due in half an hour, and what is due in one and a half
// not.
func hourAhead(ctx context.Context, x *timed) error {
	near, err := x.schedule(ctx, hour/2, idempotent)
	if err != nil {
		return err
	}
	far, err := x.schedule(ctx, hour+hour/2, blind)
	if err != nil {
		return err
	}
	return x.do(ctx,
		x.set(hour), x.goesOut(near, slow), x.staysAt(far, schedctl.Scheduled),
		x.set(-hour), x.postsInTime(readable), x.staysAt(far, schedctl.Scheduled),
		x.set(2*hour), x.goesOut(far, slow),
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
	x.network.setMoods(idempotent, drops)
	retried := new(story)
	return x.do(ctx,
		x.set(years), x.postsSoon(blind), x.repeats, x.wait(time.Second), x.staysAt(next, schedctl.Scheduled),
		x.postsTo(retried, idempotent), x.waitsForRetry(retried), x.remember,
		x.set(-years), x.goesOut(retried, slow), x.resumes(blind), x.opens(key), x.staysAt(next, schedctl.Scheduled),
		x.set(hour), x.goesOut(next, slow),
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
		x.set(hour), x.goesOut(next, slow),
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

// suspend stops the daemon while time goes on: for a night, and for longer than
// a post may be late.
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

// sleeps stops the daemon for a moment that is long by its clock.
func (x *timed) sleeps(d time.Duration) step {
	return func(ctx context.Context) error {
		x.daemon().Signal(syscall.SIGSTOP)
		err := errors.Join(sleep(ctx, 200*time.Millisecond), x.set(d)(ctx))
		x.daemon().Signal(syscall.SIGCONT)
		return err
	}
}
