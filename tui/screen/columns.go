package screen

import (
	"strings"
)

// Columns puts columns next to each other.
func Columns(columns [][]string, width, height int) []string {
	lines := make([]string, height)
	for row := range lines {
		var line strings.Builder
		for _, c := range columns {
			text := ""
			if row < len(c) {
				text = c[row]
			}
			line.WriteString(PadRight(text, width-1) + " ")
		}
		lines[row] = strings.TrimRight(line.String(), " ")
	}
	return lines
}
