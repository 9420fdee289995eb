package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reveal writes characters that do not show as a sign with their number, such as ␣U+200B, so
// that people see everything that is published. It keeps line breaks, tabs, and what joins
// and colors emoji. It leaves control characters, and so the styles of the program.
func Reveal(text string) string { return reveal(text, hidden) }

// reveal writes the characters of a kind with their numbers.
func reveal(text string, kind func(rune) bool) string {
	if strings.IndexFunc(text, kind) < 0 {
		return text
	}
	var b strings.Builder
	before := rune(-1)
	for i, r := range text {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError { // perhaps one byte that is not UTF-8
			_, size = utf8.DecodeRuneInString(text[i:])
		}
		after, _ := utf8.DecodeRuneInString(text[i+size:])
		if kind(r) && !inEmoji(before, r, after) {
			fmt.Fprintf(&b, "␣U+%04X", r)
		} else {
			b.WriteString(text[i : i+size])
		}
		before = r
	}
	return b.String()
}

// hidden reports whether a character does not show. These are the default-ignorable
// characters of Unicode (UAX #44): zero-width characters, those that change the direction of
// text, tags, fillers and variation selectors.
func hidden(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	case r >= 0xfff9 && r <= 0xfffb, r >= 0x13430 && r <= 0x13440, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// inEmoji reports whether a character is a visible part of an emoji: it joins two symbols, or
// selects how the one before it looks.
func inEmoji(before, r, after rune) bool {
	symbol := func(r rune) bool { return r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm) }
	switch r {
	case '\u200d':
		return (symbol(before) || before == '\ufe0f' || before >= 0x1f3fb && before <= 0x1f3ff) && symbol(after)
	case '\ufe0e', '\ufe0f':
		return symbol(before) || before < 0x80 && strings.ContainsRune("#*0123456789", before) && after == '\u20e3'
	}
	return false
}
