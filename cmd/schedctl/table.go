package main

import (
	"bytes"
	"strings"
)

// table is a result of several rows.
type table struct {
	header  []string
	rows    [][]string
	status  int  // the column that holds a status
	excerpt bool // what does not fit into a line may be cut, the last two columns first

	groups []string // the heading above each row, shown where it changes; nil for none
}

// minCut is how narrow a column that may be cut gets, however narrow the
// terminal: with it a list of posts fits into 80 columns.
const minCut = 7

// minName is the same for a column before the last two. Times and states, which
// mean nothing when they are cut, are no wider.
const minName = 16

// render lays the table out: aligned, with a header and colours on a terminal,
// else tab-separated and whole.
func (a *app) render(t table) []byte {
	var b bytes.Buffer
	for _, row := range t.rows {
		for i := range row {
			row[i] = oneLine(row[i])
			if i == t.status && t.header != nil && !a.outTerminal {
				row[i] = a.status(row[i])
			}
		}
		if !a.outTerminal {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	if !a.outTerminal || len(t.rows) == 0 {
		return b.Bytes()
	}
	widths := t.widths()
	if t.excerpt {
		shrink(widths, a.width)
	}
	b.WriteString(a.dim(strings.TrimRight(line(t.header, widths, nil), " ")) + "\n")
	for i, row := range t.rows {
		if t.groups != nil && (i == 0 || t.groups[i] != t.groups[i-1]) {
			b.WriteString(a.bold(clip(oneLine(t.groups[i]), a.width)) + "\n")
		}
		text := line(row, widths, func(i int, cell string) string {
			if i != t.status {
				return cell
			}
			return a.paint(colors[strings.TrimSpace(cell)], cell)
		})
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.Bytes()
}

func (t table) widths() []int {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
	}
	return widths
}

// shrink narrows the last two columns so that a row fits into a line. The first
// of them gets no more than half of the room, for the last is the text. Where that
// is not enough, columns before them are narrowed, but not the first, the id.
func shrink(widths []int, room int) {
	last := len(widths) - 1
	for _, w := range widths[:last-1] {
		room -= w + 2
	}
	room -= 2
	if widths[last-1]+widths[last] <= room {
		return
	}
	widths[last-1] = min(widths[last-1], max(room/2, minCut))
	widths[last] = min(widths[last], max(room-widths[last-1], minCut))
	for over := widths[last-1] + widths[last] - room; over > 0; over-- {
		widest := &widths[1]
		for i := range widths[1 : last-1] {
			if widths[i+1] > *widest {
				widest = &widths[i+1]
			}
		}
		if *widest <= minName {
			return
		}
		*widest--
	}
}

func line(cells []string, widths []int, style func(int, string) string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		cell = clip(cell, widths[i])
		cell += strings.Repeat(" ", max(0, widths[i]-width(cell)))
		if style != nil {
			cell = style(i, cell)
		}
		b.WriteString(cell)
	}
	return b.String()
}
