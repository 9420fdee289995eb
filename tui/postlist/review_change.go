package postlist

import (
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// changeLines renders what has changed since the last decision: removed lines of the text,
// accounts and files start with "- ", added ones with "+ ".
func (s Scene) changeLines(p apiv1.Post, width int) (lines []string) {
	if p.Approval == nil || p.Approval.Previous == nil {
		return nil
	}
	was, t := p.Approval.Previous, s.Theme
	file := func(id string) string {
		return FileName(PostMedia([]apiv1.PostMedia{{ID: id}}, p.MediaAssets)[0].Asset)
	}
	var ids []string
	for _, m := range p.Media {
		ids = append(ids, m.ID)
	}
	changed := strings.ReplaceAll(strings.Join(was.Changed, ", "), "_", " ")
	for _, l := range screen.Wrap("changed since the last decision: "+strings.ReplaceAll(changed, "social account ids", "accounts"), width) {
		lines = append(lines, t.Title.Render(l))
	}
	add := func(sign string, draw func(...string) string, list []string, label func(string) string) {
		for _, text := range list {
			for i, l := range screen.Wrap(label(text), width-2) {
				if i > 0 {
					sign = "  "
				}
				lines = append(lines, draw(sign+l))
			}
		}
	}
	same := func(text string) string { return text }
	for _, d := range []struct {
		before, after []string
		label         func(string) string
	}{
		{textLines(was.Content), textLines(p.Content), same},
		{was.SocialAccountIDs, p.SocialAccountIDs, func(id string) string { return "account " + s.Name(id) }},
		{was.MediaAssetIDs, ids, func(id string) string { return "file " + file(id) }},
	} {
		removed, added := listDiff(d.before, d.after)
		add("- ", t.Bad.Render, removed, d.label)
		add("+ ", t.Good.Render, added, d.label)
	}
	return lines
}

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// listDiff returns what is between the common start and the common end of two lists.
func listDiff(before, after []string) (removed, added []string) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before, after
}
