package mastodon

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// length counts a status as Mastodon does: user-perceived characters of the
// content warning and the text together, where every link is as long as the
// server says and mentions are without the server's name.
func length(content, spoiler string, l schedctl.Limits) int {
	return uniseg.GraphemeClusterCount(spoiler + countable(content, l.URLCharacters))
}

// countable returns the text with links of the given length, or of their own for
// 0, and mentions without the server's name.
func countable(text string, urlCharacters int) string {
	entities := append(links(text), mentions(text)...)
	slices.SortStableFunc(entities, func(a, b entity) int { return a.start - b.start })
	var short strings.Builder
	end := 0
	for _, e := range entities {
		if e.start < end {
			continue // within the one before
		}
		short.WriteString(text[end:e.start])
		if e.link && urlCharacters > 0 {
			short.WriteString(strings.Repeat("x", urlCharacters))
		} else {
			short.WriteString(text[e.start:e.counted])
		}
		end = e.end
	}
	short.WriteString(text[end:])
	return short.String()
}

// entity is a link or a mention in a text, in bytes.
type entity struct {
	start, end int
	counted    int // the end of what is counted
	link       bool
}

// mention finds what may be one. The first group is what must not be a part of a
// word before it, the second the name, the third the server.
var mention = pattern.Lazy(`(^|[^=/\pL\pM\p{Nd}\p{Pc}])(@[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*)` +
	`(@[\pL\pM\p{Nd}\p{Pc}]+(?:[.-]+[\pL\pM\p{Nd}\p{Pc}]+)*)?`)

// mentions returns the mentions in a text, in their order.
func mentions(text string) []entity {
	var found []entity
	for _, m := range mention().FindAllStringSubmatchIndex(text, -1) {
		after := text[m[1]:]
		next, _ := utf8.DecodeRuneInString(after)
		if next == '@' || next == '＠' || isLatinAccent(next) || strings.HasPrefix(after, "://") {
			continue
		}
		found = append(found, entity{start: m[4], end: m[1], counted: m[5]})
	}
	return found
}

// isLatinAccent reports whether Mastodon takes a character for an accented Latin
// letter, or for an accent.
func isLatinAccent(r rune) bool {
	switch {
	case r == '×' || r == '÷':
		return false
	case r >= 0xC0 && r <= 0x24F, r >= 0x300 && r <= 0x36F, r >= 0x1E00 && r <= 0x1EFF, r == 0x2BB:
		return true
	}
	return r >= 0x250 && r <= 0x2AF && strings.ContainsRune("ɓɔɖɗəɛɣɨɯɲʉ", r)
}

// isSpace reports whether a character is white space in a link.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == 0x180E }
