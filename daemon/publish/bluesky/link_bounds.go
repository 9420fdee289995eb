package bluesky

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cjkMarks are the punctuation marks and brackets of Chinese and Japanese. They have no space
// before or after them, and are not part of a link or of a tag.
const cjkMarks = "。、，．！？：；「」『』【】（）《》〈〉〔〕［］｛｝〖〗｡､｢｣"

// quotes are never part of a link, but ' may be: see closesQuote.
const quotes = "\"“”„‟‘’‚‛«»‹›"

// startsAfter reports whether a link may start right after the text before, which is a part of
// a word: after "(", another bracket or a quote that no letter precedes, a mark or a letter of
// Chinese, Japanese or Korean, or an arrow.
func startsAfter(before string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	switch {
	case last == '(', strings.ContainsRune(cjkMarks, last), isCJK(last), isArrow(last):
		return true
	case strings.ContainsRune("[{<>'", last), strings.ContainsRune(quotes, last):
		earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
		return isCJK(earlier) || !unicode.IsLetter(earlier) && !unicode.IsDigit(earlier)
	}
	return false
}

// tagStartsAfter reports whether a tag may start right after the text before, which is a part
// of a word.
func tagStartsAfter(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(cjkMarks, last)
}

func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isArrow reports whether a character is an arrow or a pointing hand.
func isArrow(r rune) bool {
	return r >= 0x2190 && r <= 0x21FF || r >= 0x2794 && r <= 0x27BE || r >= 0x27F0 && r <= 0x27FF || r >= 0x2900 && r <= 0x297F ||
		r >= 0x2B00 && r <= 0x2B11 || r >= 0x1F446 && r <= 0x1F449 || r == 0xFE0F // which follows an arrow shown as an emoji
}

// linkEnds finds where the links of a word end. It reads each character once, however many
// links may start before it.
type linkEnds struct {
	word string
	next int // the first end at or after the last offset; 0 before the first one
}

// cut returns the part of the word from an offset that may be a link: it ends before a quote,
// before a mark of Chinese or Japanese, and before a letter of these right after the name of a
// host.
func (w *linkEnds) cut(at int) string {
	if w.next == 0 || at > w.next {
		w.next = len(w.word)
		if end := strings.IndexFunc(w.word[at:], endsLink); end >= 0 {
			w.next = at + end
		}
	}
	s := w.word[at:w.next]
	prefix := len(scheme().FindString(s))
	if host := hostname().FindString(s[prefix:]); host != "" && knownDomain(strings.ToLower(host)) {
		end := prefix + len(host)
		if next, _ := utf8.DecodeRuneInString(s[end:]); isCJK(next) {
			s = s[:end]
		}
	}
	return s
}

func endsLink(r rune) bool {
	return r == '<' || r == '>' || strings.ContainsRune(quotes, r) || r >= utf8.RuneSelf && strings.ContainsRune(cjkMarks, r)
}

// closing are the closing brackets with the opening ones.
var closing = map[byte]string{')': "(", ']': "[", '}': "{"}

// trimSentence removes the end of a link that belongs to the surrounding sentence: a
// punctuation mark, and closing brackets and quotes without opening ones, each with a
// punctuation mark before it.
func trimSentence(link string) string {
	link = trimPunctuation(link)
	for link != "" {
		last := link[len(link)-1]
		opening := closing[last]
		unopened := opening != "" && strings.Count(link, string(last)) > strings.Count(link, opening)
		if !unopened && !(last == '\'' && strings.Count(link, "'") == 1) {
			break
		}
		link = trimPunctuation(link[:len(link)-1])
	}
	return link
}

// trimPunctuation removes a punctuation mark from the end, or an ellipsis.
func trimPunctuation(link string) string {
	if rest := strings.TrimRight(link, ".…"); len(link)-len(rest) > 1 {
		return rest
	}
	if last := len(link) - 1; last >= 0 && strings.IndexByte(".,;:!?", link[last]) >= 0 {
		return link[:last]
	}
	return link
}
