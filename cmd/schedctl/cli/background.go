package cli

import (
	"image/color"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/schedctl/schedctl/cmd/schedctl/cli/picture"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Dark reports whether the terminal has a dark background, according to its
// environment or its reply to a query. The default is true.
func (a *App) Dark() bool {
	colors := strings.Split(a.Getenv("COLORFGBG"), ";")
	if ground, err := strconv.Atoi(colors[len(colors)-1]); err == nil {
		const white, gray = 15, 7
		return ground != white && ground != gray
	}
	dark, known := groundOf(a.terminalReply())
	return dark || !known
}

// Background returns the background color of the terminal, if it replies to a query.
func (a *App) Background() (ground color.RGBA, known bool) { return backgroundOf(a.terminalReply()) }

// Graphics returns the protocol by which the terminal shows pictures. It queries a
// terminal that the environment does not name.
func (a *App) Graphics() picture.Protocol {
	if !a.InTerminal || !a.OutTerminal {
		return picture.None
	}
	return picture.Detect(a.Getenv, a.terminalReply)
}

// terminalReply returns the reply of the terminal to the queries, which are sent once.
func (a *App) terminalReply() string {
	if a.askTerminal == nil {
		return ""
	}
	if a.reply == nil {
		reply := a.askTerminal()
		a.reply = &reply
	}
	return *a.reply
}

const (
	// terminalQueries ask for the background color (OSC 11) and then for the type of the
	// terminal (DA1). All terminals respond to the second query, so there is no need to
	// wait for terminals that ignore the first.
	terminalQueries = "\x1b]11;?\x1b\\\x1b[c"
	// answerTime is the longest wait for a reply. A later reply would be read as keys.
	answerTime = time.Second
)

var (
	lastAnswer = pattern.Lazy(`\x1b\[\?[0-9;]*c`)
	ground     = pattern.Lazy(`\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})`)
)

// queryTerminal queries the background color and the type of the terminal, and returns
// the reply. Keys typed during the query are lost.
func queryTerminal() string {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return ""
	}
	defer tty.Close()
	if tty.SetDeadline(time.Now().Add(answerTime)) != nil {
		return "" // without a deadline the read could block; wrong colors are better
	}
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return ""
	}
	defer term.Restore(in, before)
	if _, err := tty.WriteString(terminalQueries); err != nil {
		return ""
	}
	var answer []byte
	for chunk := make([]byte, 256); !lastAnswer().Match(answer); {
		n, err := tty.Read(chunk)
		if answer = append(answer, chunk[:n]...); err != nil {
			break
		}
	}
	return string(answer)
}

// groundOf reports whether the background in the reply of a terminal is dark.
func groundOf(answer string) (dark, known bool) {
	c, known := backgroundOf(answer)
	return 299*int(c.R)+587*int(c.G)+114*int(c.B) < 1000*255/2, known
}

// backgroundOf parses the reply of a terminal.
func backgroundOf(answer string) (c color.RGBA, known bool) {
	found := ground().FindStringSubmatch(answer)
	if found == nil {
		return color.RGBA{}, false
	}
	var levels [3]uint8
	for i := range levels {
		digits := found[i+1]
		v, err := strconv.ParseUint(digits, 16, 16)
		if err != nil {
			return color.RGBA{}, false
		}
		levels[i] = uint8(v * 255 / (uint64(1)<<(4*len(digits)) - 1))
	}
	return color.RGBA{levels[0], levels[1], levels[2], 255}, true
}
