package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/bulk"
)

type postImport struct {
	*app
	file, format   string
	zone           whenFlags
	allowDuplicate bool
	keepGoing, dry bool
	broken         bool // the end of the file could not be read
}

func newPostImport(a *app) *cobra.Command {
	o := &postImport{app: a}
	cmd := prints[imported](&cobra.Command{
		Use:   "import FILE|-",
		Short: "Create posts from a CSV or JSON Lines file",
		Long: `Create a post from each line of a file, or of standard input ("-").

The columns are id, content, to, at and tz; CSV names those it has in its first
line and separates accounts in "to" by semicolons, JSON Lines has an object with
these keys in each line, and "to" is a list. Other columns are an error. A line
without "at" becomes a draft. "tz" is the zone of "at"; without one it is that of
--tz, else the local one.

Every line is checked before the first one is sent: its time, its accounts, and
whether their networks would take the text. When a line is refused nothing is
sent, unless --keep-going sends the others.

An import can be repeated, also one that was interrupted: a line whose post is
there already, with the same text, time and accounts, is not posted again, nor is
a line with nothing changed that was imported within 24 hours, whatever its file
is called and wherever it is in it. The same line twice in a file is two posts.
"id" is your own name of a line, once in a file: within 24 hours of its import a
line with the same id is the same post, and if the rest has changed it is refused
and not posted as another one. The id of a post, as "schedctl post export" writes
it, stands for that post for ever.

For each line there is its number, the result (created, exists, refused, or ok
when it was only checked), the id of the post, its time, the id of the line, and
what is to be said. On a terminal, of more than 50 lines only those are shown of
which something is to be said. The exit status is 5 when nothing was sent because
lines are refused, and 9 when some of the lines were not imported.`,
		Example: `  schedctl post import posts.csv --dry-run
  schedctl post import posts.csv --tz Europe/Berlin
  cat posts.csv | schedctl post import - --keep-going
  schedctl post import posts.jsonl --json=line,result,post_id`,
		Args: takes(1, 1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "the `format` of the file, csv or jsonl; else its name or its first character tells")
	o.zone.addZone(cmd)
	addAllowDuplicate(cmd, &o.allowDuplicate)
	f.BoolVar(&o.keepGoing, "keep-going", false, "import the other lines when some are refused")
	f.BoolVar(&o.dry, "dry-run", false, "create nothing; tell for each line whether it would be imported")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(importFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// importFormats are the formats that can be read.
var importFormats = []string{string(bulk.CSV), string(bulk.JSONL)}

func (o *postImport) run(ctx context.Context) error {
	format := bulk.Format(o.format)
	switch {
	case format == "":
		format = bulk.FormatOf(o.file)
	case format != bulk.CSV && format != bulk.JSONL:
		return oneOf("--format", o.format, importFormats)
	}
	zone, err := o.zone.zone(o.app)
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	in, err := o.open(ctx)
	if err != nil && exitStatus(err) == exitUsage {
		return err
	}
	if err != nil {
		return fmt.Errorf("read the lines: %w", err)
	}
	defer in.Close()
	kept, err := newSpool()
	if err != nil {
		return err
	}
	defer kept.close()
	check := &importCheck{postImport: o, client: c, zone: zone, twins: newTwins(c)}
	results, err := check.all(ctx, bulk.NewReader(in, format), kept)
	if err != nil {
		return o.unsent(err)
	}
	if refused := count(results, resultRefused); o.dry || refused > 0 && (!o.keepGoing || o.broken) {
		return o.report(results, refused)
	}
	return o.send(ctx, c, results, kept)
}

// open opens the file. Reading from standard input ends when ctx does.
func (o *postImport) open(ctx context.Context) (io.ReadCloser, error) {
	if o.file != "-" {
		return os.Open(o.file)
	}
	if err := o.mayType(); err != nil {
		return nil, err
	}
	if o.inTerminal && o.errTerminal {
		o.tell("reading lines; end them with Ctrl-D on a line of its own")
	}
	return io.NopCloser(readerFunc(func(p []byte) (int, error) {
		data, err := interruptible(ctx, func() ([]byte, error) {
			own := make([]byte, len(p)) // p is not ours any more when the read is left behind
			n, err := o.in.Read(own)
			return own[:n], err
		})
		return copy(p, data), err
	})), nil
}

type readerFunc func([]byte) (int, error)

// Read calls the function.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// unsent says of an import that was interrupted before anything was sent that
// this is so.
func (o *postImport) unsent(err error) error {
	if exitStatus(err) != exitInterrupted {
		return err
	}
	return o.interruption("interrupted; nothing was sent", "")
}

// report prints results of which nothing was sent.
func (o *postImport) report(results []imported, refused int) error {
	p := newImportPrinter(o.app, len(results))
	for _, r := range results {
		if err := p.add(r); err != nil {
			return err
		}
	}
	if err := p.finish(); err != nil {
		return err
	}
	switch {
	case refused == 0:
		return nil
	case o.dry:
		return invalid(schedctl.ValidationFailed, "%d of %s would be refused", refused, plural(len(results), "line"))
	}
	f := invalid(schedctl.ValidationFailed, "nothing was sent, for %s refused", lines(refused, len(results), "is", "are"))
	if f.hint = "correct them, or import the others with --keep-going"; o.broken {
		f.hint = "correct the file: what follows cannot be read"
	}
	return f
}

// lines returns "1 of 20 lines is", "2 of 20 lines are" with such verbs.
func lines(n, all int, one, more string) string {
	if n != 1 {
		one = more
	}
	return fmt.Sprintf("%d of %s %s", n, plural(all, "line"), one)
}

// send creates the posts of the lines that were found to be good, which are in
// the spool, and prints all results.
func (o *postImport) send(ctx context.Context, c *client.Client, results []imported, kept *spool) error {
	printer := newImportPrinter(o.app, len(results))
	bar := o.newProgress("importing", len(results))
	done, failed := 0, 0
	type sent struct {
		imported
		stop error
	}
	err := inOrder(ctx, o.lines(results, kept), func(ctx context.Context, l importLine) sent {
		r, err := o.sendLine(ctx, c, l)
		return sent{r, err}
	}, func(r sent) error {
		if r.stop != nil {
			return r.stop
		}
		done++
		if r.Result == resultRefused {
			failed++
		}
		bar.step()
		return printer.add(r.imported)
	})
	bar.clear()
	if printed := printer.finish(); printed != nil {
		return printed
	}
	switch {
	case err != nil:
		return o.stopped(err, done, len(results))
	case failed > 0:
		return &failure{status: exitFailed, code: codeFailed, message: lines(failed, len(results), "was", "were") + " not imported"}
	}
	return nil
}

// stopped says how far an import came that something has ended, and how to go on.
func (o *postImport) stopped(err error, done, all int) error {
	reached := fmt.Sprintf("%d of %s", done, plural(all, "line"))
	again := "the same command goes on from there and posts nothing twice"
	if o.file == "-" {
		again = "the same lines again go on from there, and nothing is posted twice"
	}
	if exitStatus(err) == exitInterrupted {
		return o.interruption("interrupted after "+reached, again)
	}
	return fmt.Errorf("stopped after %s: %w; %s", reached, err, again)
}

// interruption is the failure of a command that a person ended and that has more
// to say than that.
func (a *app) interruption(message, hint string) error {
	if a.errTerminal {
		a.tell("") // the terminal shows ^C
	}
	return &failure{status: exitInterrupted, code: codeInterrupted, message: message, hint: hint}
}
