package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // decodes GIFs
	_ "image/jpeg" // decodes JPEGs
	"image/png"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decodes WebP

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// graphics is a protocol by which a terminal shows pictures.
type graphics int

const (
	noGraphics graphics = iota
	kittyGraphics
	itermGraphics
)

// Limits of previews.
const (
	previewWidth   = 640     // pixels
	previewHeight  = 480     // pixels
	previewBytes   = 10e6    // of the file; a larger one is not downloaded to be shown
	previewPixels  = 50e6    // of the picture
	kittyChunkSize = 4 << 10 // bytes of base64 in one sequence
)

// terminalGraphics returns the protocol of the terminal that the environment names. It
// sends no query, so a terminal that it does not know gets no picture. Neither does a
// multiplexer, which may not pass pictures on.
func terminalGraphics(getenv func(string) string) graphics {
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb", getenv("TMUX") != "", getenv("STY") != "", getenv("ZELLIJ") != "",
		strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"):
		return noGraphics
	case term == "xterm-kitty", term == "xterm-ghostty":
		return kittyGraphics
	case program == "iTerm.app", program == "WezTerm":
		return itermGraphics
	}
	return noGraphics
}

// preview shows the picture of an asset if the terminal can. It never fails: without a
// picture the command has shown all facts.
func preview(ctx context.Context, a *cli.App, c *client.Client, asset apiv1.MediaAsset) {
	if !a.OutTerminal || a.JSON.Given || a.Filter != nil || a.Quiet || !previewable(asset) {
		return
	}
	protocol := terminalGraphics(a.Getenv)
	if protocol == noGraphics {
		return
	}
	var file bytes.Buffer
	if _, err := c.MediaContent(ctx, asset.ID, &file); err != nil {
		return
	}
	if picture, err := smallPNG(file.Bytes()); err == nil {
		_ = a.Write(append([]byte(inline(protocol, picture)), '\n'))
	}
}

// previewable reports whether an asset is a picture of a size that is worth the download.
func previewable(asset apiv1.MediaAsset) bool {
	class := schedctl.MediaClassOf(asset.MIMEType)
	picture := class == schedctl.MediaImage || class == schedctl.MediaGIF
	return picture && asset.Status == schedctl.MediaReady && asset.SizeBytes <= previewBytes
}

// smallPNG scales a picture down to the size of a preview. A GIF becomes its first frame.
func smallPNG(file []byte) ([]byte, error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if config.Width*config.Height > previewPixels {
		return nil, fmt.Errorf("the picture has %d x %d pixels", config.Width, config.Height)
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	size := picture.Bounds().Size()
	if scale := min(float64(previewWidth)/float64(size.X), float64(previewHeight)/float64(size.Y)); scale < 1 {
		small := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
		draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, picture.Bounds(), draw.Src, nil)
		picture = small
	}
	var out bytes.Buffer
	err = png.Encode(&out, picture)
	return out.Bytes(), err
}

// inline returns the control sequences that show a PNG.
// Sources: https://sw.kovidgoyal.net/kitty/graphics-protocol,
// https://iterm2.com/documentation-images.html.
func inline(protocol graphics, picture []byte) string {
	data := base64.StdEncoding.EncodeToString(picture)
	if protocol == itermGraphics {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d:%s\a", len(picture), data)
	}
	var b strings.Builder
	for control := "a=T,f=100,q=2,"; data != ""; control = "" { // q=2: the terminal must not respond
		chunk := data[:min(len(data), kittyChunkSize)]
		data = data[len(chunk):]
		more := 0
		if data != "" {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", control, more, chunk)
	}
	return b.String()
}
