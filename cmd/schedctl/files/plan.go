package files

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type planOptions struct {
	*cli.App
	flags    planFlags
	exitCode bool
}

func NewPlan(a *cli.App) *cobra.Command {
	o := &planOptions{App: a}
	cmd := cli.DeclareJSON[change](&cobra.Command{
		Use:   "plan DIR",
		Short: "Show the changes that apply would make",
		Long: `Show the changes that "schedctl apply" would make, and make none. See
"schedctl apply --help" for the format of the files.

The actions are create, reschedule, edit, cancel, unchanged, drift (the post was
changed outside the files and stays as it is, see --overwrite), orphan (its file was
removed, and it stays as it is, see --prune) and refused (the file has a problem).

In a pipe or a file, the plan has one line for each action: the action, the id, the
post, the file and a remark. The differences follow, indented by four spaces. Unchanged
files are left out, unless you give --all.

The daemon checks the key and the approvals as for "schedctl apply"; give --submit or
--approved-by here as well. The exit status is 0, also when there are changes or drift,
and 5 when a file has a problem. Where apply would be refused, it is that of apply: 4
when the API key may not make a change, and 6 when a post lacks an approval, or for the
files of another repository or an older commit. With --exit-code it is 6 when there is
drift, else 9 when there are changes.`,
		Example: `  schedctl plan posts
  schedctl plan posts --prune --json=action,id,file
  schedctl plan posts --collection website`,
		Args: cli.Args(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.flags.add(cmd)
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 6 when there is drift, else with 9 when there are changes")
	return cmd
}

func (o *planOptions) run(ctx context.Context, dir string) error {
	if err := o.flags.check(); err != nil {
		return err
	}
	files, err := readPostFiles(dir, o.flags.named)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, o.App, files, o.flags)
	if err != nil {
		return err
	}
	if err := p.show(ctx); err != nil || !o.exitCode {
		return err
	}
	if err := p.drifted(); err != nil {
		return err
	}
	if n := p.count((*step).does); n > 0 {
		return &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: cli.Plural(n, "change") + " to apply"}
	}
	return nil
}

// show prints the plan. It returns the error with which apply would end before it changes
// anything.
func (p *planner) show(ctx context.Context) error {
	if err := p.build(ctx); err != nil {
		return err
	}
	if err := p.printSteps(planText); err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return p.refused("the files cannot be applied")
	}
	p.tellNotes()
	p.tellUploads()
	tellCounts(p.App, p.allSteps())
	return p.refusedAll(ctx)
}

// count returns the number of steps of a kind.
func (p *planner) count(kind func(*step) bool) (n int) {
	all := p.allSteps()
	for i := range all {
		if kind(&all[i]) {
			n++
		}
	}
	return n
}

// drifted returns the failure of what was changed outside the files.
func (p *planner) drifted() error {
	counts := map[string]int{}
	if p.count(func(s *step) bool {
		if s.Action == isDrift {
			counts[s.noun()]++
		}
		return s.Action == isDrift
	}) == 0 {
		return nil
	}
	return cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "%s changed outside the files, left unchanged", cli.Enumerate(nounPhrases(counts, ""))).
		WithHint("run \"schedctl plan " + p.dir + "\" to see the differences; then change the files, or give --overwrite")
}
