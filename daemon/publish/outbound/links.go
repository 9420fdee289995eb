package outbound

import (
	"strings"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

var webLink = pattern.Lazy(`(?i)\b(?:https?://|www\.)[^\s<>"]+`)

// maxLinks is how many links Links returns at most.
const maxLinks = 100

// Links returns the web addresses in a text, without the punctuation after them. Some start
// with "www." and have no scheme.
func Links(text string) []string {
	found := webLink().FindAllString(text, maxLinks)
	for i, link := range found {
		link = strings.TrimRight(link, punctuation)
		for strings.HasSuffix(link, ")") && strings.Count(link, ")") > strings.Count(link, "(") {
			link = strings.TrimRight(strings.TrimSuffix(link, ")"), punctuation)
		}
		found[i] = link
	}
	return found
}

const punctuation = ".,;:!?'…"

// FirstLink returns the first web address with a scheme in a text, or the empty string.
func FirstLink(text string) string {
	for _, link := range Links(text) {
		if u, err := ParseURL(link); err == nil && u.Host != "" {
			return link
		}
	}
	return ""
}
