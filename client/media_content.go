package client

import (
	"context"
	"io"
)

// MediaContent writes the bytes of a media asset to w as they arrive, and returns
// their number. The download may take any time, but data must arrive at least once in
// the client's timeout. After an error, w may hold a part of the bytes.
func (c *Client) MediaContent(ctx context.Context, id string, w io.Writer) (size int64, err error) {
	path := itemPath(mediaPath, id, "content")
	if err := checkPath(path); err != nil {
		return 0, err
	}
	return c.download(ctx, downloadRequest{path: path, accept: "*/*", name: "the file"}, w)
}
