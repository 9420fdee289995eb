package page

import (
	"fmt"
	"html/template"
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

// marked returns a text as HTML, with its invisible characters marked.
func marked(text string) template.HTML {
	if plain(text) {
		return template.HTML(template.HTMLEscapeString(text))
	}
	var out strings.Builder
	for _, s := range segments(text) {
		if s.Mark != "" {
			out.WriteString("<mark>" + s.Mark + "</mark>")
		}
		out.WriteString(template.HTMLEscapeString(s.Link + s.Text))
	}
	return template.HTML(out.String())
}

// coded returns a text for places without markup. Codes such as U+200B take the place of its
// invisible characters.
func coded(text string) string {
	if plain(text) {
		return text
	}
	var out strings.Builder
	for _, s := range segments(text) {
		out.WriteString(s.Mark + s.Link + s.Text)
	}
	return out.String()
}

// plain reports whether a text has only printable characters of ASCII, and so nothing to mark.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// linked splits a text without invisible characters at its links.
func linked(text string) (list []segment) {
	if !strings.Contains(text, "://") {
		return []segment{{Text: text}}
	}
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
	switch {
	case r >= ' ' && r <= '~', r == '\n', r == '\t':
		return false
	}
	switch r {
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

// markChars is how many characters the code of an invisible character takes in a line.
const markChars = 8

// firstLine returns the start of the first line of a text, as much as fits into limit
// characters once its invisible characters are marked.
func firstLine(text string, limit int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) <= limit && plain(line) {
		return ended(line, more)
	}
	before := rune(-1)
	for i, r := range line {
		n := max(utf8.RuneLen(r), 1)
		after, _ := utf8.DecodeRuneInString(line[min(i+n, len(line)):])
		if limit--; invisible(r) && !inEmoji(before, r, after) {
			limit -= markChars - 1
		}
		if limit < 0 {
			return ended(line[:i], true)
		}
		before = r
	}
	return ended(line, more)
}

// ended returns the start of a text, with a sign if the text has more.
func ended(start string, more bool) string {
	if more {
		return start + " …"
	}
	return start
}
