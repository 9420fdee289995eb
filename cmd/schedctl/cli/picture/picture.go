// Package picture shows pictures in terminals that have graphics.
//
// [Detect] finds out which protocol a terminal has, and [Encode] returns the control
// sequences that show a picture.
package picture

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // decodes GIFs
	_ "image/jpeg" // decodes JPEGs

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes WebP

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Limits of pictures that are shown.
const (
	maxBytes  = 10e6 // of the file; a larger one is not downloaded to be shown
	maxPixels = 50e6 // of the picture
)

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
// most a size. Of a GIF, it shows the first frame.
func Encode(p Protocol, file []byte, most Size) (Sequences, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return "", err
	}
	if config.Width*config.Height > maxPixels {
		return "", fmt.Errorf("the picture has %d x %d pixels", config.Width, config.Height)
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
