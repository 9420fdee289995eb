package outbound

import (
	"strings"
	"unicode"
)

// maxLabel is the maximum length of a name that a network gives, in characters.
const maxLabel = 100

// Label returns the name in a decoded JSON value. It removes characters that cannot
// be printed and cuts the name after 100 characters. It returns the empty string if
// the value is not a string.
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
