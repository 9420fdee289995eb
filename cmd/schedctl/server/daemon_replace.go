package server

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

// earlierDaemon is the daemon that a restart replaces.
type earlierDaemon struct {
	dir     string
	record  daemonRecord
	stopped bool // whether it ran until the restart
}

// checkStart returns an error if a daemon with the new flags could not start. The running
// daemon, whose record is last, still has its address and its database.
func (o *daemonRestart) checkStart(dir string, name storeName, last *daemonRecord) error {
	if named := name.file != "" && name.source != ""; named && last.value(storeFlagName) != name.stored() {
		if err := checkDatabaseFile(o.App, name); err != nil {
			return err
		}
	}
	if found, err := cli.ReadAnnouncement(dir); err == nil && samePort(found.URL, o.listen) {
		if _, running := dataHolder(dir); running {
			return nil
		}
	}
	return daemon.CheckListen(o.listen)
}

// samePort reports whether a daemon with this URL has the port or the socket of an address.
func samePort(daemonURL, address string) bool {
	u, err := url.Parse(daemonURL)
	if err != nil || strings.HasPrefix(address, "unix://") {
		return daemonURL == address
	}
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == u.Port()
}

// checkDatabaseFile returns an error if a daemon could not open or create the file of a
// database.
func checkDatabaseFile(a *cli.App, name storeName) error {
	info, err := os.Stat(name.file)
	switch {
	case err == nil && info.IsDir():
		return cli.UsageError("%s %s is a directory", name.source, name.file).WithHint("write the path of a file")
	case err == nil:
		return a.RefuseExposedFile(name.file, privatefile.Writing)
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(name.file))
	}
	if err != nil {
		return cli.UsageError("the database cannot be created: %v", err)
	}
	return nil
}

// replace starts the daemon in the place of an earlier one, and prints what changed. If the
// new daemon ends before it is ready, replace starts the earlier one again.
func (o *daemonRestart) replace(ctx context.Context, earlier earlierDaemon, name storeName) error {
	s, ended, err := o.launch(ctx, earlier.dir, name)
	if err != nil {
		return o.resume(ctx, earlier, name, err)
	}
	c, err := o.awaitReady(ctx, &s, ended)
	if early, ok := errors.AsType[*endedDaemon](err); ok {
		showLog(o.App, early.log)
		return o.resume(ctx, earlier, name, early.Failure)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if s.Started && !o.Quiet {
		o.tellChanges(&earlier.record, o.record(earlier.dir, name))
	}
	return o.reportStart(ctx, c, s)
}

// resume starts the earlier daemon again, because the new one did not start, and returns the
// error for this. The earlier one is not started if it did not run, or if the new one had the
// same flags.
func (o *daemonRestart) resume(ctx context.Context, earlier earlierDaemon, name storeName, failed error) error {
	now := o.record(earlier.dir, name)
	if slices.Equal(now.Flags, earlier.record.Flags) && maps.Equal(now.Variables, earlier.record.Variables) {
		return failed
	}
	var f *cli.Failure
	if !errors.As(failed, &f) {
		f = cli.OtherError("%s", failed.Error())
	}
	if !earlier.stopped {
		return cli.OtherError("%s; the flags of the last daemon are kept", f.Message).WithHint(f.Hint)
	}
	s := startedDaemon{DataDir: earlier.dir, Started: true, Log: filepath.Join(earlier.dir, daemonLogFile)}
	args := append(slices.Clone(earlier.record.Flags), "--"+dataDirFlag+"="+earlier.dir) // there may be no record
	pid, ended, err := o.spawn(earlier.dir, args, o.earlierEnvironment(&earlier.record, name))
	if err == nil {
		s.PID = pid
		c, notReady := o.awaitReady(ctx, &s, ended)
		if err = notReady; err == nil {
			c.Close()
			return cli.OtherError("%s; the daemon runs again with its earlier flags, which are kept", f.Message).WithHint(f.Hint)
		}
	}
	return cli.OtherError("%s; with its earlier flags, which are kept, it did not start again either: %s", f.Message, problemOf(err)).
		WithHint("start it with them: schedctl daemon restart")
}

// earlierEnvironment returns the variables of the earlier daemon: those of this process, with
// the values that the record has for the flags. The password of the database, which is not in
// the record, is that of the new daemon if both have the same database.
func (o *daemonRestart) earlierEnvironment(earlier *daemonRecord, name storeName) []string {
	env := withoutSupervisor(o.Environ())
	o.flags.VisitAll(func(f *pflag.Flag) {
		env = slices.DeleteFunc(env, func(pair string) bool { return strings.HasPrefix(pair, cli.FlagVariable(f.Name)+"=") })
	})
	for _, flag := range slices.Sorted(maps.Keys(earlier.Variables)) {
		env = append(env, cli.FlagVariable(flag)+"="+earlier.Variables[flag])
	}
	if earlier.Password && name.url != "" && name.stored() == earlier.value(storeFlagName) {
		env = append(env, "PGPASSWORD="+passwordFor(name.url))
	}
	return env
}
