package media

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newFromURL(a *cli.App) *cobra.Command {
	var alt string
	cmd := cli.DeclareJSON[apiv1.MediaAsset](&cobra.Command{
		Use:   "from-url URL",
		Short: "Upload a file from a URL",
		Long: `Have the daemon fetch a file from a public http or https URL. The daemon takes two
minutes at most. It refuses addresses of private networks. A file that the workspace has
gives the same result as in "schedctl media upload".`,
		Example: `  schedctl media from-url https://example.org/cat.png --alt "A cat on a sofa"
  id=$(schedctl media from-url https://example.org/cat.png -q)`,
		Args: cli.Args(1, 1, "a URL"),
		RunE: a.WithClient(func(ctx context.Context, c *client.Client, args []string) error {
			return fromURL(ctx, a, c, apiv1.MediaFromURL{URL: args[0]}, alt)
		}),
	})
	cmd.Flags().StringVar(&alt, "alt", "", "a `text` for people who cannot see the file")
	return cmd
}

// isURL reports whether a value of --media is the URL of a file.
func isURL(ref string) bool {
	scheme, _, found := strings.Cut(ref, "://")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// fetch returns an asset with the file of a URL, which the daemon fetches.
func (u *Uploader) fetch(ctx context.Context, ref, alt string) (apiv1.UploadedMedia, error) {
	request := apiv1.MediaFromURL{URL: ref}
	if alt != "" {
		request.AltText = &alt
	}
	done, err := u.client.FetchMedia(ctx, request)
	if err != nil {
		shown, _, _ := strings.Cut(ref, "?") // the rest may be a secret
		return done, fmt.Errorf("fetch %s: %w", cli.Clip(shown, 80), err)
	}
	if u.fetched == nil {
		u.fetched = map[string]string{}
	}
	u.fetched[ref] = done.MediaAsset.ID
	u.app.RememberID(cli.MediaNoun, done.MediaAsset.ID)
	return done, nil
}

func fromURL(ctx context.Context, a *cli.App, c *client.Client, request apiv1.MediaFromURL, alt string) error {
	if alt != "" {
		request.AltText = &alt
	}
	done, err := c.FetchMedia(ctx, request)
	if err != nil {
		return err
	}
	a.RememberID(cli.MediaNoun, done.MediaAsset.ID)
	verb := "Fetched"
	if done.Existing {
		verb = "Exists:"
	}
	return printAsset(a, done.MediaAsset, verb)
}
