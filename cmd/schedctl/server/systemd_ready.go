package server

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

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
)

// statusReporter reports the state of the daemon to the service manager that
// started it, in the protocol of sd_notify(3).
type statusReporter struct {
	send     func(message string) error
	watchdog time.Duration // the manager restarts a daemon that is silent for this long; 0 for never
	log      *slog.Logger
}

// readyPoll is how often a starting daemon is checked for readiness.
const readyPoll = 50 * time.Millisecond

// statusReporterFrom reads the address of the service manager from the environment.
// It returns nil when there is no service manager.
func statusReporterFrom(getenv func(string) string, log *slog.Logger) (*statusReporter, error) {
	address := getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil, nil
	}
	if !filepath.IsAbs(address) && !strings.HasPrefix(address, "@") {
		return nil, cli.UsageError("NOTIFY_SOCKET %q is not a socket address: use an absolute path, or a name after @", address)
	}
	s := &statusReporter{send: func(message string) error { return sendDatagram(address, message) }, log: log}
	watched := cli.FirstNonEmpty(getenv("WATCHDOG_PID"), strconv.Itoa(os.Getpid()))
	if text := getenv("WATCHDOG_USEC"); text != "" && watched == strconv.Itoa(os.Getpid()) {
		micros, err := strconv.ParseInt(text, 10, 64)
		if err != nil || micros <= 0 {
			return nil, cli.UsageError("WATCHDOG_USEC %q is not a number of microseconds", text)
		}
		s.watchdog = time.Duration(micros) * time.Microsecond
	}
	return s, nil
}

// useServiceManager makes the daemon serve on the socket that the service manager
// passes, if any, and report its state to the manager.
func (o *daemonRun) useServiceManager(cfg *daemon.Config) (err error) {
	if cfg.Listener, err = inheritedSocket(o.Getenv); err != nil {
		return err
	}
	if cfg.Listener != nil && o.listen != cli.DefaultListen {
		cfg.Listener.Close()
		source := o.source("listen")
		return cli.UsageError("%s %s: the service manager passes a socket to listen on", source, o.listen).WithHint("leave " + source + " out, or disable the socket unit")
	}
	s, err := statusReporterFrom(o.Getenv, cfg.Logger)
	if s != nil {
		cfg.Supervise = s.run
	}
	return err
}

func sendDatagram(address, text string) error {
	conn, err := net.Dial("unixgram", address) // net.Dial also reads a leading @ as an abstract name
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte(text))
	return errors.Join(err, conn.Close())
}

// run reports when the daemon becomes ready and, after ctx ends, that it stops. In
// between it resets the watchdog twice per interval, but only while the daemon is
// ready or merely cannot reach its database.
func (s *statusReporter) run(ctx context.Context, ready func(context.Context) error) error {
	started := false
	for {
		err := ready(ctx)
		if ctx.Err() != nil {
			break
		}
		s.report(stateMessage(err, started))
		started = started || err == nil
		select {
		case <-ctx.Done():
		case <-s.next(err, started):
		}
		if ctx.Err() != nil {
			break
		}
	}
	s.report("STOPPING=1\nSTATUS=stopping")
	return nil
}

// stateMessage returns the message for a daemon that is ready, or that is not ready
// because of err.
func stateMessage(err error, started bool) string {
	switch {
	case started && errors.Is(err, storage.ErrUnreachable): // a restart would not help
		return "WATCHDOG=1\nSTATUS=not ready: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	case err != nil:
		return "STATUS=not ready: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	case started:
		return "WATCHDOG=1\nSTATUS=ready"
	}
	return "READY=1\nWATCHDOG=1\nSTATUS=ready"
}

// next returns a channel that fires when the daemon has to be checked again; nil for
// never. A daemon that is not ready is checked more often, so that its recovery is
// reported before the watchdog expires.
func (s *statusReporter) next(err error, started bool) <-chan time.Time {
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

// report sends a message. A failure is only logged: the daemon runs without its
// service manager.
func (s *statusReporter) report(message string) {
	if err := s.send(message); err != nil {
		s.log.Warn("report to service manager failed", "error", err)
	}
}
