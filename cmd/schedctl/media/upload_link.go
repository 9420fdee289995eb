package media

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type linkOptions struct {
	cli.OneTimeSecret
	name, alt string
}

// linked is the result of upload-link.
type linked struct {
	apiv1.MediaAsset
	URL          *string     `json:"url"` // null with --secret-out
	URLExpiresAt *apiv1.Time `json:"url_expires_at"`
	MaxSizeBytes int64       `json:"max_size_bytes"`
}

func newUploadLink(a *cli.App) *cobra.Command {
	o := &linkOptions{OneTimeSecret: cli.OneTimeSecret{App: a, Word: "address", Field: "url"}}
	cmd := cli.DeclareJSON[linked](&cobra.Command{
		Use:   "upload-link",
		Short: "Make an address that takes one file without an API key",
		Long: `Make an address to which a person or a program without an API key sends one file, such
as with curl -T FILE ADDRESS. The result has the id of the media asset, which drafts can
have at once. The address works for 15 minutes and one file, and ends with the API key
that made it.

` + cli.SecretHelp("address"),
		Example: `  schedctl media upload-link --alt "A cat on a sofa"
  schedctl media upload-link --name cat.png --json=id,url`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "the `name` of the file; without one it is named after its type")
	f.StringVar(&o.alt, "alt", "", "a `text` for people who cannot see the file")
	o.Add(cmd)
	return cmd
}

func (o *linkOptions) run(ctx context.Context) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	end, err := o.Open()
	if err != nil {
		return err
	}
	defer end()
	var request apiv1.CreateUploadLink
	if o.name != "" {
		request.FileName = &o.name
	}
	if o.alt != "" {
		request.AltText = &o.alt
	}
	made, err := c.CreateUploadLink(ctx, request)
	if err != nil {
		return err
	}
	asset, link := made.MediaAsset, made.UploadLink
	o.RememberID(cli.MediaNoun, asset.ID)
	if cli.IsOnThisMachine(link.URL) {
		o.Messagef("only this computer can use the address; for others, start the daemon with --public-url")
	}
	address, unsaved := o.Save(link.URL)
	err = o.Print(cli.CreatedResult{
		ID:       asset.ID,
		Sentence: fmt.Sprintf("Made %s, which takes its file until %s", o.Bold(cli.OneLine(asset.ID)), o.ShortTime(link.ExpiresAt)),
		Row:      []string{asset.ID}, Object: linked{asset, address, link.ExpiresAt, link.MaxSizeBytes}, Secret: address,
	})
	if address != nil && o.OutTerminal && !o.JSON.Given {
		o.Messagef("send the file with: curl -T FILE ADDRESS")
	}
	if unsaved != nil {
		return unsaved
	}
	return err
}
