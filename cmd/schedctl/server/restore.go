package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/transfer"
)

// What becomes of targets whose time has come since the backup was made.
const (
	overdueHold    = "hold"
	overduePublish = "publish"
)

type restore struct {
	*cli.App
	dir, secretKey, adminKey string
	overdue                  string
}

// restoredData is the result of "schedctl restore".
type restoredData struct {
	DataDir string `json:"data_dir"`
	Bytes   int64  `json:"bytes"`
	Held    int    `json:"held"`
}

func NewRestore(a *cli.App) *cobra.Command {
	o := &restore{App: a}
	cmd := cli.DeclareJSON[restoredData](&cobra.Command{
		Use:   "restore FILE",
		Short: "Make a data directory from a backup",
		Long: `Make the data directory of a daemon from a backup, for a daemon that does not run.
The directory must be empty or must not exist. The backup is read completely before
the command writes anything; a damaged or foreign file changes nothing.

Posts that came due since the backup may have been published by the old daemon. To
avoid publishing them twice, they are held: they become failed with an unknown
outcome. Check whether they were published, and if not, send them with "schedctl
post retry ID --force". Posts that are due later stay scheduled, even if they were
published early or canceled after the backup. With --overdue publish no post is held:
use it to move the data of a daemon that was stopped before the backup, or to restore
its database file.

The daemon needs the old secret.key, and its clients need an API key: give both here,
or put them into the directory yourself.`,
		Example: `  schedctl restore schedctl-backup.db --secret-key secret.key --admin-key admin.key
  schedctl restore schedctl-backup.db --data-dir /var/lib/schedctl`,
		Args: cli.Args(1, 1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	f := cmd.Flags()
	f.StringVar(&o.dir, "data-dir", "", "the `directory` to create (environment: SCHEDCTL_DATA_DIR)")
	f.StringVar(&o.secretKey, "secret-key", "", "`file` with the secret.key of the old daemon")
	f.StringVar(&o.adminKey, "admin-key", "", "`file` with an API key of the old daemon, such as its admin.key")
	f.StringVar(&o.overdue, "overdue", overdueHold, "what to do with targets that came due since the backup, a `choice`: hold or publish")
	cmd.RegisterFlagCompletionFunc("overdue", cobra.FixedCompletions([]string{overdueHold, overduePublish}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *restore) run(ctx context.Context, from string) (err error) {
	if o.overdue != overdueHold && o.overdue != overduePublish {
		return cli.UnknownValueError("--overdue", o.overdue, []string{overdueHold, overduePublish})
	}
	if _, err := usualFile(o.App, o.dir, "restore that with pg_restore, or give --data-dir"); err != nil {
		return err
	}
	dir, err := filepath.Abs(cli.FirstNonEmpty(o.dir, o.DataDir()))
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if err := refuseUsed(dir); err != nil {
		return err
	}
	keys, err := o.readKeys()
	if err != nil {
		return err
	}
	report, err := bolt.CheckFile(ctx, from)
	if errors.Is(err, storage.ErrLocked) {
		return cli.OtherError("%s is the database of a daemon that runs", from).WithHint("make a backup of it with: schedctl backup FILE")
	}
	if err != nil {
		return err
	}
	target, err := makeDataDir(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			target.undo()
		}
	}()
	held, err := o.fill(ctx, target, from, keys)
	if err != nil {
		return err
	}
	return o.print(restoredData{DataDir: dir, Bytes: report.Size, Held: held}, keys)
}

// fill puts the backup and the keys into the directory; the database gets its
// name last.
func (o *restore) fill(ctx context.Context, target *dataDir, from string, keys givenKeys) (held int, err error) {
	unnamed := cli.DatabaseFile + ".restoring"
	if err := target.copy(ctx, from, unnamed); err != nil {
		return 0, err
	}
	if held, err = o.prepare(ctx, from, filepath.Join(target.path, unnamed), keys); err != nil {
		return 0, err
	}
	if keys.secret != nil {
		if err := target.write(cli.SecretKeyFile, keys.secret); err != nil {
			return 0, err
		}
	}
	if keys.admin != "" {
		if err := target.write(daemon.AdminKeyFile, []byte(keys.admin+"\n")); err != nil {
			return 0, err
		}
	}
	return held, target.rename(unnamed, cli.DatabaseFile)
}

// prepare brings the copy up to date, sees that the keys belong to it, holds back
// what may have gone out and checks what has come of it.
func (o *restore) prepare(ctx context.Context, from, path string, keys givenKeys) (held int, err error) {
	store, err := bolt.Open(path, bolt.Options{Logger: o.Logger()})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := keys.check(ctx, store, o.Now()); err != nil {
		return 0, err
	}
	if err := o.refuseCopied(ctx, store, from); err != nil {
		return 0, err
	}
	if o.overdue == overdueHold {
		if held, err = deliver.Withhold(ctx, store, o.Now()); err != nil {
			return held, err
		}
	}
	if err := transfer.Forget(ctx, store); err != nil {
		return held, err
	}
	return held, store.Check(ctx)
}

func (o *restore) print(r restoredData, keys givenKeys) error {
	if r.Held > 0 {
		o.Messagef("%s held because the old daemon may have published posts since the backup; list with: schedctl post list --status failed", cli.Plural(r.Held, "target"))
		o.Messagef("to send a post that the network does not have: schedctl post retry ID --force")
	}
	if keys.secret == nil {
		o.Messagef("put the secret.key of the old daemon into %s before you start the new one", r.DataDir)
	}
	if keys.admin == "" {
		o.Messagef("without its admin.key in %s, commands need --api-key-file", r.DataDir)
	}
	return o.PrintObject(r, r.DataDir, []cli.Property{{Name: "Data dir", Value: r.DataDir}, {Name: "Size", Value: sizeText(o.App, r.Bytes)}, {Name: "Held", Value: strconv.Itoa(r.Held)}})
}

// refuseUsed returns an error for a directory that holds anything.
func refuseUsed(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("data directory: %w", err)
	case len(entries) > 0:
		return cli.OtherError("%s is not empty: it holds %s", dir, entries[0].Name()).
			WithHint("choose another directory with --data-dir, or move what is there away")
	}
	return nil
}
