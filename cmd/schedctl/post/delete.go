package post

import (
	"context"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newDelete(a *cli.App) *cobra.Command {
	o := &changeOptions{
		App: a, op: schedctl.OpDelete, asks: true,
		words: changeTexts{noun: "draft", infinitive: "delete", participle: "deleted", ask: "Delete %s for good?"},
		apply: func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
			return apiv1.Post{ID: id}, c.DeletePost(ctx, id)
		},
	}
	o.plan, o.report = o.tellSelected, o.printRemovals
	cmd := cli.DeclareJSON[cli.Removal](&cobra.Command{
		Use:   "delete [ID...]",
		Short: "Delete drafts",
		Long: `Delete drafts. This cannot be undone. To stop a scheduled post, cancel it.

Without an id, flags select drafts as in "schedctl post list". The selected drafts are
listed, and you confirm; without a terminal --yes is required. The exit status is 9
when some of the drafts could not be deleted.`,
		Example: `  schedctl post delete post_01KAK3R9ZC4VBX1D2E3F4G5H6J --yes
  schedctl post delete --search "never to be sent" --dry-run`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE:              o.run,
	})
	cmd.Annotations[cli.DryFieldsAnnotation] = cli.TypeNames(reflect.TypeFor[apiv1.Post]())
	o.add(cmd)
	return cmd
}

// printRemovals prints an object for a single post and a list for several.
func (o *changeOptions) printRemovals(_ context.Context, _ *client.Client, done changeResult) error {
	gone := make([]cli.Removal, len(done.posts))
	for i, p := range done.posts {
		gone[i] = cli.Removal{ID: p.ID, Deleted: true}
	}
	if o.JSON.Given && !done.alone {
		return o.PrintJSON(gone)
	}
	for _, g := range gone {
		if err := o.PrintRemoval(g.ID, "Deleted"); err != nil {
			return err
		}
	}
	return nil
}
