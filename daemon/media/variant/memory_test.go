package variant_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

// The memory that a conversion reserves covers what its decoder allocates.
func TestReservedMemoryIsEnough(t *testing.T) {
	for name, data := range map[string][]byte{
		"jpeg": mediatest.JPEG(2000, 1500), "png": mediatest.PNG(2000, 1500), "transparent png": mediatest.TransparentPNG(2000, 1500),
		"webp": mediatest.WebP(2000, 1500), "gif": mediatest.GIF(1500, 1000, 1), "rotated jpeg": mediatest.JPEGWithMetadata(2000, 1500, 6),
	} {
		facts, target := inspect(t, data), variant.Target{MaxWidth: 500}
		reserved := variant.MemoryFor(bytes.NewReader(data), int64(len(data)), facts, target)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := variant.NewFitter(variant.DefaultMemory).Fit(t.Context(), turn, io.Discard, bytes.NewReader(data), int64(len(data)), facts, target)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// The tables of the decoder and the encoded picture are small.
		if used := int64(after.TotalAlloc - before.TotalAlloc); used > reserved*5/4+4<<20 {
			t.Errorf("%s: the conversion allocated %d bytes, and reserved %d", name, used, reserved)
		}
	}
}

// A picture that needs more memory than the budget is refused instead of decoded.
func TestPictureAboveTheBudget(t *testing.T) {
	t.Parallel()
	data := mediatest.PNG(200, 200)
	f := variant.NewFitter(100_000)
	_, err := f.Fit(t.Context(), turn, io.Discard, bytes.NewReader(data), int64(len(data)), inspect(t, data), variant.Target{MaxWidth: 50})
	if _, ok := errors.AsType[*variant.FitError](err); !ok {
		t.Errorf("got %v, want a FitError", err)
	}
}

// cancelingSource cancels a context once its bytes from a position on are read.
type cancelingSource struct {
	*bytes.Reader
	from   int64
	cancel context.CancelFunc
}

func (s *cancelingSource) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.from {
		s.cancel()
	}
	return s.Reader.ReadAt(p, off)
}

// A conversion whose context ends while its picture is decoded returns no picture.
func TestDecodingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"jpeg": mediatest.JPEG(1500, 1500), "png": mediatest.PNG(1500, 1500), "webp": mediatest.WebP(1500, 1500)} {
		facts := inspect(t, data)
		ctx, cancel := context.WithCancel(t.Context())
		src := &cancelingSource{Reader: bytes.NewReader(data), from: int64(len(data)) / 2, cancel: cancel}
		var out bytes.Buffer
		_, err := variant.NewFitter(variant.DefaultMemory).Fit(ctx, turn, &out, src, int64(len(data)), facts, variant.Target{MaxWidth: 50})
		if !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("%s: got %v and %d bytes, want the error of the context", name, err, out.Len())
		}
	}
}
