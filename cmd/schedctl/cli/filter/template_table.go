package filter

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// tablerow adds a row to the table.
func (f *templateFuncs) tablerow(fields ...any) string {
	row := make([]string, len(fields))
	for i := range fields {
		row[i] = strings.Join(strings.Fields(fmt.Sprint(fields[i])), " ")
	}
	f.rows = append(f.rows, row)
	return ""
}

// tablerender returns the current table and starts the next one. On a terminal, the
// table is aligned and cut to the width; elsewhere it is complete and tab-separated.
func (f *templateFuncs) tablerender() string {
	rows := f.rows
	f.rows = nil
	var b strings.Builder
	if !f.Terminal {
		for _, row := range rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
		return b.String()
	}
	widths := columnWidths(rows)
	narrow(widths, f.Width)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			cell = ansi.Truncate(cell, widths[i], "…")
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[i]-ansi.StringWidth(cell))))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

// minColumn is the smallest width to which a table column is cut.
const minColumn = 7

// narrow cuts the widest columns until a row fits into a line, or until all columns
// have the smallest width.
func narrow(widths []int, lineWidth int) {
	for {
		total, widest := 2*(len(widths)-1), -1
		for i, w := range widths {
			total += w
			if widest < 0 || w >= widths[widest] {
				widest = i
			}
		}
		if total <= lineWidth || widest < 0 || widths[widest] <= minColumn {
			return
		}
		widths[widest]--
	}
}
