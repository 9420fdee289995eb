package variant

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// qualities are the qualities of JPEG that are tried in order, before the picture is
// scaled down. Above 90 the size grows much faster than what an eye can see.
var qualities = []int{90, 82, 75}

// maxRounds bounds how many sizes are tried. Each has at most 0.9 times the width of the
// one before.
const maxRounds = 60

// encoder encodes one decoded picture until it fits.
type encoder struct {
	source      image.Image
	orientation int
	target      Target
	mimeType    string // of the result
	profile     []byte // inserted into the result
	profileAt   int
}

// fit returns the encoded picture without its profile. width and height are those of the
// source, as displayed.
func (e *encoder) fit(ctx context.Context, width, height int) ([]byte, error) {
	limit := int64(math.MaxInt64)
	if e.target.MaxBytes > 0 {
		limit = e.target.MaxBytes - int64(len(e.profile))
	}
	toWidth, toHeight := e.target.bound(width, height)
	for range maxRounds {
		m, err := e.scale(ctx, toWidth, toHeight)
		if err != nil {
			return nil, err
		}
		out := &limitedBuffer{limit: limit}
		if err := e.encode(ctx, out, m); err != nil {
			return nil, err
		}
		if out.size <= limit {
			return out.buf.Bytes(), nil
		}
		if toWidth == 1 && toHeight == 1 || limit <= 0 {
			break
		}
		scale := math.Sqrt(float64(limit)/float64(out.size)) * 0.97
		toWidth, toHeight = scaled(toWidth, toHeight, min(0.9, max(0.1, scale)))
	}
	return nil, &FitError{
		Problem: fmt.Sprintf("the network takes %d bytes at most, which is too small for any picture", e.target.MaxBytes),
		Advice:  "check the limits of the network",
	}
}

// scale returns the picture upright, in a size as displayed.
func (e *encoder) scale(ctx context.Context, width, height int) (image.Image, error) {
	if e.orientation >= 5 {
		width, height = height, width
	}
	m := e.source
	if b := m.Bounds(); b.Dx() != width || b.Dy() != height {
		var err error
		if m, err = resample(ctx, m, width, height); err != nil {
			return nil, err
		}
	}
	return rotate(ctx, m, e.orientation)
}

// encode encodes a picture into out. It starts again with the next quality while the
// result is larger than the limit of out.
func (e *encoder) encode(ctx context.Context, out *limitedBuffer, m image.Image) error {
	w := contextWriter{ctx, out}
	if e.mimeType == mediafile.PNG {
		if err := png.Encode(w, m); err != nil {
			return fmt.Errorf("encode PNG picture: %w", err)
		}
		return nil
	}
	for i, q := range qualities {
		out.size, out.stops = 0, i < len(qualities)-1
		out.buf.Reset()
		err := jpeg.Encode(w, m, &jpeg.Options{Quality: q})
		if errors.Is(err, errOverLimit) {
			continue
		}
		if err != nil {
			return fmt.Errorf("encode JPEG picture: %w", err)
		}
		if out.size <= out.limit {
			return nil
		}
	}
	return nil
}

// write writes an encoded picture with its profile. It inspects the picture first, so that
// a fault of an encoder is never published.
func (e *encoder) write(ctx context.Context, dst io.Writer, data []byte, source mediafile.Facts) (Result, error) {
	whole := data
	if len(e.profile) > 0 {
		whole = make([]byte, 0, len(data)+len(e.profile))
		whole = append(append(append(whole, data[:e.profileAt]...), e.profile...), data[e.profileAt:]...)
	}
	facts, err := mediafile.Inspect(ctx, bytes.NewReader(whole), int64(len(whole)), mediafile.Limits{})
	if err != nil {
		return Result{}, fmt.Errorf("check converted picture: %w", err)
	}
	if _, err := dst.Write(whole); err != nil {
		return Result{}, fmt.Errorf("write converted picture: %w", err)
	}
	fix := Resize
	if facts.MIMEType != source.MIMEType {
		fix = Convert
	}
	return Result{Facts: facts, Size: int64(len(whole)), Fix: fix}, nil
}

// errOverLimit stops an encoder whose result is not needed.
var errOverLimit = errors.New("the picture is larger than the limit")

// limitedBuffer keeps the bytes written to it up to a limit. It counts the rest, or fails
// there if it stops.
type limitedBuffer struct {
	limit, size int64
	stops       bool
	buf         bytes.Buffer
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	switch {
	case b.size <= b.limit:
		return b.buf.Write(p)
	case b.stops:
		return 0, errOverLimit
	}
	return len(p), nil
}
