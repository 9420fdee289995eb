package threadtext

import (
	"regexp"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Limit is the longest text that an account can publish.
type Limit struct {
	Max  int    // 0 for no limit
	Unit string // characters, graphemes or bytes

	URLCharacters int // the length of every URL; 0 if URLs count as other text
}

var link = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"]+`)

// Length returns the length of a text in the unit of the limit. It is an estimate: the
// networks count links and mentions in ways of their own.
func (l Limit) Length(text string) (n int) {
	if l.URLCharacters > 0 {
		links := link.FindAllString(text, -1)
		n = len(links) * l.URLCharacters
		text = link.ReplaceAllString(text, "")
	}
	switch l.Unit {
	case "bytes":
		return n + len(text)
	case "graphemes":
		for clusters := graphemes.FromString(text); clusters.Next(); n++ {
		}
		return n
	}
	return n + utf8.RuneCountInString(text)
}

// Fits reports whether an account can publish a text.
func (l Limit) Fits(text string) bool { return l.Max <= 0 || l.Length(text) <= l.Max }
