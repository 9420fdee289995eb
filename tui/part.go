package tui

import (
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// copyParts copies the parts, the poll and the presentation of a post to a new one.
func copyParts(to *apiv1.CreatePost, p apiv1.Post) {
	to.Thread, to.FirstComment, to.Poll = p.Thread, p.FirstComment, p.Poll
	to.ContentWarning, to.Visibility, to.Language = p.ContentWarning, p.Visibility, p.Language
	if p.LinkPreview.Card != nil || p.LinkPreview.Mode == apiv1.PreviewNone {
		to.LinkPreview = &p.LinkPreview
	}
}

// partLines renders further parts, the first comment and the poll of a post.
func partLines(s drawContext, p apiv1.Post, width int) (lines []string) {
	add := func(title string, part apiv1.Part) {
		lines = append(lines, "", s.theme.title.Render(title))
		if part.Content != "" {
			lines = append(lines, wrap(part.Content, width)...)
		}
		if len(part.Media) > 0 {
			lines = append(lines, mediaLines(s, postMedia(part.Media, p.MediaAssets), width)...)
		}
	}
	if p.Poll != nil {
		lines = append(lines, "", s.theme.title.Render("Poll"))
		for _, option := range p.Poll.Options {
			lines = append(lines, wrap("- "+oneLine(option), width)...)
		}
	}
	for i, part := range p.Thread {
		add(fmt.Sprintf("Part %d", i+2), part)
	}
	if p.FirstComment != nil {
		add("First comment", *p.FirstComment)
	}
	return lines
}

// partStateText describes the state of a part of a target that has several.
func partStateText(part apiv1.TargetPart) string {
	name := fmt.Sprintf("part %d", part.Index+1)
	if part.Kind == schedctl.PartComment {
		name = "first comment"
	}
	text := name + ": " + string(part.Status)
	if part.PlatformPostURL != nil && part.Index > 0 {
		text += " " + oneLine(*part.PlatformPostURL)
	}
	if part.Error != nil {
		text += ": " + oneLine(part.Error.Message)
	}
	return text
}
