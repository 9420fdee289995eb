package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type daemonInstall struct {
	daemonStart
	dryRun bool
}

// installedDaemon is what "daemon install" prints with --json.
type installedDaemon struct {
	File    string `json:"file"`
	Text    string `json:"text"` // the content of the file
	DataDir string `json:"data_dir"`
	Log     string `json:"log"`  // a file, or the command that shows it
	Undo    string `json:"undo"` // the command that removes the service
}

func newDaemonInstall(a *cli.App) *cobra.Command {
	o := &daemonInstall{daemonStart: daemonStart{daemonRun{App: a}}}
	cmd := cli.DeclareJSON[installedDaemon](&cobra.Command{
		Use:   "install",
		Short: "Run the daemon as a service of your session",
		Long: `Write a service for the daemon, enable it and start it: a systemd user unit on Linux, a
launchd agent on macOS. It starts when you log in, and again after a crash. The flags
are those of "schedctl daemon run"; to change them, install it again.

From then on "schedctl daemon start", "stop" and "restart" use the service manager. A
daemon that runs in the background on the same data is stopped first, and the service
takes over. No root is needed. The service sees no variables of your shell, so name a
database on PostgreSQL with --store and keep its password in ~/.pgpass.

Packages for Linux contain a service for the whole machine instead; see docs/install.md.`,
		Example: `  schedctl daemon install
  schedctl daemon install --listen 127.0.0.1:8080 --public-url https://posts.example.org
  schedctl daemon install --dry-run`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.register(cmd)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "change nothing; print the service")
	return cmd
}

func (o *daemonInstall) run(ctx context.Context) error {
	if err := needsUnix(o.App, "daemon install"); err != nil {
		return err
	}
	manager, err := currentServiceManager(o.App)
	if err != nil {
		return err
	}
	dir, name, err := o.settle()
	if err != nil {
		return err
	}
	if err := checkServiceStore(name); err != nil {
		return err
	}
	s := installedDaemon{
		File: manager.file(), Text: manager.text(cli.ProgramPath(), o.serviceArgs(dir, name)), DataDir: dir, Log: manager.log(), Undo: "schedctl daemon uninstall",
	}
	before, err := readService(manager)
	switch {
	case err != nil:
		return err
	case before != "" && !runsOn(manager, before, dir):
		return cli.NewFailure(cli.ExitConflict, cli.CodeOther, "the service is installed for another data directory: see %s", s.File).
			WithHint("remove it first with: schedctl daemon uninstall")
	case o.dryRun:
		return o.printService(s)
	}
	if err := o.install(ctx, manager, s, before); err != nil {
		return err
	}
	return o.printService(s)
}

// serviceArgs returns the flags of a service, which does not see the variables of this
// process.
func (o *daemonInstall) serviceArgs(dir string, name storeName) []string {
	args := o.args(dir, name)
	values := o.variableValues(name)
	for _, flag := range slices.Sorted(maps.Keys(values)) {
		args = append(args, "--"+flag+"="+values[flag])
	}
	return args
}

// checkServiceStore returns an error for a database that a service cannot open.
func checkServiceStore(name storeName) error {
	if name.url != "" && name.source != storeFlag {
		return cli.UsageError("%s names the database, and a service does not see it", name.source).WithHint("give --store, and keep the password in ~/.pgpass")
	}
	if name.exposed() {
		return cli.UsageError("--store has a password, which would be in the file of the service").WithHint("leave it out of the URL and keep it in ~/.pgpass")
	}
	return nil
}

// install writes the service and starts it instead of a running daemon.
func (o *daemonInstall) install(ctx context.Context, m serviceManager, s installedDaemon, before string) error {
	if err := o.reach(ctx, m); err != nil {
		return err
	}
	if strings.Contains(cli.ProgramPath(), string(filepath.Separator)+"go-build") {
		return cli.OtherError("go run builds a program that is removed when it ends").
			WithHint("install schedctl first, for example with: make install")
	}
	if err := ensureDataDir(o.App, s.DataDir); err != nil {
		return err
	}
	if before == "" {
		stopped, err := o.stop(ctx, s.DataDir)
		if err != nil {
			return err
		}
		if stopped {
			o.Messagef("stopped the daemon that was running; the service takes over")
		}
	}
	if err := writeService(s.File, s.Text); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	if err := m.enable(ctx); err != nil {
		return notStarted(ctx, o.App, m, err)
	}
	c, err := o.awaitReady(ctx, &startedDaemon{DataDir: s.DataDir, Log: s.Log}, nil)
	if err != nil {
		return err
	}
	o.Messagef("the daemon is ready at %s", c.URL())
	c.Close()
	o.tellLasting(ctx, m)
	return nil
}

// reach returns an error when there is no service manager for this user.
func (o *daemonInstall) reach(ctx context.Context, m serviceManager) error {
	f := cli.OtherError("there is no %s on this machine", m.tool())
	if o.HasTool(m.tool()) {
		err := m.reach(ctx)
		if err == nil || !errors.As(err, &f) {
			return err
		}
	}
	f.Hint = `log in as this user first, or start the daemon without a service: schedctl daemon start`
	return f
}

// tellLasting reports what is missing for the daemon to outlive the session.
func (o *daemonInstall) tellLasting(ctx context.Context, m serviceManager) {
	command, err := m.lasting(ctx)
	if err != nil {
		command = "loginctl enable-linger" // needed on most machines
	}
	if command != "" && !o.Quiet {
		o.Messagef("the daemon stops when you log out; to keep it running and start it at boot: %s", command)
	}
}

func (o *daemonInstall) printService(s installedDaemon) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(s)
	case o.Quiet:
		return o.PrintIDs(s.File)
	case o.dryRun:
		o.Messagef("this would be written to %s:", s.File)
		return o.Write([]byte(s.Text))
	}
	return o.Write(o.RenderProperties([]cli.Property{{Name: "Service", Value: s.File}, {Name: "Data", Value: s.DataDir}, {Name: "Log", Value: s.Log}, {Name: "Undo", Value: s.Undo}}))
}

type daemonUninstall struct{ *cli.App }

// uninstalledDaemon is what "daemon uninstall" prints with --json.
type uninstalledDaemon struct {
	Removed bool   `json:"removed"` // false if no service was installed
	File    string `json:"file"`
}

func newDaemonUninstall(a *cli.App) *cobra.Command {
	o := &daemonUninstall{a}
	return cli.DeclareJSON[uninstalledDaemon](&cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service of the daemon and remove it",
		Long: `Stop the daemon that "schedctl daemon install" has set up, and remove the service. The
data stay where they are: "schedctl daemon start" continues with them. If no service is
installed, nothing changes and the exit status is 0.`,
		Example: `  schedctl daemon uninstall`,
		Args:    cli.Args(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
}

func (o *daemonUninstall) run(ctx context.Context) error {
	if err := needsUnix(o.App, "daemon uninstall"); err != nil {
		return err
	}
	m, err := currentServiceManager(o.App)
	if err != nil {
		return err
	}
	text, err := readService(m)
	if err != nil {
		return err
	}
	if text != "" {
		if err := m.disable(ctx); err != nil {
			return err
		}
		if err := os.Remove(m.file()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the service: %w", err)
		}
		m.removed(ctx)
	}
	switch {
	case o.JSON.Given:
		return o.PrintJSON(uninstalledDaemon{Removed: text != "", File: m.file()})
	case o.Quiet:
	case text == "":
		o.Messagef("no service is installed")
	default:
		o.Messagef("stopped the daemon and removed %s; the data stay where they are", m.file())
	}
	return nil
}
