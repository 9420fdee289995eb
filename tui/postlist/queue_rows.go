package postlist

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Queue returns the queue with an id.
func (s Scene) Queue(id string) (q apiv1.Queue, ok bool) {
	i := slices.IndexFunc(s.Queues, func(q apiv1.Queue) bool { return q.ID == id })
	if i < 0 {
		return apiv1.Queue{}, false
	}
	return s.Queues[i], true
}

// QueueAccounts names the accounts of a queue.
func (s Scene) QueueAccounts(q apiv1.Queue) string {
	if len(q.SocialAccountIDs) == 0 {
		return "all accounts"
	}
	return s.AccountNames(q.SocialAccountIDs)
}

// QueueTimes describes the timetable of a queue.
func QueueTimes(q apiv1.Queue) string {
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

// ClockLayout is the layout of times in a queue.
const ClockLayout = "Mon _2 Jan 15:04"

// QueuedRow renders a post with its date. An exclamation mark says that its queue no
// longer has its slot.
func QueuedRow(s Scene, p apiv1.Post, displaced, selected bool, width int) []string {
	if s.Theme.Plain {
		lines := plainRow(s, p, string(p.Status), p.PublishAt, selected, width)
		if displaced {
			lines = append(lines, "  its queue no longer has this slot")
		}
		return lines
	}
	clock, word := strings.Repeat(" ", len(ClockLayout)), string(p.Status)
	if p.PublishAt != nil {
		clock = p.PublishAt.In(s.Zone).Format(ClockLayout)
		if p.Status == schedctl.Scheduled {
			word = screen.RelativeTime(p.PublishAt.Sub(s.Now))
		}
	}
	if _, changing := s.Busy[p.ID]; changing {
		word = "saving…"
	}
	sign := " "
	if displaced {
		sign = s.Theme.Warn.Render("!")
	}
	left := s.RowMark(p.ID, selected) + clock + sign + s.Theme.Status(p.Status) + ReviewMarks(s.Theme, p) + " "
	return []string{layoutRow(s, p, left, word, selected, width)}
}

// GhostState says why a slot is not free.
func GhostState(g Ghost) string {
	switch g.State {
	case apiv1.SlotBlocked:
		return "blackout"
	case apiv1.SlotProposed:
		return "proposed, waits for an approval"
	}
	return "taken by another post"
}

// NoteText describes a slot near a clock change.
func NoteText(note schedctl.LocalNote) string {
	switch note {
	case schedctl.LocalSkipped:
		return ", after a skipped hour"
	case schedctl.LocalRepeated:
		return ", first of two"
	}
	return ""
}
