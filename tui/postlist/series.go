package postlist

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/tui/screen"
)

// NextTimes is the number of occurrences in the details of a post.
const NextTimes = 3

// SeriesInfo is what the details of an occurrence show about its series.
type SeriesInfo struct {
	Series   apiv1.Series
	Rule     string // in words
	Next     []time.Time
	Loaded   bool
	Loading  bool
	Outdated bool
	Deleted  bool
	Err      error
}

// RuleWords returns the rule of a series in words.
func RuleWords(s apiv1.Series) string {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		loc = time.UTC
	}
	rule, _, err := recurrence.Parse(s.Rule, schedctl.LocalTime(s.Start), loc)
	if err != nil {
		return s.Rule // of a newer daemon
	}
	return repeat.Words(&rule, schedctl.LocalTime(s.Start))
}

// repeatMark renders the sign of an occurrence of a series, with a space before it.
func repeatMark(t screen.Theme, p apiv1.Post) string {
	switch {
	case p.SeriesID == nil:
		return ""
	case t.Plain:
		return " repeats"
	}
	return " " + t.Link.Render("↻")
}

// SlotText describes the slot of a post, empty for none.
func (s Scene) SlotText(p apiv1.Post) string {
	if p.Slot == nil {
		return ""
	}
	text := "slot " + strings.Replace(p.Slot.Local, "T", " ", 1) + " " + p.Slot.Timezone
	if p.QueueID != nil {
		text += " of queue " + s.QueueName(*p.QueueID)
	}
	if p.NotBefore != nil {
		text += ", not before " + when.Format(p.NotBefore.In(s.Zone))
	}
	return text
}

// PlanLines renders the slot of a post and its series.
func (s Scene) PlanLines(p apiv1.Post, width int) (lines []string) {
	if text := s.SlotText(p); text != "" {
		lines = append(lines, screen.WrapWords(text, width)...)
	}
	if p.SeriesID == nil {
		return lines
	}
	info := s.Series[*p.SeriesID]
	sign := "↻ "
	if s.Theme.Plain {
		sign = "repeats: "
	}
	switch {
	case info.Deleted:
		lines = append(lines, screen.WrapWords(sign+"its series was deleted", width)...)
	case !info.Loaded:
		lines = append(lines, sign+"…")
	default:
		lines = append(lines, screen.WrapWords(sign+screen.OneLine(info.Series.Name)+": "+info.Rule+", "+info.Series.Timezone, width)...)
		lines = append(lines, s.nextLines(info, width)...)
	}
	if p.Detached {
		lines = append(lines, screen.WrapWords("changed alone: edits of the series do not change it", width)...)
	}
	return lines
}

// nextLines renders the next occurrences of a series.
func (s Scene) nextLines(info SeriesInfo, width int) []string {
	text := "no further times"
	switch {
	case info.Series.State == schedctl.SeriesPaused:
		text = "the series is paused"
	case info.Series.State == schedctl.SeriesEnded:
		text = "the series has ended"
	case len(info.Next) > 0:
		times := make([]string, len(info.Next))
		for i, t := range info.Next {
			times[i] = t.In(s.Zone).Format("Mon 2 Jan 15:04")
		}
		text = "next: " + strings.Join(times, ", ")
	}
	var lines []string
	for _, l := range screen.WrapWords(text, width) {
		lines = append(lines, s.Theme.Faint.Render(l))
	}
	return lines
}

// QueueName returns the name of a queue.
func (s Scene) QueueName(id string) string {
	if i := slices.IndexFunc(s.Queues, func(q apiv1.Queue) bool { return q.ID == id }); i >= 0 {
		return screen.OneLine(s.Queues[i].Name)
	}
	return screen.OneLine(id)
}
