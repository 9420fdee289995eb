package schedctl

import (
	"strings"
	"unicode"
)

// TidyText returns the text of a post, of a part or of a comment as it is published:
// with LF for CRLF, without blank lines before the first line, and without white space
// at its end. Spaces at the start of the first line, and at the ends of the lines
// before the last one, stay. A text without a visible character becomes empty.
func TidyText(text string) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), blanks+"\n\r")
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.Trim(line, blanks) != "" {
			break
		}
		text = rest
	}
	if !HasVisible(text) {
		return ""
	}
	return text
}

// blanks are the characters of a line that count as none.
const blanks = " \t"

// HasVisible reports whether a text has a character that readers see: neither white space
// nor a control or format character, such as a space without width.
func HasVisible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\u2800' && !unicode.IsSpace(r) && // the empty pattern of Braille
			(unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
				!unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
	})
}
