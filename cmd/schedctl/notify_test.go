package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/storage"
)

// told records what a service manager hears, and when since the start.
type told struct {
	start  time.Time
	states []string
	err    error
}

func (r *told) tell(state string) error {
	r.states = append(r.states, fmt.Sprintf("%v %s", time.Since(r.start), strings.ReplaceAll(state, "\n", " ")))
	return r.err
}

// supervised runs the supervision of a daemon that is ready as the function
// says, for some time, and returns what was told. It has to be in a bubble.
func supervised(t *testing.T, watchdog, forTime time.Duration, ready func(since time.Duration) error) []string {
	t.Helper()
	r := &told{start: time.Now()}
	s := &supervision{tell: r.tell, watchdog: watchdog, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithTimeout(t.Context(), forTime)
	defer cancel()
	if err := s.run(ctx, func(context.Context) error { return ready(time.Since(r.start)) }); err != nil {
		t.Error(err)
	}
	return r.states
}

func TestServiceManagerHearsOfLifeTwiceInTheTimeOfItsWatchdog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := supervised(t, 10*time.Second, 12*time.Second, func(since time.Duration) error {
			if since < 2*readyPoll {
				return errors.New("starting")
			}
			return nil
		})
		want := []string{
			"0s STATUS=not ready: starting",
			"50ms STATUS=not ready: starting",
			"100ms READY=1 WATCHDOG=1 STATUS=ready",
			"5.1s WATCHDOG=1 STATUS=ready",
			"10.1s WATCHDOG=1 STATUS=ready",
			"12s STOPPING=1 STATUS=stopping",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestServiceManagerHearsNoLifeOfADaemonThatIsNotReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := supervised(t, 8*time.Second, 11*time.Second, func(since time.Duration) error {
			if since > time.Second && since < 6*time.Second {
				return errors.Join(errors.New("the timer loop hangs"), errors.New("so does the disk"))
			}
			return nil
		})
		want := []string{
			"0s READY=1 WATCHDOG=1 STATUS=ready",
			"4s STATUS=not ready: the timer loop hangs; so does the disk",
			"5s STATUS=not ready: the timer loop hangs; so does the disk",
			"6s WATCHDOG=1 STATUS=ready",
			"10s WATCHDOG=1 STATUS=ready",
			"11s STOPPING=1 STATUS=stopping",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestServiceManagerWithoutWatchdogHearsOfStartAndStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := supervised(t, 0, time.Hour, func(time.Duration) error { return nil })
		want := []string{"0s READY=1 WATCHDOG=1 STATUS=ready", "1h0m0s STOPPING=1 STATUS=stopping"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestServiceManagerThatHearsNothingIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r := &told{start: time.Now(), err: errors.New("no such socket")}
		s := &supervision{tell: r.tell, log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.run(ctx, func(context.Context) error { return nil }); err != nil {
			t.Errorf("the daemon ends with %v", err)
		}
		if len(r.states) != 2 || strings.Count(log.String(), `msg="service manager not told" error="no such socket"`) != 2 {
			t.Errorf("told %q, logged %s", r.states, &log)
		}
	})
}

func TestSupervisionFromTheEnvironment(t *testing.T) {
	t.Parallel()
	pid := fmt.Sprint(os.Getpid())
	for name, c := range map[string]struct {
		env      map[string]string
		nobody   bool
		watchdog time.Duration
		err      string
	}{
		"nobody":           {env: map[string]string{"WATCHDOG_USEC": "1"}, nobody: true},
		"no watchdog":      {env: map[string]string{"NOTIFY_SOCKET": "/run/notify"}},
		"watchdog":         {env: map[string]string{"NOTIFY_SOCKET": "@name", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": pid}, watchdog: 30 * time.Second},
		"any process":      {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000"}, watchdog: time.Millisecond},
		"another process":  {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1" + pid}},
		"no socket":        {env: map[string]string{"NOTIFY_SOCKET": "vsock:2:1"}, err: `NOTIFY_SOCKET "vsock:2:1" is no socket: it is a path, or a name after @`},
		"no number":        {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30s"}, err: `WATCHDOG_USEC "30s" is no number of microseconds`},
		"a negative watch": {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "-1"}, err: `WATCHDOG_USEC "-1" is no number of microseconds`},
	} {
		s, err := supervisionFrom(func(name string) string { return c.env[name] }, slog.New(slog.DiscardHandler))
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %s", name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case (s == nil) != c.nobody:
			t.Errorf("%s: %v", name, s)
		case s != nil && s.watchdog != c.watchdog:
			t.Errorf("%s: watchdog %v, want %v", name, s.watchdog, c.watchdog)
		}
	}
}

// A daemon whose database is away gives signs of life: another start would not
// find it either. One that has never been ready is not called ready by that.
func TestServiceManagerDoesNotRestartForTheDatabase(t *testing.T) {
	t.Parallel()
	away := fmt.Errorf("%w: a detail", storage.ErrUnreachable)
	for _, c := range []struct {
		err     error
		started bool
		want    string
	}{
		{away, true, "WATCHDOG=1\nSTATUS=not ready: the database cannot be reached: a detail"},
		{away, false, "STATUS=not ready: the database cannot be reached: a detail"},
		{errors.New("stuck"), true, "STATUS=not ready: stuck"},
	} {
		if got := state(c.err, c.started); got != c.want {
			t.Errorf("started %t, %v: told %q, want %q", c.started, c.err, got, c.want)
		}
	}
}
