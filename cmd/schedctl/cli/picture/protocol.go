package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/sixel"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Protocol is a protocol by which a terminal shows pictures.
type Protocol int

// The protocols.
const (
	None Protocol = iota
	Kitty
	ITerm
	Sixel
)

// Detect returns the protocol of a terminal. The environment names terminals with the
// graphics of Kitty or iTerm2, unless a multiplexer is between them. Others are asked: reply
// returns the reply of the terminal to a query of its type (DA1), in which it says whether
// it has Sixel graphics. reply is called only if it is needed.
func Detect(getenv func(string) string, reply func() string) Protocol {
	term, program := getenv("TERM"), getenv("TERM_PROGRAM")
	multiplexed := getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" ||
		strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen")
	switch {
	case term == "" || term == "dumb":
		return None
	case multiplexed:
	case term == "xterm-kitty", term == "xterm-ghostty":
		return Kitty
	case program == "iTerm.app", program == "WezTerm":
		return ITerm
	}
	if hasSixel(reply()) {
		return Sixel
	}
	return None
}

var deviceAttributes = pattern.Lazy(`\x1b\[\?([0-9;]*)c`)

// hasSixel reports whether the reply of a terminal has the attribute of Sixel graphics. The
// first number is the level of the terminal and no attribute.
func hasSixel(reply string) bool {
	const sixelAttribute = "4"
	found := deviceAttributes().FindStringSubmatch(reply)
	return found != nil && slices.Contains(strings.Split(found[1], ";")[1:], sixelAttribute)
}

// sequences returns the control sequences that show a picture.
// Sources: https://sw.kovidgoyal.net/kitty/graphics-protocol,
// https://iterm2.com/documentation-images.html, https://vt100.net/docs/vt3xx-gp/chapter14.html.
func sequences(p Protocol, picture *image.NRGBA) (string, error) {
	var b bytes.Buffer
	if p == Sixel {
		var encoder sixel.Encoder
		if err := encoder.Encode(&b, picture); err != nil {
			return "", err
		}
		return ansi.SixelGraphics(0, 1, 0, b.Bytes()), nil
	}
	if err := png.Encode(&b, picture); err != nil {
		return "", err
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	if p == ITerm {
		return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d:%s\a", b.Len(), data), nil
	}
	return kittySequences(data), nil
}

// kittyChunk is the most bytes of base64 in one sequence of Kitty.
const kittyChunk = 4 << 10

func kittySequences(data string) string {
	var b strings.Builder
	for control := "a=T,f=100,q=2,"; data != ""; control = "" { // q=2: the terminal must not respond
		chunk := data[:min(len(data), kittyChunk)]
		data = data[len(chunk):]
		more := 0
		if data != "" {
			more = 1
		}
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", control, more, chunk)
	}
	return b.String()
}

// Clear returns the control sequences that remove the pictures from the screen, in
// addition to clearing it.
func Clear(p Protocol) string {
	if p == Kitty {
		return "\x1b_Ga=d,q=2\x1b\\"
	}
	return ""
}
