package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type moveOptions struct {
	*cli.App
	top, bottom   bool
	before, after string
}

// maxOrder is the number of posts that one request can order.
const maxOrder = 500

func newMove(a *cli.App) *cobra.Command {
	o := &moveOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.QueueMoves](&cobra.Command{
		Use:   "move POST",
		Short: "Move a post to another place in its queue",
		Long: `Move a post to another place in its queue. The posts between its old and its new place
move by one: together they keep the times that they have now. Posts with a fixed time,
and posts that are being published, never move.`,
		Example: `  schedctl queue move post_01KAK3R9ZC4VBX1D2E3F4G5H6J --top
  schedctl queue move @last --bottom
  schedctl queue move @last --before post_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: completeQueued(a, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	f := cmd.Flags()
	f.BoolVar(&o.top, "top", false, "publish it first")
	f.BoolVar(&o.bottom, "bottom", false, "publish it last")
	f.StringVar(&o.before, "before", "", "publish it before this `post`")
	f.StringVar(&o.after, "after", "", "publish it after this `post`")
	cmd.RegisterFlagCompletionFunc("before", completeQueued(a, cli.Unlimited))
	cmd.RegisterFlagCompletionFunc("after", completeQueued(a, cli.Unlimited))
	return cmd
}

func (o *moveOptions) run(ctx context.Context, ref string) error {
	given := 0
	for _, is := range []bool{o.top, o.bottom, o.before != "", o.after != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return cli.UsageError("schedctl queue move needs one place").WithHint("give --top, --bottom, --before POST or --after POST")
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	post, err := queuedPost(ctx, o.App, c, ref)
	if err != nil {
		return err
	}
	queue := *post.QueueID
	posts, err := o.queued(ctx, c, queue)
	if err != nil {
		return err
	}
	order, err := o.order(ctx, c, posts, post)
	if err != nil {
		return err
	}
	moves := apiv1.QueueMoves{Moves: []apiv1.QueueMove{}}
	switch {
	case len(order) > maxOrder:
		return cli.InvalidError(schedctl.ValidationFailed, "%d posts would move; the limit is %d", len(order), maxOrder).WithHint("move the post in several steps, with --before")
	case len(order) > 1:
		if moves, err = c.OrderQueue(ctx, queue, order); err != nil {
			return err
		}
	case !o.Quiet:
		o.Messagef("%s has this place already; nothing moves", post.ID)
	}
	return printMoves(o.App, moves)
}

// queued returns the posts that wait in slots of the queue, in their order.
func (o *moveOptions) queued(ctx context.Context, c *client.Client, queueID string) (ids []string, err error) {
	q := client.PostQuery{QueueID: queueID, Statuses: []schedctl.Status{schedctl.Scheduled}, Sort: "publish_at", Limit: 100}
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, err
		}
		if p.Slot != nil && p.PublishAt.After(o.Now()) {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// order returns the posts that move, in their new order.
func (o *moveOptions) order(ctx context.Context, c *client.Client, ids []string, post apiv1.Post) ([]string, error) {
	from := slices.Index(ids, post.ID)
	if from < 0 {
		return nil, cli.NewFailure(cli.ExitConflict, schedctl.PostNotScheduled, "%s does not wait in its queue any more: it is %s", post.ID, post.Status)
	}
	to := 0
	switch {
	case o.bottom:
		to = len(ids) - 1
	case o.before != "" || o.after != "":
		other, err := queuedPost(ctx, o.App, c, cli.FirstNonEmpty(o.before, o.after))
		if err != nil {
			return nil, err
		}
		if to = slices.Index(ids, other.ID); to < 0 {
			return nil, cli.InvalidError(schedctl.ValidationFailed, "%s does not wait in the same queue as %s", other.ID, post.ID).
				WithHint("see: schedctl post list --queue " + *post.QueueID)
		}
		if other.ID == post.ID {
			return nil, nil
		}
		if o.before != "" && to > from {
			to--
		}
		if o.after != "" && to < from {
			to++
		}
	}
	return moved(ids, from, to), nil
}

// moved returns the part of a list that changes when the element at from moves to the
// index to, in its new order.
func moved(ids []string, from, to int) []string {
	part := slices.Clone(ids[min(from, to) : max(from, to)+1])
	if from < to {
		return append(part[1:], part[0])
	}
	return append(part[len(part)-1:], part[:len(part)-1]...)
}

// queuedPost returns the post that an argument names. A post without a slot is an error.
func queuedPost(ctx context.Context, a *cli.App, c *client.Client, ref string) (p apiv1.Post, err error) {
	newest := c.EachPost(ctx, client.PostQuery{Limit: 100})
	id, err := cli.FindID(a, cli.PostNoun, ref, newest, "posts", func(p apiv1.Post) string { return p.ID }, inShort)
	if err != nil {
		return p, err
	}
	p, err = c.Post(ctx, id)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return p, cli.WithMessage(err, fmt.Sprintf("there is no post %q; see: schedctl post list", ref))
	case err != nil:
		return p, err
	case p.QueueID == nil || p.Slot == nil:
		return p, cli.NewFailure(cli.ExitConflict, schedctl.PostNotScheduled, "%s is not in a slot of a queue", p.ID).
			WithHint("give it one with: schedctl post edit " + p.ID + " --next-slot")
	}
	return p, nil
}

func inShort(p apiv1.Post) string {
	return string(p.Status) + ": " + cli.Clip(cli.OneLine(p.Content), 50)
}

// completeQueued offers the posts that wait in slots.
func completeQueued(a *cli.App, most int) cobra.CompletionFunc {
	return a.CompleteFrom(most, cli.CompleteInOrder, func(ctx context.Context, c *client.Client) (found []string, err error) {
		page, err := c.Posts(ctx, client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled}, Sort: "publish_at", Limit: 100})
		for _, p := range page.Results {
			if p.Slot != nil {
				found = append(found, p.ID+"\t"+inShort(p))
			}
		}
		return found, err
	})
}

// printMoves prints the posts that got other times.
func printMoves(a *cli.App, m apiv1.QueueMoves) error {
	switch {
	case a.JSON.Given:
		m.Moves = append([]apiv1.QueueMove{}, m.Moves...)
		return a.PrintJSON(m)
	case a.Quiet:
		return a.PrintIDs(cli.Map(m.Moves, func(m apiv1.QueueMove) string { return m.PostID })...)
	}
	return a.WriteList(a.RenderTable(movesTable(a, m)))
}

func movesTable(a *cli.App, m apiv1.QueueMoves) cli.Table {
	t := cli.Table{Header: []string{"POST", "FROM", "TO", "BEHIND"}, Status: -1}
	for _, move := range m.Moves {
		t.Rows = append(t.Rows, []string{move.PostID, a.ShortTime(&move.From), a.ShortTime(&move.To), strings.Join(move.Behind, ",")})
	}
	return t
}
