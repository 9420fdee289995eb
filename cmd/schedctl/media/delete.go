package media

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type deleteOptions struct {
	*cli.App
	yes bool
}

func newDelete(a *cli.App) *cobra.Command {
	o := &deleteOptions{App: a}
	cmd := cli.DeclareJSON[cli.Removal](&cobra.Command{
		Use:   "delete ID...",
		Short: "Delete media assets",
		Long: `Delete media assets. Posts that are published stay as they are. An asset cannot be
deleted while a draft, a scheduled post or a failed post uses it (exit status 6).`,
		Example: `  schedctl media delete med_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl media delete @last --yes`,
		Args:              cli.Args(1, cli.Unlimited, "the id of a media asset"),
		ValidArgsFunction: complete(a, cli.Unlimited),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	})
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *deleteOptions) run(ctx context.Context, refs []string) error {
	c, ids, err := connect(ctx, o.App, refs...)
	if err != nil {
		return err
	}
	if !o.yes {
		what := cli.Clip(ids[0], 60)
		if len(ids) > 1 {
			what = cli.Plural(len(ids), "media asset")
		}
		if err := o.Confirm(ctx, fmt.Sprintf("Delete %s for good?", what)); err != nil {
			return err
		}
	}
	var failed cli.ErrorList
	removed := []cli.Removal{}
	for _, id := range ids {
		if err := c.DeleteMediaAsset(ctx, id); err != nil {
			failed = append(failed, unknownAsset(id, err))
			continue
		}
		removed = append(removed, cli.Removal{ID: id, Deleted: true})
	}
	if o.JSON.Given && len(ids) > 1 {
		err = o.PrintJSON(removed)
	} else {
		for _, r := range removed {
			err = errors.Join(err, o.PrintRemoval(r.ID, "Deleted"))
		}
	}
	if err != nil || failed == nil {
		return err
	}
	return failed
}
