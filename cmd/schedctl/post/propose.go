package post

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// proposeFlag is --propose: the time that a draft shall have after its approval.
type proposeFlag struct{ text string }

func (p *proposeFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.text, "propose", "", "a `time` for a draft, or next-slot: it counts when the draft is approved")
}

// read returns the proposed time, nil without the flag, and shows the parsed time. w has the
// zone; slot says whether the post takes a slot.
func (p *proposeFlag) read(a *cli.App, w *cli.WhenFlags, slot bool) (*apiv1.ProposedTime, error) {
	switch {
	case p.text == "":
		return nil, nil
	case slot:
		return nil, cli.UsageError("--propose is for a draft, and --next-slot and --queue schedule it").WithHint("give --propose next-slot, or leave it out")
	case strings.EqualFold(strings.TrimSpace(p.text), apiv1.PublishNextSlot):
		return &apiv1.ProposedTime{NextSlot: true}, nil
	}
	own := *w
	own.At = p.text
	at, err := own.PublishAt(a)
	if err != nil {
		return nil, err
	}
	w.Moving = w.Moving || own.Moving
	return &apiv1.ProposedTime{Time: at.Time}, nil
}

// check refuses the flag for a post that is no draft: the daemon would leave the time out. A
// key that cannot read the post may edit it nevertheless.
func (p *proposeFlag) check(ctx context.Context, c *client.Client, id string) error {
	if p.text == "" {
		return nil
	}
	post, err := c.Post(ctx, id)
	if err != nil || post.Status == schedctl.Draft {
		return nil
	}
	refusal := cli.NewFailure(cli.ExitConflict, schedctl.PostNotDraft, "--propose is for drafts, and the post is %s", post.Status)
	if post.Status == schedctl.Scheduled {
		return refusal.WithHint("move it with: schedctl post edit " + id + " --at TIME")
	}
	return refusal
}

// proposedInstead returns the time of a request as a proposed one, if err says that the key
// writes drafts only; else nil. A slot of a named queue cannot be proposed.
func proposedInstead(err error, at *apiv1.PublishTime, named bool) *apiv1.ProposedTime {
	if !lacksScope(err) {
		return nil
	}
	return proposedTimeOf(at, named)
}

func proposedTimeOf(at *apiv1.PublishTime, named bool) *apiv1.ProposedTime {
	if at == nil || at.Now || named {
		return nil
	}
	return &apiv1.ProposedTime{Time: at.Time, NextSlot: at.NextSlot}
}

// create creates a post. If the key writes drafts only, it proposes the time of the post
// instead, unless named says that the post takes a slot of a named queue.
func (o idempotentWrite) create(ctx context.Context, c *client.Client, post apiv1.CreatePost, named bool) (made apiv1.Post, err error) {
	send := func(options ...client.Option) (apiv1.Post, error) { return c.CreatePost(ctx, post, options...) }
	var proposed *apiv1.ProposedTime
	if o.key != "" && draftsOnly(ctx, c) { // a second body under one idempotency key is refused, so it is decided before
		proposed = proposedTimeOf(post.PublishAt, named)
	}
	if proposed == nil {
		made, err = o.do(ctx, c, "", send)
		if proposed = proposedInstead(err, post.PublishAt, named); proposed == nil {
			return made, err
		}
	}
	post.ProposedAt, post.PublishAt, post.AllowBlackout = proposed, nil, false
	if made, err = o.do(ctx, c, "", send); err == nil {
		sayProposed(o.App, made)
	}
	return made, err
}

// draftsOnly reports whether the key writes drafts and cannot schedule them.
func draftsOnly(ctx context.Context, c *client.Client) bool {
	me, err := c.Me(ctx)
	may := func(s schedctl.Scope) bool { return slices.Contains(me.APIKey.Scopes, s) }
	return err == nil && may(schedctl.ScopePostsDraft) && !may(schedctl.ScopePostsWrite)
}

func lacksScope(err error) bool {
	code := schedctl.CodeOf(err)
	if f, ok := err.(*cli.Failure); ok {
		code = f.Code
	}
	return code == schedctl.InsufficientScope
}

// sayProposed says that a post is a draft with a proposed time, although a time was given,
// and which command submits it at that time.
func sayProposed(a *cli.App, p apiv1.Post) {
	if p.Status != schedctl.Draft || p.ProposedAt == nil || p.Approval != nil && p.Approval.State == schedctl.ApprovalPending {
		return
	}
	at := "--at " + p.ProposedAt.String()
	if p.ProposedAt.NextSlot {
		at = "--next-slot"
	}
	a.Messagef("this API key writes drafts only: %s is a draft, its time is proposed, and nothing was submitted; submit it with: schedctl post submit %s %s", p.ID, p.ID, at)
}

// concludeProposal returns the error of a dry run, or nil if the post would become a draft
// with a proposed time.
func concludeProposal(ctx context.Context, a *cli.App, c *client.Client, err error, at *apiv1.PublishTime, named bool) error {
	if proposedInstead(err, at, named) == nil || !draftsOnly(ctx, c) {
		return err
	}
	a.Messagef("this API key writes drafts only: the time would be proposed, and nothing submitted")
	return nil
}

// WithAdvice returns the message of a refusal. If drafts says that the key writes drafts, the
// refusal of a time ends with advice for such a key.
func WithAdvice(code schedctl.Code, message, advice string, drafts bool) string {
	if refusal, _, found := strings.Cut(message, "; "); found && drafts && code == schedctl.InsufficientScope {
		return refusal + "; " + advice
	}
	return message
}
