package media

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// A terminal that is not known to show pictures must never get their bytes.
func TestTerminalGraphics(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]graphics{
		"": noGraphics, "TERM=dumb": noGraphics, "TERM=xterm-256color": noGraphics, "TERM=linux": noGraphics,
		"TERM=xterm-kitty": kittyGraphics, "TERM=xterm-ghostty": kittyGraphics,
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app": itermGraphics, "TERM=xterm-256color TERM_PROGRAM=WezTerm": itermGraphics,
		"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal": noGraphics, "TERM_PROGRAM=iTerm.app": noGraphics,
		"TERM=xterm-kitty TMUX=/tmp/tmux-0": noGraphics, "TERM=xterm-kitty STY=1.tty": noGraphics, "TERM=xterm-kitty ZELLIJ=0": noGraphics,
		"TERM=tmux-256color TERM_PROGRAM=iTerm.app": noGraphics, "TERM=screen TERM_PROGRAM=WezTerm": noGraphics, "TERM=dumb TERM_PROGRAM=WezTerm": noGraphics,
	} {
		values := map[string]string{}
		for pair := range strings.FieldsSeq(env) {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		if got := terminalGraphics(func(name string) string { return values[name] }); got != want {
			t.Errorf("%q: %d, want %d", env, got, want)
		}
	}
}

// noise returns a PNG that compresses badly.
func noise(t *testing.T, width, height int) []byte {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = color.Gray{Y: uint8(random.Uint32())}.Y
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSmallPNG(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, wantWidth, wantHeight int }{{64, 48, 64, 48}, {1280, 480, 640, 240}, {100, 960, 50, 480}, {2000, 1, 640, 1}} {
		small, err := smallPNG(noise(t, c.width, c.height))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := png.DecodeConfig(bytes.NewReader(small)); err != nil || got.Width != c.wantWidth || got.Height != c.wantHeight {
			t.Errorf("%+v: %d x %d, %v", c, got.Width, got.Height, err)
		}
	}
	for _, bad := range []string{"", "no picture", string(noise(t, 9, 9)[:60])} {
		if small, err := smallPNG([]byte(bad)); err == nil {
			t.Errorf("%q became %d bytes", bad, len(small))
		}
	}
}

var kittySequence = regexp.MustCompile("\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\\\")

func TestInline(t *testing.T) {
	t.Parallel()
	picture := noise(t, 100, 100)
	data := ""
	found := kittySequence.FindAllStringSubmatch(inline(kittyGraphics, picture), -1)
	for i, m := range found {
		want := "m=1"
		switch {
		case i == 0:
			want = "a=T,f=100,q=2,m=1"
		case i == len(found)-1:
			want = "m=0"
		}
		if m[1] != want || len(m[2]) > kittyChunkSize {
			t.Errorf("sequence %d has %q and %d bytes", i, m[1], len(m[2]))
		}
		data += m[2]
	}
	if got, err := base64.StdEncoding.DecodeString(data); err != nil || !bytes.Equal(got, picture) || len(found) < 3 {
		t.Errorf("%d sequences with %d bytes, %v", len(found), len(got), err)
	}
	if got := kittySequence.ReplaceAllString(inline(kittyGraphics, picture), ""); got != "" {
		t.Errorf("%q is outside of the sequences", got)
	}
	iterm := inline(itermGraphics, picture)
	_, body, _ := strings.Cut(strings.TrimSuffix(iterm, "\a"), ":")
	if got, err := base64.StdEncoding.DecodeString(body); err != nil || !bytes.Equal(got, picture) || !strings.HasPrefix(iterm, "\x1b]1337;File=inline=1;size=") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestPreviewable(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool][]apiv1.MediaAsset{
		true: {cat, {MIMEType: "image/gif", Status: schedctl.MediaReady}},
		false: {
			film, {MIMEType: "image/png", Status: schedctl.MediaPending}, {MIMEType: "application/pdf", Status: schedctl.MediaReady},
			{MIMEType: "image/png", Status: schedctl.MediaReady, SizeBytes: previewBytes + 1},
		},
	} {
		for _, asset := range list {
			if previewable(asset) != want {
				t.Errorf("%+v: %v", asset, !want)
			}
		}
	}
}
