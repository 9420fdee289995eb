package postlist

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Targets names the accounts of targets.
func (s Scene) Targets(list []apiv1.Target) string {
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.SocialAccountID
	}
	return s.AccountNames(ids)
}

// Heading returns the name of a day.
func (s Scene) Heading(day time.Time) string {
	text := day.Format("Monday 2 January 2006")
	switch today := DayOf(s.Now, s.Zone); {
	case day.Equal(today):
		return "Today, " + text
	case day.Equal(today.AddDate(0, 0, 1)):
		return "Tomorrow, " + text
	case day.Equal(today.AddDate(0, 0, -1)):
		return "Yesterday, " + text
	}
	return text
}

// RowsFunc renders one post in one or more lines.
type RowsFunc func(s Scene, p apiv1.Post, selected bool, width int) []string

// DrawnList is a rendered list.
type DrawnList struct {
	Lines []string
	Posts []int // the post of each line, or NoPost
	Whole int   // number of posts with all their lines
}

// NoPost stands for a line without a post.
const NoPost = -1

func (d *DrawnList) add(post int, lines ...string) {
	for _, l := range lines {
		d.Lines, d.Posts = append(d.Lines, l), append(d.Posts, post)
	}
}

// PostRows renders at most height lines of a feed, starting with its first visible
// post and grouped by day if byDay is set.
func PostRows(s Scene, f *Feed, rows RowsFunc, byDay bool, width, height int) (d DrawnList) {
	var day time.Time
	for i := f.Top; i < f.Size() && len(d.Lines) < height; i++ {
		p, ok := f.At(i)
		block := []string{s.Theme.Mark(i == f.Selected) + s.Theme.Faint.Render("…")}
		if ok {
			block = rows(s, p, i == f.Selected, width)
		}
		if ok && byDay && Planned(p) != nil {
			if its := DayOf(Planned(p).Time, s.Zone); i == f.Top || !its.Equal(day) {
				day = its
				d.add(NoPost, DayLines(s, day, len(d.Lines) > 0, width)...)
			}
		}
		if d.add(i, block...); len(d.Lines) <= height {
			d.Whole++
		}
	}
	room := min(len(d.Lines), max(0, height))
	d.Lines, d.Posts = d.Lines[:room], d.Posts[:room]
	return d
}

// DayLines renders the heading of a day, after an empty line if it is apart.
func DayLines(s Scene, day time.Time, apart bool, width int) []string {
	line := s.Theme.Title.Render(screen.Clip(s.Heading(day), width))
	if apart {
		return []string{"", line}
	}
	return []string{line}
}

// AgendaRow renders a post with its time, its distance from now and its accounts.
func AgendaRow(s Scene, p apiv1.Post, selected bool, width int) []string {
	if s.Theme.Plain {
		return plainRow(s, p, StateWord(p), Planned(p), selected, width)
	}
	clock, away := "  -  ", ""
	if at := Planned(p); at != nil {
		clock, away = at.In(s.Zone).Format("15:04"), screen.RelativeTime(at.Sub(s.Now))
	}
	if p.Status != schedctl.Scheduled {
		away = StateWord(p)
	}
	if _, changing := s.Busy[p.ID]; changing {
		away = "saving…"
	}
	left := s.RowMark(p.ID, selected) + clock + " " + s.Theme.Status(p.Status) + ReviewMarks(s.Theme, p) + " "
	return []string{layoutRow(s, p, left, away, selected, width)}
}

// layoutRow lays out a row: the left part, the text, the accounts if the row is wide
// enough, and a word at the right.
func layoutRow(s Scene, p apiv1.Post, left, word string, selected bool, width int) string {
	const wordWidth, accountsFrom = 10, 70
	room := width - ansi.StringWidth(left) - wordWidth - 1
	to := ""
	if width >= accountsFrom {
		w := min(28, width/5)
		room -= w + 2
		to = "  " + s.Theme.Faint.Render(screen.PadRight(s.AccountNames(p.SocialAccountIDs), w))
	}
	return left + s.Theme.Row(screen.PadRight(screen.Excerpt(PostText(p), room), room), selected) + to + " " + screen.Clip(word, wordWidth)
}

// plainRow renders a post as one sentence after its text, with its state and time.
func plainRow(s Scene, p apiv1.Post, state string, at *apiv1.Time, selected bool, width int) (lines []string) {
	parts := []string{state}
	if s.Marks.Has(p.ID) {
		parts = append(parts, "marked")
	}
	if at != nil {
		parts = append(parts, at.In(s.Zone).Format("Mon 2 Jan 15:04"), screen.RelativeTime(at.Sub(s.Now)))
	}
	if _, changing := s.Busy[p.ID]; changing {
		parts = append(parts, "saving")
	}
	if p.SeriesID != nil {
		parts = append(parts, "repeats")
	}
	if word := reviewWord(p); word != "" {
		parts = append(parts, word)
	}
	if len(p.Warnings) > 0 {
		parts = append(parts, screen.Plural(len(p.Warnings), "warning"))
	}
	parts = append(parts, "to "+s.AccountNames(p.SocialAccountIDs))
	for _, l := range screen.Wrap(screen.Clip(screen.Excerpt(PostText(p), width), width-2)+"\n"+strings.Join(parts, ", "), width-2) {
		lines = append(lines, s.Theme.Mark(selected && lines == nil)+l)
	}
	return lines
}

// DraftRow renders a post with its creation time.
func DraftRow(s Scene, p apiv1.Post, selected bool, width int) []string {
	if s.Theme.Plain {
		return plainRow(s, p, string(p.Status), p.PublishAt, selected, width)
	}
	word := ""
	if p.CreatedAt != nil {
		word = screen.RelativeTime(p.CreatedAt.Sub(s.Now))
	}
	if _, changing := s.Busy[p.ID]; changing {
		word = "saving…"
	}
	return []string{layoutRow(s, p, s.RowMark(p.ID, selected)+s.Theme.Status(p.Status)+ReviewMarks(s.Theme, p)+" ", word, selected, width)}
}

// FailedRow renders a post with the result of each failed account and the next step.
func FailedRow(s Scene, p apiv1.Post, selected bool, width int) []string {
	lines := AgendaRow(s, p, selected, width)
	for _, t := range FailedTargets(p) {
		lines = append(lines, "    "+s.Theme.Bad.Render(screen.Clip(s.Name(t.SocialAccountID)+": "+screen.OneLine(TargetReason(t)), width-4)))
		if selected {
			for _, l := range screen.Wrap("next: "+nextStep(t), width-4) {
				lines = append(lines, "    "+s.Theme.Hint.Render(l))
			}
		}
	}
	return lines
}

// Truncate shortens a text to a width, without an ellipsis.
func Truncate(text string, width int) string { return ansi.Truncate(text, max(0, width), "") }
