package mediafile

import (
	"context"
	"fmt"
	"io"
)

// Strip copies the media file src of size bytes to dst, without its metadata: EXIF data
// with positions, XMP, IPTC, comments, previews, times of recording, user data of videos,
// and everything that is appended to a picture. facts are those that Inspect returned.
// It ends with the error of ctx soon after ctx has ended.
//
// Strip keeps the compressed pixels, color profiles, animations and the orientation: a
// picture that is not upright gets EXIF data with nothing but its orientation. In videos
// the metadata is overwritten, so that the file keeps its length. PDF documents are copied
// as they are. The result has no metadata, and depends on nothing but src.
func Strip(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts Facts) error {
	view := wholeView(size)
	if facts.HasMetadata {
		var err error
		if view, err = NewView(ctx, src, size, facts.MIMEType); err != nil {
			return err
		}
	}
	// The struct hides other methods of dst, so that the copy takes one buffer.
	n, err := io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{view.Reader(ctx, src)}, make([]byte, windowSize))
	if err == nil && n < view.Size() {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("remove metadata: %w", err)
	}
	return nil
}

// wholeView returns the view of a file without metadata.
func wholeView(size int64) *View { return (&viewBuilder{source: size}).view() }
