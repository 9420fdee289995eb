package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type daemonStart struct{ daemonRun }

// startTime is the longest time for a daemon to become ready, without --timeout.
const startTime = time.Minute

func newDaemonStart(a *cli.App) *cobra.Command {
	o := &daemonStart{daemonRun{App: a}}
	cmd := cli.DeclareJSON[startedDaemon](&cobra.Command{
		Use:   "start",
		Short: "Start the daemon in the background",
		Long: `Start the daemon in the background and wait until it is ready. The flags are those of
"schedctl daemon run". The log is daemon.log in the data directory.

If the daemon is running already, nothing changes. The exit status is 0, or 6 when it
runs with other values of the flags, or of their variables, that you give, which are
named. If it does not become ready within a minute, or --timeout, the last lines of its
log are shown. After "schedctl daemon install" the service manager starts it.`,
		Example: `  schedctl daemon start
  schedctl daemon start --listen 127.0.0.1:8080
  schedctl daemon start --data-dir ~/posts --json=url,pid`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.register(cmd)
	return cmd
}

func (o *daemonStart) run(ctx context.Context) error {
	if err := needsUnix(o.App, "daemon start"); err != nil {
		return err
	}
	dir, name, err := o.settle()
	if err != nil {
		return err
	}
	return o.start(ctx, dir, name)
}

// start starts the daemon on a data directory, as a service if it is one, and waits
// until it is ready.
func (o *daemonStart) start(ctx context.Context, dir string, name storeName) error {
	s, ended, err := o.launch(ctx, dir, name)
	if err != nil {
		return err
	}
	return o.awaitStart(ctx, s, ended)
}

// launch starts the daemon on a data directory, unless one is running. The channel is that of
// [daemonStart.spawn], or nil.
func (o *daemonStart) launch(ctx context.Context, dir string, name storeName) (s startedDaemon, ended <-chan error, err error) {
	s.DataDir = dir
	if err := ensureDataDir(o.App, dir); err != nil {
		return s, nil, err
	}
	if name.exposed() {
		o.Messagef("the password of the database is on the command line, where every user of this machine can read it; " +
			"give it with PGPASSWORD or in the password file, or the whole address with SCHEDCTL_STORE")
	}
	manager := installedService(o.App, dir)
	_, running := dataHolder(dir)
	switch {
	case running:
	case manager != nil && o.given():
		return s, nil, fixedFlags(manager)
	case manager != nil:
		s.Started = true
		if err := manager.start(ctx); err != nil {
			return s, nil, notStarted(ctx, o.App, manager, err)
		}
	default:
		s.Started = true
		if s.PID, ended, err = o.spawn(dir, o.args(dir, name), o.childEnvironment(name)); err != nil {
			return s, nil, err
		}
	}
	if manager != nil {
		s.Log = manager.log()
	} else if s.Started {
		s.Log = filepath.Join(dir, daemonLogFile)
	}
	return s, ended, nil
}

// ignoredFlags returns an error if a running daemon has other values of flags than the command
// line or the variables of this process.
func (o *daemonStart) ignoredFlags(dir string) error {
	last, err := readRecord(o.App, dir)
	name, _ := o.storeName(dir) // was checked before
	wanted := o.record(dir, name)
	var ignored, restart []string
	noun := "flags"
	o.flags.VisitAll(func(f *pflag.Flag) {
		variable := o.fromVariable(f.Name, name)
		if !f.Changed && !variable || f.Name == dataDirFlag || err == nil && last.shown(f) == wanted.shown(f) {
			return
		}
		runs := "which flags it has is not known"
		if err == nil {
			runs = "it has " + last.shown(f)
		}
		flag := "--" + f.Name + " " + wanted.shown(f)
		if f.Value.Type() == "bool" {
			flag = "--" + f.Name + "=" + wanted.shown(f)
		}
		restart = append(restart, flag)
		if variable {
			flag, noun = cli.FlagVariable(f.Name)+"="+wanted.shown(f), "values"
		}
		ignored = append(ignored, flag+" ("+runs+")")
	})
	if len(ignored) == 0 {
		return nil
	}
	f := cli.NewFailure(cli.ExitConflict, cli.CodeOther, "the daemon is already running, and these %s were ignored: %s", noun, strings.Join(ignored, ", "))
	if installedService(o.App, dir) != nil {
		return f.WithHint("change them with: schedctl daemon install FLAGS")
	}
	return f.WithHint("run it with them: schedctl daemon restart " + strings.Join(restart, " "))
}

// fixedFlags returns the error for flags that an installed service would ignore.
func fixedFlags(m serviceManager) error {
	return cli.UsageError("the daemon is a service, and %s has its flags", m.file()).WithHint("change them with: schedctl daemon install FLAGS")
}

// daemonLogFile is the file in the data directory that holds the log of a daemon in
// the background.
const daemonLogFile = "daemon.log"

// maxDaemonLog is the size at which the next start moves the log to daemon.log.old.
const maxDaemonLog = 10 << 20

// openDaemonLog opens the log for appending.
func openDaemonLog(dir string) (*os.File, error) {
	path := filepath.Join(dir, daemonLogFile)
	if info, err := os.Lstat(path); err == nil && info.Size() > maxDaemonLog {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// spawn starts a daemon that survives this process and its terminal, with flags of "daemon run"
// and an environment, and returns its process id. The channel receives an error if the daemon
// ends before this process.
func (o *daemonStart) spawn(dir string, args, env []string) (pid int, ended <-chan error, err error) {
	log, err := openDaemonLog(dir)
	if err != nil {
		return 0, nil, fmt.Errorf("open the log of the daemon: %w", err)
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return 0, nil, fmt.Errorf("open the log of the daemon: %w", err)
	}
	cmd := exec.Command(cli.ProgramPath(), append([]string{"daemon", "run"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = env
	cmd.SysProcAttr = detachedProcess()
	if err := cmd.Start(); err != nil {
		return 0, nil, fmt.Errorf("start the daemon: %w", err)
	}
	end := make(chan error, 1)
	go func() { end <- o.daemonEnded(cmd.Wait(), log.Name(), info.Size()) }()
	return cmd.Process.Pid, end, nil
}

// withoutSupervisor removes the variables with which a service manager contacts this
// process, because they are not for the daemon.
func withoutSupervisor(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}, name)
	})
}

// logTail is the number of log lines that are shown when a daemon did not start.
const logTail = 10

// daemonEnded returns why a daemon ended before it was ready, with the lines after
// offset in its log.
func (o *daemonStart) daemonEnded(err error, path string, offset int64) error {
	f := cli.OtherError("the daemon did not start").WithHint("its log is " + path)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		f.Status = exit.ExitCode()
	}
	lines := tailLines(path, offset, logTail)
	if n := len(lines); n > 0 {
		if reason, own := strings.CutPrefix(lines[n-1], "schedctl: "); own {
			f.Message += ": " + reason
			lines = lines[:n-1]
		}
	}
	return &endedDaemon{Failure: f, log: lines}
}

// endedDaemon is a daemon that ended before it was ready.
type endedDaemon struct {
	*cli.Failure
	log []string
}

// Unwrap returns the failure without the lines of the log.
func (e *endedDaemon) Unwrap() error { return e.Failure }

// tailLines returns the last lines after offset in a file.
func tailLines(path string, offset int64, most int) []string {
	text, err := os.ReadFile(path)
	if err != nil || int64(len(text)) <= offset {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(text[offset:]), "\n"), "\n")
	return lines[max(0, len(lines)-most):]
}

// showLog shows lines of a log.
func showLog(a *cli.App, lines []string) {
	if len(lines) == 0 || a.Quiet {
		return
	}
	a.Messagef("the log of the daemon ends with:")
	for _, line := range lines {
		a.Messagef("  %s", line)
	}
}
