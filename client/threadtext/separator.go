// Package threadtext converts between the text of a thread and its parts: at separator
// lines, which people write, or where the parts of a long text fit the networks.
package threadtext

import "strings"

// Separator is the line that separates the parts of a thread in one text. In such a
// text, a line of the post that looks like the separator starts with a backslash: \---.
const Separator = "---"

// Split returns the parts of a text at its separator lines. Empty lines around a
// separator are dropped. A text without separators is one part. A part may be empty.
func Split(text string) []string {
	parts, _ := SplitLines(text)
	return parts
}

// SplitLines is [Split] with the line of the text, from 0, at which each part starts. The
// line of an empty part at the end is that of its separator.
func SplitLines(text string) (parts []string, starts []int) {
	var part []string
	lines := strings.Split(text, "\n")
	starts = []int{0}
	for i, line := range lines {
		bare := strings.TrimRight(line, " \t\r")
		switch {
		case bare == Separator:
			parts, part = append(parts, join(part)), nil
			starts = append(starts, i+1)
			continue
		case isEscaped(bare):
			line = line[1:]
		}
		part = append(part, line)
	}
	parts = append(parts, join(part))
	for i := range parts {
		if i > 0 {
			before := strings.Count(parts[i], "\n")
			parts[i] = trimStart(parts[i])
			starts[i] = min(starts[i]+before-strings.Count(parts[i], "\n"), len(lines)-1)
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(parts[i], " \t\r\n")
		}
	}
	return parts, starts
}

// Join returns the text that [Split] splits into the parts, apart from white space next
// to the separators.
func Join(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("\n" + Separator + "\n")
		}
		for j, line := range strings.Split(part, "\n") {
			if j > 0 {
				b.WriteString("\n")
			}
			if bare := strings.TrimRight(line, " \t\r"); bare == Separator || isEscaped(bare) {
				b.WriteString(`\`)
			}
			b.WriteString(line)
		}
	}
	return b.String()
}

// isEscaped reports whether a line is a separator after one or more backslashes.
func isEscaped(line string) bool {
	rest := strings.TrimLeft(line, `\`)
	return rest == Separator && len(rest) < len(line)
}

func join(lines []string) string { return strings.Join(lines, "\n") }

// trimStart removes empty lines at the start of a text, but not the spaces of its first
// line.
func trimStart(text string) string {
	for {
		line, rest, found := strings.Cut(text, "\n")
		if !found || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}
