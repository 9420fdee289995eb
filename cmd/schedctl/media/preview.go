package media

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/cli/picture"
)

// previewSize is the largest size of a preview.
var previewSize = picture.Size{Width: 640, Height: 480}

// preview shows the picture of an asset if the terminal can. It never fails: without a
// picture the command has shown all facts.
func preview(ctx context.Context, a *cli.App, c *client.Client, asset apiv1.MediaAsset) {
	if !a.OutTerminal || a.JSON.Given || a.Filter != nil || a.Quiet || !picture.Shows(asset) {
		return
	}
	protocol := a.Graphics()
	if protocol == picture.None {
		return
	}
	file, err := Preview(ctx, c, asset)
	if err != nil {
		return
	}
	if shown, err := picture.Encode(ctx, protocol, file, previewSize); err == nil {
		_ = a.ShowPicture(shown)
	}
}
