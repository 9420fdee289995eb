package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
)

type applyDir struct {
	*app
	flags    planFlags
	yes, dry bool
}

func newApply(a *app) *cobra.Command {
	o := &applyDir{app: a}
	cmd := prints[change](&cobra.Command{
		Use:   "apply DIR",
		Short: "Make the posts what the files in a directory say",
		Long: `Create, reschedule and edit posts so that they are what the files in a directory
say. A file is a post:

  ---
  id: launch
  at: 2026-12-08 09:00
  tz: Europe/Berlin
  to: [blog, "mastodon:me"]
  override:
    mastodon:me: Version 1.0 is out!
  ---
  Version 1.0 is out. Read all about it in the release notes.

"id" is your own name of the post: it stays when you move the file or change its
text, and no other file has it. "at" needs a day, and a zone of its own, "tz" or
--tz; without "at" the post is a draft. Files end in .md or .markdown; README.md
and names that begin with . or _ are left out.

Which post each file is, and what was applied, is written to .schedctl.json in the
directory. Keep it with the files, and let a pipeline commit what it has changed:
a fresh checkout then knows its posts, also those whose files are gone. When it is
lost, a post that is just as a file says is taken for it. When there is one that
is merely like it, with the same text at another time for example, nothing is
applied until you say --similar: adopt changes that post, new creates another.

One file that is wrong, or that a network would refuse, and nothing is applied;
so it is when a file is unclear. What was changed in the daemon since the last
apply is left alone, and the exit status is 6, unless --overwrite is given. What is
published or has failed stays as it is. Without a terminal --yes is needed.`,
		Example: `  schedctl apply posts
  schedctl apply posts --prune --yes
  schedctl apply posts --dry-run`,
		Args: takes(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.flags.add(cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "change nothing; show what would be done, as schedctl plan does")
	return cmd
}

func (o *applyDir) run(ctx context.Context, dir string) error {
	person := o.inTerminal && o.errTerminal && !o.noInput
	if !o.yes && !o.dry && !person {
		f := usage("files are applied only with --yes when nobody can be asked")
		f.hint = "see what would be done with: schedctl plan " + dir
		return f
	}
	p, err := o.newPlanner(ctx, dir, o.flags)
	if err != nil {
		return err
	}
	if o.dry {
		return p.show(ctx)
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	if problems := p.sorted(); len(problems) > 0 {
		return p.refuse(problems, "nothing was applied")
	}
	if err := p.unclear(); err != nil {
		return err
	}
	p.tellNotes()
	if err := o.ask(ctx, p); err != nil {
		return err
	}
	failed := p.apply(ctx)
	if err := o.printSteps(p.steps); err != nil {
		return err
	}
	o.tellCounts(p.steps)
	if failed != nil {
		return failed
	}
	return p.left()
}

// ask shows the changes to a person and asks for them.
func (o *applyDir) ask(ctx context.Context, p *planner) error {
	n := 0
	for i := range p.steps {
		if p.steps[i].does() {
			n++
		}
	}
	if o.yes || n == 0 {
		return nil
	}
	o.tell("%s", o.planText(p.steps))
	return o.confirm(ctx, fmt.Sprintf("Make %s?", plural(n, "change")))
}

// unclear refuses to apply anything while a post might be created twice.
func (p *planner) unclear() error {
	n := 0
	for _, s := range p.steps {
		if s.Action == isUnclear {
			n++
			p.tell("%s", s.wanted.file.Problemf(s.wanted.file.ID.Line, "%s may be %s: %s", s.ID, s.PostID, s.detail()))
		}
	}
	if n == 0 {
		return nil
	}
	return &failure{
		status: exitConflict, code: schedctl.ValidationFailed,
		message: fmt.Sprintf("nothing was applied: %s may be a post that is there already, and %s does not tell", plural(n, "file"), postfile.LockName),
		hint:    "bring the newest one, or give --similar adopt to change those posts, or --similar new to create others",
	}
}

// left is the failure of posts that are not what the files say.
func (p *planner) left() error {
	n := 0
	for _, s := range p.steps {
		if s.Action == isDrift {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return &failure{
		status: exitConflict, code: schedctl.VersionMismatch,
		message: fmt.Sprintf("%s changed in the daemon and left so", were(n, "post")),
		hint:    "look with: schedctl plan " + p.dir + ", and then change the files or give --overwrite",
	}
}

// were returns "1 post was", "2 posts were".
func were(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " was"
	}
	return plural(n, noun) + " were"
}
