package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/transfer"
)

// The values of --overdue.
const (
	overdueHold    = "hold"
	overduePublish = "publish"
)

type restore struct {
	*cli.App
	dir, secretKey, adminKey string
	overdue                  string
	blobs                    string

	spec    blob.Spec // of --blobs
	content backupContent
}

// restoringSuffix is the end of the name of a database that is not restored completely.
const restoringSuffix = ".restoring"

// restoredData is the result of "schedctl restore".
type restoredData struct {
	DataDir string `json:"data_dir"`
	Bytes   int64  `json:"bytes"`
	Held    int    `json:"held"`

	MediaFiles int   `json:"media_files"` // restored
	MediaBytes int64 `json:"media_bytes"`
	MediaLost  int   `json:"media_lost"` // files that assets need and that are not in their place
}

func NewRestore(a *cli.App) *cobra.Command {
	o := &restore{App: a}
	cmd := cli.DeclareJSON[restoredData](&cobra.Command{
		Use:   "restore FILE",
		Short: "Make a data directory from a backup",
		Long: `Make the data directory of a daemon from a backup, for a daemon that does not run.
The directory must be empty or must not exist. The backup is read completely before
the command writes anything; a damaged, truncated or foreign file changes nothing.

A backup with media is restored with its files: into the directory "blobs" of the data
directory, or to the place that --blobs names, which the daemon then needs as well.
The files are stored before the database takes effect. A backup of the database alone
needs the files of the old daemon: copy its directory "blobs", or give the daemon the same
--blobs. Until then, posts with media fail instead of being published without them.

Posts that came due since the backup may have been published by the old daemon. To
avoid publishing them twice, they are held: they become failed with an unknown
outcome. Check whether they were published, and if not, send them with "schedctl
post retry ID --force". Posts that are due later stay scheduled, even if they were
published early or canceled after the backup. With --overdue publish no post is held:
use it to move the data of a daemon that was stopped before the backup, or to restore
its database file.

The daemon needs the old secret.key, and its clients need an API key: give both here,
or put them into the directory yourself.`,
		Example: `  schedctl restore schedctl-backup --secret-key secret.key --admin-key admin.key
  schedctl restore schedctl-backup --data-dir /var/lib/schedctl`,
		Args: cli.Args(1, 1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	f := cmd.Flags()
	f.StringVar(&o.dir, "data-dir", "", "the `directory` to create (environment: SCHEDCTL_DATA_DIR)")
	f.StringVar(&o.secretKey, "secret-key", "", "`file` with the secret.key of the old daemon")
	f.StringVar(&o.adminKey, "admin-key", "", "`file` with an API key of the old daemon, such as its admin.key")
	f.StringVar(&o.blobs, "blobs", "", "the place for the media files: `dir:PATH`, or s3://bucket/prefix?endpoint=URL; by default blobs in the data directory")
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
	if o.blobs != "" {
		if o.spec, err = parseBlobs("--blobs", o.blobs); err != nil {
			return err
		}
	}
	if err := o.examine(ctx, from); err != nil {
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
	done := restoredData{DataDir: dir, Bytes: o.content.size()}
	if err := o.fill(ctx, target, from, keys, &done); err != nil {
		return err
	}
	return o.print(done, keys)
}

// examine reads the backup completely and writes nothing. The database of an archive is
// compared with its checksum, and checked when it has been copied.
func (o *restore) examine(ctx context.Context, from string) (err error) {
	if o.content.archived, err = archive.Is(from); err == nil && o.content.archived {
		if info, err := os.Stat(from); err == nil {
			o.content.bytes = info.Size()
		}
		if err := o.content.read(ctx, from, nil); err != nil {
			return fmt.Errorf("read %s: %w", from, err)
		}
		return nil
	}
	o.content.database, err = bolt.CheckFile(ctx, from)
	if errors.Is(err, storage.ErrLocked) {
		return cli.OtherError("%s is the database of a running daemon", from).WithHint("make a backup of it with: schedctl backup FILE")
	}
	return err
}

// fill writes the backup and the keys into the directory. The database gets its final
// name last.
func (o *restore) fill(ctx context.Context, target *dataDir, from string, keys givenKeys, done *restoredData) (err error) {
	unnamed := cli.DatabaseFile + restoringSuffix
	if o.content.archived {
		err = target.extract(ctx, from, unnamed)
	} else {
		err = target.copy(ctx, from, unnamed)
	}
	if err != nil {
		return err
	}
	if done.Held, err = o.prepare(ctx, from, filepath.Join(target.path, unnamed), keys); err != nil {
		return err
	}
	if err := o.fillBlobs(ctx, target, from, filepath.Join(target.path, unnamed), done); err != nil {
		return err
	}
	if keys.secret != nil {
		if err := target.write(cli.SecretKeyFile, keys.secret); err != nil {
			return err
		}
	}
	if keys.admin != "" {
		if err := target.write(daemon.AdminKeyFile, []byte(keys.admin+"\n")); err != nil {
			return err
		}
	}
	return target.rename(unnamed, cli.DatabaseFile)
}

// prepare updates the copy to the current version, checks that the keys belong to it,
// holds posts that may have been published, and checks the result.
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
	o.adviseMedia(r)
	pairs := []cli.Property{{Name: "Data dir", Value: r.DataDir}, {Name: "Size", Value: sizeText(o.App, r.Bytes)}, {Name: "Held", Value: strconv.Itoa(r.Held)}}
	if o.content.archived {
		pairs = append(pairs, cli.Property{Name: "Media files", Value: strconv.Itoa(r.MediaFiles)})
	}
	return o.PrintObject(r, r.DataDir, pairs)
}

// refuseUsed returns an error if a directory is not empty.
func refuseUsed(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("data directory: %w", err)
	case slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == cli.DatabaseFile+restoringSuffix }):
		return cli.OtherError("%s has the remains of a restore that was interrupted", dir).
			WithHint("remove the directory and restore again, or choose another one with --data-dir")
	case len(entries) > 0:
		return cli.OtherError("%s is not empty: it contains %s", dir, entries[0].Name()).
			WithHint("choose another directory with --data-dir, or move its files away")
	}
	return nil
}
