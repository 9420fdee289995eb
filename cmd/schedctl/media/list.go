package media

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newList(a *cli.App) *cobra.Command {
	var limit cli.ListLimit
	cmd := cli.DeclareJSON[apiv1.MediaAsset](&cobra.Command{
		Use:   "list",
		Short: "List media assets",
		Long: `List the media assets of the workspace, the newest first.

Without a terminal there is a line for each asset: its id, its status, its type, its
size in bytes, its SHA-256, its file name and its alt text.`,
		Example: `  schedctl media list
  schedctl media list --jq '.[] | select(.alt_text == null) | .id'`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), a, &limit) },
	})
	limit.Add(cmd, "assets")
	return cmd
}

func list(ctx context.Context, a *cli.App, limit *cli.ListLimit) error {
	if err := limit.Check(); err != nil {
		return err
	}
	c, err := a.Connect()
	if err != nil {
		return err
	}
	most := limit.Max(a, false)
	assets, more, err := cli.Collect(c.EachMediaAsset(ctx, client.MediaQuery{Limit: min(most, pageSize)}), most)
	if err != nil {
		return err
	}
	if err := cli.PrintList(a, assets, idOf, assetTable(), func(asset apiv1.MediaAsset) []string { return assetRow(a, asset) }); err != nil {
		return err
	}
	switch {
	case more && a.OutTerminal:
		a.Messagef("there are more: give a higher --limit")
	case len(assets) == 0 && a.ErrTerminal && !a.JSON.Given && !a.Quiet:
		a.Messagef("no media assets; upload one with: schedctl media upload FILE")
	}
	return nil
}
