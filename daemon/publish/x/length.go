package x

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The weights with which X counts characters
// (https://docs.x.com/fundamentals/counting-characters).
const (
	urlWeight     = 23
	emojiWeight   = 2
	defaultWeight = 2
)

// weighted returns the length of a text as X counts it, and the number of its links. It
// agrees with version 3.1.0 of X's own library, twitter-text.
func weighted(text string) (length, links int) {
	text = norm.NFC.String(text)
	urls, emoji := findURLs(text), findEmoji(text)
	for i := 0; i < len(text); {
		if len(urls) > 0 && urls[0].start < i {
			urls = urls[1:]
			continue
		}
		if len(emoji) > 0 && emoji[0].start < i {
			emoji = emoji[1:]
			continue
		}
		switch {
		case len(urls) > 0 && urls[0].start == i:
			length += urlWeight
			links++
			var half bool
			if i, half = skipUnits(text, i, urls[0].units); half {
				length += defaultWeight
			}
		case len(emoji) > 0 && emoji[0].start == i:
			length += emojiWeight
			i = emoji[0].end
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			length += weightOf(r)
			i += size
		}
	}
	return length, links
}

// weightOf returns the weight of a character.
func weightOf(r rune) int {
	switch {
	case r <= 0x10FF, r >= 0x2000 && r <= 0x200D, r >= 0x2010 && r <= 0x201F, r >= 0x2032 && r <= 0x2037:
		return 1
	}
	return defaultWeight
}

// skipUnits returns the index after a number of UTF-16 code units that start at i. half
// reports whether they end in the middle of a character, whose second half then counts.
func skipUnits(text string, i, units int) (next int, half bool) {
	for units > 0 && i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		units -= utf16.RuneLen(r)
		i += size
	}
	return i, units < 0
}

// span is a part of a text, in bytes.
type span struct{ start, end int }

//go:embed emoji.txt
var emojiData string

// emojiForm matches the emoji that X counts as one. Its groups are empty for an emoji
// that may also be shown as text.
var emojiForm = lazy(func() string { return strings.Join(dataLines(emojiData), "") })

// textStyle is the character after an emoji that is shown as text.
const textStyle = "\uFE0E"

// findEmoji returns the emoji of a text, in order.
func findEmoji(text string) (found []span) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x2000 }) < 0 {
		return nil
	}
	for pos := 0; pos < len(text); {
		m := emojiForm().FindStringSubmatchIndex(text[pos:])
		if m == nil {
			return found
		}
		start, end := pos+m[0], pos+m[1]
		if shownAsText(text[pos:], m[2:]) {
			_, size := utf8.DecodeRuneInString(text[start:])
			pos = start + size
			continue
		}
		found = append(found, span{start, end})
		pos = end
	}
	return found
}

// shownAsText reports whether an empty group is followed by textStyle.
func shownAsText(text string, groups []int) bool {
	for i := 0; i < len(groups); i += 2 {
		if groups[i] >= 0 && groups[i] == groups[i+1] && strings.HasPrefix(text[groups[i]:], textStyle) {
			return true
		}
	}
	return false
}

// dataLines returns the lines of an embedded file that are no comments.
func dataLines(data string) (lines []string) {
	for line := range strings.Lines(data) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// halves stands for the two UTF-16 code units of a character in folded text. None of the
// expressions for links mentions it.
const halves = "\u0700\u0700"

// fold returns the text in lower case, with the same number of bytes and one character
// for each UTF-16 code unit. It keeps characters whose lower case has another length, and
// characters that only look like ASCII letters in upper case, as regular expressions in
// JavaScript do.
func fold(text string) string {
	var b strings.Builder
	for _, r := range text {
		upper := unicode.ToUpper(r)
		lower := unicode.ToLower(upper)
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(unicode.ToLower(r))
		case r > 0xFFFF:
			b.WriteString(halves)
		case upper >= utf8.RuneSelf && utf8.RuneLen(lower) == utf8.RuneLen(r):
			b.WriteRune(lower)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
