package share

import (
	"strings"

	"rsc.io/qr"
)

// quiet is the number of light modules around a QR code, which readers need.
const quiet = 4

// drawQR draws a text as a QR code, two modules in a character.
func (o *options) drawQR(text string) error {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return err
	}
	return o.Write([]byte(renderQR(code, o.Paint)))
}

// renderQR renders a QR code: dark modules on light ones where there are colors, and else
// with light modules as blocks, for a dark terminal.
func renderQR(code *qr.Code, paint func(sgr, text string) string) string {
	colored := paint("1", "x") != "x"
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		for x := -quiet; x < code.Size+quiet; x++ {
			up, down := code.Black(x, y), code.Black(x, y+1)
			switch {
			case colored:
				b.WriteString(paint(map[bool]string{true: "30", false: "97"}[up]+";"+map[bool]string{true: "40", false: "107"}[down], "▀"))
			case up && down:
				b.WriteString(" ")
			case up:
				b.WriteString("▄")
			case down:
				b.WriteString("▀")
			default:
				b.WriteString("█")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
