package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type exportOptions struct {
	*cli.App
	file, format, sort string
	dir, collection    string // for post files
	filter             post.FilterFlags
}

// PostBranches are the commands below post.
var PostBranches = []cli.Branch{{Name: "import", Make: newImport}, {Name: "export", Make: newExport}}

// fileStatuses are the statuses of posts that files can control.
var fileStatuses = []schedctl.Status{schedctl.Draft, schedctl.Scheduled}

// exported is the --json output of an export to a file.
type exported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Posts  int    `json:"posts"`
}

// exportFormats are the formats that can be written, the default first.
var exportFormats = []string{"csv", "jsonl", "ics"}

func newExport(a *cli.App) *cobra.Command {
	o := &exportOptions{App: a}
	cmd := cli.DeclareJSON[exported](&cobra.Command{
		Use:   "export [FILE|-]",
		Short: "Export posts to CSV, JSON Lines, a calendar or post files",
		Long: `Export posts to a file, or to standard output, sorted by publish time. Canceled posts
are left out unless --status asks for them.

CSV and JSON Lines have the columns that "schedctl post import" reads; media are the ids
of assets. Texts for single accounts are in columns text:ACCOUNT. Only JSON Lines hold
other overrides, the media of further parts and the card of a link. A scheduled post
with a slot has its queue instead of a time. A series has one line, in place of its
scheduled posts. Its other posts, and those that were changed alone, become posts of
their own. Without a filter, all series that have not ended are exported. What the
format cannot hold is reported on standard error with the number of posts. Importing the
file again at the same daemon changes nothing. At another daemon it creates the series,
and the posts whose time is in the future.

Texts are written unchanged, also those that start with =, +, - or @. A spreadsheet reads
those as formulas: import the file as text when others write your posts.

A calendar (ics) has an event for each post with a time. Events keep their identity
from export to export, so that a calendar shows each one once.

With --files, each draft, scheduled post and series becomes a file in a directory, and
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
	f.StringVar(&o.collection, post.CollectionFlag, "", "the `name` of the collection of the post files")
	o.filter.Add(a, cmd)
	o.filter.AddArchived(cmd)
	f.StringVar(&o.sort, "sort", "publish_at", "the `order`: "+strings.Join(post.Sorts, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(post.Sorts, cobra.ShellCompDirectiveNoFileComp))
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
	if err := o.filter.Resolve(ctx, c, &q); err != nil {
		return err
	}
	if o.dir != "" {
		posts, err := exportFiles(ctx, o.App, c, q, o.dir, o.collection)
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
	q, err := o.filter.Query(o.App)
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
			q.Statuses = fileStatuses
		}
		if slices.ContainsFunc(q.Statuses, func(s schedctl.Status) bool { return !slices.Contains(fileStatuses, s) }) {
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
	case !slices.Contains(post.Sorts, o.sort):
		return q, cli.UnknownValueError("--sort", o.sort, post.Sorts)
	case o.file == "-" && o.WithoutJSON():
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
	out := newExportWriter(ctx, c, w, o.format, AccountRefsOf(known))
	bar := o.NewProgress("exporting", 0)
	defer bar.Clear()
	for p, err := range c.EachPost(ctx, q) {
		if err == nil {
			err = out.add(p)
		}
		if err != nil {
			return out.posts, fmt.Errorf("write the posts: %w", err)
		}
		bar.Step()
	}
	if out.rows != nil && !o.filter.Given() {
		err = out.addSeries()
	}
	if err := errors.Join(err, out.end()); err != nil {
		return out.posts, fmt.Errorf("write the posts: %w", err)
	}
	bar.Clear()
	o.tellExport(out)
	return out.posts, nil
}

func (o *exportOptions) tellExport(out *exportWriter) {
	text := cli.Plural(out.posts, "post")
	if n := out.count.series; n > 0 {
		text += fmt.Sprintf(", %d series", n)
	}
	if !o.Quiet {
		o.Messagef("%s", text)
	}
	left := out.count
	if left.overridden > 0 {
		what := "what single accounts get, apart from texts, of %d of them"
		if out.calendar != nil {
			what = "the overrides for single accounts that %d of them have"
		}
		o.Messagef("left out: "+what+"; use --format jsonl", left.overridden)
	}
	if n := out.lostTexts(); n > 0 {
		o.Messagef("left out: texts for single accounts of %s, whose columns would start after 10000 lines; use --format jsonl", cli.Plural(n, "line"))
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
