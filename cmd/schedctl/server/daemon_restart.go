package server

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type daemonRestart struct{ daemonStart }

func newDaemonRestart(a *cli.App) *cobra.Command {
	o := &daemonRestart{daemonStart{daemonRun{App: a}}}
	cmd := cli.DeclareJSON[startedDaemon](&cobra.Command{
		Use:   "restart",
		Short: "Stop the daemon and start it again in the background",
		Long: `Stop the daemon on the data directory, if it is running, and start it again in the
background with the flags that it had. Flags that you give replace all of these. After
"schedctl daemon install" the service manager starts it.

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
	switch {
	case manager != nil && o.given():
		return fixedFlags(manager)
	case manager == nil && !o.given():
		if err := o.recall(dir); err != nil {
			return err
		}
	}
	dir, name, err := o.settle() // check this first: the stopped daemon must be able to start again
	if err != nil {
		return err
	}
	if _, err := o.stop(ctx, dir); err != nil {
		return err
	}
	return o.start(ctx, dir, name)
}

// recall sets the flags to those of the last daemon on a data directory, if there is a
// record.
func (o *daemonRestart) recall(dir string) error {
	r, err := readRecord(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if name, err := givenStore(o.App, ""); r.StoreSource != "" && (err != nil || name.url == "") {
		return cli.UsageError("the database of this daemon was named by %s, which may hold a password and is not kept", r.StoreSource).
			WithHint("name it again with SCHEDCTL_STORE or --store")
	}
	for _, flag := range r.Flags {
		if flag == "--debug" {
			o.Debug = true
			continue
		}
		if err := o.flags.Parse([]string{flag}); err != nil {
			return cli.UsageError("the flags of the last daemon cannot be used: %v; give them again", err)
		}
	}
	return nil
}
