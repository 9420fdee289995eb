package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// style is the style of a run of text.
type style struct {
	bold, reverse bool
	color         int // one of the sixteen, or plain
}

// plain is the color of uncolored text.
const plain = -1

// run is text of one style, with its position.
type run struct {
	style         style
	text          string
	column, width int
}

// pieces splits a run at spaces that would be lost, and between characters of one and
// of two columns, because fonts differ in their widths.
func (r run) pieces() (pieces []run) {
	characters := clusters(r.text)
	column, open := r.column, 0 // open is the width of the characters of the current piece; 0 for none
	for i, c := range characters {
		width := ansi.StringWidth(c)
		inside := open == 1 && i+1 < len(characters) && characters[i+1] != " " && ansi.StringWidth(characters[i+1]) == 1
		switch {
		case c == " " && !inside:
			open = 0
		case width != open:
			pieces, open = append(pieces, run{r.style, c, column, width}), width
		default:
			pieces[len(pieces)-1].text += c
			pieces[len(pieces)-1].width += width
		}
		column += width
	}
	return pieces
}

// clusters splits a text into grapheme clusters.
func clusters(text string) (all []string) {
	for state := byte(0); text != ""; {
		c, _, size, next := ansi.DecodeSequence(text, state, nil)
		all = append(all, c)
		text, state = text[size:], next
	}
	return all
}

// parse returns the rows of a screen.
func parse(screen string) (rows [][]run, err error) {
	now := style{color: plain}
	for line := range strings.SplitSeq(strings.TrimRight(screen, "\n"), "\n") {
		var row []run
		column := 0
		for line != "" {
			text, rest, escaped := strings.Cut(line, "\x1b[")
			if text != "" {
				width := ansi.StringWidth(text)
				row = append(row, run{now, text, column, width})
				column += width
			}
			if line = rest; !escaped {
				break
			}
			codes, rest, found := strings.Cut(rest, "m")
			if !found {
				return nil, fmt.Errorf("an unterminated escape in %q", rest)
			}
			if now, err = now.with(codes); err != nil {
				return nil, err
			}
			line = rest
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// with returns the style after applying SGR parameters; it supports those that the
// browser uses.
func (s style) with(codes string) (style, error) {
	for code := range strings.SplitSeq(codes, ";") {
		n, err := strconv.Atoi(code)
		switch {
		case err != nil && code != "":
			return s, fmt.Errorf("unsupported escape %q", code)
		case n == 0:
			s = style{color: plain}
		case n == 1:
			s.bold = true
		case n == 2:
			const gray = 8 // faint text is gray in pictures
			s.color = gray
		case n == 7:
			s.reverse = true
		case n >= 30 && n <= 37:
			s.color = n - 30
		case n >= 90 && n <= 97:
			s.color = n - 90 + 8
		default:
			return s, fmt.Errorf("unsupported style %d", n)
		}
	}
	return s, nil
}
