package postlist

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// ReviewRow renders a post that waits for approval with its proposed time, and below it who
// asked for the approval.
func ReviewRow(s Scene, p apiv1.Post, selected bool, width int) []string {
	asked, proposed := s.askedText(p), s.proposedText(p)
	var rule []string
	if IsSeries(p) {
		proposed = "series: " + s.seriesText(p)
		for _, l := range screen.WrapWords(s.seriesText(p), width-4) {
			rule = append(rule, "    "+s.Theme.Faint.Render(l))
		}
	}
	if s.Theme.Plain {
		lines := plainRow(s, p, string(p.Status), p.PublishAt, selected, width)
		for _, l := range screen.Wrap(proposed+", "+asked, width-2) {
			lines = append(lines, "  "+l)
		}
		return lines
	}
	const narrow = 60
	clock, word, layout := "no time", "", ClockLayout
	if width < narrow {
		layout = "_2 Jan 15:04"
	}
	switch at := p.ProposedAt; {
	case at == nil:
	case at.NextSlot:
		clock = "next slot"
	default:
		clock, word = at.Time.In(s.Zone).Format(layout), screen.RelativeTime(at.Time.Sub(s.Now))
	}
	switch {
	case IsSeries(p):
		word = "series"
	case p.Status != schedctl.Draft:
		word = string(p.Status)
	}
	clock = screen.PadRight(clock, len(layout))
	if s.isLate(p) {
		clock = s.Theme.Warn.Render(clock)
	}
	if _, changing := s.Busy[p.ID]; changing {
		word = "saving…"
	}
	left := s.RowMark(p.ID, selected) + clock + " " + s.Theme.Status(p.Status) + repeatMark(s.Theme, p) + " "
	lines := append([]string{layoutRow(s, p, left, word, selected, width)}, rule...)
	return append(lines, "    "+s.Theme.Faint.Render(screen.Clip(asked, width-4)))
}

// seriesText renders the rule and the next times of a series.
func (s Scene) seriesText(p apiv1.Post) string {
	info := s.Series[p.ID]
	text := info.Rule + ", " + info.Series.Timezone
	if len(info.Next) == 0 {
		return text + ", no further times"
	}
	times := make([]string, len(info.Next))
	for i, t := range info.Next {
		times[i] = t.In(s.Zone).Format("Mon 2 Jan 15:04")
	}
	return text + "; next " + strings.Join(times, ", ")
}

// isLate reports whether the proposed time of a post has passed.
func (s Scene) isLate(p apiv1.Post) bool {
	return p.ProposedAt != nil && !p.ProposedAt.NextSlot && !p.ProposedAt.Time.After(s.Now)
}

// askedText says who asked for an approval, how many files there are, and the note.
func (s Scene) askedText(p apiv1.Post) string {
	a := p.Approval
	if a == nil {
		return ""
	}
	text := "asked by " + screen.OneLine(a.RequestedBy.Name)
	if s.KeyKinds[a.RequestedBy.ID] == apiv1.KeyAgent {
		text += " (agent)"
	}
	if a.RequestedAt != nil {
		text += " " + screen.RelativeTime(a.RequestedAt.Sub(s.Now))
	}
	if n := fileCount(p); n > 0 {
		text += ", " + screen.Plural(n, "file")
	}
	if s.isLate(p) {
		text += ", its time has passed"
	}
	if a.Note != nil {
		text += ": " + screen.Excerpt(*a.Note, 200)
	}
	return text
}

// fileCount returns the number of files of all parts of a post.
func fileCount(p apiv1.Post) int {
	n := len(p.Media)
	for _, part := range p.Thread {
		n += len(part.Media)
	}
	if p.FirstComment != nil {
		n += len(p.FirstComment.Media)
	}
	return n
}

// proposedText says when a draft shall be published.
func (s Scene) proposedText(p apiv1.Post) string {
	switch at := p.ProposedAt; {
	case at == nil:
		return "without a proposed time"
	case at.NextSlot:
		return "proposed for the next free slot"
	default:
		text := "proposed for " + when.Format(at.Time.In(s.Zone)) + ", " + screen.RelativeTime(at.Time.Sub(s.Now))
		if s.isLate(p) {
			text += ": choose another time"
		}
		return text
	}
}

// keyName names an API key, and says whether it is the key of an agent if that is known. A
// person who used a share of the key is named instead.
func (s Scene) keyName(k apiv1.KeyRef) string {
	switch kind := s.KeyKinds[k.ID]; {
	case k.Share != nil:
		return screen.OneLine(k.String())
	case kind == apiv1.KeyAgent:
		return screen.OneLine(k.Name) + " (agent)"
	case kind == apiv1.KeyStandard:
		return screen.OneLine(k.Name) + " (not an agent)"
	}
	return screen.OneLine(k.Name)
}

// ReviewLines renders the approval of a post for its details.
func (s Scene) ReviewLines(p apiv1.Post, width int) (lines []string) {
	add := func(draw func(...string) string, text string) {
		for _, l := range screen.Wrap(text, width) {
			lines = append(lines, draw(l))
		}
	}
	a, t := p.Approval, s.Theme
	if a != nil {
		draw := map[schedctl.ApprovalState]func(...string) string{
			schedctl.ApprovalPending: t.Warn.Render, schedctl.ApprovalApproved: t.Good.Render, schedctl.ApprovalChangesRequested: t.Warn.Render,
		}[a.State]
		if draw == nil {
			draw = t.Faint.Render
		}
		text := s.stateText(a)
		if sign := strings.TrimSpace(reviewMark(t, p)); !t.Plain && sign != "" {
			for i, l := range screen.Wrap(text, width-2) {
				start := "  "
				if i == 0 {
					start = sign + " "
				}
				lines = append(lines, start+draw(l))
			}
		} else {
			add(draw, text)
		}
		if a.Note != nil {
			add(t.Title.UnsetBold().Render, "note: "+*a.Note)
		}
		if c := a.LastChanges; c != nil && a.State != schedctl.ApprovalChangesRequested {
			add(t.Warn.Render, s.keyName(c.By)+" asked for changes"+s.ago(c.At)+": "+c.Reason)
		}
	}
	if IsSeries(p) {
		return lines
	}
	if p.ProposedAt != nil || IsPending(p) && p.Status == schedctl.Draft {
		draw := t.Faint.Render
		if s.isLate(p) {
			draw = t.Warn.Render
		}
		add(draw, s.proposedText(p))
	}
	return append(lines, s.changeLines(p, width)...)
}

// ago returns how long a time is away, after a space, or nothing for nil.
func (s Scene) ago(at *apiv1.Time) string {
	if at == nil {
		return ""
	}
	return " " + screen.RelativeTime(at.Sub(s.Now))
}

// stateText describes the state of an approval: who asked, who decided, and when.
func (s Scene) stateText(a *apiv1.Approval) string {
	asked := "asked by " + s.keyName(a.RequestedBy) + s.ago(a.RequestedAt)
	by := ""
	switch {
	case a.ApprovedBy != nil:
		by = " by " + screen.OneLine(*a.ApprovedBy) + s.ago(a.DecidedAt)
	case a.DecidedBy != nil:
		by = " by " + s.keyName(*a.DecidedBy) + s.ago(a.DecidedAt)
	}
	switch a.State {
	case schedctl.ApprovalPending:
		return "waits for approval, " + asked
	case schedctl.ApprovalApproved:
		return "approved" + by + ", " + asked
	case schedctl.ApprovalChangesRequested:
		return "changes requested" + by + ", " + asked
	}
	return "withdrawn from review, " + asked
}

// NoteLines renders the notes of a post.
func NoteLines(s Scene, notes []apiv1.PostNote, width int) []string {
	if len(notes) == 0 {
		return nil
	}
	lines := []string{"", s.Theme.Title.Render("Notes")}
	for _, n := range notes {
		lines = append(lines, s.Theme.Faint.Render(screen.Clip(s.Clock(n.CreatedAt)+"  "+s.keyName(n.By), width)))
		for _, l := range screen.Wrap(n.Text, width-2) {
			lines = append(lines, "  "+l)
		}
	}
	return lines
}

// reviewWord describes the approval of a post in words, or returns the empty string.
func reviewWord(p apiv1.Post) string {
	switch {
	case p.Approval == nil:
	case p.Approval.State == schedctl.ApprovalPending:
		return "waits for approval"
	case p.Approval.State == schedctl.ApprovalApproved:
		return "approved"
	case p.Approval.State == schedctl.ApprovalChangesRequested:
		return "changes requested"
	}
	return ""
}

// reviewMark renders the sign of the approval of a post, with a space before it.
func reviewMark(t screen.Theme, p apiv1.Post) string {
	switch {
	case p.Approval == nil:
	case t.Plain && reviewWord(p) != "":
		return " " + reviewWord(p)
	case p.Approval.State == schedctl.ApprovalPending:
		return " " + t.Warn.Render("?")
	case p.Approval.State == schedctl.ApprovalApproved:
		return " " + t.Good.Render("✓")
	case p.Approval.State == schedctl.ApprovalChangesRequested:
		return " " + t.Warn.Render("✎")
	}
	return ""
}

// ReviewMarks renders the signs of the series and of the approval of a post.
// A warning about it is an exclamation mark.
func ReviewMarks(t screen.Theme, p apiv1.Post) string {
	return warningMark(t, p) + repeatMark(t, p) + reviewMark(t, p)
}

// warningMark renders the sign of a warning about a post.
func warningMark(t screen.Theme, p apiv1.Post) string {
	if len(p.Warnings) == 0 || t.Plain {
		return ""
	}
	return t.Warn.Render("!")
}
