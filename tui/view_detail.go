package tui

import (
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// detailLines renders all details of a post.
func detailLines(s drawContext, p apiv1.Post, d *detail, width int) []string {
	t := s.Theme
	word := string(p.Status)
	if isSeries(p) {
		word = "series"
	} else if !t.plain {
		word = t.status(p.Status) + " " + word
	}
	lines := []string{justify(t.title.Render(word), t.faint.Render("version "+strconv.FormatInt(p.Version, 10)), width)}
	if p.PublishAt != nil {
		lines = append(lines, wrap(when.Format(p.PublishAt.In(s.Zone))+", "+relativeTime(p.PublishAt.Sub(s.Now)), width)...)
	}
	lines = append(lines, s.planLines(p, width)...)
	lines = append(lines, s.reviewLines(p, width)...)
	lines = append(lines, t.faint.Render(oneLine(p.ID)))
	if by := authorText(p.Authors); by != "" {
		lines = append(lines, wrap(by, width)...)
	}
	if len(p.Labels) > 0 {
		lines = append(lines, wrap("labels: "+strings.Join(p.Labels, ", "), width)...)
	}
	for _, text := range postWarnings(p) {
		for _, line := range wrap(text, width) {
			lines = append(lines, t.warn.Render(line))
		}
	}
	lines = append(lines, contentLines(s, p, width)...)
	lines = append(lines, "", t.title.Render("Accounts"))
	if len(p.SocialAccountIDs) == 0 {
		lines = append(lines, "none yet: press i to choose")
	}
	for _, target := range p.Targets {
		lines = append(lines, targetLines(s, target, width)...)
	}
	if isSeries(p) {
		return lines
	}
	if d.id == p.ID {
		lines = append(lines, noteLines(s, d.notes, width)...)
	}
	return append(lines, timelineLines(s, d, p.ID, width)...)
}

// postWarnings returns the warnings about a post.
func postWarnings(p apiv1.Post) (list []string) {
	for _, text := range p.Warnings {
		list = append(list, "! "+oneLine(text))
	}
	if n := len(p.ProposedAlso); n > 0 {
		list = append(list, "! its time is also proposed by "+plural(n, "other post")+": "+oneLine(strings.Join(p.ProposedAlso, ", ")))
	}
	return list
}

// authorText names the API keys that made and changed a post.
func authorText(by apiv1.Authors) string {
	name := func(a *apiv1.Author) string {
		if a.Kind == apiv1.KeyAgent {
			return oneLine(a.Name) + " (agent)"
		}
		return oneLine(a.Name)
	}
	switch {
	case by.CreatedBy == nil:
		return ""
	case by.UpdatedBy == nil || by.UpdatedBy.ID == by.CreatedBy.ID:
		return "created by " + name(by.CreatedBy)
	}
	return "created by " + name(by.CreatedBy) + ", changed by " + name(by.UpdatedBy)
}

// contentLines renders everything that a post publishes.
func contentLines(s drawContext, p apiv1.Post, width int) []string {
	t := s.Theme
	lines := append(settingLines(p, width), "")
	if p.Content != "" || len(p.Media) == 0 {
		lines = append(lines, wrap(p.Content, width)...)
	}
	if len(p.Media) > 0 {
		if p.Content != "" {
			lines = append(lines, "")
		}
		lines = append(lines, t.title.Render("Media"))
		lines = append(lines, mediaLines(s, postMedia(p.Media, p.MediaAssets), width)...)
	}
	lines = append(lines, partLines(s, p, width)...)
	for _, o := range p.TargetOverrides {
		lines = append(lines, overrideLines(s, o, p.MediaAssets, width)...)
	}
	return lines
}

// targetLines renders the state of a post on one account.
func targetLines(s drawContext, target apiv1.Target, width int) []string {
	t := s.Theme
	lines := []string{t.status(target.Status) + " " + s.name(target.SocialAccountID) + " " + t.faint.Render(oneLine(target.Platform))}
	add := func(draw func(...string) string, text string) {
		for _, l := range wrap(text, width-2) {
			lines = append(lines, "  "+draw(l))
		}
	}
	if target.PublishedAt != nil {
		add(t.good.Render, "published "+when.Format(target.PublishedAt.In(s.Zone)))
	}
	if target.PlatformPostURL != nil {
		add(t.link.Render, *target.PlatformPostURL)
	}
	if len(target.Parts) > 1 {
		for _, part := range target.Parts {
			add(s.Theme.faint.Render, partStateText(part))
		}
	}
	switch {
	case target.Error != nil && target.Status == schedctl.Published:
		add(t.warn.Render, "warning: "+oneLine(target.Error.Message))
	case target.Error != nil:
		add(t.bad.Render, targetReason(target))
	}
	if target.Waits != nil {
		add(t.warn.Render, waitsText(s, *target.Waits))
	}
	if target.NextAttemptAt != nil && target.Status == schedctl.Publishing {
		next := "next attempt "
		if target.Error != nil && target.Error.Outcome == schedctl.OutcomeUnknown {
			next = "next check with the network "
		}
		add(t.warn.Render, next+relativeTime(target.NextAttemptAt.Sub(s.Now)))
	}
	if target.Status == schedctl.Failed {
		add(t.hint.Render, "next: "+nextStep(target))
	}
	return lines
}

func timelineLines(s drawContext, d *detail, id string, width int) []string {
	lines := []string{"", s.Theme.title.Render("Timeline")}
	if d.id != id || !d.loaded {
		return append(lines, emptyMessage(s, false, d.err, "", width)...)
	}
	for _, m := range timelineEntries(s, d.timeline) {
		text := m.text
		stamp := s.clock(m.at) + "  "
		for i, l := range wrap(text, max(8, width-len(stamp))) {
			if m.bad {
				l = s.Theme.bad.Render(l)
			}
			if i > 0 {
				stamp = padRight("", len(stamp))
			}
			lines = append(lines, stamp+l)
		}
	}
	return lines
}

// detailPane renders the visible part of the details.
func detailPane(s drawContext, p apiv1.Post, d *detail, width, height int) []string {
	lines := detailLines(s, p, d, width)
	first := max(0, min(d.top, len(lines)-height))
	return fitLines(lines[first:], width, height)
}
