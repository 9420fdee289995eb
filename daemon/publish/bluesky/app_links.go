package bluesky

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// appLink matches a link as Bluesky's own app finds it
// (https://github.com/bluesky-social/atproto, packages/api/src/rich-text).
var appLink = pattern.Lazy(`(?i)(?:^|[\s\p{Z}\x{FEFF}(])((?:https?://[^\s\p{Z}\x{FEFF}]+)|(?:([a-z][a-z0-9]*(?:\.[a-z0-9]+)+)[^\s\p{Z}\x{FEFF}]*))`)

// appLinks returns the links in a text as the app finds them, as parts of the text.
func appLinks(text string) []byteSlice {
	var found []byteSlice
	for _, m := range appLink().FindAllStringSubmatchIndex(text, -1) {
		link := text[m[2]:m[3]]
		if m[4] >= 0 && !strings.HasPrefix(link, "http") && !knownDomain(text[m[4]:m[5]]) {
			continue
		}
		if last := len(link) - 1; strings.IndexByte(".,;:!?", link[last]) >= 0 {
			link = link[:last]
		}
		if strings.HasSuffix(link, ")") && !strings.Contains(link, "(") {
			link = link[:len(link)-1]
		}
		found = append(found, byteSlice{m[2], m[2] + len(link)})
	}
	return found
}

// maxLinkWarnings is how many links of a text a check warns about.
const maxLinkWarnings = 3

// warnLinks warns about links of a text that the app would not make, or would make other ones.
func warnLinks(c *publish.Check, text string) {
	theirs := appLinks(text)
	var warnings []string
	for _, f := range facets(text) {
		if f.Features[0].Type != typeLink {
			continue
		}
		ours := text[f.Index.Start:f.Index.End]
		same := slices.IndexFunc(theirs, func(b byteSlice) bool { return b.Start < f.Index.End && f.Index.Start < b.End })
		switch {
		case same < 0:
			warnings = append(warnings, fmt.Sprintf("%q becomes a link, which it does not in Bluesky's app", publish.Clip(ours, 200)))
		case theirs[same] != f.Index:
			other := text[theirs[same].Start:theirs[same].End]
			warnings = append(warnings, fmt.Sprintf("%q becomes a link; in Bluesky's app the link is %q", publish.Clip(ours, 200), publish.Clip(other, 200)))
		}
		if same >= 0 {
			theirs = slices.Delete(theirs, same, same+1)
		}
	}
	for _, b := range theirs {
		warnings = append(warnings, fmt.Sprintf("%q does not become a link, as it does in Bluesky's app; write https:// before it if it is one", publish.Clip(text[b.Start:b.End], 200)))
	}
	c.Warnings = append(c.Warnings, warnings[:min(len(warnings), maxLinkWarnings)]...)
}
