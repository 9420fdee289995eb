package server

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/privatefile"
)

type daemonRestart struct{ daemonStart }

func newDaemonRestart(a *cli.App) *cobra.Command {
	o := &daemonRestart{daemonStart{daemonRun{App: a}}}
	cmd := cli.DeclareJSON[startedDaemon](&cobra.Command{
		Use:   "restart",
		Short: "Stop the daemon and start it again in the background",
		Long: `Stop the daemon on the data directory, if it is running, and start it again in the
background with the flags that it had. A flag that you give replaces its value and is
kept from then on; the others stay, and what changed is printed. To start with none of
the earlier flags, use "schedctl daemon stop" and "schedctl daemon start". After
"schedctl daemon install" the service manager starts it.

The flags are checked before the daemon stops. If the daemon does not start with them,
the earlier one is started again with the flags that it had (exit status 1).

The password of a database is not kept: have it in PGPASSWORD or in the password file,
or the address with the password in SCHEDCTL_STORE.

Do this after an upgrade: the daemon is then the program of the new version.`,
		Example: `  schedctl daemon restart
  schedctl daemon restart --listen 127.0.0.1:8080`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.register(cmd)
	return cmd
}

func (o *daemonRestart) run(ctx context.Context) error {
	if err := needsUnix(o.App, "daemon restart"); err != nil {
		return err
	}
	dir, err := o.chosenDir()
	if err != nil {
		return err
	}
	manager := installedService(o.App, dir)
	if manager != nil && o.given() {
		return fixedFlags(manager)
	}
	var last daemonRecord
	if manager == nil {
		if last, err = o.recall(dir); err != nil {
			return err
		}
	}
	dir, name, err := o.settle() // check this first: the stopped daemon must be able to start again
	if err != nil {
		return err
	}
	if err := checkPassword(&last, name); err != nil {
		return err
	}
	if manager == nil {
		if err := o.checkStart(dir, name, &last); err != nil {
			return err
		}
	}
	stopped, err := o.stop(ctx, dir)
	switch {
	case err != nil:
		return err
	case manager != nil:
		return o.start(ctx, dir, name)
	}
	return o.replace(ctx, earlierDaemon{dir: dir, record: last, stopped: stopped}, name)
}

// recall returns the record of the last daemon on a data directory, which is empty if there
// is none, and gives flags that are not on the command line the values of that daemon.
// Variables of this process go before those of the last daemon.
func (o *daemonRestart) recall(dir string) (daemonRecord, error) {
	r, err := readRecord(o.App, dir)
	if err != nil || !o.keepsSharedFiles(dir, &r) {
		if err := o.RefuseExposedData(dir); err != nil { // others could have written the record
			return daemonRecord{}, err
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if name, err := givenStore(o.App, o.store); r.StoreSource != "" && (err != nil || name.url == "") {
		return r, cli.UsageError("the database of this daemon was named by %s, which may hold a password and is not kept", r.StoreSource).
			WithHint("name it again with SCHEDCTL_STORE or --store")
	}
	o.flags.VisitAll(func(f *pflag.Flag) {
		text := r.value(f.Name)
		_, variable := r.Variables[f.Name]
		switch {
		case f.Changed || text == "" || err != nil:
		case f.Name == storeFlagName && r.Password && o.Getenv(cli.FlagVariable(storeFlagName)) != "": // has the password
		case f.Name == storeFlagName && variable:
			o.lastStore = text
		case variable && o.Getenv(cli.FlagVariable(f.Name)) == "":
			err = o.setVariable(f, text)
		case !variable:
			o.tellIgnored(f.Name, text)
			err = o.flags.Set(f.Name, text)
		}
	})
	if err != nil {
		return r, cli.UsageError("the flags of the last daemon cannot be used: %v", err).
			WithHint("start it with other flags: schedctl daemon stop, then schedctl daemon start FLAGS")
	}
	return r, nil
}

// keepsSharedFiles reports whether the last daemon had --allow-shared-files, and the restart
// has no other value. Only a record that no other user can have written is trusted.
func (o *daemonRestart) keepsSharedFiles(dir string, r *daemonRecord) bool {
	if _, variable := r.Variables[sharedFilesFlag]; variable && o.Getenv(cli.FlagVariable(sharedFilesFlag)) != "" {
		return false
	}
	path := filepath.Join(dir, cli.DataLockFile)
	return r.value(sharedFilesFlag) == "true" && !o.SharedFiles.Changed && ownFile(path) && cli.RefuseExposed(path, privatefile.Reading) == nil
}

// tellIgnored names the variable of a flag if the last daemon had the flag with another value,
// which goes before the variable.
func (o *daemonRestart) tellIgnored(flag, kept string) {
	variable := cli.FlagVariable(flag)
	text := o.Getenv(variable)
	if text == "" || flag == dataDirFlag {
		return
	}
	is, wants := o.meaning(flag, kept), o.meaning(flag, text)
	switch {
	case is == wants:
	case flag == storeFlagName: // the variable may have a password
		o.Messagef("%s is ignored: the daemon keeps --%s=%s; to change it, give --%s", variable, flag, is, flag)
	default:
		o.Messagef("%s is ignored: the daemon keeps --%s=%s; to change it: schedctl daemon restart --%s=%s", variable, flag, is, flag, wants)
	}
}

// meaning returns a value of a flag as the flag prints it, so that 60m is 1h. It returns a
// value that the flag refuses as it is.
func (o *daemonRestart) meaning(flag, text string) string {
	if flag == storeFlagName {
		name, _ := readStoreName(text, flag)
		return name.stored()
	}
	other := &daemonRun{App: o.App}
	other.register(&cobra.Command{})
	if f := other.flags.Lookup(flag); f.Value.Set(text) == nil {
		return f.Value.String()
	}
	return text
}

// checkPassword returns an error if the last daemon opened its database with a password and
// this one would open it without.
func checkPassword(last *daemonRecord, name storeName) error {
	if !last.Password || name.url == "" || passwordFor(name.url) != "" {
		return nil
	}
	return cli.UsageError("the database needs a password, which is not kept with the flags of the daemon").
		WithHint("give it with PGPASSWORD or in the password file (PGPASSFILE, ~/.pgpass), or the whole address with SCHEDCTL_STORE")
}

// tellChanges prints the flags whose values differ between two daemons.
func (o *daemonRestart) tellChanges(before *daemonRecord, after daemonRecord) {
	o.flags.VisitAll(func(f *pflag.Flag) {
		was, is := before.shown(f), after.shown(f)
		if f.Name != dataDirFlag && was != is {
			o.Messagef("--%s is now %s; it was %s", f.Name, is, was)
		}
	})
}

// shown returns the value of a flag in the record for people.
func (r *daemonRecord) shown(f *pflag.Flag) string {
	return cli.FirstNonEmpty(r.value(f.Name), f.DefValue, "not set")
}
