package facebook

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// maxText is the maximum number of characters of a post.
const maxText = 63206

// Check counts Unicode code points.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), maxText, "characters", nil)
	c.RefuseWarning(content, "Facebook")
	c.RefuseVisibility(content, "Facebook")
	c.WarnLanguage(content, "Facebook")
	if content.Preview.Mode == schedctl.PreviewCard {
		c.Warnings = append(c.Warnings, "Facebook reads the title, the description and the picture of a link preview from the page itself; those of link_preview are not sent")
	}
	for _, m := range content.Media {
		if m.Class() == schedctl.MediaVideo && m.AltText != "" {
			c.Warnings = append(c.Warnings, "Facebook has no alt texts for videos; that of the video is not sent")
		}
	}
	return c
}

// linkOf returns the link that the post shows a preview for, or the empty string. A post
// with files shows none.
func linkOf(r publish.Request) string {
	if len(r.Files) > 0 {
		return ""
	}
	switch r.Preview.Mode {
	case schedctl.PreviewNone:
		return ""
	case schedctl.PreviewCard:
		return r.Preview.URL
	}
	return outbound.FirstLink(r.Content)
}

// plain returns a text without what Facebook may change in it: the amount of white space.
func plain(text string) string { return strings.Join(strings.Fields(norm.NFC.String(text)), " ") }

// MayConfuse reports whether Facebook shows the two contents alike.
func (p *Publisher) MayConfuse(a, b string) bool { return plain(a) == plain(b) }
