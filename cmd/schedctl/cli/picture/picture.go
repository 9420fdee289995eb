// Package picture shows pictures in terminals that have graphics.
//
// [Detect] finds out which protocol a terminal has, and [Encode] returns the control
// sequences that show a picture.
package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"time"

	"golang.org/x/image/draw"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/media/variant"
)

// Limits of pictures that are shown, besides those of uploads.
const (
	maxBytes  = 10e6             // of the file; a larger one is not downloaded to be shown
	maxMemory = 256e6            // of the decoder, in bytes
	maxTime   = 10 * time.Second // to decode it
)

var errSlow = errors.New("decoding the picture takes too long")

// Shows reports whether an asset is a picture of a size that is worth the download.
func Shows(asset apiv1.MediaAsset) bool {
	class := schedctl.MediaClassOf(asset.MIMEType)
	picture := class == schedctl.MediaImage || class == schedctl.MediaGIF
	return picture && asset.Status == schedctl.MediaReady && asset.SizeBytes <= maxBytes
}

// Size is a size in pixels.
type Size struct{ Width, Height int }

// Sequences are control sequences that show a picture.
type Sequences string

// Encode returns the control sequences that show the picture in a file, scaled down to at
// most a size. Of a GIF, it shows the first frame. The file may be hostile: it is refused as
// a daemon refuses an upload, or if decoding takes too much memory or time. If ctx
// ends, its error is returned.
func Encode(ctx context.Context, p Protocol, file []byte, most Size) (Sequences, error) {
	timed, cancel := context.WithTimeoutCause(ctx, maxTime, errSlow)
	defer cancel()
	src, size := bytes.NewReader(file), int64(len(file))
	facts, err := mediafile.Inspect(timed, src, size, mediafile.DefaultLimits)
	if err != nil {
		return "", err
	}
	picture, err := variant.Decode(timed, src, size, facts, maxMemory)
	if err != nil {
		return "", err
	}
	shown, err := sequences(p, scaled(picture, most))
	return Sequences(shown), err
}

// scaled returns a picture of at most a size.
func scaled(picture image.Image, most Size) *image.NRGBA {
	size := picture.Bounds().Size()
	scale := min(1, float64(most.Width)/float64(size.X), float64(most.Height)/float64(size.Y))
	out := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
	if scale == 1 {
		draw.Draw(out, out.Bounds(), picture, picture.Bounds().Min, draw.Src)
	} else {
		draw.ApproxBiLinear.Scale(out, out.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	}
	return out
}
