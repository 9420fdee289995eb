package threadtext

import (
	"sort"
	"strings"
	"unicode"
)

// ellipsis stands at the end of a text that was cut.
const ellipsis = "…"

// Cut returns a text for which fits is true: the text itself, or its beginning with "…". It
// cuts after a word, or inside of a word where a word is too long, and never splits a grapheme
// cluster, a URL or a mention. ok is false if nothing of the text fits.
//
// fits must be true for every text that is shorter than one for which it is true.
func Cut(text string, fits func(string) bool) (cut string, ok bool) {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if fits(text) {
		return text, true
	}
	all := breaks(text)
	end := func(i int) string { return trimEnd(text[:all[i].end]) + ellipsis }
	n := sort.Search(len(all), func(i int) bool { return !fits(end(i)) }) // the first that does not fit
	longest := 0
	if n > 0 {
		longest = all[n-1].end
	}
	for i := n - 1; i >= 0 && all[i].end >= longest/2; i-- {
		if all[i].kind > afterGrapheme && trimEnd(text[:all[i].end]) != "" && fits(end(i)) {
			return end(i), true
		}
	}
	for i := n - 1; i >= 0; i-- {
		if trimEnd(text[:all[i].end]) != "" && fits(end(i)) {
			return end(i), true
		}
	}
	return "", false
}

// trimEnd removes white space and the punctuation that does not stand before an ellipsis.
func trimEnd(text string) string {
	return strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,;:–—-([{…、，。", r) })
}
