package post

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// submitOptions is "schedctl post submit".
type submitOptions struct {
	*cli.App
	note string
	when cli.WhenFlags
	slot bool
}

func newSubmit(a *cli.App) *cobra.Command {
	o := &submitOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "submit ID...",
		Short: "Ask for the approval of drafts",
		Long: `Ask for the approval of drafts. A submitted draft stays a draft, and its approval becomes
pending. "schedctl review" lists such drafts, and a key that may approve posts publishes
them with "schedctl post approve".

Propose a time with --at or --in, or the next free slot of a queue with --next-slot. It
counts from the approval; the reviewer can choose another one.

The exit status is 6 when a draft waits for an approval already, or is no draft.`,
		Example: `  schedctl post submit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "monday 9am"
  schedctl post submit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --next-slot --note "for the release"`,
		Args:              cli.Args(1, cli.Unlimited, "the id of a draft"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, ids []string) error { return o.run(cmd.Context(), ids) },
	})
	o.when.Add(cmd)
	cmd.Flags().BoolVar(&o.slot, "next-slot", false, "propose the next free slot of a queue")
	addReviewNote(cmd, &o.note, "a `text` for the reviewers")
	return cmd
}

func addReviewNote(cmd *cobra.Command, note *string, usage string) {
	cmd.Flags().StringVarP(note, "note", "m", "", usage)
}

func (o *submitOptions) run(ctx context.Context, refs []string) error {
	proposed, err := proposedTime(o.App, &o.when, o.slot)
	if err != nil {
		return err
	}
	request := apiv1.SubmitPost{ProposedAt: proposed}
	if o.note != "" {
		request.Note = &o.note
	}
	return changeEach(ctx, o.App, refs, func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
		return c.SubmitPost(ctx, id, request)
	})
}

// proposedTime returns the time of the flags, or nil without flags.
func proposedTime(a *cli.App, w *cli.WhenFlags, nextSlot bool) (*apiv1.ProposedTime, error) {
	at, err := w.PublishAt(a)
	switch {
	case err != nil:
		return nil, err
	case nextSlot && at != nil:
		return nil, cli.UsageError("--next-slot excludes --at and --in: give one")
	case nextSlot:
		return &apiv1.ProposedTime{NextSlot: true}, nil
	case at != nil:
		return &apiv1.ProposedTime{Time: at.Time}, nil
	}
	return nil, nil
}

// changeEach applies a change to posts, and prints them.
func changeEach(ctx context.Context, a *cli.App, refs []string, change func(context.Context, *client.Client, string) (apiv1.Post, error)) error {
	c, ids, err := connectAll(ctx, a, refs)
	if err != nil {
		return err
	}
	posts, failed := eachPost(ctx, a, ids, func(ctx context.Context, id string) (apiv1.Post, error) { return change(ctx, c, id) })
	if len(posts) == 0 {
		return failed
	}
	return joinErrors(failed, printAll(ctx, a, c, posts, len(ids) == 1))
}

// decideOptions are "schedctl post approve" and "schedctl post request-changes".
type decideOptions struct {
	*cli.Decision
	when cli.WhenFlags
	slot slotFlags
}

func newApprove(a *cli.App) *cobra.Command {
	o := &decideOptions{Decision: cli.NewDecision(a, "draft")}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "approve ID",
		Short: "Approve and schedule a draft",
		Long: `Approve a draft that was submitted. In the same step it is scheduled for its proposed
time, or for that of --at, --in or --next-slot. A post that failed because it was not
approved gets no new time; retry it after its approval with "schedctl post retry".

On a terminal the command shows the draft and asks. If the draft changes before you
answer, nothing is approved. Elsewhere, and with --yes, --version is required: the version
that was reviewed, which "schedctl review --json" shows. Without it, the exit status is 2.

You need a key with the scope posts:approve. The key that submitted the draft cannot
approve it. A key that has edited it can, unless "schedctl workspace edit --four-eyes"
demands two people for each text. The exit status of a refusal is 4; it is 6 when the
draft does not wait for an approval or has another version.`,
		Example: `  schedctl post approve post_01KAK3R9ZC4VBX1D2E3F4G5H6J --version 2
  schedctl post approve post_01KAK3R9ZC4VBX1D2E3F4G5H6J --version 2 --at "monday 9am" --note "thank you"`,
		Args:              cli.Args(1, 1, "the id of a draft"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, ids []string) error { return o.approve(cmd.Context(), ids[0]) },
	})
	o.when.Add(cmd)
	o.slot.add(a, cmd)
	o.Add(cmd, "a `text` for the author")
	return cmd
}

func newRequestChanges(a *cli.App) *cobra.Command {
	o := &decideOptions{Decision: cli.NewDecision(a, "draft")}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "request-changes ID --note TEXT",
		Short: "Ask the author of a draft to change it",
		Long: `Ask the author of a submitted draft to change it. The note says what has to change. The
draft leaves the review until it is submitted again. An approval is taken back the same
way, as long as nothing of the post is being published: the post becomes a draft with its
time as the proposed one.

On a terminal the command shows the draft and asks. Elsewhere, and with --yes, --version
is required: the version that was reviewed.

You need a key with the scope posts:approve. The exit status is 4 for your own request,
and 6 when the post does not wait for an approval and has none.`,
		Example:           `  schedctl post request-changes post_01KAK3R9ZC4VBX1D2E3F4G5H6J --version 2 --note "name the version"`,
		Args:              cli.Args(1, 1, "the id of a draft"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, ids []string) error { return o.requestChanges(cmd.Context(), ids[0]) },
	})
	o.Add(cmd, "what has to change: a `text`")
	return cmd
}

// read returns a draft in the version that the decision is about. On a terminal it shows
// the draft and asks.
func (o *decideOptions) read(ctx context.Context, ref, question string) (*client.Client, apiv1.Post, error) {
	if err := o.Check(); err != nil {
		return nil, apiv1.Post{}, err
	}
	c, id, err := connectOne(ctx, o.App, ref)
	if err != nil {
		return nil, apiv1.Post{}, err
	}
	p, err := c.Post(ctx, id)
	if err != nil {
		return nil, p, refusedPost(id, err)
	}
	show := func() (string, error) { return reviewText(ctx, o.App, c, p, AccountsByID(ctx, c)) }
	return c, p, o.Confirmed(ctx, p.Version, show, question)
}

func (o *decideOptions) approve(ctx context.Context, ref string) error {
	at, err := o.slot.publishAt(o.App, &o.when)
	if err != nil {
		return err
	}
	c, p, err := o.read(ctx, ref, "Approve and schedule this post?")
	if err != nil {
		return err
	}
	booked, err := o.slot.book(ctx, o.App, c, &o.when)
	if err != nil {
		return err
	}
	request := apiv1.ApprovePost{QueueID: booked.QueueID, NotBefore: booked.NotBefore, AllowBlackout: booked.AllowBlackout}
	if at != nil {
		request.PublishAt = &apiv1.ProposedTime{Time: at.Time, NextSlot: at.NextSlot}
	}
	if o.Note != "" {
		request.Note = &o.Note
	}
	approved, err := c.ApprovePost(ctx, p.ID, request, client.IfVersion(p.Version))
	if err != nil {
		return refusedPost(p.ID, o.when.Refused(err))
	}
	o.slot.echo(o.App, approved)
	return printPost(ctx, o.App, c, approved)
}

func (o *decideOptions) requestChanges(ctx context.Context, ref string) error {
	if o.Note == "" {
		return cli.UsageError("schedctl post request-changes needs --note, which says what has to change")
	}
	c, p, err := o.read(ctx, ref, "Request these changes of this post?")
	if err != nil {
		return err
	}
	changed, err := c.RequestChanges(ctx, p.ID, apiv1.RequestChanges{Note: o.Note}, client.IfVersion(p.Version))
	if err != nil {
		return refusedPost(p.ID, err)
	}
	return printPost(ctx, o.App, c, changed)
}

func newWithdraw(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "withdraw ID...",
		Short: "Withdraw posts from review",
		Long: `Withdraw posts from review. Drafts stay drafts, and can be submitted again. The
approval of a scheduled post is taken back as long as nothing of it is being
published: the post becomes a draft with its time as the proposed one.

The exit status is 6 when a post does not wait for an approval and has none.`,
		Example:           `  schedctl post withdraw post_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
		Args:              cli.Args(1, cli.Unlimited, "the id of a draft"),
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, refs []string) error {
			return changeEach(cmd.Context(), a, refs, func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
				return c.WithdrawPost(ctx, id)
			})
		},
	})
}
