package linkedin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// reserved are the characters that have a meaning in LinkedIn's little text format
// (https://learn.microsoft.com/linkedin/marketing/community-management/shares/little-text-format).
// An unescaped "(" cuts the post silently.
const reserved = `\<>#~_|[]*(){}@`

// escape returns a text in the little text format. A "#" before a word stays, so that it
// becomes a hashtag.
func escape(text string) string {
	var b strings.Builder
	for i, r := range text {
		if strings.ContainsRune(reserved, r) && !(r == '#' && startsWord(text[i+1:])) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// startsWord reports whether a text starts with a letter or a digit.
func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// unescape returns the text of a post in the little text format. LinkedIn may return a
// hashtag as {hashtag|\#|word}.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if rest, found := strings.CutPrefix(text[i:], `{hashtag|`); found {
			if word, size, ok := cutHashtag(rest); ok {
				b.WriteString("#" + unescape(word))
				i += len(`{hashtag|`) + size
				continue
			}
		}
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(reserved, text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// cutHashtag returns the word in the rest of a hashtag, and the number of its bytes.
func cutHashtag(rest string) (word string, size int, ok bool) {
	sign, after, found := strings.Cut(rest, "|")
	if !found || sign != `\#` && sign != "#" && sign != "＃" && sign != `\＃` {
		return "", 0, false
	}
	for i := 0; i < len(after); i++ {
		switch after[i] {
		case '\\':
			i++
		case '}':
			return after[:i], len(sign) + 1 + i + 1, true
		}
	}
	return "", 0, false
}

// plain returns a text without what LinkedIn may change in it: the amount of white space.
func plain(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }

// MayConfuse reports whether LinkedIn shows the two contents alike.
func (p *Publisher) MayConfuse(a, b string) bool { return plain(a) == plain(b) }
