package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// mediaOf is one file of a post with its asset.
type mediaOf struct {
	asset apiv1.MediaAsset // only the id is set if the daemon does not return the asset
	alt   string           // the published alt text
}

// postMedia returns the files of a list with their assets.
func postMedia(list []apiv1.PostMedia, assets []apiv1.MediaAsset) []mediaOf {
	out := make([]mediaOf, len(list))
	for i, m := range list {
		out[i].asset.ID = m.ID
		if at := slices.IndexFunc(assets, func(a apiv1.MediaAsset) bool { return a.ID == m.ID }); at >= 0 {
			out[i].asset = assets[at]
		}
		if m.AltText != nil {
			out[i].alt = *m.AltText
		}
	}
	return out
}

// fileName returns the name of an asset.
func fileName(a apiv1.MediaAsset) string {
	if a.FileName != "" {
		return screen.OneLine(a.FileName)
	}
	return screen.OneLine(a.ID)
}

// mediaFacts describes an asset: type, size, pixels and duration.
func mediaFacts(a apiv1.MediaAsset) string {
	var parts []string
	if _, kind, found := strings.Cut(a.MIMEType, "/"); found {
		parts = append(parts, strings.ToUpper(screen.OneLine(kind)))
	}
	if a.SizeBytes > 0 {
		parts = append(parts, byteText(a.SizeBytes))
	}
	if a.Width != nil && a.Height != nil {
		parts = append(parts, fmt.Sprintf("%d×%d pixels", *a.Width, *a.Height))
	}
	if a.DurationMS != nil {
		parts = append(parts, fmt.Sprintf("%.1f s", float64(*a.DurationMS)/1000))
	}
	return strings.Join(parts, ", ")
}

// byteText formats a number of bytes.
func byteText(n int64) string {
	if n < 1000 {
		return screen.Plural(int(n), "byte")
	}
	value, unit := float64(n)/1000, 0
	for ; value >= 999.95 && unit < 2; unit++ {
		value /= 1000
	}
	return fmt.Sprintf("%.1f %s", value, []string{"kB", "MB", "GB"}[unit])
}

// altLabel describes an alt text in one line.
func altLabel(alt string) string {
	if alt == "" {
		return "no alt text"
	}
	return "alt: " + screen.OneLine(alt)
}

// mediaLines renders the files of a post for the details.
func mediaLines(s drawContext, list []mediaOf, width int) (lines []string) {
	for _, m := range list {
		lines = append(lines, screen.Wrap(fileName(m.asset), width)...)
		if facts := mediaFacts(m.asset); facts != "" {
			for _, l := range screen.Wrap(facts, width-2) {
				lines = append(lines, "  "+s.Theme.Faint.Render(l))
			}
		}
		for _, l := range screen.Wrap(altLabel(m.alt), width-2) {
			if m.alt == "" {
				l = s.Theme.Warn.Render(l)
			}
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

// ownMediaLines renders the files for one account.
func ownMediaLines(s drawContext, list []mediaOf, width int) []string {
	if len(list) == 0 {
		return []string{"none"}
	}
	return mediaLines(s, list, width)
}

// postText returns the text of a post for lists: for a post without a text, the names of
// its files.
func postText(p apiv1.Post) string {
	if p.Content != "" || len(p.Media) == 0 {
		return p.Content
	}
	var names []string
	for _, m := range postMedia(p.Media, p.MediaAssets) {
		names = append(names, fileName(m.asset))
	}
	return strings.Join(names, ", ")
}
