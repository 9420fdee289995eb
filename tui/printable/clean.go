package printable

import (
	"strings"
	"unicode"
)

// Clean replaces characters that could move the cursor or color the screen, and bytes that are
// not UTF-8. It writes those that change the direction of text as [Reveal] does. Line breaks
// and tabs stay.
func Clean(text string) string {
	return reveal(strings.Map(func(r rune) rune {
		if Unprintable(r) && !turns(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text), turns)
}

// Unprintable reports whether [Clean] replaces a character.
func Unprintable(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.IsControl(r) || turns(r)
}

// turns reports whether a character changes the direction of the text after it.
func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }
