package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// stoppedDaemon is the --json output of "daemon stop".
type stoppedDaemon struct {
	Stopped bool   `json:"stopped"` // false if none was running
	DataDir string `json:"data_dir"`
}

type daemonStop struct{ daemonRun }

// stopTime is the longest time for a daemon to stop, without --timeout. Requests to
// networks in progress may finish.
const stopTime = time.Minute

func newDaemonStop(a *cli.App) *cobra.Command {
	o := &daemonStop{daemonRun{App: a}}
	cmd := cli.DeclareJSON[stoppedDaemon](&cobra.Command{
		Use:   "stop",
		Short: "Stop the daemon",
		Long: `Stop the daemon that has the data directory, however it was started, and wait until it
has ended. Requests and publications in progress may finish. No post is published while
it is stopped; what becomes due then is published after the next start.

If no daemon is running, nothing changes and the exit status is 0. A daemon that takes
longer than a minute, or --timeout, continues to stop (exit status 8).`,
		Example: `  schedctl daemon stop
  schedctl daemon stop --data-dir ~/posts --timeout 5m`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	cmd.Flags().StringVar(&o.dir, dataDirFlag, "", "the data `directory` (environment: SCHEDCTL_DATA_DIR)")
	return cmd
}

func (o *daemonStop) run(ctx context.Context) error {
	if err := needsUnix(o.App, "daemon stop"); err != nil {
		return err
	}
	dir, err := o.chosenDir()
	if err != nil {
		return err
	}
	stopped, err := o.stop(ctx, dir)
	switch {
	case err != nil:
		return err
	case o.JSON.Given:
		return o.PrintJSON(stoppedDaemon{Stopped: stopped, DataDir: dir})
	case o.Quiet:
	case stopped:
		o.Messagef("the daemon has stopped; no post is published until the next start")
	default:
		o.Messagef("no daemon is running on the data in %s", dir)
	}
	return nil
}

// stop stops the daemon on a data directory, if one is running, and waits until it
// has ended. It reports whether one was running.
func (o *daemonRun) stop(ctx context.Context, dir string) (stopped bool, err error) {
	_, running := dataHolder(dir)
	if manager := installedService(o.App, dir); manager != nil {
		if err := manager.stop(ctx); err != nil && !running {
			return false, err
		} // otherwise the daemon is stopped directly
	}
	pid, locked := dataHolder(dir)
	switch {
	case !locked && running:
		return true, nil
	case !locked:
		return false, o.refuseUnlocked(ctx, dir)
	}
	if err := terminate(dir, pid); err != nil {
		return false, err
	}
	if err := o.awaitEnd(ctx, dir, pid); err != nil {
		return false, err
	}
	if _, locked := dataHolder(dir); locked {
		return false, cli.NewFailure(cli.ExitConflict, cli.CodeOther, "the daemon has ended, but another one was started at once").
			WithHint("stop it with the service manager that starts it, for example: sudo systemctl stop schedctl.service")
	}
	return true, nil
}

// awaitEnd waits until a process has released the data.
func (o *daemonRun) awaitEnd(ctx context.Context, dir string, pid int) error {
	late := time.After(orDefault(o.Timeout, stopTime))
	for {
		if now, locked := dataHolder(dir); !locked || now != pid {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return cli.NewFailure(cli.ExitTimedOut, cli.CodeTimedOut, "the daemon (pid %d) is still stopping", pid).
				WithHint("wait with: schedctl daemon stop; to end it at once, whatever it is doing: " + fmt.Sprintf("kill -9 %d", pid))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// terminate sends the stop signal to the process that has locked the data. It opens
// the process and then reads the lock holder again, so that the signal reaches the
// holder or, if that has just ended, no process.
func terminate(dir string, pid int) error {
	if pid == 0 {
		return cli.OtherError("the daemon that has the data in %s is not visible from here", dir).
			WithHint("stop it where it runs, for example in its container")
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return nil // it has ended
	}
	defer process.Release()
	if now, locked := dataHolder(dir); !locked || now != pid {
		return nil
	}
	err = process.Signal(syscall.SIGTERM)
	switch {
	case errors.Is(err, os.ErrPermission):
		return cli.OtherError("the daemon (pid %d) belongs to another user", pid).WithHint("stop it as that user")
	case err != nil && !errors.Is(err, os.ErrProcessDone):
		return fmt.Errorf("stop the daemon (pid %d): %w", pid, err)
	}
	return nil
}

// refuseUnlocked returns an error if a daemon of an earlier version uses the data. It
// has no lock, so its process cannot be determined safely.
func (o *daemonRun) refuseUnlocked(ctx context.Context, dir string) error {
	found, err := cli.ReadAnnouncement(dir)
	if err != nil || found.URL == "" || found.Secret == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	c, err := o.ConnectTo(cli.Endpoint{URL: found.URL, Announced: dir})
	if err != nil {
		return nil
	}
	defer c.Close()
	if _, answer, _ := askReady(ctx, c); answer.Status == 0 {
		return nil
	}
	return cli.OtherError("the daemon at %s holds no lock on %s, so its process is not known", found.URL, dir).
		WithHint(fmt.Sprintf("if an earlier version of schedctl started it on this machine, stop it with: kill %d", found.PID))
}
