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

// statusLength counts the content warning and the text together, as the server
// counts; see [countingLimits].
//
// Mastodon counts user-perceived characters. Every link counts as URLCharacters, and
// mentions count without the server's name. If URLCharacters is 0, the server counts
// links and mentions in full.
//
// User-perceived characters are those of Unicode 15.0, in which the halves of an
// Indic conjunct such as क्ष count 1 each. Ruby before 4.0 and Elixir on older
// versions of Erlang, which these servers use, count the same. A server with newer
// rules counts less, never more.
func statusLength(content, spoiler string, l schedctl.Limits) int {
	more := 0
	if l.URLCharacters > 0 {
		var links int
		content, links = countable(content)
		more = links * (l.URLCharacters - 1)
	}
	if l.Unit == "characters" {
		return more + utf8.RuneCountInString(spoiler) + utf8.RuneCountInString(content)
	}
	return more + uniseg.GraphemeClusterCount(spoiler+content)
}

// countable returns the text with one character for each link and with mentions
// without the server's name, and the number of replaced links.
func countable(text string) (short string, replaced int) {
	entities := append(links(text), mentions(text)...)
	slices.SortStableFunc(entities, func(a, b entity) int { return a.start - b.start })
	var b strings.Builder
	end := 0
	for _, e := range entities {
		if e.start < end {
			continue // inside the previous one
		}
		b.WriteString(text[end:e.start])
		if e.link {
			b.WriteByte('x')
			replaced++
		} else {
			b.WriteString(text[e.start:e.counted])
		}
		end = e.end
	}
	b.WriteString(text[end:])
	return b.String(), replaced
}

// entity is a link or mention in a text, with byte offsets.
type entity struct {
	start, end int
	counted    int // the end of what is counted
	link       bool
}

// mention matches possible mentions. The groups are the character before it, which
// must not be part of a word, the name, and the server.
var mention = pattern.Lazy(`(^|[^=/\pL\pM\p{Nd}\p{Pc}])(@[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*)` +
	`(@[\pL\pM\p{Nd}\p{Pc}]+(?:[.-]+[\pL\pM\p{Nd}\p{Pc}]+)*)?`)

// mentions returns the mentions in a text, in order.
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

// isLatinAccent reports whether Mastodon treats a character as an accented Latin
// letter or an accent.
func isLatinAccent(r rune) bool {
	switch {
	case r == '×' || r == '÷':
		return false
	case r >= 0xC0 && r <= 0x24F, r >= 0x300 && r <= 0x36F, r >= 0x1E00 && r <= 0x1EFF, r == 0x2BB:
		return true
	}
	return r >= 0x250 && r <= 0x2AF && strings.ContainsRune("ɓɔɖɗəɛɣɨɯɲʉ", r)
}

// isSpace reports whether a character is white space to Mastodon's link parser.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == 0x180E }
