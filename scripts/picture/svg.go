package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// palette holds the colors of a terminal.
type palette struct {
	ground, text, frame string
	colors              map[int]string
}

var palettes = map[string]palette{
	"dark": {"#0d1117", "#d1d7e0", "#3d444d", map[int]string{
		8: "#9198a1", 9: "#ff7b72", 10: "#3fb950", 11: "#d29922", 12: "#58a6ff",
	}},
	"light": {"#ffffff", "#1f2328", "#d1d9e0", map[int]string{
		1: "#cf222e", 2: "#1a7f37", 3: "#9a6700", 4: "#0969da", 8: "#59636e",
	}},
}

// Sizes of a cell and of the space around the screen, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13
	space      = 16
)

// svg draws a screen. Each piece of text is stretched to its columns, so that it is
// aligned in any font.
func svg(rows [][]run, p palette, title string) []byte {
	columns := 0
	for _, row := range rows {
		for _, r := range row {
			columns = max(columns, r.column+r.width)
		}
	}
	width, height := float64(columns)*cellWidth+2*space, len(rows)*cellHeight+2*space
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(&b, `<rect x="0.5" y="0.5" width="%.0f" height="%d" rx="8" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, p.ground, p.frame)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="%s">`+"\n", p.text)
	for i, row := range rows {
		for _, r := range row {
			drawRun(&b, r, i, p)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

func drawRun(b *bytes.Buffer, r run, row int, p palette) {
	if r.style.reverse {
		fmt.Fprintf(b, `<rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`+"\n",
			pixels(r.column), space+row*cellHeight, number(float64(r.width)*cellWidth), cellHeight, p.text)
	}
	attributes := ""
	switch {
	case r.style.reverse:
		attributes += ` fill="` + p.ground + `"`
	case r.style.color != plain:
		attributes += ` fill="` + p.colors[r.style.color] + `"`
	}
	if r.style.bold {
		attributes += ` font-weight="bold"`
	}
	for _, piece := range r.pieces() {
		fmt.Fprintf(b, `<text x="%s" y="%d" textLength="%s" lengthAdjust="spacingAndGlyphs"%s>%s</text>`+"\n",
			pixels(piece.column), space+row*cellHeight+baseline, number(float64(piece.width)*cellWidth), attributes, escape(piece.text))
	}
}

func pixels(column int) string { return number(space + float64(column)*cellWidth) }

func number(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.1f", v), "0"), ".")
}

func escape(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // bytes.Buffer never fails
	return b.String()
}
