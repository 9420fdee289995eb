package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// lines renders the composer: the text with all free height, the media, the accounts with
// their counters, the time, and messages.
func (c *composer) lines(m *Model, width, height int) []string {
	s := m.scene()
	below := c.mediaLines(s, width, max(1, height/4))
	below = append(below, c.accountLines(s, m.accounts.list, m.accounts.err, width, max(1, height/3))...)
	below = append(below, c.timeLines(m, width)...)
	below = append(below, c.messages(m, width, max(2, height/4))...)
	head := c.label("New post", fieldText)
	switch {
	case c.texts.accountID != "":
		head = c.label("For "+s.name(c.texts.accountID)+" only; leave empty to use the common text", fieldText)
	case c.draft.post.ID != "":
		head = c.label("Edit "+string(c.draft.post.Status)+" post", fieldText)
	}
	rows := max(1, height-len(below)-1)
	text := c.text
	text.SetWidth(max(3, width-1))
	text.SetHeight(rows)
	drawn := strings.Split(text.View(), "\n")
	lines := append([]string{head}, fitLines(drawn, width, rows)...)
	return append(lines, below...)
}

// label renders the name of a field and marks the focused one.
func (c *composer) label(text string, field int) string {
	if c.field != field {
		return c.theme.mark(false) + text
	}
	return c.theme.mark(true) + c.theme.title.Render(text)
}

// accountLines renders the accounts near the cursor.
func (c *composer) accountLines(s drawContext, list []apiv1.Account, err error, width, room int) []string {
	title := "To"
	switch {
	case err != nil:
		title = "To: " + explain(err)
	case len(list) == 0:
		title = "To: no account yet; connect one in the view Accounts"
	}
	lines := []string{c.label(title, fieldAccounts)}
	first := max(0, min(c.cursor-room/2, len(list)-room))
	for i := first; i < min(len(list), first+room); i++ {
		a := list[i]
		chosen := slices.Contains(c.accountIDs, a.ID)
		here := c.field == fieldAccounts && i == c.cursor
		left := c.theme.mark(here) + checkbox(item{chosen: chosen}) + " " + oneLine(a.Name) + " " + s.theme.faint.Render(oneLine(a.Platform))
		if chosen && c.ownText(a.ID) != "" {
			left += ", its own text"
		}
		right := ""
		if chosen {
			n := c.counter(a)
			right = n.text()
			if n.limit > 0 && n.length > n.limit {
				right = s.theme.bad.Render(right)
			}
		}
		if a.Status == schedctl.AccountError {
			right = s.theme.bad.Render("refused by its network")
		}
		const least = 12 // columns for the name
		left = clip(left, max(least, width-2-ansi.StringWidth(right)))
		lines = append(lines, justify(left, right, width-1))
	}
	return lines
}

func (c *composer) timeLines(m *Model, width int) []string {
	in := c.timeInput
	in.Width = max(1, width-9)
	lines := []string{c.label("When ", fieldTime) + in.View()}
	text := strings.TrimSpace(in.Value())
	if c.field == fieldTime && text != "" && in.Value() != c.originalTime && !strings.EqualFold(text, apiv1.PublishNow) {
		lines = append(lines, "  "+m.theme.faint.Render(clip(echoTime(text, m.now, m.zone), width-2)))
	}
	return lines
}

// messages renders the lines at the bottom: the question whether to leave, or a
// conflict, errors, problems and warnings, and the keys.
func (c *composer) messages(m *Model, width, room int) (lines []string) {
	s, t := m.scene(), m.theme
	paint := func(draw func(...string) string, texts ...string) {
		for _, text := range texts {
			for _, l := range wrap(text, width) {
				lines = append(lines, draw(l))
			}
		}
	}
	bad, warn := c.problems(s)
	switch {
	case c.leaving:
		paint(t.warn.Render, c.question(m.keys)...)
		return lines
	case c.asking != nil:
		return c.questionLines(t, width)
	case c.conflict != nil:
		paint(t.warn.Render, "Someone else has changed this post. Your text is above; their text: "+excerpt(c.conflict.Content, width),
			"ctrl+s overwrite theirs   ctrl+t use theirs")
	}
	if c.fault != "" {
		paint(t.bad.Render, c.fault)
	}
	paint(t.bad.Render, bad...)
	paint(t.warn.Render, warn...)
	if len(lines) > room {
		lines = append(lines[:room-1], "…")
	}
	if c.sending {
		return append(lines, t.faint.Render("saving …"))
	}
	keys := c.keys
	switch c.field {
	case fieldAccounts:
		keys = c.accountKeys
	case fieldMedia:
		keys = c.mediaKeys
	}
	return append(lines, shortHelp(t, keys, width))
}
