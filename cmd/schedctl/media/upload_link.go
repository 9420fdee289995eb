package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/qrcode"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type linkOptions struct {
	cli.OneTimeSecret
	name, alt string
	qr        bool
}

// linked is the result of upload-link.
type linked struct {
	apiv1.MediaAsset
	URL          *string     `json:"url"`      // null with --secret-out
	PageURL      *string     `json:"page_url"` // likewise
	URLExpiresAt *apiv1.Time `json:"url_expires_at"`
	MaxSizeBytes int64       `json:"max_size_bytes"`
}

func newUploadLink(a *cli.App) *cobra.Command {
	o := &linkOptions{OneTimeSecret: cli.OneTimeSecret{App: a, Word: "address", Field: "url"}}
	cmd := cli.DeclareJSON[linked](&cobra.Command{
		Use:   "upload-link",
		Short: "Make an address that takes one file without an API key",
		Long: `Make an address to which a program without an API key sends one file, such as with
curl -T FILE ADDRESS, and the address of a page for a person with a browser. --qr draws
the page's address for a phone. The result has the id of the media asset, which drafts
can have at once. Both addresses work for 15 minutes and one file together, and end with
the API key that made them.

` + cli.SecretHelp("address"),
		Example: `  schedctl media upload-link --alt "A cat on a sofa"
  schedctl media upload-link --name cat.png --json=id,url`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "the `name` of the file; without one it is named after its type")
	f.StringVar(&o.alt, "alt", "", "a `text` for people who cannot see the file")
	f.BoolVar(&o.qr, "qr", false, "draw the address of the page as a QR code, for a phone")
	o.Add(cmd)
	return cmd
}

func (o *linkOptions) run(ctx context.Context) error {
	if o.qr && (!o.OutTerminal || o.JSON.Given || o.Quiet || o.ToFile()) {
		return cli.UsageError("--qr draws for a person at a terminal; leave out --json, --quiet and --secret-out, and do not redirect the output")
	}
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
	o.WarnOfLocalAddress(link.URL)
	address, unsaved := o.Save(link.URL)
	result := linked{asset, address, &link.PageURL, link.ExpiresAt, link.MaxSizeBytes}
	if address == nil {
		result.PageURL = nil
	}
	err = o.Print(cli.CreatedResult{
		ID:       asset.ID,
		Sentence: fmt.Sprintf("Made %s, which takes its file until %s", o.Bold(cli.OneLine(asset.ID)), o.ShortTime(link.ExpiresAt)),
		Row:      []string{asset.ID}, Object: result, Secret: address,
	})
	if address != nil && o.OutTerminal && !o.JSON.Given && err == nil {
		err = o.explain(link)
	}
	if unsaved != nil {
		return unsaved
	}
	return err
}

// explain says to a person how to use the addresses.
func (o *linkOptions) explain(link apiv1.UploadLink) error {
	o.Messagef("send the file with: curl -T FILE ADDRESS")
	if err := o.Linef("Page for a browser: %s", link.PageURL); err != nil || !o.qr {
		return err
	}
	lines, err := qrcode.Draw(link.PageURL, o.Paint("1", "x") != "x")
	if err != nil {
		return err
	}
	return o.Write([]byte(strings.Join(lines, "\n") + "\n"))
}
