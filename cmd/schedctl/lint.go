package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

type lintDir struct {
	*app
	zone    whenFlags
	offline bool
}

// finding is what --json shows of a problem.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func newLint(a *app) *cobra.Command {
	o := &lintDir{app: a}
	cmd := prints[finding](&cobra.Command{
		Use:   "lint DIR",
		Short: "Check the post files in a directory",
		Long: `Check the post files in a directory, for a pull request for example, and change
nothing. "schedctl apply --help" tells what post files are.

Each problem is a line, file:line: message. Without a daemon it checks the form of
the files, their ids and their times; a time that has passed is a problem unless
.schedctl.json says that the file was applied with it. With a daemon it checks the
accounts too, and whether their networks would take the texts. What could not be
checked is said on standard error. The exit status is 5 when there is a problem.`,
		Example: `  schedctl lint posts
  schedctl lint posts --offline --json`,
		Args: takes(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().BoolVar(&o.offline, "offline", false, "ask no daemon")
	o.zone.addZone(cmd)
	cmd.Flag("tz").Usage = "the `zone` of times in files that give none"
	return cmd
}

func (o *lintDir) run(ctx context.Context, dir string) error {
	files, err := readPostFiles(dir)
	if err != nil {
		return err
	}
	r := &fileReader{app: o.app, postFiles: files}
	if o.zone.tz != "" {
		if r.zone, err = o.zone.zone(o.app); err != nil {
			return err
		}
	}
	c, unasked, err := o.reach(ctx, r)
	if err != nil {
		return err
	}
	p := &planner{fileReader: r, client: c}
	if err := p.lint(ctx, p.all()); err != nil {
		return err
	}
	if unasked != "" {
		o.tell("not checked: the accounts, and whether their networks would take the texts (%s)", unasked)
	}
	return o.printFindings(files.sorted(), len(files.files))
}

// reach returns a client of the daemon, or why none is asked. A daemon that
// refuses the key is an error: somebody meant it to be asked.
func (o *lintDir) reach(ctx context.Context, r *fileReader) (c *client.Client, unasked string, err error) {
	if o.offline {
		return nil, "--offline", nil
	}
	var list []apiv1.Account
	if c, err = o.connect(); err == nil {
		list, err = c.Accounts(ctx, client.AccountQuery{})
	}
	switch {
	case exitStatus(err) == exitUnreachable, err != nil && o.keyless:
		return nil, oneLine(err.Error()), nil
	case err != nil:
		return nil, "", err
	}
	r.accounts = append([]apiv1.Account{}, list...)
	return c, "", nil
}

// lint adds the problems that files have beside their form. Those that were
// applied with their time are not asked about: it may have passed, and their
// posts are there.
func (p *planner) lint(ctx context.Context, list []wanted) error {
	type answer struct {
		wanted
		validation *apiv1.Validation
		err        error
	}
	names := referencesTo(p.accounts)
	return inOrder(ctx, each(list), func(ctx context.Context, w wanted) answer {
		a := answer{wanted: w}
		past := !w.at.IsZero() && w.moment.Check(p.now()) != nil
		if p.client != nil && !(past && p.lock.Applied(w.file.ID.Text, stamp(w.at))) && checkText(w.content, "") == nil {
			a.validation, a.err = p.validate(ctx, &w, true)
		}
		return a
	}, func(a answer) error {
		if a.err != nil && !ofLine(a.err) {
			return a.err
		}
		if !p.lock.Applied(a.file.ID.Text, stamp(a.at)) {
			p.checkTime(&a.wanted)
		}
		switch {
		case a.err != nil:
			p.problemf(a.file, a.file.Content.Line, "%v", a.err)
		case a.validation != nil:
			p.problems = append(p.problems, contentProblems(a.file, *a.validation, names)...)
		}
		return nil
	})
}

// each yields the elements of a list.
func each[T any](list []T) func(yield func(T, error) bool) {
	return func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
}

func (o *lintDir) printFindings(problems []postfile.Problem, files int) error {
	list := []finding{}
	bad := map[string]bool{}
	var b bytes.Buffer
	for _, p := range problems {
		list = append(list, finding{p.Path, p.Line, p.Message})
		if line := p.String(); !o.quiet {
			fmt.Fprintln(&b, oneLine(line))
		} else if !bad[p.Path] {
			fmt.Fprintln(&b, oneLine(p.Path))
		}
		bad[p.Path] = true
	}
	var err error
	if o.json.set {
		err = o.printJSON(list)
	} else {
		err = o.write(b.Bytes())
	}
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return invalid(schedctl.ValidationFailed, "%s in %d of %s", plural(len(problems), "problem"), len(bad), plural(files, "file"))
	case !o.quiet:
		o.tell("%s, no problem", plural(files, "file"))
	}
	return nil
}
