package postlist

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// MediaOf is one file of a post with its asset.
type MediaOf struct {
	Asset apiv1.MediaAsset // only the id is set if the daemon does not return the asset
	Alt   string           // the published alt text
}

// PostMedia returns the files of a list with their assets.
func PostMedia(list []apiv1.PostMedia, assets []apiv1.MediaAsset) []MediaOf {
	out := make([]MediaOf, len(list))
	for i, m := range list {
		out[i].Asset.ID = m.ID
		if at := slices.IndexFunc(assets, func(a apiv1.MediaAsset) bool { return a.ID == m.ID }); at >= 0 {
			out[i].Asset = assets[at]
		}
		if m.AltText != nil {
			out[i].Alt = *m.AltText
		}
	}
	return out
}

// FileName returns the name of an asset.
func FileName(a apiv1.MediaAsset) string {
	if a.FileName != "" {
		return screen.OneLine(a.FileName)
	}
	return screen.OneLine(a.ID)
}

// MediaFacts describes an asset: type, size, pixels and duration.
func MediaFacts(a apiv1.MediaAsset) string {
	var parts []string
	if _, kind, found := strings.Cut(a.MIMEType, "/"); found {
		parts = append(parts, strings.ToUpper(screen.OneLine(kind)))
	}
	if a.SizeBytes > 0 {
		parts = append(parts, ByteText(a.SizeBytes))
	}
	if a.Width != nil && a.Height != nil {
		parts = append(parts, fmt.Sprintf("%d×%d pixels", *a.Width, *a.Height))
	}
	if a.DurationMS != nil {
		parts = append(parts, fmt.Sprintf("%.1f s", float64(*a.DurationMS)/1000))
	}
	return strings.Join(parts, ", ")
}

// ByteText formats a number of bytes.
func ByteText(n int64) string {
	if n < 1000 {
		return screen.Plural(int(n), "byte")
	}
	value, unit := float64(n)/1000, 0
	for ; value >= 999.95 && unit < 2; unit++ {
		value /= 1000
	}
	return fmt.Sprintf("%.1f %s", value, []string{"kB", "MB", "GB"}[unit])
}

// AltLabel describes an alt text in one line.
func AltLabel(alt string) string {
	if alt == "" {
		return "no alt text"
	}
	return "alt: " + screen.OneLine(alt)
}

// mediaLines renders the files of a post for the details.
func mediaLines(s Scene, list []MediaOf, width int) (lines []string) {
	for _, m := range list {
		lines = append(lines, screen.Wrap(FileName(m.Asset), width)...)
		if facts := MediaFacts(m.Asset); facts != "" {
			for _, l := range screen.Wrap(facts, width-2) {
				lines = append(lines, "  "+s.Theme.Faint.Render(l))
			}
		}
		for _, l := range screen.Wrap(AltLabel(m.Alt), width-2) {
			if m.Alt == "" {
				l = s.Theme.Warn.Render(l)
			}
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

// ownMediaLines renders the files for one account.
func ownMediaLines(s Scene, list []MediaOf, width int) []string {
	if len(list) == 0 {
		return []string{"none"}
	}
	return mediaLines(s, list, width)
}

// PostText returns the text of a post for lists: for a post without a text, the names of
// its files.
func PostText(p apiv1.Post) string {
	if p.Content != "" || len(p.Media) == 0 {
		return p.Content
	}
	var names []string
	for _, m := range PostMedia(p.Media, p.MediaAssets) {
		names = append(names, FileName(m.Asset))
	}
	return strings.Join(names, ", ")
}
