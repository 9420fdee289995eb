package postlist

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/tui/screen"
)

// partLines renders further parts, the first comment and the poll of a post.
func partLines(s Scene, p apiv1.Post, width int) (lines []string) {
	add := func(title string, part apiv1.Part) {
		lines = append(lines, "", s.Theme.Title.Render(title))
		if part.Content != "" {
			lines = append(lines, screen.Wrap(part.Content, width)...)
		}
		if len(part.Media) > 0 {
			lines = append(lines, mediaLines(s, PostMedia(part.Media, p.MediaAssets), width)...)
		}
	}
	if p.Poll != nil {
		lines = append(lines, "")
		lines = append(lines, PollLines(s, *p.Poll, width)...)
	}
	for i, part := range p.Thread {
		add(fmt.Sprintf("Part %d", i+2), part)
	}
	if p.FirstComment != nil {
		add("First comment", *p.FirstComment)
	}
	return lines
}

// PollLines renders a poll.
func PollLines(s Scene, p apiv1.Poll, width int) []string {
	about := "Poll for " + durationText(time.Duration(p.ExpiresInSeconds)*time.Second)
	if p.Multiple {
		about += ", several options can be chosen"
	}
	if p.HideTotals {
		about += ", votes are hidden until the end"
	}
	lines := []string{}
	for _, l := range screen.Wrap(about, width) {
		lines = append(lines, s.Theme.Title.Render(l))
	}
	for _, option := range p.Options {
		lines = append(lines, screen.Wrap("- "+screen.OneLine(option), width)...)
	}
	return lines
}

// durationText formats a duration in days, hours and minutes.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day && d%time.Hour == 0 && d%day != 0:
		return screen.Plural(int(d/day), "day") + " " + screen.Plural(int(d%day/time.Hour), "hour")
	case d >= day && d%day == 0:
		return screen.Plural(int(d/day), "day")
	case d >= time.Hour && d%time.Hour == 0:
		return screen.Plural(int(d/time.Hour), "hour")
	}
	return screen.Plural(int(d/time.Minute), "minute")
}

// settingLines renders the settings of a post, only what is set.
func settingLines(p apiv1.Post, width int) (lines []string) {
	for _, l := range fields.Lines(p) {
		text := screen.OneLine(l.Value)
		if l.Name == "preview_image" || l.Name == "card_image" {
			asset := PostMedia([]apiv1.PostMedia{{ID: l.Value}}, p.MediaAssets)[0].Asset
			if facts := MediaFacts(asset); facts != "" {
				text += " (" + FileName(asset) + ", " + facts + ")"
			}
		}
		lines = append(lines, screen.Wrap(strings.ToLower(l.Label)+": "+text, width)...)
	}
	return lines
}

// overrideLines renders what one account gets instead of what all get.
func overrideLines(s Scene, o apiv1.Override, assets []apiv1.MediaAsset, width int) (lines []string) {
	title := func(what string) {
		lines = append(lines, "", s.Theme.Faint.Render(what+"for "+s.Name(o.SocialAccountID)+":"))
	}
	if o.Content != nil {
		title("")
		lines = append(lines, screen.Wrap(*o.Content, width)...)
	}
	if o.Media != nil {
		title("media ")
		lines = append(lines, ownMediaLines(s, PostMedia(*o.Media, assets), width)...)
	}
	set := settingLines(fields.OfAccount(o), width)
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		set = append(set, screen.Wrap(fmt.Sprintf("%s: %v", screen.OneLine(name), o.Options[name]), width)...)
	}
	if set != nil {
		title("")
		lines = append(lines, set...)
	}
	if o.Poll != nil {
		if title("poll "); len(o.Poll.Options) == 0 {
			lines = append(lines, "none")
		} else {
			lines = append(lines, PollLines(s, *o.Poll, width)...)
		}
	}
	if o.Thread == nil {
		return lines
	}
	if len(*o.Thread) == 0 {
		title("further parts ")
		return append(lines, "none")
	}
	for i, part := range *o.Thread {
		title(fmt.Sprintf("part %d ", i+2))
		lines = append(lines, screen.Wrap(part.Content, width)...)
		lines = append(lines, mediaLines(s, PostMedia(part.Media, assets), width)...)
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
		text += " " + screen.OneLine(*part.PlatformPostURL)
	}
	if part.Error != nil {
		text += ": " + screen.OneLine(part.Error.Message)
	}
	return text
}
