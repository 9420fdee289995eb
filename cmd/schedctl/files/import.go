package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

type importOptions struct {
	*cli.App
	file, format, collection string
	zone                     cli.WhenFlags
	allowDuplicate           bool
	keepGoing, update, dry   bool
	encoding                 string // --encoding, or empty to find out
	mediaDir                 string // --media-dir
	submit                   bool   // make drafts that wait for an approval
	broken                   bool   // the end of the file could not be read
	unsent                   bool   // only check the lines
	times                    sheetTimes
	columns                  []string // --map
	jsonl                    bool     // print results as JSON Lines
}

func newImport(a *cli.App) *cobra.Command {
	o := &importOptions{App: a}
	cmd := cli.DeclareJSON[imported](&cobra.Command{
		Use:   "import FILE|-",
		Short: "Create posts from a CSV or JSON Lines file",
		Long:  importHelp,
		Example: `  schedctl post import posts.csv --dry-run
  schedctl post import posts.csv --tz Europe/Berlin
  schedctl post import posts.csv --update
  schedctl post import posts.csv --media-dir pictures
  schedctl post import posts.csv --dates us --default-time 9am
  schedctl post import posts.csv --encoding windows-1252
  cat posts.csv | schedctl post import - --collection newsletter --keep-going
  schedctl post import posts.jsonl --json=line,result,post_id`,
		Args: cli.Args(1, 1, "a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return o.run(cmd.Context())
		},
	})
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "the `format` of the file, csv or jsonl; by default recognized by its name or its first character")
	f.StringVar(&o.encoding, "encoding", "", "the `name` of the encoding of the file, such as windows-1252; by default UTF-8 or what is certain")
	f.StringVar(&o.mediaDir, "media-dir", "", "the `directory` of the files in the column media; by default that of FILE")
	cmd.MarkFlagDirname("media-dir")
	f.StringVar(&o.collection, post.CollectionFlag, "", "the `name` of the collection that the ids belong to; by default import/FILE")
	o.zone.AddZone(cmd)
	f.StringVar(&o.times.order, "dates", "", "the `order` of dates such as 3/4/2027: us for month/day, eu for day/month")
	f.StringVar(&o.times.clock, "default-time", "", "the `time` of day for dates without one, such as 09:00")
	f.StringArrayVar(&o.columns, "map", nil, "read a column as a field, as `column=field`; without a field it is not read (repeatable)")
	post.AddAllowDuplicate(cmd, &o.allowDuplicate)
	f.BoolVar(&o.keepGoing, "keep-going", false, "import the other lines when some are refused")
	f.BoolVar(&o.update, "update", false, "change existing posts to match their lines")
	f.BoolVar(&o.submit, "submit", false, "make drafts with a proposed time, and submit them for approval")
	f.BoolVar(&o.jsonl, "jsonl", false, "print a JSON object per line, as soon as a line is done, instead of --json's array")
	f.BoolVar(&o.dry, "dry-run", false, "create nothing; report for each line whether it would be imported")
	cmd.RegisterFlagCompletionFunc("dates", cobra.FixedCompletions(dateOrders, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("encoding", cobra.FixedCompletions(postfile.Encodings, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(importFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// importHelp explains "schedctl post import" and the columns of its files.
var importHelp = `Create a post from each line of a file, or of standard input ("-").

The columns are id, content, to, at, tz, media and alt, and those below. A CSV file
names its columns in the first line, and separates the accounts in "to" with ";" or ",".
A JSON Lines file has an object with these keys in each line, and "to" is a list. Names
that other tools use are accepted too, such as Text, Post Text, Message, Profile, Posting
Time, Scheduled Date, Image URL and Tags. --map says what another column is, and
"--map COLUMN=" leaves one out; columns that are not known are an error. A line without
"at" becomes a draft. "tz" is the zone of "at"; the default is --tz, else the local zone.

A file is UTF-8 or UTF-16, or Windows-1252 if that is certain: if it has only letters and
marks that similar encodings have in common. For others give --encoding.

"at" is read like --at, and next-slot takes the next free slot of the default queue. A
column for the date and one for the time of day are read together. Of a date such as
3/4/2027, say with --dates which part comes first; else it is refused. A date without a
time of day needs --default-time. Numbers in which spreadsheets store dates are read.

A column "text:ACCOUNT" has the text for one account, where it differs. "link" is added
to the end of the text. "notes" becomes a note on the new post, for the people who work
on it; no network gets it.

"media" are files, URLs, which the daemon fetches, or ids of assets, and "alt" their alt
texts in the same order. In CSV
";" separates several, and "\;" is a semicolon; in JSON Lines both are lists. Paths are
relative to the directory of the file, or to --media-dir, and for standard input to the
current directory. The files must be inside that directory, also behind links. A line with
media needs no content. The files are uploaded while the lines are checked. --dry-run
uploads nothing; of a line with new files it checks the text only.

"thread" has the parts after the first one, separated by lines with --- in CSV, and as a
list in JSON Lines. "first_comment" is a text. In JSON Lines, a part and the first comment
can be an object with the keys content, media and alt. "poll" are the options of a poll,
separated like "media"; "poll_for" is a duration such as 3d (the default is 1d), and
"poll_multiple" and "poll_hide_totals" are true or false. The other columns are
` + strings.Join(fields.PresentationNames(), ", ") + `, and link_preview: auto, none or, in JSON Lines, a
card with the keys url, title, description and image. An empty column sets nothing.

"title", "post_style" and "labels" are for you and for programs; labels are separated like
"media". With "queue" the post takes the next free slot of a queue, at or after
"not_before", and has no "at". "proposed_at" is the time that a draft shall have after its
approval, or next-slot. "overrides" exists in JSON Lines only: a list of objects
with the key "to", an account, and the keys of what that account gets instead: content,
media, alt, thread, poll with its settings, ` + strings.Join(fields.PresentationNames(), ", ") + `, and
options. An empty list means no files, parts or poll.

With "repeat", such as "weekly on tue at 9:00", the line is a series. "start" is the
earliest local time of its first occurrence, "name" its name, "variants" are texts that
take turns, "exdates" local times that it leaves out, and "ahead_days" says how early its
posts are made; with "queue" each occurrence takes a slot of its day.

Every line is checked before the first one is sent: its time, its accounts, and whether
their networks accept the text. One refused line refuses the whole import (exit status
5), unless --keep-going imports the others (exit status 9). A line that the API key may
not send ends the import before it starts (exit status 4).

Where posts need an approval, a line with a time is refused (exit status 6). With --submit
it becomes a draft with a proposed time that waits for an approval.

An import can be repeated. "id" is your own name for a line. Its post has the external
id import/FILE/ID, or COLLECTION/ID with --collection, and is never created twice. When
the line differs from its post, it is refused; --update changes the post instead, as
long as it is a draft or scheduled. The id of a post, as "schedctl post export" writes
it, refers to that post. A line without an id is skipped when a post with the same text,
time and accounts exists; the same line twice in a file makes two posts. A post that was
canceled is never created again. Standard input needs --collection for ids.

The result has a line for each line of the file: its number, the result (created,
updated, exists, refused, or ok when it was only checked), the id of the post, its time,
the id of the line, and a remark. On a terminal, refused lines come last, and of more
than 50 lines only those with a remark are shown. --json prints an array of objects with
the fields line, result, post_id, publish_at, id and message. --jsonl prints one object
per line, as soon as the line is done; --jq and --template then get each object. A filter
that fails does not stop the import.`

// importFormats are the formats that can be read.
var importFormats = []string{string(postfile.CSV), string(postfile.JSONL)}

func (o *importOptions) run(ctx context.Context) error {
	format, zone, err := o.readFlags()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	in, err := o.open(ctx)
	if err != nil && cli.ExitStatus(err) == cli.ExitUsage {
		return err
	}
	if err != nil {
		return fmt.Errorf("read the lines: %w", err)
	}
	defer in.Close()
	check := &importCheck{importOptions: o, client: c, reader: &fileReader{App: o.App, postFiles: &postFiles{}, rows: true, zone: zone}}
	rows := postfile.NewReader(in, format)
	if o.encoding != "" {
		if err := rows.Decode(o.encoding); err != nil {
			return err
		}
	}
	for _, column := range o.columns {
		name, field, _ := strings.Cut(column, "=")
		rows.Map(name, strings.TrimSpace(field))
	}
	lines, err := check.all(ctx, rows)
	if cli.ExitStatus(err) == cli.ExitInterrupted {
		return post.Interruption(o.App, "interrupted; no post was sent", "")
	}
	if err != nil {
		return err
	}
	refused := 0
	var denied error
	for _, l := range lines {
		if l.result.Result == resultRefused {
			refused++
		}
		denied = cmp.Or(denied, l.denied)
	}
	o.unsent = o.dry || refused > 0 && (!o.keepGoing || o.broken)
	if err := o.send(ctx, c, lines); err != nil || !o.unsent || refused == 0 {
		return err
	}
	return o.nothingSent(refused, len(lines), denied)
}

// readFlags returns the format of the file and the zone of its times.
func (o *importOptions) readFlags() (postfile.Format, *time.Location, error) {
	format := postfile.Format(o.format)
	switch {
	case format == "":
		format = postfile.FormatOf(o.file)
	case format != postfile.CSV && format != postfile.JSONL:
		return "", nil, cli.UnknownValueError("--format", o.format, importFormats)
	}
	if err := schedctl.CheckCollection(post.CollectionFlag, o.collection); o.collection != "" && err != nil {
		return "", nil, cli.UsageError("--%s", post.RuleText(err))
	}
	if err := o.times.check(); err != nil {
		return "", nil, err
	}
	if o.encoding != "" {
		if err := new(postfile.Reader).Decode(o.encoding); err != nil {
			return "", nil, cli.UsageError("--encoding: %v", err)
		}
	}
	for _, column := range o.columns {
		name, field, found := strings.Cut(column, "=")
		if field = strings.TrimSpace(field); !found || strings.TrimSpace(name) == "" || field != "" && !postfile.IsField(field) {
			return "", nil, cli.UsageError("--map %q is not COLUMN=FIELD with the name of a field", column).
				WithHint("write for example --map \"Headline=title\"; --help lists the fields")
		}
	}
	zone, err := o.zone.Zone(o.App)
	return format, zone, err
}

// nothingSent returns the error of an import that sent no post because lines were refused.
// The exit status of a dry run is that of the import.
func (o *importOptions) nothingSent(refused, lines int, denied error) error {
	if o.dry {
		f := cli.InvalidError(schedctl.ValidationFailed, "%d of %s would be refused", refused, cli.Plural(lines, "line"))
		if of, ok := errors.AsType[*cli.Failure](denied); ok {
			f.Status, f.Code = of.Status, of.Code
		}
		return f
	}
	f := cli.InvalidError(schedctl.ValidationFailed, "no post was sent, because %s refused", linesText(refused, lines, "is", "are"))
	if f.Hint = "correct them, or import the others with --keep-going"; o.broken {
		f.Hint = "correct the file: the lines that follow cannot be read"
	}
	return f
}

// externalID returns the external id of the post of a line.
func (o *importOptions) externalID(id string) (string, error) {
	prefix := o.collection
	if prefix == "" && o.file == "-" {
		return "", cli.UsageError("standard input needs --collection when lines have an id").
			WithHint("give --collection NAME; the posts then have the external ids NAME/ID")
	}
	if prefix == "" {
		prefix = schedctl.ReservedCollection + "/" + url.PathEscape(filepath.Base(o.file))
	}
	external := prefix + "/" + id
	if schedctl.CheckExternalID(external) != nil {
		return "", cli.InvalidError(schedctl.ValidationFailed, "the id %q is not valid: use visible ASCII characters without spaces, at most %d",
			cli.Clip(id, 40), max(schedctl.MaxExternalID-len(prefix)-1, 0))
	}
	return external, nil
}

// open opens the file. Reading from standard input ends when ctx does.
func (o *importOptions) open(ctx context.Context) (io.ReadCloser, error) {
	if o.file != "-" {
		return os.Open(o.file)
	}
	if err := o.MayType(); err != nil {
		return nil, err
	}
	if o.InTerminal && o.ErrTerminal {
		o.Messagef("reading lines; end them with Ctrl-D on a line of its own")
	}
	return io.NopCloser(readerFunc(func(p []byte) (int, error) {
		data, err := cli.ReadInterruptibly(ctx, func() ([]byte, error) {
			own := make([]byte, len(p)) // the abandoned read may still write to its buffer
			n, err := o.In.Read(own)
			return own[:n], err
		})
		return copy(p, data), err
	})), nil
}

type readerFunc func([]byte) (int, error)

// Read calls the function.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// linesText returns texts such as "1 of 20 lines is" and "2 of 20 lines are".
func linesText(n, all int, one, more string) string {
	if n != 1 {
		one = more
	}
	return fmt.Sprintf("%d of %s %s", n, cli.Plural(all, "line"), one)
}

// stopped returns the error of an import that ended early.
func (o *importOptions) stopped(err error, done, all int) error {
	reached := fmt.Sprintf("%d of %s", done, cli.Plural(all, "line"))
	again := "run the same command again to continue; no post is created twice"
	if o.file == "-" {
		again = "import the same lines again to continue; no post is created twice"
	}
	if cli.ExitStatus(err) == cli.ExitInterrupted {
		return post.Interruption(o.App, "interrupted after "+reached, again)
	}
	return fmt.Errorf("stopped after %s: %w; %s", reached, err, again)
}

// turn returns the time of the post of a line. The posts of one time, and those that take a
// slot, are created one after the other.
func (l *importLine) turn() string {
	if l.result.Result != resultOK || l.post.PublishAt == nil {
		return ""
	}
	return l.post.PublishAt.String()
}

// send sends the lines that passed the checks, unless the import is unsent, and
// prints all results. Posts of one time are created in the order of the lines.
func (o *importOptions) send(ctx context.Context, c *client.Client, checked []importLine) error {
	printer := newImportPrinter(o, len(checked))
	bar := o.NewProgress("importing", len(checked))
	done, failed := 0, 0
	err := cli.RunEachInTurn(ctx, checked, (*importLine).turn, func(ctx context.Context, l *importLine) (err error) {
		l.result, err = o.sendLine(ctx, c, *l)
		return err
	}, func(l importLine, err error) error {
		if err != nil {
			return err
		}
		done++
		if l.result.Result == resultRefused {
			failed++
		}
		bar.Step()
		printer.add(l.result)
		return nil
	})
	bar.Clear()
	printed := printer.finish()
	if printed != nil && (err != nil || failed > 0) {
		o.Messagef("print the results: %v", printed)
	}
	switch {
	case err != nil:
		return o.stopped(err, done, len(checked))
	case failed > 0 && !o.unsent:
		return &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: linesText(failed, len(checked), "was", "were") + " not imported"}
	}
	return printed
}
