package files

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type lintOptions struct {
	*cli.App
	flags   planFlags
	offline bool
}

// finding is the JSON form of a problem.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func NewLint(a *cli.App) *cobra.Command {
	o := &lintOptions{App: a}
	cmd := cli.DeclareJSON[finding](&cobra.Command{
		Use:   "lint DIR",
		Short: "Check the post files in a directory",
		Long: `Check the post files in a directory, for a pull request for example. See
"schedctl apply --help" for the format of the files.

Each problem is a line, file:line: message. Without a daemon, lint checks the format of
the files, their ids, and whether their media exist, are complete and not too large.
With a daemon, it also checks the accounts. For posts that "schedctl apply" would
create or change, it checks the texts, the media that are already uploaded, and
whether the time is in the future. It warns on standard error of what else "schedctl
plan" finds, such as equal texts and approvals that are missing. Skipped checks are
reported there, too. The exit status is 5 when there is a problem.`,
		Example: `  schedctl lint posts
  schedctl lint posts --offline --json`,
		Args: cli.Args(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not connect to a daemon")
	o.flags.addShared(cmd)
	return cmd
}

func (o *lintOptions) run(ctx context.Context, dir string) error {
	files, err := readPostFiles(dir, o.flags.named)
	if err != nil {
		return err
	}
	r, err := newFileReader(o.App, files, o.flags.zone)
	if err != nil {
		return err
	}
	o.flags.checkOnly = true
	p := &planner{planFlags: o.flags, fileReader: r}
	skipped, err := o.connectTo(ctx, p)
	if err != nil {
		return err
	}
	if skipped != "" {
		p.all()
		o.Messagef("not checked: accounts, times, and whether the networks accept the texts (%s)", skipped)
	} else if err := p.build(ctx); err != nil {
		return err
	} else if p.collection == "" {
		o.Messagef("not checked: times (%s)", cli.OneLine(p.needCollection().Error()))
	}
	p.tellNotes()
	if skipped == "" {
		p.tellUploads()
	}
	return o.printFindings(p.sorted(), files.files)
}

// connectTo connects the planner to the daemon, or returns the reason to work
// without one. A refused key is an error, because a daemon was expected then.
func (o *lintOptions) connectTo(ctx context.Context, p *planner) (skipped string, err error) {
	if o.offline {
		return "--offline", nil
	}
	if err = p.readOwner(ctx); err != nil {
		return "", err
	}
	if p.client, err = o.Connect(); err == nil {
		err = p.readSettings(ctx)
	}
	if cli.ExitStatus(err) == cli.ExitUnreachable || err != nil && o.Keyless {
		p.accounts, p.groups, p.snippets = nil, nil, nil
		return cli.ErrorLine(err), nil
	}
	return "", err
}

// printFindings prints the problems, and how many files have some. A file that could not
// be read counts, too.
func (o *lintOptions) printFindings(problems []postfile.Problem, read []postfile.Document) error {
	list := []finding{}
	bad, all := map[string]bool{}, map[string]bool{}
	for _, f := range read {
		all[f.Path] = true
	}
	var b bytes.Buffer
	for _, p := range problems {
		list = append(list, finding{p.Path, p.Line, p.Message})
		if line := p.String(); !o.Quiet {
			fmt.Fprintln(&b, cli.OneLine(line))
		} else if !bad[p.Path] {
			fmt.Fprintln(&b, cli.OneLine(p.Path))
		}
		bad[p.Path], all[p.Path] = true, true
	}
	var err error
	if o.JSON.Given {
		err = o.PrintJSON(list)
	} else {
		err = o.Write(b.Bytes())
	}
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return cli.InvalidError(schedctl.ValidationFailed, "%s in %d of %s", cli.Plural(len(problems), "problem"), len(bad), cli.Plural(len(all), "file"))
	case !o.Quiet:
		o.Messagef("%s, no problem", cli.Plural(len(all), "file"))
	}
	return nil
}
