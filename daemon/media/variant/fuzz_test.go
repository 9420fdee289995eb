package variant_test

import (
	"bytes"
	"testing"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzFit fits any picture that Inspect accepts. Its pixels may be damaged, so Fit may
// fail, but it never panics, and its results fit.
func FuzzFit(f *testing.F) {
	for _, data := range [][]byte{
		mediatest.PNG(12, 8), mediatest.JPEGWithMetadata(12, 8, 6), mediatest.WebPWithMetadata(12, 8, 3), mediatest.GIF(12, 8, 1),
		mediatest.TransparentPNG(12, 8), mediatest.GIF(12, 8, 2),
	} {
		f.Add(data, uint16(500), uint8(6))
	}
	f.Fuzz(func(t *testing.T, data []byte, maxBytes uint16, maxWidth uint8) {
		defer cost.Check(t, len(data))()
		limits := mediafile.Limits{MaxPixels: 1 << 16, MaxAnimationPixels: 1 << 18, MaxFrames: 20}
		facts, err := mediafile.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), limits)
		if err != nil {
			return
		}
		target := variant.Target{MaxBytes: int64(maxBytes), MaxWidth: int(maxWidth), Types: []string{mediafile.JPEG, mediafile.PNG, mediafile.GIF}}
		var out bytes.Buffer
		result, err := variant.NewFitter(variant.DefaultMemory).Fit(t.Context(), turn, &out, bytes.NewReader(data), int64(len(data)), facts, target)
		if err != nil {
			return
		}
		if fix, err := variant.Plan(inspect(t, out.Bytes()), int64(out.Len()), target); err != nil || fix != variant.None {
			t.Errorf("%+v of %d bytes does not fit: %q, %v", result.Facts, out.Len(), fix, err)
		}
	})
}
