package media

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// uploaded is the result for one file.
type uploaded struct {
	apiv1.MediaAsset
	File     string `json:"file"`     // as given
	Existing bool   `json:"existing"` // whether the asset existed before
}

type uploadOptions struct {
	*cli.App
	alts altTexts
}

func newUpload(a *cli.App) *cobra.Command {
	o := &uploadOptions{App: a}
	cmd := cli.DeclareJSON[uploaded](&cobra.Command{
		Use:   "upload FILE...",
		Short: "Upload pictures, videos and documents",
		Long: `Upload files: PNG, JPEG, WebP and GIF pictures, MP4, QuickTime and WebM videos, and
PDF documents. The first --alt belongs to the first file, the second to the second;
--alt "" leaves a file without.

A file that the workspace has becomes another asset if its alt text is another one. With
the same alt text, the result is the existing asset. Without one it is an asset that your
API key has uploaded, or else one without an alt text. The file is sent again in that
case: this repairs an asset whose bytes are missing or damaged in the daemon's media
store. The exit status is 5 when a file is too large or of another type.

Without a terminal there is a line for each file: the id of its asset, its status, its
type, its size in bytes, its SHA-256, its file name and its alt text.`,
		Example: `  schedctl media upload cat.png --alt "A cat on a sofa"
  schedctl media upload 1.jpg 2.jpg --alt "The harbor at dawn" --alt "The same view at night"
  id=$(schedctl media upload cat.png -q)`,
		Args:              cli.Args(1, cli.Unlimited, "a file"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	})
	o.alts.add(cmd)
	return cmd
}

func (o *uploadOptions) run(ctx context.Context, files []string) error {
	if err := o.alts.check(len(files), "file"); err != nil {
		return err
	}
	for _, file := range files {
		if err := checkFile(file); err != nil {
			return err
		}
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	var failed cli.ErrorList
	done := []uploaded{}
	u := NewUploader(o.App, c)
	u.Resend = true
	for i, file := range files {
		one, err := u.Upload(ctx, file, o.alts.at(i))
		if err != nil {
			failed = append(failed, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		done = append(done, uploaded{one.MediaAsset, file, one.Existing})
	}
	if err := o.print(done, len(files) == 1); err != nil {
		return err
	}
	if failed == nil {
		return nil
	}
	return failed
}

// print prints one object for a single file, and a list for several.
func (o *uploadOptions) print(done []uploaded, alone bool) error {
	switch {
	case len(done) == 0:
		return nil
	case o.JSON.Given && alone:
		return o.PrintJSON(done[0])
	case o.OutTerminal && !o.JSON.Given && !o.Quiet:
		var text string
		for _, r := range done {
			verb := "Uploaded"
			if r.Existing {
				verb = "Exists:"
			}
			text += sentence(o.App, r.MediaAsset, verb)
		}
		return o.Write([]byte(text))
	}
	return cli.PrintList(o.App, done, func(r uploaded) string { return r.ID }, assetTable(), func(r uploaded) []string { return assetRow(o.App, r.MediaAsset) })
}
