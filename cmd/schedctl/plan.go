package main

import (
	"context"

	"github.com/spf13/cobra"
)

type planDir struct {
	*app
	flags planFlags
}

func newPlan(a *app) *cobra.Command {
	o := &planDir{app: a}
	cmd := prints[change](&cobra.Command{
		Use:   "plan DIR",
		Short: "Show what the post files in a directory would change",
		Long: `Show what "schedctl apply" would do, and do nothing. "schedctl apply --help" tells
what post files are.

Each file is one of these: create, adopt (a post just like it is there and is
taken for it), schedule, reschedule, edit, unchanged, ended (published, failed or
called off when its time came: nothing can be changed), drift (changed in the
daemon since it was applied, and left alone without --overwrite), or unclear. A
post whose file was removed is an orphan; with --prune it is canceled, or deleted
when it is a draft, and forgotten when it has ended.

Elsewhere than on a terminal there is a line for each: the action, the id, the
post, the file, and what is different. The exit status is 0 also when there is
something to do, and 5 when a file is wrong.`,
		Example: `  schedctl plan posts
  schedctl plan posts --prune --json=action,id,file`,
		Args: takes(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.flags.add(cmd)
	return cmd
}

func (o *planDir) run(ctx context.Context, dir string) error {
	p, err := o.newPlanner(ctx, dir, o.flags)
	if err != nil {
		return err
	}
	return p.show(ctx)
}

// show prints what is to be done.
func (p *planner) show(ctx context.Context) error {
	if err := p.build(ctx); err != nil {
		return err
	}
	if problems := p.sorted(); len(problems) > 0 {
		return p.refuse(problems, "nothing can be applied")
	}
	if err := p.printSteps(p.steps); err != nil {
		return err
	}
	p.tellNotes()
	p.tellCounts(p.steps)
	return nil
}
