package variant_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

// endingReader ends a context when it is read, and counts later reads.
type endingReader struct {
	*bytes.Reader
	end   func()
	later int
}

func (r *endingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.end(); off > 0 {
		r.later++
	}
	return r.Reader.ReadAt(p, off)
}

// largePNG returns a picture of several buffers.
func largePNG(t *testing.T) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	m := image.NewGray(image.Rect(0, 0, 700, 700))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	data := largePNG(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	closed := errors.New("closed")
	src := &endingReader{Reader: bytes.NewReader(data), end: func() { cancel(closed) }}
	_, err := variant.Decode(ctx, src, int64(len(data)), inspect(t, data), variant.DefaultMemory)
	if !errors.Is(err, closed) || src.later > 1 {
		t.Errorf("%d reads after the context has ended: %v", src.later, err)
	}
}

func TestDecodeRefusesTooMuchMemory(t *testing.T) {
	t.Parallel()
	data := mediatest.PNG(100, 100)
	var refused *variant.FitError
	if _, err := variant.Decode(t.Context(), bytes.NewReader(data), int64(len(data)), inspect(t, data), 39_999); !errors.As(err, &refused) {
		t.Errorf("%v", err)
	}
	if m, err := variant.Decode(t.Context(), bytes.NewReader(data), int64(len(data)), inspect(t, data), 40_000); err != nil || m.Bounds().Dx() != 100 {
		t.Errorf("%v", err)
	}
}
