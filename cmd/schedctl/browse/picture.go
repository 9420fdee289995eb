package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/cli/picture"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/printable"
)

// The control sequences of a screen of its own.
const (
	openScreen  = "\x1b[?1049h\x1b[?25l"
	closeScreen = "\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[2J\x1b[H"
)

// The bytes of the keys that show another picture: arrows, and letters as elsewhere.
var (
	nextKeys     = []string{"\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB", "l", "j", " "}
	previousKeys = []string{"\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA", "h", "k"}
)

// maxShown is the largest size of a picture, whatever the size of the screen.
var maxShown = picture.Size{Width: 960, Height: 720}

// viewer shows pictures in full screen, one at a time.
type viewer struct {
	*browser
	client   *client.Client
	protocol picture.Protocol
	encoded  map[string]picture.Sequences // control sequences by the id of the asset
}

// pictures returns the function that shows pictures. While it runs, nothing else uses the
// terminal. The first run may query the terminal, so that the start does not wait for it.
func (o *browser) pictures(c *client.Client) func(context.Context, []postlist.Picture) error {
	return func(ctx context.Context, list []postlist.Picture) error {
		protocol := o.Graphics()
		if protocol == picture.None {
			return errors.New("this terminal does not show pictures: Kitty, Ghostty, iTerm2, WezTerm and terminals with Sixel do. The details describe the files")
		}
		v := &viewer{browser: o, client: c, protocol: protocol, encoded: map[string]picture.Sequences{}}
		return v.run(ctx, list)
	}
}

// run shows pictures until the user presses a key that does not show another one.
func (v *viewer) run(ctx context.Context, list []postlist.Picture) error {
	defer v.print(picture.Clear(v.protocol) + closeScreen)
	v.print(openScreen)
	for at := 0; ; {
		key, err := v.show(ctx, list[at], len(list) > 1)
		if err != nil {
			return err
		}
		switch {
		case len(list) > 1 && slices.Contains(nextKeys, key):
			at = (at + 1) % len(list)
		case len(list) > 1 && slices.Contains(previousKeys, key):
			at = (at + len(list) - 1) % len(list)
		default:
			return nil
		}
	}
}

// show shows a picture until the user presses a key, which it returns. A key also ends the
// download and the decoding of the picture.
func (v *viewer) show(ctx context.Context, p postlist.Picture, several bool) (string, error) {
	room, row := v.describe(p, several)
	loading, stop := context.WithCancel(ctx)
	defer stop()
	loaded := make(chan loadedPicture, 1)
	go func() {
		shown, err := v.load(loading, p, room)
		loaded <- loadedPicture{shown, err}
	}()
	type pressed struct {
		key string
		err error
	}
	keys := make(chan pressed, 1)
	go func() {
		key, err := v.ReadKey(ctx)
		keys <- pressed{key, err}
	}()
	select {
	case l := <-loaded:
		v.draw(l, row)
		k := <-keys
		return k.key, k.err
	case k := <-keys:
		stop()
		<-loaded
		return k.key, k.err
	}
}

// print writes control sequences and text of the program.
func (v *viewer) print(text string) { _, _ = io.WriteString(v.System.Out, text) }

// printLines writes lines of text from outside, and puts the cursor below them.
func (v *viewer) printLines(lines []string) {
	for _, line := range lines {
		v.print(printable.Clean(line) + "\r\n")
	}
}

// describe shows the description of a picture and the keys. It returns the room for the
// picture, and the row of the screen below the description.
func (v *viewer) describe(p postlist.Picture, several bool) (room picture.Size, row int) {
	width, height, cell := screenSize(v.Width, v.Height)
	v.print(picture.Clear(v.protocol) + clearScreen)
	var lines []string
	for _, line := range p.Lines {
		lines = append(lines, strings.Split(ansi.Wrap(printable.Clean(line), width, ""), "\n")...)
	}
	const least = 4 // lines for the picture and the keys
	if room := max(1, height-least); len(lines) > room {
		lines = append(lines[:room-1], "…")
	}
	v.printLines(append(lines, "", "loading …"))
	keys := "any key closes"
	if several {
		keys = "← → other pictures   any other key closes"
	}
	v.print(fmt.Sprintf("\x1b[%d;1H%s", height, ansi.Truncate(keys, width, "…")))
	return picture.Size{
		Width:  min(maxShown.Width, width*cell.Width),
		Height: min(maxShown.Height, max(1, height-len(lines)-2)*cell.Height),
	}, len(lines) + 2
}

// loadedPicture is a picture that can be shown, or why it cannot.
type loadedPicture struct {
	shown picture.Sequences
	err   error
}

// draw shows a picture at a row of the screen. If there is no picture, it says why.
func (v *viewer) draw(l loadedPicture, row int) {
	v.print(fmt.Sprintf("\x1b[%d;1H\x1b[2K", row))
	if l.err != nil {
		v.printLines([]string{"The picture cannot be shown: " + cli.OneLine(l.err.Error())})
		return
	}
	v.print(string(l.shown))
}

// load downloads a picture and returns its control sequences.
func (v *viewer) load(ctx context.Context, p postlist.Picture, most picture.Size) (picture.Sequences, error) {
	id := fmt.Sprint(p.Asset.ID, most)
	if shown, ok := v.encoded[id]; ok {
		return shown, nil
	}
	if !picture.Shows(p.Asset) {
		return "", errors.New("it is too large, or its upload is not complete")
	}
	file, err := media.Preview(ctx, v.client, p.Asset)
	if err != nil {
		return "", err
	}
	shown, err := picture.Encode(ctx, v.protocol, file, most)
	if err == nil {
		v.encoded[id] = shown
	}
	return shown, err
}

// screenSize returns the size of the terminal and of its characters. The arguments are
// the size that it had before.
func screenSize(width, height int) (int, int, picture.Size) {
	fd := int(os.Stdout.Fd())
	if w, h, err := term.GetSize(fd); err == nil && w > 0 && h > 0 {
		width, height = w, h
	}
	cell, ok := picture.CellSize(fd)
	if !ok {
		cell = picture.Size{Width: 8, Height: 16} // small characters, so that the picture fits
	}
	return max(1, width), max(1, height), cell
}
