package post

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type exportOptions struct {
	*cli.App
	file, format, sort string
	dir, collection    string // for post files
	exportFiles        filesExporter
	filter             filterFlags
}

// FileStatuses are the statuses of posts that files can control.
var FileStatuses = []schedctl.Status{schedctl.Draft, schedctl.Scheduled}

// exported is the --json output of an export to a file.
type exported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Posts  int    `json:"posts"`
}

// exportFormats are the formats that can be written, the default first.
var exportFormats = []string{"csv", "jsonl", "ics"}

// filesExporter writes the posts that a query selects as post files into a directory,
// takes them into a collection and returns their number. An empty collection is the one
// that the directory names.
type filesExporter func(ctx context.Context, a *cli.App, c *client.Client, q client.PostQuery, dir, collection string) (written int, err error)

func newExport(a *cli.App, export filesExporter) *cobra.Command {
	o := &exportOptions{App: a, exportFiles: export}
	cmd := cli.DeclareJSON[exported](&cobra.Command{
		Use:   "export [FILE|-]",
		Short: "Export posts to CSV, JSON Lines, a calendar or post files",
		Long: `Export posts to a file, or to standard output, sorted by publish time. Canceled posts
are left out unless --status asks for them.

CSV and JSON Lines have the columns that "schedctl post import" reads; media are the ids
of assets. Only JSON Lines hold the media of further parts, the card of a link and the
overrides for single accounts. A scheduled post with a slot has its queue instead of a
time. The posts of a series become posts of their own. What the format cannot hold is
reported on standard error with the number of posts. Importing the file again at the
same daemon changes nothing. At another daemon it creates the posts whose time is in the
future.

Texts are written unchanged, also those that start with =, +, - or @. A spreadsheet reads
those as formulas: import the file as text when others write your posts.

A calendar (ics) has an event for each post with a time. Events keep their identity
from export to export, so that a calendar shows each one once.

With --files, each draft and each scheduled post becomes a file in a directory, and
belongs to the collection from then on: "schedctl apply" changes and cancels it. See
"schedctl apply --help" for the format. Posts that have a file are skipped. A post that
an existing file describes exactly gets that file. Posts with another external id are
left out and reported.

An existing file is replaced only by a complete one.`,
		Example: `  schedctl post export posts.csv
  schedctl post export --status scheduled --account demo > posts.csv
  schedctl post export posts.ics --after "today 0:00"
  schedctl post export --files posts --collection website
  schedctl post export --format jsonl | gzip > posts.jsonl.gz`,
		Args: cli.Args(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.file = "-"; len(args) > 0 {
				o.file = args[0]
			}
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "the `format`: csv, jsonl or ics; by default that of the file name, else csv")
	f.StringVar(&o.dir, "files", "", "write post files into this `directory`")
	f.StringVar(&o.collection, CollectionFlag, "", "the `name` of the collection of the post files")
	o.filter.add(a, cmd)
	f.StringVar(&o.sort, "sort", "publish_at", "the `order`: "+strings.Join(sorts, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *exportOptions) run(ctx context.Context) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if err := o.filter.resolve(ctx, c, &q); err != nil {
		return err
	}
	if o.dir != "" {
		posts, err := o.exportFiles(ctx, o.App, c, q, o.dir, o.collection)
		if err == nil && o.JSON.Given {
			return o.PrintJSON(exported{o.dir, "files", posts})
		}
		if err == nil && !o.Quiet {
			o.Messagef("%s written to %s", cli.Plural(posts, "file"), o.dir)
		}
		return err
	}
	if o.file == "-" {
		_, err := o.export(ctx, c, q, o.Out())
		return err
	}
	var posts int
	err = cli.ReplaceFile(o.file, func(w io.Writer) (err error) {
		posts, err = o.export(ctx, c, q, w)
		return err
	})
	if err == nil && o.JSON.Given {
		return o.PrintJSON(exported{o.file, o.format, posts})
	}
	return err
}

// query checks the flags.
func (o *exportOptions) query() (client.PostQuery, error) {
	q, err := o.filter.query(o.App)
	if err != nil {
		return q, err
	}
	switch {
	case o.dir == "" && o.collection != "":
		return q, cli.UsageError("--collection is for --files")
	case o.dir != "" && (o.file != "-" || o.format != ""):
		return q, cli.UsageError("--files needs no file and no --format")
	case o.dir != "":
		if q.Statuses == nil {
			q.Statuses = FileStatuses
		}
		if slices.ContainsFunc(q.Statuses, func(s schedctl.Status) bool { return !slices.Contains(FileStatuses, s) }) {
			return q, cli.UsageError("--files takes posts with the status draft or scheduled")
		}
		return q, nil
	}
	if ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.file), ".")); o.format == "" && slices.Contains(exportFormats, ext) {
		o.format = ext
	}
	o.format = cli.FirstNonEmpty(o.format, exportFormats[0])
	switch {
	case !slices.Contains(exportFormats, o.format):
		return q, cli.UnknownValueError("--format", o.format, exportFormats)
	case !slices.Contains(sorts, o.sort):
		return q, cli.UnknownValueError("--sort", o.sort, sorts)
	case o.file == "-" && o.JSON.Given:
		return q, cli.UsageError("--json needs a file: standard output has the posts").WithHint("use --format jsonl")
	}
	q.Sort = o.sort
	if q.Statuses == nil {
		q.Statuses = slices.DeleteFunc(schedctl.Statuses(), func(s schedctl.Status) bool { return s == schedctl.Canceled })
	}
	return q, nil
}

// export writes the posts and returns how many there are.
func (o *exportOptions) export(ctx context.Context, c *client.Client, q client.PostQuery, w io.Writer) (written int, err error) {
	known, err := c.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return 0, err
	}
	queues := sync.OnceValues(func() ([]apiv1.Queue, error) { return c.Queues(ctx) })
	out := newExportWriter(w, o.format, AccountRefsOf(known), queues)
	bar := o.NewProgress("exporting", 0)
	defer bar.Clear()
	var left leftOut
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return written, err
		}
		taken, err := out.add(p)
		if err != nil {
			return written, fmt.Errorf("write the posts: %w", err)
		}
		if !taken {
			left.timeless++
			continue
		}
		written++
		bar.Step()
		left.count(p, o.format)
	}
	if err := out.end(); err != nil {
		return written, fmt.Errorf("write the posts: %w", err)
	}
	bar.Clear()
	o.tellExport(written, left)
	return written, nil
}

// leftOut counts posts and fields of posts that an export does not contain.
type leftOut struct{ overridden, parts, timeless, recurring int }

// count counts what a format loses of a post.
func (l *leftOut) count(p apiv1.Post, format string) {
	if format != "jsonl" && len(p.TargetOverrides) > 0 {
		l.overridden++
	}
	if format == "csv" && losesParts(p) {
		l.parts++
	}
	if format != "ics" && p.SeriesID != nil {
		l.recurring++
	}
}

func (o *exportOptions) tellExport(written int, left leftOut) {
	if !o.Quiet {
		o.Messagef("%s", cli.Plural(written, "post"))
	}
	if left.overridden > 0 {
		o.Messagef("left out: the overrides for single accounts that %d of them have; use --format jsonl", left.overridden)
	}
	if left.parts > 0 {
		o.Messagef("left out: the media of further parts, or the card of a link, that %d of them have; use --format jsonl", left.parts)
	}
	if left.recurring > 0 {
		o.Messagef("left out: the series of %s, which became posts of their own; see: schedctl series list", cli.Plural(left.recurring, "post"))
	}
	if left.timeless > 0 {
		o.Messagef("left out: %s without a time", cli.Plural(left.timeless, "post"))
	}
}
