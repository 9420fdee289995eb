package media

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type editOptions struct {
	*cli.App
	alt   string
	noAlt bool
}

func newEdit(a *cli.App) *cobra.Command {
	o := &editOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.MediaAsset](&cobra.Command{
		Use:   "edit ID",
		Short: "Change the alt text of a media asset",
		Long: `Change the alt text of a media asset. Posts that are not published yet get the new
text, unless they have an alt text of their own.`,
		Example: `  schedctl media edit med_01KAK3R9ZC4VBX1D2E3F4G5H6J --alt "A cat on a sofa"
  schedctl media edit @last --no-alt`,
		Args:              cli.Args(1, 1, "the id of a media asset"),
		ValidArgsFunction: complete(a, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	cmd.Flags().StringVar(&o.alt, "alt", "", "the new alt `text`")
	cmd.Flags().BoolVar(&o.noAlt, "no-alt", false, "remove the alt text")
	return cmd
}

func (o *editOptions) run(ctx context.Context, ref string) error {
	switch {
	case o.alt != "" && o.noAlt:
		return cli.UsageError("--alt and --no-alt exclude each other: give one")
	case o.alt == "" && !o.noAlt:
		return cli.UsageError("nothing to change").WithHint("give --alt TEXT or --no-alt")
	}
	c, ids, err := connect(ctx, o.App, ref)
	if err != nil {
		return err
	}
	var change apiv1.EditMedia
	if !o.noAlt {
		change.AltText = &o.alt
	}
	asset, err := c.EditMediaAsset(ctx, ids[0], change)
	if err != nil {
		return unknownAsset(ids[0], err)
	}
	return printAsset(o.App, asset, "Changed")
}

// printAsset prints one asset: as the list does, or on a terminal as a sentence.
func printAsset(a *cli.App, asset apiv1.MediaAsset, done string) error {
	if a.OutTerminal && !a.JSON.Given && !a.Quiet {
		return a.Write([]byte(sentence(a, asset, done)))
	}
	if a.JSON.Given {
		return a.PrintJSON(asset)
	}
	return cli.PrintList(a, []apiv1.MediaAsset{asset}, idOf, assetTable(), func(asset apiv1.MediaAsset) []string { return assetRow(a, asset) })
}

// sentence says what was done with an asset, with its alt text and its SHA-256.
func sentence(a *cli.App, asset apiv1.MediaAsset, done string) string {
	text := done + " " + a.Bold(cli.OneLine(asset.ID)) + ": " + cli.OneLine(describeAsset(asset)) + "\n"
	if asset.AltText == nil {
		text += "  no alt text; add one with: schedctl media edit " + cli.OneLine(asset.ID) + " --alt TEXT\n"
	} else {
		text += "  alt text: " + cli.OneLine(*asset.AltText) + "\n"
	}
	if asset.SHA256 != nil {
		text += "  sha256: " + cli.OneLine(*asset.SHA256) + "\n"
	}
	return text
}
