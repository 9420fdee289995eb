package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
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
		if early, ok := errors.AsType[*endedDaemon](err); ok {
			showLog(o.App, early.log)
		}
		return err
	}
	defer c.Close()
	return o.reportStart(ctx, c, s)
}

// reportStart prints where a daemon is that is ready. It returns an error if it was running
// already and has other flags.
func (o *daemonStart) reportStart(ctx context.Context, c *client.Client, s startedDaemon) error {
	s.URL, s.Version = c.URL(), daemonVersion(ctx, c)
	if s.Started {
		return o.printStarted(ctx, c, s)
	}
	ignored := o.ignoredFlags(s.DataDir)
	if ignored == nil && !o.Quiet {
		o.Messagef("the daemon is already running")
	}
	if err := o.printStarted(ctx, c, s); err != nil {
		return err
	}
	return ignored
}

// readyPause is the time between two checks of a daemon that starts.
const readyPause = 50 * time.Millisecond

// awaitReady waits until the daemon on a data directory proves itself and is ready.
// If the started daemon ends because another daemon uses the data, it waits for that
// daemon.
func (o *daemonStart) awaitReady(ctx context.Context, s *startedDaemon, ended <-chan error) (*client.Client, error) {
	late := time.After(orDefault(o.Timeout, startTime))
	for {
		c, notReady := o.askLocal(ctx, s.DataDir)
		if notReady == nil {
			spawned := s.PID
			if s.PID, _ = dataHolder(s.DataDir); spawned != 0 && s.PID != spawned {
				s.Started, s.Log = false, "" // two starts at once: the other daemon runs
			}
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

func orDefault(d cli.DurationFlag, otherwise time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return otherwise
}

// askLocal returns a client of the daemon on a data directory, or why it is not
// ready. The daemon has proven that it runs on that directory.
func (o *daemonStart) askLocal(ctx context.Context, dir string) (*client.Client, error) {
	found, err := cli.ReadAnnouncement(dir)
	if err != nil {
		return nil, err
	}
	if found.URL == "" {
		return nil, errors.New("it does not serve yet")
	}
	own := *o.App
	own.Timeout = cli.DurationFlag(healthTime)
	key, _ := o.AdminKey(dir) // none for a second daemon on one database
	c, err := own.ConnectTo(cli.Endpoint{URL: found.URL, Announced: dir, Key: key})
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
		showLog(o.App, tailLines(s.Log, 0, logTail))
	}
	f := &cli.Failure{Status: cli.ExitTimedOut, Code: cli.CodeTimedOut, Message: fmt.Sprintf("the daemon is not ready: %v", reason)}
	f.Hint = "if it is still starting, wait for it with: schedctl daemon start"
	if s.Log != "" {
		f.Hint += "; its log: " + s.Log
	}
	return f
}

func (o *daemonStart) printStarted(ctx context.Context, c *client.Client, s startedDaemon) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(s)
	case o.Quiet:
		return o.PrintIDs(s.URL)
	case !o.OutTerminal:
		return o.Write(o.RenderProperties([]cli.Property{
			{Name: "Daemon", Value: s.URL}, {Name: "PID", Value: strconv.Itoa(s.PID)}, {Name: "Data", Value: s.DataDir}, {Name: "Log", Value: s.Log}, {Name: "Version", Value: s.Version},
		}))
	}
	accounts, err := c.Accounts(ctx, client.AccountQuery{})
	b := banner{version: s.Version, url: s.URL, dataDir: s.DataDir, log: s.Log, fresh: err == nil && len(accounts) == 0}
	return o.Write(bannerText(o.App, b))
}
