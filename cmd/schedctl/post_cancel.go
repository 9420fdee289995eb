package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
)

type postCancel struct {
	*app
	yes bool
}

func newPostCancel(a *app) *cobra.Command {
	o := &postCancel{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "cancel ID...",
		Short: "Call scheduled posts off, for good",
		Long: `Call posts off that are scheduled or being published. What is published already
stays published. A canceled post cannot be scheduled again.`,
		Example:           `  schedctl post cancel post_01KAK3R9ZC4VBX1D2E3F4G5H6J`,
		Args:              takes(1, unlimited, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *postCancel) run(ctx context.Context, ids []string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("Cancel %s for good?", plural(len(ids), "post"))); err != nil {
			return err
		}
	}
	posts, failed := eachPost(ids, func(id string) (apiv1.Post, error) { return c.CancelPost(ctx, id) })
	if err := o.printEach(ctx, c, ids, posts); err != nil {
		return err
	}
	return failed
}
