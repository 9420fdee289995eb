// Package picture shows pictures in terminals that have graphics.
//
// [Detect] finds out which protocol a terminal has, and [Encode] returns the control
// sequences that show a picture.
package picture

import (
	"bytes"
	"context"
	"image"
	_ "image/gif"  // decodes GIFs
	_ "image/jpeg" // decodes JPEGs

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes WebP

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
)

// maxBytes is the largest file that is shown. A larger one is not downloaded.
const maxBytes = 10e6

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
// most a size. Of a GIF, it shows the first frame. It refuses a file that a daemon would
// refuse, because it cannot know that the daemon at the other end does: such a file can
// take minutes to decode.
func Encode(ctx context.Context, p Protocol, file []byte, most Size) (Sequences, error) {
	if _, err := mediafile.Inspect(ctx, bytes.NewReader(file), int64(len(file)), mediafile.DefaultLimits); err != nil {
		return "", err
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
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
