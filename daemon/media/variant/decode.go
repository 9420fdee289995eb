package variant

import (
	"bufio"
	"cmp"
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

// decode decodes a still picture. Its pixels are as stored, not turned. It returns a
// [*FitError] for a picture that the decoder refuses: trying again would not help.
func decode(ctx context.Context, src io.ReaderAt, size int64, facts mediafile.Facts) (image.Image, error) {
	r := &decoderInput{ctx: ctx, r: bufio.NewReaderSize(io.NewSectionReader(src, 0, size), 64<<10)}
	m, err := decodeFrom(r, facts)
	if err != nil && r.err == nil {
		return nil, &FitError{Problem: fmt.Sprintf("the picture cannot be decoded (%v)", err), Advice: "export or save it again, and attach the new file"}
	}
	return m, cmp.Or(r.err, err)
}

// decodeFrom is decode for any reader. A panic of a decoder becomes an error.
func decodeFrom(r io.Reader, facts mediafile.Facts) (m image.Image, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			m, err = nil, fmt.Errorf("the decoder of %s failed: %v", facts.MIMEType, thrown)
		}
	}()
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

// decoderInput is what a decoder reads. It fails once its context has ended.
type decoderInput struct {
	ctx context.Context
	r   io.Reader
	err error // of the context or of the file, which is not the fault of the picture
}

func (r *decoderInput) Read(p []byte) (n int, err error) {
	if err = context.Cause(r.ctx); err == nil {
		n, err = r.r.Read(p[:min(len(p), maxRead)])
	}
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
