package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

type postDelete struct {
	*app
	yes bool
}

func newPostDelete(a *app) *cobra.Command {
	o := &postDelete{app: a}
	cmd := prints[removal](&cobra.Command{
		Use:               "delete ID...",
		Short:             "Delete drafts",
		Long:              `Delete drafts for good. A post that is scheduled can be canceled instead.`,
		Example:           `  schedctl post delete post_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes`,
		Args:              takes(1, unlimited, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args)
		},
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *postDelete) run(ctx context.Context, ids []string) error {
	c, err := o.connect()
	if err != nil {
		return err
	}
	if !o.yes {
		if err := o.confirm(ctx, fmt.Sprintf("Delete %s for good?", plural(len(ids), "draft"))); err != nil {
			return err
		}
	}
	var failed several
	gone := []removal{}
	for _, id := range ids {
		if err := c.DeletePost(ctx, id); err != nil {
			failed = append(failed, about(id, ids, err))
			continue
		}
		gone = append(gone, removal{ID: id, Deleted: true})
	}
	if err := o.printRemovals(ids, gone); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return nil
}

// printRemovals prints an object for one id and a list for several.
func (o *postDelete) printRemovals(ids []string, gone []removal) error {
	switch {
	case len(gone) == 0:
		return nil
	case o.json.set && len(ids) > 1:
		return o.printJSON(gone)
	}
	for _, g := range gone {
		if err := o.printRemoval(g.ID, "Deleted"); err != nil {
			return err
		}
	}
	return nil
}
