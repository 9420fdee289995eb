package outbound

import (
	"strings"
	"unicode"
)

// maxLabel is the longest name taken from a network, in characters.
const maxLabel = 100

// Label returns a name that a network gave in a decoded JSON value, without what
// cannot be printed and at most 100 characters of it. It is empty for anything
// but a text.
func Label(value any) string {
	text, _ := value.(string)
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxLabel {
		text = string(runes[:maxLabel])
	}
	return strings.TrimSpace(text)
}
