package server

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

// managerLog records the messages to a service manager, with the time since start.
type managerLog struct {
	start    time.Time
	messages []string
	err      error
}

func (r *managerLog) send(message string) error {
	r.messages = append(r.messages, fmt.Sprintf("%v %s", time.Since(r.start), strings.ReplaceAll(message, "\n", " ")))
	return r.err
}

// managerMessages returns the messages that a service manager receives about a
// daemon with the given readiness. The caller must be in a synctest bubble.
func managerMessages(t *testing.T, watchdog, forTime time.Duration, ready func(since time.Duration) error) []string {
	t.Helper()
	r := &managerLog{start: time.Now()}
	s := &statusReporter{send: r.send, watchdog: watchdog, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithTimeout(t.Context(), forTime)
	defer cancel()
	if err := s.run(ctx, func(context.Context) error { return ready(time.Since(r.start)) }); err != nil {
		t.Error(err)
	}
	return r.messages
}

func TestWatchdogIsResetTwicePerInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := managerMessages(t, 10*time.Second, 12*time.Second, func(since time.Duration) error {
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

func TestWatchdogIsNotResetWhileNotReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := managerMessages(t, 8*time.Second, 11*time.Second, func(since time.Duration) error {
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

func TestServiceManagerWithoutWatchdog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		got := managerMessages(t, 0, time.Hour, func(time.Duration) error { return nil })
		want := []string{"0s READY=1 WATCHDOG=1 STATUS=ready", "1h0m0s STOPPING=1 STATUS=stopping"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestUnreachableServiceManagerIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r := &managerLog{start: time.Now(), err: errors.New("no such socket")}
		s := &statusReporter{send: r.send, log: slog.New(slog.NewTextHandler(&log, nil))}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.run(ctx, func(context.Context) error { return nil }); err != nil {
			t.Errorf("the daemon ends with %v", err)
		}
		if len(r.messages) != 2 || strings.Count(log.String(), `msg="report to service manager failed" error="no such socket"`) != 2 {
			t.Errorf("sent %q, logged %s", r.messages, &log)
		}
	})
}

func TestStatusReporterFromTheEnvironment(t *testing.T) {
	t.Parallel()
	pid := fmt.Sprint(os.Getpid())
	for name, c := range map[string]struct {
		env      map[string]string
		none     bool
		watchdog time.Duration
		err      string
	}{
		"no manager":       {env: map[string]string{"WATCHDOG_USEC": "1"}, none: true},
		"no watchdog":      {env: map[string]string{"NOTIFY_SOCKET": "/run/notify"}},
		"watchdog":         {env: map[string]string{"NOTIFY_SOCKET": "@name", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": pid}, watchdog: 30 * time.Second},
		"any process":      {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000"}, watchdog: time.Millisecond},
		"another process":  {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1" + pid}},
		"no socket":        {env: map[string]string{"NOTIFY_SOCKET": "vsock:2:1"}, err: `NOTIFY_SOCKET "vsock:2:1" is not a socket address: use an absolute path, or a name after @`},
		"no number":        {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "30s"}, err: `WATCHDOG_USEC "30s" is not a number of microseconds`},
		"a negative watch": {env: map[string]string{"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "-1"}, err: `WATCHDOG_USEC "-1" is not a number of microseconds`},
	} {
		s, err := statusReporterFrom(func(name string) string { return c.env[name] }, slog.New(slog.DiscardHandler))
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %s", name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case (s == nil) != c.none:
			t.Errorf("%s: %v", name, s)
		case s != nil && s.watchdog != c.watchdog:
			t.Errorf("%s: watchdog %v, want %v", name, s.watchdog, c.watchdog)
		}
	}
}

// While the database is unreachable the watchdog is reset, because a restart would
// not help. A daemon that was never ready is not reported as ready.
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
		if got := stateMessage(c.err, c.started); got != c.want {
			t.Errorf("started %t, %v: sent %q, want %q", c.started, c.err, got, c.want)
		}
	}
}
