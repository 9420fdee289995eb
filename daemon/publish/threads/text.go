package threads

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// length returns the length of a text as Threads counts it: characters, but the UTF-8 bytes
// of an emoji (https://developers.facebook.com/docs/threads/overview#limitations).
func length(text string) (n int) {
	for clusters := graphemes.FromString(text); clusters.Next(); {
		cluster := clusters.Value()
		if isEmoji(cluster) {
			n += len(cluster)
			continue
		}
		n += utf8.RuneCountInString(cluster)
	}
	return n
}

// isEmoji reports whether a cluster is shown as an emoji.
func isEmoji(cluster string) bool {
	return strings.ContainsFunc(cluster, func(r rune) bool {
		switch {
		case r == 0xFE0F, r == 0x20E3: // emoji presentation, keycap
			return true
		case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF:
			return true
		}
		return r == 0x231A || r == 0x231B || r == 0x23E9 || r == 0x2B50 || r == 0x2B55
	})
}

// codeLinks is the code of a post with more than maxLinks different links, and linksExceeded
// is what the error of Threads for it contains
// (https://developers.facebook.com/docs/threads/create-posts/text-attachments).
const (
	codeLinks     = "too_many_links"
	maxLinks      = 5
	linksExceeded = "THREADS_API__LINK_LIMIT_EXCEEDED"
)

// bareDomain matches an address without a scheme at the start of a word.
var bareDomain = pattern.Lazy(`(?i)(?:^|\s)\(?(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24}\b(?:[/?#]\S*)?`)

// linkKey returns what two links have in common that count once.
func linkKey(link string) string {
	if _, rest, ok := strings.Cut(link, "://"); ok {
		link = rest
	}
	host, path, _ := strings.Cut(link, "/")
	return strings.TrimRight(strings.ToLower(host)+"/"+path, "/")
}

// checkLinks adds a problem if a text has too many different links. Those that differ only in
// the scheme or in a slash at the end count once: whether they do so on Threads is not
// documented, and a post with too many is not published. Whether Threads makes links of names
// of domains without a scheme is not documented either: they lead to a warning only.
func checkLinks(c *publish.Check, text string) {
	different := map[string]bool{}
	for _, link := range outbound.Links(text) {
		different[linkKey(link)] = true
	}
	n := len(different)
	for _, name := range bareDomain().FindAllString(text, -1) {
		different[linkKey(strings.TrimRight(strings.TrimLeft(name, " \t\r\n("), ".,;:!?'…)"))] = true
	}
	bare := len(different) - n
	if n <= maxLinks && n+bare > maxLinks {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the text has %d different links and %d addresses without https://; Threads allows %d links in a post, and may count these addresses", n, bare, maxLinks))
	}
	if n > maxLinks {
		c.Problems = append(c.Problems, publish.Contentf(codeLinks, "the text has %d different links and Threads allows %d in a post; remove some, or spread them over the parts of a thread", n, maxLinks))
	}
}
