package media

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// New returns the command media.
func New(a *cli.App) *cobra.Command {
	cmd := cli.ParentCommand(&cobra.Command{
		Use:   "media",
		Short: "Upload and manage pictures, videos and documents",
		Long: `Upload and manage pictures, videos and documents.

A media asset is a file that you uploaded, with an alt text: a description for people
who cannot see it. Its bytes never change. "schedctl post create --media FILE" uploads
a file and attaches it to a post in one command.

The daemon deletes assets that no post uses a week after their upload.`,
		Example: `  schedctl media upload cat.png --alt "A cat on a sofa"
  schedctl media list`,
	})
	a.AddBranches(cmd, Branches())
	return cmd
}

// Branches are the commands below media.
func Branches() []cli.Branch {
	return []cli.Branch{
		{Name: "upload", Make: newUpload}, {Name: "list", Make: newList}, {Name: "show", Make: newShow},
		{Name: "edit", Make: newEdit}, {Name: "delete", Make: newDelete}, {Name: "download", Make: newDownload},
		{Name: "from-url", Make: newFromURL}, {Name: "upload-link", Make: newUploadLink},
	}
}

// pageSize is the largest page of the API.
const pageSize = 100

// assetID returns the id of the asset that an argument names; see [cli.FindID].
func assetID(ctx context.Context, a *cli.App, c *client.Client, ref string) (string, error) {
	newest := c.EachMediaAsset(ctx, client.MediaQuery{Limit: pageSize})
	return cli.FindID(a, cli.MediaNoun, ref, newest, "media assets", idOf, func(asset apiv1.MediaAsset) string { return cli.OneLine(asset.FileName) })
}

// connect connects to the daemon and returns the ids of the assets that arguments name.
func connect(ctx context.Context, a *cli.App, refs ...string) (c *client.Client, ids []string, err error) {
	if c, err = a.Connect(); err != nil {
		return nil, nil, err
	}
	for _, ref := range refs {
		id, err := assetID(ctx, a, c, ref)
		if err != nil {
			return nil, nil, err
		}
		ids = append(ids, id)
	}
	return c, ids, nil
}

// unknownAsset names the asset in an error with the code NOT_FOUND.
func unknownAsset(id string, err error) error {
	if schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	return cli.WithMessage(err, fmt.Sprintf("there is no media asset %q; see: schedctl media list", cli.Clip(id, 60)))
}

// complete offers the ids of recent assets that are not on the command line yet.
func complete(a *cli.App, most int) cobra.CompletionFunc {
	return a.CompleteFrom(most, cli.CompleteInOrder, func(ctx context.Context, c *client.Client) ([]string, error) {
		page, err := c.MediaAssets(ctx, client.MediaQuery{Limit: 50})
		return cli.Map(page.Results, func(asset apiv1.MediaAsset) string {
			return asset.ID + "\t" + cli.Clip(cli.OneLine(asset.FileName), 50)
		}), err
	})
}

// assetRow returns the cells of an asset: for people its facts in short, for programs all
// that a script needs.
func assetRow(a *cli.App, asset apiv1.MediaAsset) []string {
	if a.OutTerminal {
		return []string{asset.ID, string(asset.Status), asset.MIMEType, cli.SizeText(asset.SizeBytes), asset.FileName, cli.Deref(asset.AltText)}
	}
	return []string{
		asset.ID, string(asset.Status), asset.MIMEType, fmt.Sprint(asset.SizeBytes), cli.Deref(asset.SHA256), asset.FileName, cli.Deref(asset.AltText),
	}
}

// assetTable is the table of assets.
func assetTable() cli.Table {
	return cli.Table{Header: []string{"ID", "STATUS", "TYPE", "SIZE", "NAME", "ALT TEXT"}, Status: 1, Excerpt: true}
}

func idOf(asset apiv1.MediaAsset) string { return asset.ID }

// describeAsset returns the name and the facts of an asset in one phrase.
func describeAsset(asset apiv1.MediaAsset) string {
	facts := []string{cli.OneLine(asset.FileName), asset.MIMEType, cli.SizeText(asset.SizeBytes)}
	if pixels := pixelText(asset); pixels != "" {
		facts = append(facts, pixels)
	}
	if asset.Status != schedctl.MediaReady {
		facts = append(facts, string(asset.Status))
	}
	return strings.Join(facts, ", ")
}

func pixelText(asset apiv1.MediaAsset) string {
	if asset.Width == nil || asset.Height == nil {
		return ""
	}
	return fmt.Sprintf("%dx%d", *asset.Width, *asset.Height)
}

func durationText(asset apiv1.MediaAsset) string {
	if asset.DurationMS == nil {
		return ""
	}
	return (time.Duration(*asset.DurationMS) * time.Millisecond).String()
}
