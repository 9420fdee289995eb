package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

type postRetry struct {
	*app
	request apiv1.RetryPost
	wait    bool
}

func newPostRetry(a *app) *cobra.Command {
	o := &postRetry{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "retry ID",
		Short: "Try failed targets again",
		Long: `Try the failed targets of a post again. A target of which nobody knows whether the
network has it is left out, because a second try could publish it twice; look at
the account first, and then use --force.`,
		Example: `  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --wait
  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target pt_01KAK3R9ZC4VBX1D2E3F4G5H6K --force`,
		Args:              takes(1, 1, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	f := cmd.Flags()
	f.StringArrayVar(&o.request.TargetIDs, "target", nil, "only the target with this `id` (repeatable)")
	f.BoolVar(&o.request.Force, "force", false, "also where it is not known whether the network has the post")
	f.BoolVar(&o.wait, "wait", false, "wait until it is published; exit status 9 when a target failed")
	return cmd
}

func (o *postRetry) run(ctx context.Context, id string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	post, err := c.RetryPost(ctx, id, o.request)
	if err != nil {
		return refusedPost(id, err)
	}
	if o.wait {
		return o.waitFor(ctx, c, []string{post.ID})
	}
	return o.printPost(ctx, c, post)
}
