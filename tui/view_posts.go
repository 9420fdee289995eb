package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

func (s drawContext) targets(list []apiv1.Target) string {
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.SocialAccountID
	}
	return s.AccountNames(ids)
}

// heading returns the name of a day.
func (s drawContext) heading(day time.Time) string {
	text := day.Format("Monday 2 January 2006")
	switch today := dayOf(s.Now, s.Zone); {
	case day.Equal(today):
		return "Today, " + text
	case day.Equal(today.AddDate(0, 0, 1)):
		return "Tomorrow, " + text
	case day.Equal(today.AddDate(0, 0, -1)):
		return "Yesterday, " + text
	}
	return text
}

// rowsFunc renders one post in one or more lines.
type rowsFunc func(s drawContext, p apiv1.Post, selected bool, width int) []string

// drawnList is a rendered list.
type drawnList struct {
	lines []string
	posts []int // the post of each line, or noPost
	whole int   // number of posts with all their lines
}

const noPost = -1

func (d *drawnList) add(post int, lines ...string) {
	for _, l := range lines {
		d.lines, d.posts = append(d.lines, l), append(d.posts, post)
	}
}

// postRows renders at most height lines of a feed, starting with its first visible
// post and grouped by day if byDay is set.
func postRows(s drawContext, f *feed, rows rowsFunc, byDay bool, width, height int) (d drawnList) {
	var day time.Time
	for i := f.top; i < f.size() && len(d.lines) < height; i++ {
		p, ok := f.at(i)
		block := []string{s.Theme.Mark(i == f.selected) + s.Theme.Faint.Render("…")}
		if ok {
			block = rows(s, p, i == f.selected, width)
		}
		if ok && byDay && planned(p) != nil {
			if its := dayOf(planned(p).Time, s.Zone); i == f.top || !its.Equal(day) {
				day = its
				d.add(noPost, dayLines(s, day, len(d.lines) > 0, width)...)
			}
		}
		if d.add(i, block...); len(d.lines) <= height {
			d.whole++
		}
	}
	room := min(len(d.lines), max(0, height))
	d.lines, d.posts = d.lines[:room], d.posts[:room]
	return d
}

func dayLines(s drawContext, day time.Time, apart bool, width int) []string {
	line := s.Theme.Title.Render(screen.Clip(s.heading(day), width))
	if apart {
		return []string{"", line}
	}
	return []string{line}
}

// agendaRow renders a post with its time, its distance from now and its accounts.
func agendaRow(s drawContext, p apiv1.Post, selected bool, width int) []string {
	if s.Theme.Plain {
		return plainRow(s, p, stateWord(p), planned(p), selected, width)
	}
	clock, away := "  -  ", ""
	if at := planned(p); at != nil {
		clock, away = at.In(s.Zone).Format("15:04"), screen.RelativeTime(at.Sub(s.Now))
	}
	if p.Status != schedctl.Scheduled {
		away = stateWord(p)
	}
	if _, changing := s.busy[p.ID]; changing {
		away = "saving…"
	}
	left := s.rowMark(p.ID, selected) + clock + " " + s.Theme.Status(p.Status) + reviewMarks(s.Theme, p) + " "
	return []string{layoutRow(s, p, left, away, selected, width)}
}

// layoutRow lays out a row: the left part, the text, the accounts if the row is wide
// enough, and a word at the right.
func layoutRow(s drawContext, p apiv1.Post, left, word string, selected bool, width int) string {
	const wordWidth, accountsFrom = 10, 70
	room := width - ansi.StringWidth(left) - wordWidth - 1
	to := ""
	if width >= accountsFrom {
		w := min(28, width/5)
		room -= w + 2
		to = "  " + s.Theme.Faint.Render(screen.PadRight(s.AccountNames(p.SocialAccountIDs), w))
	}
	return left + s.Theme.Row(screen.PadRight(screen.Excerpt(postText(p), room), room), selected) + to + " " + screen.Clip(word, wordWidth)
}

// plainRow renders a post as one sentence after its text, with its state and time.
func plainRow(s drawContext, p apiv1.Post, state string, at *apiv1.Time, selected bool, width int) (lines []string) {
	parts := []string{state}
	if s.marks.has(p.ID) {
		parts = append(parts, "marked")
	}
	if at != nil {
		parts = append(parts, at.In(s.Zone).Format("Mon 2 Jan 15:04"), screen.RelativeTime(at.Sub(s.Now)))
	}
	if _, changing := s.busy[p.ID]; changing {
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
	for _, l := range screen.Wrap(screen.Clip(screen.Excerpt(postText(p), width), width-2)+"\n"+strings.Join(parts, ", "), width-2) {
		lines = append(lines, s.Theme.Mark(selected && lines == nil)+l)
	}
	return lines
}

// draftRow renders a post with its creation time.
func draftRow(s drawContext, p apiv1.Post, selected bool, width int) []string {
	if s.Theme.Plain {
		return plainRow(s, p, string(p.Status), p.PublishAt, selected, width)
	}
	word := ""
	if p.CreatedAt != nil {
		word = screen.RelativeTime(p.CreatedAt.Sub(s.Now))
	}
	if _, changing := s.busy[p.ID]; changing {
		word = "saving…"
	}
	return []string{layoutRow(s, p, s.rowMark(p.ID, selected)+s.Theme.Status(p.Status)+reviewMarks(s.Theme, p)+" ", word, selected, width)}
}

// failedRow renders a post with the result of each failed account and the next step.
func failedRow(s drawContext, p apiv1.Post, selected bool, width int) []string {
	lines := agendaRow(s, p, selected, width)
	for _, t := range failedTargets(p) {
		lines = append(lines, "    "+s.Theme.Bad.Render(screen.Clip(s.Name(t.SocialAccountID)+": "+screen.OneLine(targetReason(t)), width-4)))
		if selected {
			for _, l := range screen.Wrap("next: "+nextStep(t), width-4) {
				lines = append(lines, "    "+s.Theme.Hint.Render(l))
			}
		}
	}
	return lines
}

// defaultLayout returns how the posts of a tab are rendered.
func (t tab) defaultLayout() (rows rowsFunc, byDay bool) {
	switch t {
	case tabDrafts:
		return draftRow, false
	case tabFailed:
		return failedRow, true
	case tabReview:
		return reviewRow, false
	}
	return agendaRow, true
}

// emptyText says that a tab is empty, and what to do about it.
func (t tab) emptyText(q screen.Query) string {
	if filtered(t, q) {
		return "No posts match. Press esc to clear search and filter."
	}
	switch t {
	case tabAgenda:
		return "No scheduled posts. Press n to write one."
	case tabWeek:
		return "No posts this week. Press n to write one, [ or ] for other weeks."
	case tabDrafts:
		return "No drafts. Press n to write one."
	case tabFailed:
		return "No failed posts."
	case tabReview:
		return "No posts wait for approval."
	case tabQueues:
		return "No posts and no free slots in this queue."
	}
	return "No published posts yet."
}
