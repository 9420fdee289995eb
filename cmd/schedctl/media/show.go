package media

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newShow(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.MediaAsset](&cobra.Command{
		Use:   "show ID",
		Short: "Show a media asset",
		Long: `Show a media asset: its type, its size, its alt text, its SHA-256, and when it
expires. An asset expires only if no post needs it.

Kitty, Ghostty, iTerm2, WezTerm and terminals with Sixel show the picture, too.`,
		Example: `  schedctl media show med_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl media show @last --json=sha256,alt_text`,
		Args:              cli.Args(1, 1, "the id of a media asset"),
		ValidArgsFunction: complete(a, 1),
		RunE:              func(cmd *cobra.Command, args []string) error { return show(cmd.Context(), a, args[0]) },
	})
}

func show(ctx context.Context, a *cli.App, ref string) error {
	c, ids, err := connect(ctx, a, ref)
	if err != nil {
		return err
	}
	asset, err := c.MediaAsset(ctx, ids[0])
	if err != nil {
		return unknownAsset(ids[0], err)
	}
	if err := a.PrintObject(asset, asset.ID, properties(a, asset)); err != nil {
		return err
	}
	preview(ctx, a, c, asset)
	return nil
}

func properties(a *cli.App, asset apiv1.MediaAsset) []cli.Property {
	size := fmt.Sprint(asset.SizeBytes)
	if a.OutTerminal {
		size = cli.SizeText(asset.SizeBytes)
	}
	pairs := []cli.Property{
		{Name: "ID", Value: asset.ID},
		{Name: "Status", Value: string(asset.Status)},
		{Name: "File name", Value: asset.FileName},
		{Name: "Type", Value: asset.MIMEType},
		{Name: "Size", Value: size},
		{Name: "Pixels", Value: pixelText(asset)},
		{Name: "Duration", Value: durationText(asset)},
		{Name: "Alt text", Value: cli.Deref(asset.AltText)},
		{Name: "SHA256", Value: cli.Deref(asset.SHA256)},
		{Name: "Created at", Value: a.TimeText(asset.CreatedAt)},
		{Name: "Expires at", Value: a.TimeText(asset.ExpiresAt)},
	}
	if a.OutTerminal && asset.AltText == nil {
		pairs = append(pairs, cli.Property{Name: "Next", Value: "schedctl media edit " + asset.ID + " --alt TEXT"})
	}
	return pairs
}
