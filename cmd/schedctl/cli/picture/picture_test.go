package picture

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

	"github.com/charmbracelet/x/ansi/sixel"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// A terminal that is not known to show pictures must never get their bytes.
func TestDetect(t *testing.T) {
	t.Parallel()
	const with, without = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;4;22c", "\x1b[?64;1;2c"
	for _, c := range []struct {
		env, reply string
		want       Protocol
	}{
		{"", with, None}, {"TERM=dumb", with, None}, {"TERM=dumb TERM_PROGRAM=WezTerm", with, None}, {"TERM_PROGRAM=iTerm.app", with, None},
		{"TERM=xterm-256color", "", None}, {"TERM=linux", "\x1b[?6c", None}, {"TERM=xterm-256color", without, None},
		{"TERM=xterm-256color", "\x1b[?4;6c", None}, {"TERM=xterm-256color", "4;4;4", None}, {"TERM=xterm-256color", with, Sixel},
		{"TERM=foot", with, Sixel}, {"TERM=tmux-256color TMUX=/tmp/tmux-0", with, Sixel}, {"TERM=xterm-kitty TMUX=/tmp/tmux-0", without, None},
		{"TERM=xterm-kitty", with, Kitty}, {"TERM=xterm-ghostty", "", Kitty},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app", "", ITerm}, {"TERM=xterm-256color TERM_PROGRAM=WezTerm", with, ITerm},
		{"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", "\x1b[?1;2c", None},
		{"TERM=xterm-kitty STY=1.tty", "", None}, {"TERM=xterm-kitty ZELLIJ=0", "", None},
		{"TERM=tmux-256color TERM_PROGRAM=iTerm.app", "", None}, {"TERM=screen TERM_PROGRAM=WezTerm", "", None},
	} {
		values := map[string]string{}
		for pair := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		if got := Detect(func(name string) string { return values[name] }, func() string { return c.reply }); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.env, c.reply, got, c.want)
		}
	}
}

// A terminal that the environment names is not queried.
func TestDetectWithoutQuery(t *testing.T) {
	t.Parallel()
	kitty := func(name string) string { return map[string]string{"TERM": "xterm-kitty"}[name] }
	Detect(kitty, func() string {
		t.Error("the terminal was queried")
		return ""
	})
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

var kittySequence = regexp.MustCompile("\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\\\")

// decodeITerm returns the picture in a sequence of iTerm2.
func decodeITerm(t *testing.T, sequence string) image.Image {
	t.Helper()
	head, body, _ := strings.Cut(strings.TrimSuffix(sequence, "\a"), ":")
	if !strings.HasPrefix(head, "\x1b]1337;File=inline=1;size=") {
		t.Fatalf("%q", head)
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestEncodeScales(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, wantWidth, wantHeight int }{{64, 48, 64, 48}, {1280, 480, 640, 240}, {100, 960, 50, 480}, {2000, 1, 640, 1}} {
		shown, err := Encode(t.Context(), ITerm, noise(t, c.width, c.height), Size{640, 480})
		if err != nil {
			t.Fatal(err)
		}
		if got := decodeITerm(t, string(shown)).Bounds(); got.Dx() != c.wantWidth || got.Dy() != c.wantHeight {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for _, bad := range []string{"", "no picture", string(noise(t, 9, 9)[:60])} {
		if shown, err := Encode(t.Context(), Kitty, []byte(bad), Size{640, 480}); err == nil {
			t.Errorf("%q became %d bytes", bad, len(shown))
		}
	}
}

// manyScans returns a JPEG of 9 × 9 pixels with scans that change nothing.
func manyScans(n int) string {
	const quantization = "\xff\xdb\x00\x43\x00\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"
	const frame, codes = "\xff\xc2\x00\x0b\x08\x00\x09\x00\x09\x01\x01\x11\x00", "\xff\xc4\x00\x14\x10\x01"
	const scan = "\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00\x55\x54"
	return "\xff\xd8" + quantization + strings.Repeat("\x01", 48) + frame + codes + strings.Repeat("\x00", 15) + "\xe0" + strings.Repeat(scan, n) + "\xff\xd9"
}

// A file that takes long to decode is not decoded.
func TestEncodeRefusesManyScans(t *testing.T) {
	t.Parallel()
	if _, err := Encode(t.Context(), Kitty, []byte(manyScans(100)), Size{640, 480}); err != nil {
		t.Errorf("100 scans: %v", err)
	}
	if _, err := Encode(t.Context(), Kitty, []byte(manyScans(101)), Size{640, 480}); err == nil {
		t.Error("101 scans were decoded")
	}
}

func TestKittySequences(t *testing.T) {
	t.Parallel()
	shown, err := Encode(t.Context(), Kitty, noise(t, 100, 100), Size{640, 480})
	if err != nil {
		t.Fatal(err)
	}
	data := ""
	found := kittySequence.FindAllStringSubmatch(string(shown), -1)
	for i, m := range found {
		want := "m=1"
		switch i {
		case 0:
			want = "a=T,f=100,q=2,m=1"
		case len(found) - 1:
			want = "m=0"
		}
		if m[1] != want || len(m[2]) > kittyChunk {
			t.Errorf("sequence %d has %q and %d bytes", i, m[1], len(m[2]))
		}
		data += m[2]
	}
	file, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(found) < 3 {
		t.Fatalf("%d sequences, %v", len(found), err)
	}
	if picture, err := png.Decode(bytes.NewReader(file)); err != nil || picture.Bounds().Dx() != 100 {
		t.Errorf("the sequences have no picture: %v", err)
	}
	if got := kittySequence.ReplaceAllString(string(shown), ""); got != "" {
		t.Errorf("%q is outside of the sequences", got)
	}
}

func TestSixel(t *testing.T) {
	t.Parallel()
	shown, err := Encode(t.Context(), Sixel, noise(t, 60, 40), Size{30, 30})
	if err != nil {
		t.Fatal(err)
	}
	body, isSixel := strings.CutPrefix(string(shown), "\x1bP0;1q")
	body, ends := strings.CutSuffix(body, "\x1b\\")
	if !isSixel || !ends || strings.ContainsAny(body, "\x1b\n\r") {
		t.Fatalf("%.40q … is no sequence of Sixel", shown)
	}
	var decoder sixel.Decoder
	picture, err := decoder.Decode(strings.NewReader(body))
	if err != nil || picture.Bounds().Dx() != 30 || picture.Bounds().Dy() < 20 {
		t.Errorf("%v, %v", picture, err)
	}
}

func TestShows(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool][]apiv1.MediaAsset{
		true: {{MIMEType: "image/png", Status: schedctl.MediaReady, SizeBytes: 34_200}, {MIMEType: "image/gif", Status: schedctl.MediaReady}},
		false: {
			{MIMEType: "video/mp4", Status: schedctl.MediaReady}, {MIMEType: "image/png", Status: schedctl.MediaPending},
			{MIMEType: "application/pdf", Status: schedctl.MediaReady}, {MIMEType: "image/png", Status: schedctl.MediaReady, SizeBytes: maxBytes + 1},
		},
	} {
		for _, asset := range list {
			if Shows(asset) != want {
				t.Errorf("%+v: %v", asset, !want)
			}
		}
	}
}
