package threads

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
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
