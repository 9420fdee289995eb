package cli

import "strings"

// LineDiff returns the lines of two texts that differ: removed ones start with
// "- ", added ones with "+ ".
func LineDiff(before, after string) (lines []string) {
	b, a := textLines(before), textLines(after)
	for len(b) > 0 && len(a) > 0 && b[0] == a[0] {
		b, a = b[1:], a[1:]
	}
	for len(b) > 0 && len(a) > 0 && b[len(b)-1] == a[len(a)-1] {
		b, a = b[:len(b)-1], a[:len(a)-1]
	}
	for _, l := range b {
		lines = append(lines, "- "+l)
	}
	for _, l := range a {
		lines = append(lines, "+ "+l)
	}
	return lines
}

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
