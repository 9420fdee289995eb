package page

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// segment is a stretch of a text. Exactly one of its fields is set.
type segment struct {
	Text string
	Link string // an http or https address
	Mark string // the code point of a character that readers would not see, such as U+200B
}

// webLink finds what networks make a link of, without the punctuation behind it.
var webLink = regexp.MustCompile(`https?://[^\s<>"]*[^\s<>"'.,;:!?)\]}]`)

// segments splits a text so that its links and its invisible characters can be shown. The
// segments are the whole text, in its order. A link ends at an invisible character.
func segments(text string) (list []segment) {
	plain := 0 // where the text starts that is not in list yet
	add := func(end int) {
		if plain < end {
			list = append(list, linked(text[plain:end])...)
		}
	}
	before := rune(-1)
	for i, r := range text {
		n := max(utf8.RuneLen(r), 1)
		after, _ := utf8.DecodeRuneInString(text[min(i+n, len(text)):])
		if invisible(r) && !inEmoji(before, r, after) {
			add(i)
			list = append(list, segment{Mark: fmt.Sprintf("U+%04X", r)})
			plain = i + n
		}
		before = r
	}
	add(len(text))
	return list
}

// linked splits a text without invisible characters at its links.
func linked(text string) (list []segment) {
	from := 0
	for _, at := range webLink.FindAllStringIndex(text, -1) {
		if from < at[0] {
			list = append(list, segment{Text: text[from:at[0]]})
		}
		list = append(list, segment{Link: text[at[0]:at[1]]})
		from = at[1]
	}
	if from < len(text) {
		list = append(list, segment{Text: text[from:]})
	}
	return list
}

// invisible reports whether readers do not see a character, or see it as an ordinary space.
func invisible(r rune) bool {
	switch r {
	case '\n', '\t', ' ':
		return false
	case '\u2800', '\u115f', '\u1160', '\u3164', '\uffa0', utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Characters that combine emoji.
const (
	joiner     = '\u200d'
	emojiStyle = '\ufe0f'
	textStyle  = '\ufe0e'
	keycap     = '\u20e3'
)

// inEmoji reports whether an invisible character is part of an emoji, between the characters
// before and after it.
func inEmoji(before, r, after rune) bool {
	switch {
	case r == joiner:
		return (pictograph(before) || before == emojiStyle) && pictograph(after)
	case r == emojiStyle, r == textStyle:
		return pictograph(before) || after == keycap && strings.ContainsRune("0123456789#*", before)
	}
	return false
}

// pictograph reports whether a character is an emoji, or one of the symbols that can be
// shown as emoji.
func pictograph(r rune) bool {
	switch {
	case r >= 0x1f000 && r <= 0x1faff, r >= 0x2190 && r <= 0x2bff && unicode.IsSymbol(r):
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// firstLine returns the start of the first line of a text, at most limit code points, without
// invisible characters.
func firstLine(text string, limit int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	var out strings.Builder
	n := 0
	for _, r := range line {
		if invisible(r) && r != '\u00a0' {
			continue
		}
		if n++; n > limit {
			more = true
			break
		}
		out.WriteRune(r)
	}
	if more {
		out.WriteString(" …")
	}
	return out.String()
}
