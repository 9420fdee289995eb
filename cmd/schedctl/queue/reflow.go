package queue

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type reflowOptions struct {
	*cli.App
	dry, yes bool
}

func newReflow(a *cli.App) *cobra.Command {
	o := &reflowOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.QueueMoves](&cobra.Command{
		Use:   "reflow [QUEUE]",
		Short: "Move displaced posts into slots",
		Long: `Move the displaced posts of a queue into its free slots. A post is displaced if its time
is no longer a slot of the queue, because the slots were changed. The order of the posts
stays the same, unless there is no free slot between two posts that stay: then the post
gets behind posts that the list names. Posts in slots, posts with a fixed time and
published posts never move.

The command lists the moves, and you confirm. If the queue or its posts change in the
meantime, nothing moves (exit status 6). With --dry-run it only lists the moves. Without
an argument it is the default queue; then --yes is required without a terminal.`,
		Example: `  schedctl queue reflow main --dry-run
  schedctl queue reflow main
  schedctl queue reflow --yes`,
		Args:              cli.Args(0, 1, "at most one queue"),
		ValidArgsFunction: Queues.Complete(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	})
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "change nothing; list the moves")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *reflowOptions) run(ctx context.Context, refs []string) error {
	asks := o.Asks()
	if !o.dry && !o.yes && !asks && len(refs) == 0 {
		return cli.UsageError("without a terminal, schedctl queue reflow does not choose the queue itself").WithHint("name the queue, or give --yes or --dry-run")
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	id, err := queueFor(ctx, o.App, c, refs, "")
	if err != nil {
		return err
	}
	preview, err := c.PreviewReflow(ctx, id)
	switch {
	case err != nil:
		return err
	case len(preview.Moves) == 0 && !o.Quiet && !o.JSON.Given:
		o.Messagef("every post of the queue is in a slot; nothing moves")
	}
	if o.dry || len(preview.Moves) == 0 {
		return printMoves(o.App, preview)
	}
	if !o.yes && asks {
		for _, m := range preview.Moves {
			behind := ""
			if len(m.Behind) > 0 {
				behind = ", behind " + strings.Join(m.Behind, ", ")
			}
			o.Messagef("%s %s -> %s%s", m.PostID, o.ShortTime(&m.From), o.ShortTime(&m.To), behind)
		}
		if err := o.Confirm(ctx, fmt.Sprintf("Move %s?", cli.Plural(len(preview.Moves), "post"))); err != nil {
			return err
		}
	}
	done, err := c.ReflowQueue(ctx, id, preview.Digest)
	if schedctl.CodeOf(err) == schedctl.VersionMismatch {
		return cli.NewFailure(cli.ExitConflict, schedctl.VersionMismatch, "the queue or its posts changed in the meantime, and nothing was moved").
			WithHint("run the command again")
	}
	if err != nil {
		return err
	}
	return printMoves(o.App, done)
}
