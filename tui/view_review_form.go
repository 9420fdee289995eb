package tui

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// lines renders the form: the post, the time, the note, and messages.
// Lines implements [Dialog].
func (d *reviewForm) Lines(f Frame, width, height int) []string {
	m := f.(*Model)
	below := d.below(m, width, height)
	lines := []string{m.Theme.title.Render(clip(d.title(), width))}
	lines = append(lines, d.postLines(m.scene(), width, max(1, height-len(below)-1))...)
	return append(lines, below...)
}

// below renders everything below the post.
func (d *reviewForm) below(m *Model, width, height int) (below []string) {
	rows := max(1, min(6, height/5))
	if d.hasTime() {
		below = append(below, d.timeLines(m, width)...)
	}
	note := d.note
	note.SetWidth(textWidth(width - 2))
	note.SetHeight(rows)
	below = append(below, m.Theme.mark(!d.onWhen)+"Note")
	for l := range strings.SplitSeq(own(note.View()), "\n") {
		below = append(below, "  "+l)
	}
	return append(below, d.messages(m, width, max(2, height/3))...)
}

func (d *reviewForm) title() string {
	if isSeries(d.post) {
		return map[reviewStep]string{stepApprove: "Approve this series", stepChanges: "Request changes of this series"}[d.step]
	}
	if d.step == stepApprove && d.post.Status == schedctl.Failed {
		return "Approve this post, so that r can retry it"
	}
	return [...]string{"Approve and schedule this post", "Request changes of this post", "Ask for the approval of this post", "Write a note about this post"}[d.step]
}

// postLines renders the visible part of the post.
func (d *reviewForm) postLines(s drawContext, width, height int) []string {
	lines := d.contentLines(s, width)
	if len(lines) <= height {
		return fitLines(lines, width, height)
	}
	room := max(1, height-1)
	top := min(d.top, len(lines)-room)
	shown := fitLines(lines[top:], width, room)
	more := "pgup shows the lines above"
	if left := len(lines) - top - room; left > 0 {
		more = fmt.Sprintf("pgdn shows %s", plural(left, "more line"))
	}
	if height > 1 {
		shown = append(shown, s.Theme.warn.Render(clip(more, width)))
	}
	return shown
}

// contentLines renders the whole post.
func (d *reviewForm) contentLines(s drawContext, width int) []string {
	var lines []string
	if isSeries(d.post) {
		lines = s.planLines(d.post, width)
	}
	lines = append(lines, s.reviewLines(d.post, width)...)
	lines = append(lines, contentLines(s, d.post, width)...)
	lines = append(lines, "")
	lines = append(lines, wrap("to "+s.accounts(d.post.SocialAccountIDs), width)...)
	return append(lines, noteLines(s, d.notes, width)...)
}

// timeLines renders the time, and how it is understood.
func (d *reviewForm) timeLines(m *Model, width int) []string {
	in := d.when
	label := "When "
	if d.step == stepSubmit {
		label = "Proposed time "
	}
	in.Width = max(1, width-len(label)-4)
	lines := []string{m.Theme.mark(d.onWhen) + label + own(in.View())}
	text := strings.TrimSpace(in.Value())
	if text == "" || text == d.originalWhen && text != apiv1.PublishNextSlot {
		return lines
	}
	return append(lines, "  "+m.Theme.hint.Render(clip(m.echoBooking(text), width-2)))
}

// messages renders the question whether to leave, or what is wrong, and the keys.
func (d *reviewForm) messages(m *Model, width, room int) (lines []string) {
	t := m.Theme
	paint := func(draw func(...string) string, text string) {
		for _, l := range wrap(text, width) {
			lines = append(lines, draw(l))
		}
	}
	switch {
	case d.leaving:
		paint(t.warn.Render, "Leave? Your text is not saved.")
		paint(t.warn.Render, leaveKeys(m.Keys))
		return lines
	case d.fault != "":
		paint(t.bad.Render, d.fault)
	case d.changed:
		paint(t.warn.Render, "Someone else has changed this "+noun(d.post)+" since you opened it. Read it again, then ctrl+s: "+d.step.String())
	}
	if len(lines) > room {
		lines = append(lines[:room-1:room-1], clip(strings.Join(lines[room-1:], " "), width))
	}
	if d.sending {
		return append(lines, t.hint.Render("sending …"))
	}
	return append(lines, shortHelp(t, d.keys, width))
}
