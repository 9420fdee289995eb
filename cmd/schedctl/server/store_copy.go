package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/transfer"
)

type storeCopy struct {
	*cli.App
	from, to   string
	keepSource bool
	media      storeMedia
}

// copiedData is the result of "schedctl store copy".
type copiedData struct {
	From       string           `json:"from"`
	To         string           `json:"to"`
	Records    []transfer.Tally `json:"records"`
	Copied     int              `json:"copied"`
	Resumed    bool             `json:"resumed"`
	SourceKept bool             `json:"source_kept"`
	Media      transfer.Media   `json:"media"`
}

func newStoreCopy(a *cli.App) *cobra.Command {
	o := &storeCopy{App: a, media: storeMedia{App: a}}
	cmd := cli.DeclareJSON[copiedData](&cobra.Command{
		Use:   "copy --from STORE --to STORE",
		Short: "Copy a database into an empty one and switch to it",
		Long: `Copy everything from one database into another, empty one: ids, API keys, sealed
secrets, sessions, posts with their attempts, queues, series, blackouts and calendar
feeds, events in their order with their webhook deliveries, the audit log, and the
stored responses for repeated requests.
Then the command reads both databases completely and compares counts and checksums.

Media files are copied and verified first, from the place where the source's daemon has
them to the default place of the copy: PostgreSQL, or the directory "blobs" next to the
file. Files in a bucket stay there, and the command only checks that they exist. Name
other places with --from-blobs and --to-blobs. If files are missing, nothing else is
copied, unless you give --skip-lost-media.

No daemon may use either database during the copy, and no daemon can start on the copy
before it is complete. Run the same command again to continue an interrupted copy. A
copy in a file is called FILE.copying until it is complete.

To avoid publishing twice, daemons refuse the source database after the copy, and
report where its data is now. With --keep-source they refuse the copy instead, which
serves as a rehearsal or as a backup. "schedctl store use" makes a refused database
usable again, and "schedctl restore" does the same for a file.

The secrets stay sealed: the daemon needs the old secret.key. Text that
PostgreSQL cannot hold (NUL, broken UTF-8) becomes U+FFFD there.

Leave the password out of the URL: it is read from PGPASSWORD, or from the file that
PGPASSFILE names (~/.pgpass by default). It is never shown.`,
		Example: `  schedctl store copy --from bolt:schedctl.db --to postgres://schedctl@db.example/schedctl
  schedctl store copy --from postgres://schedctl@db.example/schedctl --to bolt:back.db
  schedctl store copy --from bolt:schedctl.db --to postgres://schedctl@db.example/schedctl --to-blobs "s3://media/schedctl"
  schedctl store copy --from bolt:schedctl.db --to bolt:rehearsal.db --keep-source --json=copied,records`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "the `database` to copy: bolt:PATH, or postgres://user@host/name")
	f.StringVar(&o.to, "to", "", "the empty `database` to copy to, in the same form; a file must not exist")
	f.StringVar(&o.media.fromFlag, "from-blobs", "", "where the media files of the source are, as its daemon has it: `dir:PATH`, postgres, or s3://bucket/prefix?endpoint=URL")
	f.StringVar(&o.media.toFlag, "to-blobs", "", "where to copy the media files to: `dir:PATH` or another place in the same form; the same place to leave them there")
	f.BoolVar(&o.media.skipLost, "skip-lost-media", false, "copy the database although media files are missing or damaged")
	f.BoolVar(&o.keepSource, "keep-source", false, "continue to use the source database, and not the copy")
	return cmd
}

func (o *storeCopy) run(ctx context.Context) (err error) {
	from, to, err := o.names()
	if err != nil {
		return err
	}
	if err := o.media.parse(o.App, from, to); err != nil {
		return err
	}
	source, err := openSource(ctx, o.App, from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openTarget(ctx, o.App, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close(ctx)) }()
	defer func() { err = errors.Join(err, o.media.close()) }()
	options := transfer.Options{
		From: from.shown(), To: to.shown(), Host: machineName(), Version: cli.VersionText(), Now: o.Now, Place: target.place,
		Blobs: o.media.open(source, target.Store), SkipLost: o.media.skipLost,
	}
	if o.keepSource {
		options.After = transfer.UseSource
	}
	line := newStoreProgress(o.App, options.From, options.To)
	options.Progress = line.show
	report, err := transfer.Run(ctx, source, target.Store, options)
	line.end()
	if errors.Is(err, context.Canceled) {
		o.Messagef("run the same command again to continue")
	}
	if err != nil {
		return copyFailure(err, target.removal())
	}
	return o.print(copiedData{
		From: options.From, To: options.To, Records: report.Tallies, Copied: report.Records, Resumed: report.Resumed, SourceKept: o.keepSource,
		Media: report.Media,
	}, from)
}

// names parses the two flags.
func (o *storeCopy) names() (from, to storeName, err error) {
	for _, flag := range []struct{ name, value string }{{"--from", o.from}, {"--to", o.to}} {
		if flag.value == "" {
			return from, to, cli.UsageError("%s is missing", flag.name).WithHint("name both databases: --from bolt:PATH --to postgres://user@host/name")
		}
	}
	if from, err = readStoreName(o.from, "--from"); err != nil {
		return from, to, err
	}
	if to, err = readStoreName(o.to, "--to"); err != nil {
		return from, to, err
	}
	for _, name := range []storeName{from, to} {
		if hasPassword(name.url) {
			o.Messagef("the password of the database is on the command line, where every user of this machine can read it; give it by PGPASSFILE or PGPASSWORD")
			break
		}
	}
	if from.shown() == to.shown() {
		return from, to, cli.UsageError("--from and --to name the same database")
	}
	return from, to, nil
}

// openSource opens the database to copy.
func openSource(ctx context.Context, o *cli.App, name storeName) (storage.Store, error) {
	if name.file != "" {
		if _, err := os.Stat(name.file); err != nil {
			return nil, &cli.Failure{Status: cli.ExitNotFound, Code: cli.CodeOther, Message: fmt.Sprintf("open database %s: %v", name.file, err)}
		}
	}
	store, err := openStore(ctx, name, o.Logger())
	return store, inUse(err, name)
}

// inUse returns the error for a database file that a daemon has opened.
func inUse(err error, name storeName) error {
	var f *cli.Failure
	if name.file != "" && errors.As(err, &f) && f.Status == cli.ExitOther {
		f.Hint = "stop it first"
	}
	return err
}

// copyFailure sets the exit status of an error and adds advice. removal is the command
// that removes an unusable copy.
func copyFailure(err error, removal string) error {
	var (
		busy     *transfer.BusyError
		mismatch *transfer.MismatchError
		refused  *transfer.RefusedError
		lost     *transfer.LostError
	)
	f := &cli.Failure{Status: cli.ExitConflict, Code: cli.CodeOther, Message: err.Error()}
	switch {
	case errors.As(err, &busy):
		f.Status, f.Hint = cli.ExitOther, "stop it first; a killed daemon is released after five seconds"
	case errors.As(err, &mismatch):
		f.Status, f.Hint = cli.ExitOther, removal+", and copy again"
	case errors.As(err, &lost):
		f.Status = cli.ExitOther
		f.Hint = "name the place of the files with --from-blobs, or copy without them: --skip-lost-media"
	case errors.As(err, &refused):
		f.Hint = copyHints[refused.Mark.Role]
	case errors.Is(err, transfer.ErrStale):
		f.Hint = removal + ", and copy again"
	case errors.Is(err, transfer.ErrUsable):
		f.Hint = "there is nothing to do"
	case errors.Is(err, transfer.ErrNotEmpty):
		f.Hint = "name an empty one, or a file that does not exist"
	default:
		return err
	}
	return f
}

// copyHints has the advice for databases that cannot be copied because of their mark.
var copyHints = map[transfer.Role]string{
	transfer.Arriving:  "complete it first, with the same schedctl store copy again",
	transfer.Moved:     "copy the other database, or see: schedctl store use --help",
	transfer.Duplicate: "copy the other database, or see: schedctl store use --help",
}

// machineName returns the name of this machine, as nodes use it.
func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}

func (o *storeCopy) print(d copiedData, from storeName) error {
	o.media.advise(d.Media)
	o.advise(d, from)
	switch {
	case o.JSON.Given:
		return o.PrintJSON(d)
	case o.Quiet:
		return o.Write([]byte(d.To + "\n"))
	}
	t := cli.Table{Header: []string{"KIND", "RECORDS", "CHECKSUM"}, Status: -1}
	for _, r := range d.Records {
		sum, err := r.Sum.MarshalText()
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, []string{r.Kind, fmt.Sprint(r.Count), string(sum[:16])})
	}
	return o.WriteList(o.RenderTable(t))
}

// advise explains what to do with the two databases.
func (o *storeCopy) advise(d copiedData, from storeName) {
	key := "secret.key of its daemon"
	if from.file != "" {
		key = filepath.Join(filepath.Dir(from.file), cli.SecretKeyFile)
	}
	if d.SourceKept {
		o.Messagef("the copy is complete and verified; daemons refuse it, and continue to use %s", d.From)
		o.Messagef("secrets in it are sealed: keep a copy of %s apart from it", key)
		return
	}
	o.Messagef("the copy is complete and verified; daemons refuse %s from now on", d.From)
	flags := "--store " + d.To
	if o.media.used(d.Media) {
		flags += " --blobs " + o.media.to.String()
	}
	o.Messagef("copy %s into the data directory of each daemon, and start it with %s", key, flags)
}
