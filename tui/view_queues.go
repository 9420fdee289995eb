package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// queueRows renders the queues.
func queueRows(s drawContext, h *queueList, width, height int) []string {
	if len(h.list) == 0 {
		return screen.EmptyMessage(s.Scene, h.loaded, h.err, "No queue yet. Create one with: schedctl queue create", width)
	}
	var lines []string
	at := 0
	for i, q := range h.list {
		if i == h.selected {
			at = len(lines)
		}
		name := screen.OneLine(q.Name)
		if q.Default {
			name += ", default"
		}
		lines = append(lines, screen.Justify(s.Theme.Mark(i == h.selected)+s.Theme.Row(screen.Clip(name, width-2), i == h.selected), s.queueAccounts(q), width))
		for _, l := range screen.Wrap(queueTimes(q), width-4) {
			lines = append(lines, "    "+s.Theme.Faint.Render(l))
		}
	}
	return screen.LinesAround(lines, at, height)
}

// queueAccounts names the accounts of a queue.
func (s drawContext) queueAccounts(q apiv1.Queue) string {
	if len(q.SocialAccountIDs) == 0 {
		return "all accounts"
	}
	return s.AccountNames(q.SocialAccountIDs)
}

// queueTimes describes the timetable of a queue.
func queueTimes(q apiv1.Queue) string {
	var parts []string
	for i := 0; i < len(q.Times); {
		days, clocks := q.Times[i].Days, []string{}
		for ; i < len(q.Times) && slices.Equal(q.Times[i].Days, days); i++ {
			clocks = append(clocks, q.Times[i].At)
		}
		parts = append(parts, weekdays(days)+" "+strings.Join(clocks, " "))
	}
	text := strings.Join(parts, ", ") + ", " + q.Timezone
	if q.Gap != "" && q.Gap != "0s" {
		text += ", gap " + q.Gap
	}
	return text
}

// weekdays shortens a list of weekdays: daily, mon-fri, tue,thu.
func weekdays(days []string) string {
	week := []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
	if len(days) == len(week) {
		return "daily"
	}
	first := -1
	if len(days) > 2 {
		first = slices.Index(week, days[0])
	}
	if first >= 0 && first+len(days) <= len(week) && slices.Equal(days, week[first:first+len(days)]) {
		return days[0] + "-" + days[len(days)-1]
	}
	return strings.Join(days, ",")
}

// clockLayout is the layout of times in a queue.
const clockLayout = "Mon _2 Jan 15:04"

// queuedRow renders a post with its date. An exclamation mark says that its queue no
// longer has its slot.
func queuedRow(s drawContext, p apiv1.Post, displaced, selected bool, width int) []string {
	if s.Theme.Plain {
		lines := plainRow(s, p, string(p.Status), p.PublishAt, selected, width)
		if displaced {
			lines = append(lines, "  its queue no longer has this slot")
		}
		return lines
	}
	clock, word := strings.Repeat(" ", len(clockLayout)), string(p.Status)
	if p.PublishAt != nil {
		clock = p.PublishAt.In(s.Zone).Format(clockLayout)
		if p.Status == schedctl.Scheduled {
			word = screen.RelativeTime(p.PublishAt.Sub(s.Now))
		}
	}
	if _, changing := s.busy[p.ID]; changing {
		word = "saving…"
	}
	sign := " "
	if displaced {
		sign = s.Theme.Warn.Render("!")
	}
	left := s.rowMark(p.ID, selected) + clock + sign + s.Theme.Status(p.Status) + reviewMarks(s.Theme, p) + " "
	return []string{layoutRow(s, p, left, word, selected, width)}
}

// ghostRow renders a slot without a post.
func (m *Model) ghostRow(g ghost, selected bool, width int) string {
	s := m.scene()
	layout, what := clockLayout+" ", ""
	if m.tab == tabWeek {
		layout = "15:04 "
	}
	switch {
	case s.Theme.Plain && g.isFree():
		layout, what = "", "Free slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+" of "+screen.OneLine(g.queue)
	case s.Theme.Plain:
		layout, what = "", "Slot "+g.At.In(s.Zone).Format("Mon 2 Jan 15:04")+": "+ghostState(g)
	case !g.isFree():
		what = "░ " + ghostState(g)
	case m.tab == tabWeek:
		what = "+ free, " + screen.OneLine(g.queue)
	default:
		what = "+ free"
	}
	text := g.At.In(s.Zone).Format(layout) + what + noteText(g.Note)
	if layout == "" {
		text = what + noteText(g.Note)
	}
	text = screen.Clip(text, width-2)
	if selected {
		return s.Theme.Mark(true) + s.Theme.Row(text, true)
	}
	return s.Theme.Mark(false) + s.Theme.Faint.Render(text)
}

// ghostState says why a slot is not free.
func ghostState(g ghost) string {
	switch g.State {
	case apiv1.SlotBlocked:
		return "blackout"
	case apiv1.SlotProposed:
		return "proposed, waits for an approval"
	}
	return "taken by another post"
}

// noteText describes a slot near a clock change.
func noteText(note schedctl.LocalNote) string {
	switch note {
	case schedctl.LocalSkipped:
		return ", after a skipped hour"
	case schedctl.LocalRepeated:
		return ", first of two"
	}
	return ""
}

// ghostPane renders the details of the selected slot.
func (m *Model) ghostPane(width int) []string {
	g, ok := m.selectedGhost()
	if !ok {
		return nil
	}
	lines := []string{m.Theme.Title.Render("Free slot")}
	lines = append(lines, screen.Wrap(when.Format(g.At.In(m.Zone))+", "+screen.RelativeTime(g.At.Sub(m.Now))+noteText(g.Note), width)...)
	q, ok := m.queue(g.queueID)
	if !ok {
		return lines
	}
	s := m.scene()
	lines = append(lines, screen.Wrap("queue "+screen.OneLine(q.Name)+", "+s.queueAccounts(q), width)...)
	return append(lines, "", s.Theme.Hint.Render("n writes a post for it"))
}

// ghostPreview renders more of the selected slot below the week.
func (m *Model) ghostPreview(g ghost, width int) []string {
	s := m.scene()
	when := s.Theme.Title.Render(g.At.In(s.Zone).Format("Monday 15:04")) + fmt.Sprintf("  + free slot of %s, %s", screen.OneLine(g.queue), screen.RelativeTime(g.At.Sub(s.Now)))
	lines := []string{"", screen.Clip(when, width), ""}
	if q, ok := m.queue(g.queueID); ok {
		lines[2] = s.Theme.Hint.Render(screen.Clip("n writes a post for "+s.queueAccounts(q)+noteText(g.Note), width))
	}
	return lines
}
