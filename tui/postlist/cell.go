package postlist

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Cell is the space for one day.
type Cell struct {
	Width, Height int
	Each          int // maximum lines per post
	Day           time.Time
}

// CellLines renders a post: its time with tags and marks, and its text next to it or below.
func CellLines(s Scene, p apiv1.Post, selected bool, c Cell) []string {
	sign := s.Theme.Status(p.Status) + " "
	if selected || s.Marks.Has(p.ID) {
		sign = s.RowMark(p.ID, selected)
	}
	clock, room := Planned(p).In(s.Zone).Format("15:04"), c.Width-2
	text := screen.Excerpt(PostText(p), MaxPostLines*c.Width)
	if words, moving := s.Moves[p.ID]; moving {
		sign = s.Theme.Warn.Render(s.Theme.Glyphs.Moving) + " "
		text = strings.TrimSpace(words + " " + text)
	}
	if c.Each == 1 {
		head := lineHead(s, p, min(room-len(clock)-1, max(leastHead, room*2/5)))
		head = clock + " " + head
		if left := room - ansi.StringWidth(head) - 1; left > 1 {
			head += " " + Truncate(text, left)
		}
		return []string{sign + s.Theme.Row(head, selected)}
	}
	head, tagged := cellHead(s, p, room-len(clock)-1)
	lines := []string{sign + s.Theme.Row(clock+" "+head, selected)}
	indent := "" // of the first line of the text
	if !tagged {
		indent = strings.Repeat("_", screen.TagWidth+1)
	}
	for i, l := range screen.Wrap(indent+text, room) {
		if i == c.Each-1 {
			break
		}
		if rest, ok := strings.CutPrefix(l, indent); i == 0 && ok && !tagged {
			l = s.PostTags(p, screen.TagWidth) + " " + rest
		}
		lines = append(lines, "  "+s.Theme.Row(l, selected))
	}
	return lines
}

// MaxPostLines is the maximum number of lines of a post in the week.
const MaxPostLines = 4

// leastHead is the number of columns for tags and marks next to the text of a post.
const leastHead = 5

// cellHead renders the tags of the accounts of a post and its marks, in at most width
// columns. If only one of both fits, it is the marks; tagged reports whether the tags fit.
func cellHead(s Scene, p apiv1.Post, width int) (head string, tagged bool) {
	marks := s.CellMarks(p)
	room := width
	if marks != "" {
		room -= ansi.StringWidth(marks) + 1
	}
	tags := s.PostTags(p, room)
	switch {
	case tags == "":
		return Truncate(marks, width), len(p.SocialAccountIDs) == 0
	case marks == "":
		return tags, true
	}
	return tags + " " + marks, true
}

// lineHead renders tags and marks of a post that has one line, in at most width columns. If
// not all fit, marks are left out before tags.
func lineHead(s Scene, p apiv1.Post, width int) string {
	room := width
	if len(p.SocialAccountIDs) > 0 {
		room -= screen.TagWidth + 1
	}
	marks := Truncate(s.CellMarks(p), room)
	if marks != "" {
		width -= ansi.StringWidth(marks) + 1
	}
	return strings.TrimSpace(s.PostTags(p, width) + " " + marks)
}

// Shading returns the style and the sign of a blackout, or of a hold.
func Shading(t screen.Theme, hold bool) (screen.Style, string) {
	if hold {
		return t.Warn, t.Glyphs.Hold
	}
	return t.Faint, t.Glyphs.Shade
}

// ShadeLine renders a text on a shaded line.
func ShadeLine(s Scene, sh Shade, text string, width int) string {
	draw, sign := Shading(s.Theme, sh.Hold)
	text = screen.Clip(sign+" "+text, width)
	if left := width - ansi.StringWidth(text); left > 1 {
		text += " " + strings.Repeat(sign, left-1)
	}
	return draw.Render(text)
}

// WeekOf returns the Monday of the week of t.
func WeekOf(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	back := (int(t.In(zone).Weekday()) + 6) % 7
	return time.Date(y, m, d-back, 0, 0, 0, 0, zone)
}
