package review

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Lines implements [screen.Dialog].
func (d *form) Lines(f screen.Frame, width, height int) []string {
	below := d.below(width, height)
	lines := []string{d.review.frame.Current().Theme.Title.Render(screen.Clip(d.title(), width))}
	lines = append(lines, d.postLines(d.review.frame.PostScene(), width, max(1, height-len(below)-1))...)
	return append(lines, below...)
}

// below renders everything below the post.
func (d *form) below(width, height int) (below []string) {
	rows := max(1, min(6, height/5))
	if d.hasTime() {
		below = append(below, d.timeLines(width)...)
	}
	note := d.note
	note.SetWidth(screen.TextWidth(width - 2))
	note.SetHeight(rows)
	below = append(below, d.review.frame.Current().Theme.Mark(!d.onWhen)+"Note")
	for l := range strings.SplitSeq(screen.Own(note.View()), "\n") {
		below = append(below, "  "+l)
	}
	return append(below, d.messages(width, max(2, height/3))...)
}

func (d *form) title() string {
	if postlist.IsSeries(d.post) {
		return map[step]string{stepApprove: "Approve this series", stepChanges: "Request changes of this series"}[d.step]
	}
	if d.step == stepApprove && d.post.Status == schedctl.Failed {
		return "Approve this post, so that r can retry it"
	}
	return [...]string{"Approve and schedule this post", "Request changes of this post", "Ask for the approval of this post", "Write a note about this post"}[d.step]
}

// postLines renders the visible part of the post.
func (d *form) postLines(s postlist.Scene, width, height int) []string {
	lines := d.contentLines(s, width)
	if len(lines) <= height {
		return screen.FitLines(lines, width, height)
	}
	room := max(1, height-1)
	top := min(d.top, len(lines)-room)
	shown := screen.FitLines(lines[top:], width, room)
	more := "pgup shows the lines above"
	if left := len(lines) - top - room; left > 0 {
		more = fmt.Sprintf("pgdn shows %s", screen.Plural(left, "more line"))
	}
	if height > 1 {
		shown = append(shown, s.Theme.Warn.Render(screen.Clip(more, width)))
	}
	return shown
}

// contentLines renders the whole post.
func (d *form) contentLines(s postlist.Scene, width int) []string {
	var lines []string
	if postlist.IsSeries(d.post) {
		lines = s.PlanLines(d.post, width)
	}
	lines = append(lines, s.ReviewLines(d.post, width)...)
	lines = append(lines, postlist.ContentLines(s, d.post, width)...)
	lines = append(lines, "")
	lines = append(lines, screen.Wrap("to "+s.AccountNames(d.post.SocialAccountIDs), width)...)
	return append(lines, postlist.NoteLines(s, d.notes, width)...)
}

// timeLines renders the time, and how it is understood.
func (d *form) timeLines(width int) []string {
	in := d.when
	label := "When "
	if d.step == stepSubmit {
		label = "Proposed time "
	}
	in.Width = max(1, width-len(label)-4)
	lines := []string{d.review.frame.Current().Theme.Mark(d.onWhen) + label + screen.Own(in.View())}
	text := strings.TrimSpace(in.Value())
	if text == "" || text == d.originalWhen && text != apiv1.PublishNextSlot {
		return lines
	}
	return append(lines, "  "+d.review.frame.Current().Theme.Hint.Render(screen.Clip(d.review.frame.EchoBooking(text), width-2)))
}

// messages renders the question whether to leave, or what is wrong, and the keys.
func (d *form) messages(width, room int) (lines []string) {
	t := d.review.frame.Current().Theme
	paint := func(draw func(...string) string, text string) {
		for _, l := range screen.Wrap(text, width) {
			lines = append(lines, draw(l))
		}
	}
	switch {
	case d.leaving:
		paint(t.Warn.Render, "Leave? Your text is not saved.")
		paint(t.Warn.Render, screen.LeaveKeys(d.keyMap()))
		return lines
	case d.fault != "":
		paint(t.Bad.Render, d.fault)
	case d.changed:
		paint(t.Warn.Render, "Someone else has changed this "+postlist.Noun(d.post)+" since you opened it. Read it again, then ctrl+s: "+d.step.String())
	}
	if len(lines) > room {
		lines = append(lines[:room-1:room-1], screen.Clip(strings.Join(lines[room-1:], " "), width))
	}
	if d.sending {
		return append(lines, t.Hint.Render("sending …"))
	}
	return append(lines, screen.ShortHelp(t, d.keys, width))
}
