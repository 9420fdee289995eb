package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// previewTime is the longest download of a picture that is shown.
const previewTime = 30 * time.Second

// Preview returns the file of a picture that is to be shown. The daemon cannot send more
// than it has announced.
func Preview(ctx context.Context, c *client.Client, asset apiv1.MediaAsset) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, previewTime, fmt.Errorf("the download takes longer than %v", previewTime))
	defer cancel()
	var file bytes.Buffer
	_, err := c.MediaContent(ctx, asset.ID, UpTo(&file, asset))
	return file.Bytes(), err
}

// UpTo returns a writer that refuses to write more than the bytes that an asset has, so that
// a daemon cannot fill a disk or the memory.
func UpTo(w io.Writer, asset apiv1.MediaAsset) io.Writer {
	left := asset.SizeBytes
	return writerFunc(func(p []byte) (int, error) {
		if left -= int64(len(p)); left < 0 {
			return 0, cli.OtherError("the daemon sends more than the %d bytes of %s", asset.SizeBytes, asset.ID)
		}
		return w.Write(p)
	})
}
