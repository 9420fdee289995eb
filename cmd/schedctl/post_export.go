package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postExport struct {
	*app
	file, format, sort string
	filter             postFilter
}

// exported is what --json shows of an export to a file.
type exported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	Posts  int    `json:"posts"`
}

// exportFormats are the formats that can be written, the default first.
var exportFormats = []string{"csv", "jsonl", "ics"}

func newPostExport(a *app) *cobra.Command {
	o := &postExport{app: a}
	cmd := prints[exported](&cobra.Command{
		Use:   "export [FILE|-]",
		Short: "Write posts to a CSV, JSON Lines or calendar file",
		Long: `Write posts to a file, or to standard output: all but those that were called off,
unless --status says otherwise, in the order in which they go out.

CSV and JSON Lines have the columns that "schedctl post import" reads: id,
content, to, at and tz. Reading the file again at the same daemon changes
nothing; at another one it creates the posts that are still to come. Texts of
their own for single accounts have no column: how many posts have them is said on
standard error.

Texts are written as they are, also those that begin with =, +, - or @, which a
spreadsheet takes for formulas: a text that was changed would be another post.
Import the file into a spreadsheet as text when others write your posts.

A calendar (ics) has an event for each post that has a time. An event is the same
one in every export, so that calendars which read it again show it once.

A file is replaced only by a complete one.`,
		Example: `  schedctl post export posts.csv
  schedctl post export --status scheduled --account demo > posts.csv
  schedctl post export posts.ics --after "today 0:00"
  schedctl post export --format jsonl | gzip > posts.jsonl.gz`,
		Args: takes(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.file = "-"; len(args) > 0 {
				o.file = args[0]
			}
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "the `format`: csv, jsonl or ics; else the name of the file tells, else csv")
	o.filter.add(a, cmd)
	f.StringVar(&o.sort, "sort", "publish_at", "the `order`: "+strings.Join(sorts, ", "))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *postExport) run(ctx context.Context) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	if err := o.filter.resolve(ctx, c, &q); err != nil {
		return err
	}
	if o.file == "-" {
		out := o.out
		if o.outTerminal {
			out = &printableWriter{w: out}
		}
		_, err := o.export(ctx, c, q, out)
		return err
	}
	var posts int
	err = replaceFile(o.file, func(w io.Writer) (err error) {
		posts, err = o.export(ctx, c, q, w)
		return err
	})
	if err == nil && o.json.set {
		return o.printJSON(exported{o.file, o.format, posts})
	}
	return err
}

// query checks the flags.
func (o *postExport) query() (client.PostQuery, error) {
	q, err := o.filter.query(o.app)
	if err != nil {
		return q, err
	}
	if ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.file), ".")); o.format == "" && slices.Contains(exportFormats, ext) {
		o.format = ext
	}
	o.format = first(o.format, exportFormats[0])
	switch {
	case !slices.Contains(exportFormats, o.format):
		return q, oneOf("--format", o.format, exportFormats)
	case !slices.Contains(sorts, o.sort):
		return q, oneOf("--sort", o.sort, sorts)
	case o.file == "-" && o.json.set:
		f := usage("what is exported is the result, and --json is about another one")
		f.hint = "use --format jsonl"
		return q, f
	}
	q.Sort = o.sort
	if q.Statuses == nil {
		q.Statuses = slices.DeleteFunc(schedctl.Statuses(), func(s schedctl.Status) bool { return s == schedctl.Canceled })
	}
	return q, nil
}

// export writes the posts and returns how many there are.
func (o *postExport) export(ctx context.Context, c *client.Client, q client.PostQuery, w io.Writer) (written int, err error) {
	known, err := c.Accounts(ctx, client.AccountQuery{})
	if err != nil {
		return 0, err
	}
	out := newExportWriter(w, o.format, referencesTo(known))
	bar := o.newProgress("exporting", 0)
	defer bar.clear()
	var overridden, timeless int
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return written, err
		}
		taken, err := out.add(p)
		if err != nil {
			return written, fmt.Errorf("write the posts: %w", err)
		}
		if !taken {
			timeless++
			continue
		}
		written++
		bar.step()
		if slices.ContainsFunc(p.TargetOverrides, func(o apiv1.Override) bool { return o.Content != nil }) {
			overridden++
		}
	}
	if err := out.end(); err != nil {
		return written, fmt.Errorf("write the posts: %w", err)
	}
	bar.clear()
	o.tellExport(written, overridden, timeless)
	return written, nil
}

func (o *postExport) tellExport(written, overridden, timeless int) {
	if !o.quiet {
		o.tell("%s", plural(written, "post"))
	}
	if overridden > 0 {
		o.tell("left out: the texts for single accounts that %s of them have", fmt.Sprint(overridden))
	}
	if timeless > 0 {
		o.tell("left out: %s without a time", plural(timeless, "post"))
	}
}

// replaceFile writes a file and puts it in the place of the one that is there
// when it is complete. A device or a pipe is written to as it is.
func replaceFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, write)
	}
	f, err := createBeside(path)
	if err != nil {
		return fmt.Errorf("write the posts: %w", err)
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write the posts: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

// createBeside makes a file of mode 0600 that will take the place of the one at
// path. Its errors tell that path, for nobody knows of another one.
func createBeside(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = path
	}
	return f, err
}
