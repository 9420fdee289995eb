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

type retryOptions struct {
	changeOptions
	request apiv1.RetryPost
	wait    bool
}

func newRetry(a *cli.App) *cobra.Command {
	o := &retryOptions{changeOptions: changeOptions{
		App: a, op: schedctl.OpRetry, preset: []schedctl.Status{schedctl.Failed},
		words: changeTexts{noun: "post", infinitive: "retry", participle: "retried", ask: "Retry %s?"},
	}}
	o.judge, o.plan, o.report = o.refuses, o.tellTargets, o.printRetried
	o.apply = func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
		return c.RetryPost(ctx, id, o.request)
	}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "retry [ID...]",
		Short: "Try failed targets again",
		Long: `Retry the failed targets of posts. A target with an unknown outcome is skipped,
because a retry could publish it twice. Check the account first, and then use --force.

A thread continues with its first part that is not published; parts that are published
are never sent again. A published post whose first comment failed can be retried by its
id: only the comment is sent.

A target that waits for its network, or whose outcome is not known yet, is not simply
sent again: schedctl first asks the network at once. One that waits for the end of a rate
limit, or for its next attempt, is tried now.

Without an id, flags select failed posts as in "schedctl post list". The selected
posts are listed, and you confirm; without a terminal --yes is required. The exit
status is 9 when some of the posts could not be retried.`,
		Example: `  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --wait
  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target pt_01KAK3R9ZC4VBX1D2E3F4G5H6K --force
  schedctl post retry --status failed --account mastodon:me --after "yesterday 0:00" --yes`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 && len(o.request.TargetIDs) > 0 {
				return cli.UsageError("--target is about one post: give its id")
			}
			return o.run(cmd, args)
		},
	})
	o.add(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.request.TargetIDs, "target", nil, "only the target with this `id` (repeatable)")
	f.BoolVar(&o.request.Force, "force", false, "also retry targets whose outcome is unknown, which may publish them twice")
	f.BoolVar(&o.wait, "wait", false, "wait until the post is published; exit status 9 when a target failed")
	return cmd
}

// printRetried prints the posts. With --wait it first waits until they are finished.
func (o *retryOptions) printRetried(ctx context.Context, c *client.Client, done changeResult) error {
	if !o.wait {
		return o.printChanged(ctx, c, done)
	}
	warnAbout(o.App, done.posts...)
	return waitForAll(ctx, o.App, c, idsOf(done.posts), done.alone)
}

// refuses returns the error with which the daemon would refuse to retry targets of a
// failed post.
func (o *retryOptions) refuses(p apiv1.Post) error {
	known, unknown := failedTargets(p)
	for _, id := range o.request.TargetIDs {
		is := func(t apiv1.Target) bool { return t.ID == id }
		switch {
		case slices.ContainsFunc(known, is):
		case slices.ContainsFunc(unknown, is) && o.request.Force:
		case slices.ContainsFunc(unknown, is):
			return mayBePublished(p)
		case slices.ContainsFunc(p.Targets, is):
			return &cli.Failure{Status: cli.ExitConflict, Code: schedctl.PostNotRetryable, Message: id + " cannot be retried: it is neither failed nor waiting for its network"}
		default:
			return cli.InvalidError(schedctl.ValidationFailed, "%s is not a target of %s", cli.Clip(id, 60), p.ID)
		}
	}
	if len(known) == 0 && p.Status == schedctl.Publishing {
		return &cli.Failure{Status: cli.ExitConflict, Code: schedctl.PostNotRetryable, Message: p.ID + " is publishing, and no target of it has failed or waits for its network"}
	}
	if len(known) == 0 && !o.request.Force {
		return mayBePublished(p)
	}
	return nil
}

func mayBePublished(p apiv1.Post) error {
	return cli.NewFailure(cli.ExitConflict, schedctl.PostNotRetryable, "the network may have published %s already", p.ID).
		WithHint("look there first, then retry with --force")
}

// failedTargets returns the targets that can be retried, or whose network can be asked
// at once, and the targets that need --force.
func failedTargets(p apiv1.Post) (known, unknown []apiv1.Target) {
	for _, t := range p.Targets {
		switch {
		case waitsForNetwork(t):
			known = append(known, t)
		case t.Status != schedctl.Failed && !failedComment(t):
		case t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown:
			unknown = append(unknown, t)
		default:
			known = append(known, t)
		}
	}
	return known, unknown
}

// waitsForNetwork reports whether a retry makes schedctl contact the network of a
// target at once.
func waitsForNetwork(t apiv1.Target) bool {
	if inDoubt(t) {
		return true
	}
	return t.Status == schedctl.Publishing && t.NextAttemptAt != nil && t.Error != nil && (t.Error.Kind == schedctl.KindNetwork || t.Error.Retryable)
}

// tellTargets describes what happens to the targets of a selected post.
func (o *retryOptions) tellTargets(p apiv1.Post, names Accounts) {
	known, unknown := failedTargets(p)
	text := cli.Clip(cli.OneLine(p.Content), 40)
	if len(known) > 0 {
		o.Messagef("%s to %s: %s", p.ID, accountList(known, names), text)
	}
	switch {
	case len(unknown) == 0:
	case o.request.Force:
		o.Messagef("%s to %s, which may have it already: %s", p.ID, accountList(unknown, names), text)
	default:
		o.Messagef("left out: %s to %s, which may have it already; look there, and then use --force: %s", p.ID, accountList(unknown, names), text)
	}
}

// joinErrors returns the errors that are not nil, in their order.
func joinErrors(errs ...error) error {
	var all cli.ErrorList
	for _, err := range errs {
		if list, ok := err.(cli.ErrorList); ok {
			all = append(all, list...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// accountList lists the accounts of targets.
func accountList(targets []apiv1.Target, names Accounts) string {
	return strings.Join(cli.Map(targets, func(t apiv1.Target) string { return cli.OneLine(names.Name(t.SocialAccountID)) }), ", ")
}
