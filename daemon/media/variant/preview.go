package variant

import (
	"context"
	"fmt"
	"image"
	"io"

	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// Decode decodes the picture src of size bytes, or the first frame of a GIF. Its pixels are
// as stored, not turned. facts are those that mediafile.Inspect returned.
//
// It returns a [*FitError] for a picture that needs more than memory bytes, and the cause of
// the context if that ends, as [Fitter.Fit] does.
func Decode(ctx context.Context, src io.ReaderAt, size int64, facts mediafile.Facts, memory int64) (image.Image, error) {
	if need, _ := decoderMemory(src, size, facts); need > memory {
		return nil, &FitError{
			Problem: fmt.Sprintf("the picture needs %s of memory to be decoded, and %s is the limit", megabytes(need), megabytes(memory)),
			Advice:  "open the file with another program",
		}
	}
	return decode(ctx, src, size, facts)
}
