package printable

import (
	"strings"
	"unicode"
)

// Clean replaces characters that could move the cursor, color the screen or change the
// direction of text, and bytes that are not UTF-8. Line breaks and tabs stay.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if Unprintable(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// Unprintable reports whether [Clean] replaces a character.
func Unprintable(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
