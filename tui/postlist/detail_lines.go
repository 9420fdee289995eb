package postlist

import (
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// DetailLines renders all details of a post.
func DetailLines(s Scene, p apiv1.Post, d *Detail, width int) []string {
	t := s.Theme
	word := string(p.Status)
	if IsSeries(p) {
		word = "series"
	} else if !t.Plain {
		word = t.Status(p.Status) + " " + word
	}
	lines := []string{screen.Justify(t.Title.Render(word), t.Faint.Render("version "+strconv.FormatInt(p.Version, 10)), width)}
	if p.PublishAt != nil {
		lines = append(lines, screen.Wrap(when.Format(p.PublishAt.In(s.Zone))+", "+screen.RelativeTime(p.PublishAt.Sub(s.Now)), width)...)
	}
	lines = append(lines, s.PlanLines(p, width)...)
	lines = append(lines, s.ReviewLines(p, width)...)
	lines = append(lines, t.Faint.Render(screen.OneLine(p.ID)))
	if by := authorText(p.Authors); by != "" {
		lines = append(lines, screen.Wrap(by, width)...)
	}
	if len(p.Labels) > 0 {
		lines = append(lines, screen.Wrap("labels: "+strings.Join(p.Labels, ", "), width)...)
	}
	for _, text := range postWarnings(p) {
		for _, line := range screen.Wrap(text, width) {
			lines = append(lines, t.Warn.Render(line))
		}
	}
	lines = append(lines, ContentLines(s, p, width)...)
	lines = append(lines, "", t.Title.Render("Accounts"))
	if len(p.SocialAccountIDs) == 0 {
		lines = append(lines, "none yet: press i to choose")
	}
	for _, target := range p.Targets {
		lines = append(lines, targetLines(s, target, width)...)
	}
	if IsSeries(p) {
		return lines
	}
	if d.ID == p.ID {
		lines = append(lines, NoteLines(s, d.Notes, width)...)
	}
	return append(lines, timelineLines(s, d, p.ID, width)...)
}

// postWarnings returns the warnings about a post.
func postWarnings(p apiv1.Post) (list []string) {
	for _, text := range p.Warnings {
		list = append(list, "! "+screen.OneLine(text))
	}
	if n := len(p.ProposedAlso); n > 0 {
		list = append(list, "! its time is also proposed by "+screen.Plural(n, "other post")+": "+screen.OneLine(strings.Join(p.ProposedAlso, ", ")))
	}
	return list
}

// authorText names the API keys that made and changed a post, or the source that made it.
func authorText(by apiv1.Authors) string {
	name := func(a *apiv1.Author) string {
		if a.Kind == apiv1.KeyAgent || a.Kind == apiv1.AuthorSource {
			return screen.OneLine(a.Name) + " (" + a.Kind + ")"
		}
		return screen.OneLine(a.Name)
	}
	switch {
	case by.CreatedBy == nil:
		return ""
	case by.UpdatedBy == nil || by.UpdatedBy.ID == by.CreatedBy.ID:
		return "created by " + name(by.CreatedBy)
	}
	return "created by " + name(by.CreatedBy) + ", changed by " + name(by.UpdatedBy)
}

// ContentLines renders everything that a post publishes.
func ContentLines(s Scene, p apiv1.Post, width int) []string {
	t := s.Theme
	lines := append(settingLines(p, width), "")
	if p.Content != "" || len(p.Media) == 0 {
		lines = append(lines, screen.Wrap(p.Content, width)...)
	}
	if len(p.Media) > 0 {
		if p.Content != "" {
			lines = append(lines, "")
		}
		lines = append(lines, t.Title.Render("Media"))
		lines = append(lines, mediaLines(s, PostMedia(p.Media, p.MediaAssets), width)...)
	}
	lines = append(lines, partLines(s, p, width)...)
	for _, o := range p.TargetOverrides {
		lines = append(lines, overrideLines(s, o, p.MediaAssets, width)...)
	}
	return lines
}

// targetLines renders the state of a post on one account.
func targetLines(s Scene, target apiv1.Target, width int) []string {
	t := s.Theme
	lines := []string{t.Status(target.Status) + " " + s.Name(target.SocialAccountID) + " " + t.Faint.Render(screen.OneLine(target.Platform))}
	add := func(draw func(...string) string, text string) {
		for _, l := range screen.Wrap(text, width-2) {
			lines = append(lines, "  "+draw(l))
		}
	}
	if target.PublishedAt != nil {
		add(t.Good.Render, "published "+when.Format(target.PublishedAt.In(s.Zone)))
	}
	if target.PlatformPostURL != nil {
		add(t.Link.Render, *target.PlatformPostURL)
	}
	if len(target.Parts) > 1 {
		for _, part := range target.Parts {
			add(s.Theme.Faint.Render, partStateText(part))
		}
	}
	switch {
	case target.Error != nil && target.Status == schedctl.Published:
		add(t.Warn.Render, "warning: "+screen.OneLine(target.Error.Message))
	case target.Error != nil:
		add(t.Bad.Render, TargetReason(target))
	}
	if target.Waits != nil {
		add(t.Warn.Render, waitsText(s, *target.Waits))
	}
	if target.NextAttemptAt != nil && target.Status == schedctl.Publishing {
		next := "next attempt "
		if target.Error != nil && target.Error.Outcome == schedctl.OutcomeUnknown {
			next = "next check with the network "
		}
		add(t.Warn.Render, next+screen.RelativeTime(target.NextAttemptAt.Sub(s.Now)))
	}
	if target.Status == schedctl.Failed {
		add(t.Hint.Render, "next: "+nextStep(target))
	}
	return lines
}

func timelineLines(s Scene, d *Detail, id string, width int) []string {
	lines := []string{"", s.Theme.Title.Render("Timeline")}
	if d.ID != id || !d.Loaded {
		return append(lines, screen.EmptyMessage(s.Scene, false, d.Err, "", width)...)
	}
	for _, m := range timelineEntries(s, d.Timeline) {
		text := m.text
		stamp := s.Clock(m.at) + "  "
		for i, l := range screen.Wrap(text, max(8, width-len(stamp))) {
			if m.bad {
				l = s.Theme.Bad.Render(l)
			}
			if i > 0 {
				stamp = screen.PadRight("", len(stamp))
			}
			lines = append(lines, stamp+l)
		}
	}
	return lines
}

// DetailPane renders the visible part of the details.
func DetailPane(s Scene, p apiv1.Post, d *Detail, width, height int) []string {
	lines := DetailLines(s, p, d, width)
	first := max(0, min(d.Top, len(lines)-height))
	return screen.FitLines(lines[first:], width, height)
}
