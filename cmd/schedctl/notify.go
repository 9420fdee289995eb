package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
)

// supervision tells the service manager how the daemon is, in the protocol of
// sd_notify(3).
type supervision struct {
	tell     func(state string) error
	watchdog time.Duration // after this long without a sign of life the daemon is restarted; 0 for never
	log      *slog.Logger
}

// readyPoll is how often a daemon that starts is asked whether it is ready.
const readyPoll = 50 * time.Millisecond

// supervisionFrom reads who wants to be told from the environment. It is nil
// when nobody does.
func supervisionFrom(getenv func(string) string, log *slog.Logger) (*supervision, error) {
	address := getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil, nil
	}
	if !filepath.IsAbs(address) && !strings.HasPrefix(address, "@") {
		return nil, usage("NOTIFY_SOCKET %q is no socket: it is a path, or a name after @", address)
	}
	s := &supervision{tell: func(state string) error { return sendDatagram(address, state) }, log: log}
	watched := first(getenv("WATCHDOG_PID"), strconv.Itoa(os.Getpid()))
	if text := getenv("WATCHDOG_USEC"); text != "" && watched == strconv.Itoa(os.Getpid()) {
		micros, err := strconv.ParseInt(text, 10, 64)
		if err != nil || micros <= 0 {
			return nil, usage("WATCHDOG_USEC %q is no number of microseconds", text)
		}
		s.watchdog = time.Duration(micros) * time.Microsecond
	}
	return s, nil
}

// superviseBy makes the daemon serve on the socket of the service manager and
// tell it how it is, as far as there is one that asks for that.
func (o *daemonRun) superviseBy(cfg *daemon.Config) (err error) {
	if cfg.Listener, err = inheritedSocket(o.getenv); err != nil {
		return err
	}
	if cfg.Listener != nil && o.listen != defaultListen {
		cfg.Listener.Close()
		f := usage("--listen %s: the service manager hands over a socket to listen on", o.listen)
		f.hint = "leave --listen out, or disable the socket unit"
		return f
	}
	s, err := supervisionFrom(o.getenv, cfg.Logger)
	if s != nil {
		cfg.Supervise = s.run
	}
	return err
}

func sendDatagram(address, text string) error {
	conn, err := net.Dial("unixgram", address) // a leading @ is an abstract name here, too
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte(text))
	return errors.Join(err, conn.Close())
}

// run tells that the daemon is ready once it is, then that it lives, twice in
// the time of the watchdog and only while it is ready, or would be if its database
// could be reached, and when ctx ends that it stops.
func (s *supervision) run(ctx context.Context, ready func(context.Context) error) error {
	started := false
	for {
		err := ready(ctx)
		if ctx.Err() != nil {
			break
		}
		s.say(state(err, started))
		started = started || err == nil
		select {
		case <-ctx.Done():
		case <-s.next(err, started):
		}
		if ctx.Err() != nil {
			break
		}
	}
	s.say("STOPPING=1\nSTATUS=stopping")
	return nil
}

// state returns what is told about a daemon that is ready, or why it is not.
func state(err error, started bool) string {
	switch {
	case started && errors.Is(err, storage.ErrUnreachable): // a new start would reach it no better
		return "WATCHDOG=1\nSTATUS=not ready: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	case err != nil:
		return "STATUS=not ready: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	case started:
		return "WATCHDOG=1\nSTATUS=ready"
	}
	return "READY=1\nWATCHDOG=1\nSTATUS=ready"
}

// next returns when to ask again. A daemon that is not ready is asked more often,
// so that it is heard of again before its time is over. Nil means never.
func (s *supervision) next(err error, started bool) <-chan time.Time {
	switch {
	case !started:
		return time.After(readyPoll)
	case s.watchdog == 0:
		return nil
	case err != nil:
		return time.After(s.watchdog / 8)
	}
	return time.After(s.watchdog / 2)
}

// say tells, and logs what cannot be told: a daemon does not end because nobody
// hears it.
func (s *supervision) say(state string) {
	if err := s.tell(state); err != nil {
		s.log.Warn("service manager not told", "error", err)
	}
}
