package mastodon

import (
	"regexp"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/schedctl/schedctl"
)

// What Mastodon does not count by its length: links with a scheme, and
// mentions, of which the server's name is free. The first group is what may
// stand before one.
var (
	link    = regexp.MustCompile(`(^|[^\pL\pN@＠$#＃])((?i:https?)://[^\s<>"\x60]+)`)
	mention = regexp.MustCompile(`(^|[^\pL\pN_/])(@[A-Za-z0-9_]+(?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)@[\pL\pN.-]*[\pL\pN]`)
)

// length counts a status as Mastodon does: user-perceived characters, every
// link as the server says, and mentions without the server's name. The content
// warning counts too.
func length(content, spoiler string, l schedctl.Limits) int {
	text := content
	if l.URLCharacters > 0 {
		text = shortenLinks(text, strings.Repeat("x", l.URLCharacters))
	}
	text = mention.ReplaceAllString(text, "$1$2")
	return uniseg.GraphemeClusterCount(spoiler) + uniseg.GraphemeClusterCount(text)
}

// shortenLinks puts the placeholder where a link is.
func shortenLinks(text, placeholder string) string {
	var short strings.Builder
	end := 0
	for _, found := range link.FindAllStringSubmatchIndex(text, -1) {
		short.WriteString(text[end:found[4]])
		short.WriteString(placeholder)
		end = found[4] + len(withoutTail(text[found[4]:found[5]]))
	}
	short.WriteString(text[end:])
	return short.String()
}

// withoutTail cuts the punctuation that ends a sentence rather than a link. A
// closing bracket stays where the link opened it.
func withoutTail(link string) string {
	for link != "" {
		tail := `.,:;!?'`
		if strings.Count(link, ")") > strings.Count(link, "(") {
			tail += ")"
		}
		if !strings.ContainsRune(tail, rune(link[len(link)-1])) {
			break
		}
		link = link[:len(link)-1]
	}
	return link
}
