package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon"
)

// startedDaemon is what "daemon start" and "daemon restart" print.
type startedDaemon struct {
	Started bool   `json:"started"` // false if it was running already
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	DataDir string `json:"data_dir"`
	Log     string `json:"log"` // a file, or the command that shows it; empty if unknown
	Version string `json:"version"`
}

// awaitStart waits until a daemon is ready and prints where it is.
func (o *daemonStart) awaitStart(ctx context.Context, s startedDaemon, ended <-chan error) error {
	c, err := o.awaitReady(ctx, &s, ended)
	if err != nil {
		var early *endedDaemon
		if errors.As(err, &early) {
			o.showLog(early.log)
		}
		return err
	}
	defer c.Close()
	s.URL, s.Version = c.URL(), daemonVersion(ctx, c)
	if !s.Started {
		o.tell("the daemon is already running")
	}
	return o.printStarted(ctx, c, s)
}

// readyPause is the time between two checks of a daemon that starts.
const readyPause = 50 * time.Millisecond

// awaitReady waits until the daemon on a data directory proves itself and is ready.
// If the started daemon ends because another daemon uses the data, it waits for that
// daemon.
func (o *daemonStart) awaitReady(ctx context.Context, s *startedDaemon, ended <-chan error) (*client.Client, error) {
	late := time.After(orDefault(o.timeout, startTime))
	for {
		c, notReady := o.askLocal(ctx, s.DataDir)
		if notReady == nil {
			s.PID, _ = dataHolder(s.DataDir)
			return c, nil
		}
		select {
		case err := <-ended:
			if _, locked := dataHolder(s.DataDir); !locked {
				return nil, err
			}
			s.Started, s.Log, ended = false, "", nil
		case <-time.After(readyPause):
		case <-late:
			return nil, o.neverReady(s, notReady)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func orDefault(d duration, otherwise time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return otherwise
}

// askLocal returns a client of the daemon on a data directory, or why it is not
// ready. The daemon has proven that it runs on that directory.
func (o *daemonStart) askLocal(ctx context.Context, dir string) (*client.Client, error) {
	found, err := readAnnouncement(dir)
	if err != nil {
		return nil, err
	}
	if found.URL == "" {
		return nil, errors.New("it does not serve yet")
	}
	own := *o.app
	own.timeout = duration(healthTime)
	key, _ := readKey(filepath.Join(dir, daemon.AdminKeyFile)) // none for a second daemon on one database
	c, err := own.connectTo(endpoint{url: found.URL, announced: dir, key: key})
	if err != nil {
		return nil, err
	}
	if _, _, err := askReady(ctx, c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// neverReady is the failure of a daemon that is not ready in time.
func (o *daemonStart) neverReady(s *startedDaemon, reason error) error {
	if s.Log == filepath.Join(s.DataDir, daemonLogFile) {
		o.showLog(tailLines(s.Log, 0, logTail))
	}
	f := &failure{status: exitTimedOut, code: codeTimedOut, message: fmt.Sprintf("the daemon is not ready: %v", reason)}
	f.hint = "if it is still starting, wait for it with: schedctl daemon start"
	if s.Log != "" {
		f.hint += "; its log: " + s.Log
	}
	return f
}

func (o *daemonStart) printStarted(ctx context.Context, c *client.Client, s startedDaemon) error {
	switch {
	case o.json.set:
		return o.printJSON(s)
	case o.quiet:
		return o.printIDs(s.URL)
	case !o.outTerminal:
		return o.write(o.describe([]pair{
			{"Daemon", s.URL}, {"PID", strconv.Itoa(s.PID)}, {"Data", s.DataDir}, {"Log", s.Log}, {"Version", s.Version},
		}))
	}
	accounts, err := c.Accounts(ctx, client.AccountQuery{})
	b := banner{version: s.Version, url: s.URL, dataDir: s.DataDir, log: s.Log, fresh: err == nil && len(accounts) == 0}
	return o.write(o.bannerText(b))
}
