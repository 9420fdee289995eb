package variant

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"golang.org/x/image/webp"
)

// decode decodes a still picture. Its pixels are as stored, not turned.
func decode(ctx context.Context, src io.ReaderAt, size int64, facts mediafile.Facts) (image.Image, error) {
	r := contextReader{ctx, bufio.NewReaderSize(io.NewSectionReader(src, 0, size), 64<<10)}
	var m image.Image
	var err error
	switch facts.MIMEType {
	case mediafile.JPEG:
		m, err = jpeg.Decode(r)
	case mediafile.PNG:
		m, err = png.Decode(r)
	case mediafile.WebP:
		m, err = webp.Decode(r)
	case mediafile.GIF:
		m, err = decodeGIF(r, facts)
	default:
		err = fmt.Errorf("no decoder for %s", facts.MIMEType)
	}
	if err != nil {
		return nil, err
	}
	width, height := facts.Width, facts.Height
	if facts.Orientation >= 5 {
		width, height = height, width
	}
	if got := m.Bounds(); got.Dx() != width || got.Dy() != height {
		return nil, fmt.Errorf("the picture has %d × %d pixels instead of %d × %d", got.Dx(), got.Dy(), width, height)
	}
	return m, nil
}

// decodeGIF returns the only frame of a picture on its canvas.
func decodeGIF(r io.Reader, facts mediafile.Facts) (image.Image, error) {
	frame, err := gif.Decode(r)
	if err != nil {
		return nil, err
	}
	canvas := image.Rect(0, 0, facts.Width, facts.Height)
	if frame.Bounds() == canvas {
		return frame, nil
	}
	m := image.NewRGBA(canvas)
	draw.Draw(m, frame.Bounds(), frame, frame.Bounds().Min, draw.Src)
	return m, nil
}

// maxRead is how many bytes a decoder gets from a read. It is small because a decoder may
// work for long on few bytes: 256 bytes of a PNG picture can stand for 260,000 pixels, and
// those of a JPEG picture for three scans of all its pixels.
const maxRead = 256

// contextReader fails once its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p[:min(len(p), maxRead)])
}
