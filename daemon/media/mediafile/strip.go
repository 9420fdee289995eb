package mediafile

import (
	"context"
	"fmt"
	"io"
)

// Strip copies the media file src of size bytes to dst, without its metadata: EXIF data
// with positions, XMP, IPTC, comments, previews, times of recording, user data of videos,
// and everything that is appended to a picture. facts are those that Inspect returned.
//
// Strip keeps the compressed pixels, color profiles, animations and the orientation: a
// picture that is not upright gets EXIF data with nothing but its orientation. In videos
// the metadata is overwritten, so that the file keeps its length. PDF documents are copied
// as they are. The result has no metadata, and depends on nothing but src.
func Strip(ctx context.Context, dst io.Writer, src io.ReaderAt, size int64, facts Facts) error {
	c := &copier{dst: dst, src: src}
	if facts.HasMetadata {
		var total totals
		survey := &scan{window: window{ctx: ctx, r: src, size: size}}
		survey.edit = func(e edit) error {
			total.grown += e.grows()
			return nil
		}
		if err := survey.walk(facts.MIMEType, &total.facts); err != nil {
			return fmt.Errorf("remove metadata: %w", err)
		}
		again := &scan{window: window{ctx: ctx, r: src, size: size}, edit: c.apply, total: &total}
		if err := again.walk(facts.MIMEType, &Facts{}); err != nil {
			return fmt.Errorf("remove metadata: %w", err)
		}
	}
	if err := c.copyTo(size); err != nil {
		return fmt.Errorf("remove metadata: %w", err)
	}
	return nil
}

// copier copies a file with edits, which must be in the order of their offsets.
type copier struct {
	dst io.Writer
	src io.ReaderAt
	pos int64 // up to where src is copied
}

// apply copies the bytes before an edit, and writes the edit.
func (c *copier) apply(e edit) error {
	if e.offset < c.pos {
		return fmt.Errorf("edit at byte %d comes after byte %d", e.offset, c.pos)
	}
	if err := c.copyTo(e.offset); err != nil {
		return err
	}
	c.pos += e.length
	if !e.zero {
		_, err := c.dst.Write(e.data)
		return err
	}
	_, err := io.CopyN(c.dst, zeros{}, e.length)
	return err
}

// copyTo copies up to an offset.
func (c *copier) copyTo(end int64) error {
	n, err := io.Copy(c.dst, io.NewSectionReader(c.src, c.pos, end-c.pos))
	if c.pos += n; err == nil && c.pos < end {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
