package mastodon

import (
	"strings"
	"unicode"
)

// similarity says how alike a status and the post are.
type similarity int

const (
	different similarity = iota
	unclear
	same
)

// minSimilarity is the share of common letter triples above which one text may be
// the other, changed by a server. Unrelated texts of a language share up to a third.
const minSimilarity = 0.5

// compareSource compares the post with a status as it was written. A server that
// reports this keeps the text except for surrounding white space.
func compareSource(wanted, status statusText, edited bool) similarity {
	textSame, warningSame := normalize(wanted.text) == normalize(status.text), normalize(wanted.warning) == normalize(status.warning)
	switch {
	case textSame && warningSame:
		return same
	case textSame, edited, string(lettersOf(wanted.text)) == string(lettersOf(status.text)):
		return unclear
	}
	return different
}

// compareShown compares the post with the HTML of a status. Servers remove Markdown,
// shorten links and drop the servers of mentions.
func compareShown(wanted, status statusText, edited bool) similarity {
	shown := statusText{text: plainText(status.text), warning: status.warning}
	l := compareSource(wanted, shown, edited)
	if l == different && similar(lettersOf(wanted.text), lettersOf(shown.text)) {
		return unclear
	}
	return l
}

// normalize removes what servers and their HTML change in a text: the amount of
// white space, invisible characters, and the servers of mentions.
func normalize(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || r == 0xFE0E || r == 0xFE0F {
			return -1
		}
		return r
	}, withoutServers(text))
	return strings.Join(strings.Fields(text), " ")
}

func withoutServers(text string) string {
	var short strings.Builder
	end := 0
	for _, m := range mentions(text) {
		short.WriteString(text[end:m.counted])
		end = m.end
	}
	short.WriteString(text[end:])
	return short.String()
}

// lettersOf returns the letters and digits of a text in lower case, without links.
func lettersOf(text string) []rune {
	text = withoutServers(text)
	var letters []rune
	end := 0
	for _, l := range append(links(text), entity{start: len(text)}) {
		for _, r := range strings.ToLower(text[end:l.start]) {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				letters = append(letters, r)
			}
		}
		end = l.end
	}
	return letters
}

// similar reports whether one text may be a changed version of the other. Texts of
// fewer than three letters must be equal.
func similar(a, b []rune) bool {
	if len(a) < 3 || len(b) < 3 {
		return string(a) == string(b)
	}
	triples := map[[3]rune]int{}
	for i := 0; i+3 <= len(a); i++ {
		triples[[3]rune(a[i:i+3])]++
	}
	common := 0
	for i := 0; i+3 <= len(b); i++ {
		if t := [3]rune(b[i : i+3]); triples[t] > 0 {
			triples[t]--
			common++
		}
	}
	return 2*float64(common) >= minSimilarity*float64(len(a)+len(b)-4)
}
