package cli

import (
	"bytes"
	"strings"
)

// Table is a result of several rows.
type Table struct {
	Header  []string
	Rows    [][]string
	Status  int  // the column that holds a status
	Excerpt bool // long rows may be cut, in the last two columns first

	Groups []string // the heading above each row, shown where it changes; nil for none
	Below  []string // a line below each row, empty for none; only on a terminal
}

// minCut is the smallest width to which the last two columns are cut. With it, a list
// of posts fits into 80 columns.
const minCut = 7

// minName is the smallest width of columns before the last two. Times and statuses are
// not wider, because they mean nothing when they are cut.
const minName = 16

// RenderTable lays the table out: aligned, with a header and colors on a terminal,
// else tab-separated and whole.
func (a *App) RenderTable(t Table) []byte {
	var b bytes.Buffer
	for _, row := range t.Rows {
		for i := range row {
			row[i] = OneLine(row[i])
			if i == t.Status && t.Header != nil && !a.OutTerminal {
				row[i] = a.PaintStatus(row[i])
			}
		}
		if !a.OutTerminal {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	if !a.OutTerminal || len(t.Rows) == 0 {
		return b.Bytes()
	}
	widths := t.widths()
	if t.Excerpt {
		shrink(widths, a.Width)
	}
	b.WriteString(a.Dim(strings.TrimRight(joinCells(t.Header, widths, nil), " ")) + "\n")
	for i, row := range t.Rows {
		if t.Groups != nil && (i == 0 || t.Groups[i] != t.Groups[i-1]) {
			b.WriteString(a.Bold(Clip(OneLine(t.Groups[i]), a.Width)) + "\n")
		}
		text := joinCells(row, widths, func(i int, cell string) string {
			if i != t.Status {
				return cell
			}
			return a.Paint(StatusColors[strings.TrimSpace(cell)], cell)
		})
		b.WriteString(strings.TrimRight(text, " ") + "\n")
		if t.Below != nil && t.Below[i] != "" {
			b.WriteString(a.Dim(Clip("  "+OneLine(t.Below[i]), a.Width)) + "\n")
		}
	}
	return b.Bytes()
}

func (t Table) widths() []int {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], TextWidth(cell))
		}
	}
	return widths
}

// shrink narrows the last two columns so that a row fits into a line. The last column
// is the text and gets at least half of their width. If that is not enough, other
// columns except the first, the id, are narrowed too.
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

func joinCells(cells []string, widths []int, style func(int, string) string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		cell = Clip(cell, widths[i])
		cell += strings.Repeat(" ", max(0, widths[i]-TextWidth(cell)))
		if style != nil {
			cell = style(i, cell)
		}
		b.WriteString(cell)
	}
	return b.String()
}
