package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/privatefile"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// daemonRun has the flags of "daemon run". The commands that start a daemon in the
// background or as a service have the same flags.
type daemonRun struct {
	*cli.App
	flags        *pflag.FlagSet
	variables    map[string]bool // the flags whose values came from variables
	dir, listen  string
	store        string
	lastStore    string // of a restart: the database that the last daemon got from a variable
	allowPrivate bool
	maxLateness  cli.DurationFlag
	logFormat    string
	logLevel     string
	publicURL    string
	proxies      proxiesFlag
	rateLimit    cli.RateFlag
	results      resultsFlag
	media        mediaFlags
}

func newDaemonRun(a *cli.App) *cobra.Command {
	o := &daemonRun{App: a}
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon in the foreground, with its log on standard error, until it gets
SIGINT or SIGTERM. "schedctl daemon start" runs it in the background, and
"schedctl daemon install" as a service that starts with your session.

The first start creates the data directory with the database (schedctl.db), the key
that seals account secrets in it (secret.key: back it up with the database) and the
first API key (admin.key), which the commands of the same user find and use. The data
directory is --data-dir, else SCHEDCTL_DATA_DIR, else schedctl in the user's data
directory.

With --store postgres://… posts are kept in a PostgreSQL database, which several
daemons may use at once. Leave the password out of the URL, because every user of the
machine can see the flag. It is read from PGPASSWORD, or from the file that PGPASSFILE
names (~/.pgpass by default). SCHEDCTL_STORE and the credential "store" may contain
the whole URL. All daemons on one database need the same secret.key.

Every flag has a variable, which is used when the flag is not given: SCHEDCTL_LISTEN
for --listen, true or false for a flag without a value.

The daemon notifies a service manager such as systemd when it is ready, regularly
while it can publish, and when it stops. It serves on the socket that a service manager
passes to it (then without --listen), and uses the credential secret.key when the data
directory has no such file.`,
		Example: `  schedctl daemon run
  schedctl daemon run --data-dir /var/lib/schedctl --listen 127.0.0.1:8080 --log-format json
  schedctl daemon run --store "postgres://schedctl@db.example/schedctl?sslmode=verify-full"`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.register(cmd)
	return cmd
}

func (o *daemonRun) run(ctx context.Context) error {
	dir, name, err := o.settle()
	if err != nil {
		return err
	}
	logger, err := o.daemonLog()
	if err != nil {
		return err
	}
	if err := ensureDataDir(o.App, dir); err != nil {
		return err
	}
	if o.SharedFilesAllowed() {
		logger.Warn("other users may be able to reach the files of the data directory, as --allow-shared-files permits", "directory", dir, "problem", problemOf(cli.ExposedData(dir)))
	}
	if name.file != "" {
		if err := o.RefuseExposedFile(name.file, privatefile.Writing); err != nil {
			return err
		}
	}
	lock, err := lockData(dir, logger)
	if err != nil {
		return err
	}
	if lock != nil {
		defer lock.Close()
	}
	store, err := openStore(ctx, name, logger)
	if err != nil {
		return err
	}
	err = o.serve(ctx, store, dir, logger, func() { o.keepFlags(lock, dir, name, logger) })
	return errors.Join(err, store.Close())
}

// ensureDataDir creates the data directory if it is missing. It returns an error when
// other users can change files in it, unless that is allowed.
func ensureDataDir(a *cli.App, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w; choose another with --data-dir", err)
	}
	return a.RefuseExposedData(dir)
}

// problemOf returns the message of an error without its advice, or "none".
func problemOf(err error) string {
	refused := (*cli.Failure)(nil)
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &refused):
		return refused.Message
	}
	return err.Error()
}

// gcBallast is memory that is allocated and never touched, so that it costs
// address space and nothing else. The collector counts it: without it, a daemon
// whose live heap is two megabytes collects hundreds of times a second under
// load, which took a fifth of its time. With gcPercent, garbage comes to at most
// gcPercent of ballast and live heap together: 17 MB in a small daemon, and half
// of the heap in one with a million targets, which is cheap to scan.
const (
	gcBallast = 32 << 20
	gcPercent = 50
)

// spareThread gives the scheduler one thread more than there are processors. The
// one goroutine that writes the database sits in the kernel for most of a commit,
// waiting for the disk. When it returns while request handlers keep all processors
// busy, it would have to wait for one of them to pause, and all writes wait for it.
// With an additional thread the kernel runs it at once: a twelfth more posts a second
// at 64 connections.
func spareThread() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}

// serve runs the daemon. started is called when it has started.
func (o *daemonRun) serve(ctx context.Context, store storage.Store, dir string, logger *slog.Logger, started func()) error {
	if err := admit(ctx, store); err != nil {
		return err
	}
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	keyPath := sealingKeyPath(o.Getenv, dir)
	_, absent := os.Lstat(keyPath)
	sealer, err := sealerFor(ctx, store, keyPath)
	_, shared := store.(storage.Shared)
	switch {
	case err != nil && shared && absent != nil:
		return otherKey(keyPath+" is missing: it opens the secrets in the database", keyPath)
	case err != nil:
		return err
	}
	policy := outbound.PublicOnly
	if o.allowPrivate {
		policy = outbound.AllowPrivate
	}
	spareThread()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ballast := make([]byte, gcBallast)
	defer runtime.KeepAlive(ballast)
	blobs, err := o.media.open(ctx, o.App, store, dir)
	if err != nil {
		return err
	}
	defer blobs.Close()
	cfg := daemon.Config{
		Blobs: blobs, Media: o.media.limits(),
		Store: store, Admit: admitOr(refuse), DataDir: dir, Sealer: sealer, Listen: o.listen, Outbound: policy,
		RateLimit: o.rateLimit.Limit, MaxLateness: time.Duration(o.maxLateness), PublicURL: o.publicURL, TrustedProxies: o.proxies.prefixes, NoResults: o.results.off, Logger: logger, Version: cli.VersionText(), Started: started,
	}
	if err := o.useServiceManager(&cfg); err != nil {
		return err
	}
	if o.showsBanner() {
		o.withBanner(&cfg)
	}
	err = daemon.Run(ctx, cfg)
	if refused, ok := errors.AsType[*cli.Failure](context.Cause(ctx)); ok {
		return refused
	}
	if errors.Is(err, daemon.ErrOtherKey) {
		if absent != nil {
			os.Remove(keyPath) // it is new and has sealed nothing
		}
		return otherKey(err.Error(), keyPath)
	}
	return err
}

// otherKey returns the error for a daemon that does not have the key of its database.
func otherKey(message, path string) error {
	return cli.OtherError("%s", message).WithHint("copy secret.key from the data directory of a daemon that uses this database to " + path)
}

// sealerFor loads the sealing key. A new one is made only while the database
// holds nothing that another key could have sealed; the database is open by
// then, so that no second daemon makes one at the same time.
func sealerFor(ctx context.Context, store storage.Store, path string) (*seal.Sealer, error) {
	mode := seal.MustExist
	err := store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if len(workspaces) == 0 {
			mode = seal.Create
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read workspaces: %w", err)
	}
	key, err := seal.LoadKey(path, mode)
	if err != nil {
		return nil, err
	}
	return seal.New(key)
}

// openError adds the process that has locked a database file.
func openError(err error, path string) error {
	if !errors.Is(err, storage.ErrLocked) {
		return err
	}
	return dataInUse(filepath.Dir(path))
}
