// Package qrcode draws QR codes for the cells of a terminal.
package qrcode

import (
	"strings"

	"rsc.io/qr"
)

// quiet is the number of light modules around a code, which readers need.
const quiet = 4

// Draw draws a text as a QR code and returns the lines, each with two rows of modules,
// without line ends. With colored, modules are dark on light ones whatever the terminal's
// colors are. Without, light modules are blocks, as a dark terminal needs it. It fails for
// a text of more than 2,953 bytes.
func Draw(text string, colored bool) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	var lines []string
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var b strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(cell(code.Black(x, y), code.Black(x, y+1), colored))
		}
		if colored {
			b.WriteString("\x1b[0m")
		}
		lines = append(lines, b.String())
	}
	return lines, nil
}

// cell draws a module and the one below it.
func cell(up, down, colored bool) string {
	switch {
	case colored:
		ink, ground := "97", "107" // bright white
		if up {
			ink = "30"
		}
		if down {
			ground = "40"
		}
		return "\x1b[" + ink + ";" + ground + "m▀"
	case up && down:
		return " "
	case up:
		return "▄"
	case down:
		return "▀"
	}
	return "█"
}
