package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// downloaded is what --json shows of a download.
type downloaded struct {
	ID        string `json:"id"`
	File      string `json:"file"`
	SizeBytes int64  `json:"size_bytes"`
	SHA256    string `json:"sha256"`
}

func newDownload(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[downloaded](&cobra.Command{
		Use:   "download ID [FILE|-]",
		Short: "Download a media asset",
		Long: `Download the bytes of a media asset as they were uploaded, to a file or to standard
output ("-"). If you name no file, the name is that of the uploaded file, in the
current directory, and an existing file is not replaced. A file that you name is
replaced, but only after a complete download with the correct SHA-256.`,
		Example: `  schedctl media download med_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl media download @last copy.png
  schedctl media download @last - | sha256sum`,
		Args: cli.Args(1, 2, "the id of a media asset and at most one file"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveDefault // the file
			}
			return complete(a, 1)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return download(cmd.Context(), a, args[0], append(args, "")[1])
		},
	})
}

func download(ctx context.Context, a *cli.App, ref, file string) error {
	switch {
	case file == "-" && a.WithoutJSON():
		return cli.UsageError("--json needs a file: standard output has the bytes").WithHint("give the name of a file")
	case file == "-" && a.OutTerminal:
		return cli.UsageError("standard output is a terminal, which cannot show the file").WithHint("give the name of a file, or use a pipe")
	}
	c, ids, err := connect(ctx, a, ref)
	if err != nil {
		return err
	}
	asset, err := c.MediaAsset(ctx, ids[0])
	switch {
	case err != nil:
		return unknownAsset(ids[0], err)
	case asset.Status != schedctl.MediaReady:
		return cli.NewFailure(cli.ExitConflict, schedctl.MediaNotReady, "%s is %s: it has no bytes to download", asset.ID, asset.Status)
	case file == "-":
		return copyContent(ctx, a, c, asset, a.Out())
	case file == "":
		file = schedctl.CleanFileName(asset.FileName)
		if _, err := os.Lstat(file); err == nil {
			return cli.OtherError("%s exists already", file).WithHint("give the name of the file to write: schedctl media download " + asset.ID + " FILE")
		}
	}
	err = cli.ReplaceFile(file, func(w io.Writer) error { return copyContent(ctx, a, c, asset, w) })
	switch {
	case err != nil:
		return err
	case a.JSON.Given:
		return a.PrintJSON(downloaded{asset.ID, file, asset.SizeBytes, cli.Deref(asset.SHA256)})
	case a.OutTerminal && !a.Quiet:
		return a.Linef("Wrote %s: %s, sha256 %s", a.Bold(file), cli.SizeText(asset.SizeBytes), cli.Deref(asset.SHA256))
	}
	return a.Linef("%s", file)
}

// copyContent writes the bytes of an asset and compares their SHA-256.
func copyContent(ctx context.Context, a *cli.App, c *client.Client, asset apiv1.MediaAsset, w io.Writer) error {
	bar := a.NewByteProgress("downloading", asset.SizeBytes)
	defer bar.End()
	hash := sha256.New()
	written := int64(0)
	_, err := c.MediaContent(ctx, asset.ID, UpTo(writerFunc(func(p []byte) (int, error) {
		n, err := w.Write(p)
		hash.Write(p[:n])
		written += int64(n)
		bar.Set(written)
		return n, err
	}), asset))
	if err != nil {
		return unknownAsset(asset.ID, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != cli.Deref(asset.SHA256) {
		return cli.OtherError("the bytes of %s arrived damaged: their SHA-256 is %s", asset.ID, got).WithHint("download it again; if the daemon has lost them, upload the same file again: schedctl media upload FILE")
	}
	return nil
}

type writerFunc func([]byte) (int, error)

// Write calls the function.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// pathlessError returns the reason of a file error without the operation and the path.
func pathlessError(err error) error {
	if at, ok := err.(*fs.PathError); ok {
		return at.Err
	}
	return err
}
