package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Lines implements [screen.Dialog].
func (c *composer) Lines(_ screen.Frame, width, height int) []string {
	f := c.frame
	s := f.PostScene()
	if c.settings.open && !c.leaving {
		if c.settings.Fault = c.fault; c.fault == "" {
			bad, _ := c.problems(s)
			c.settings.Fault = strings.Join(bad, "; ")
		}
		return c.settings.Lines(f, width, height)
	}
	if c.preview.open && !c.leaving {
		return c.previewLines(f, width, height)
	}
	if c.snippets != nil && !c.leaving {
		return c.snippets.Lines(f, width, height)
	}
	below := c.countLines(theme(f), f.Current().Accounts.List, width)
	below = append(below, c.commentLine(theme(f), width)...)
	below = append(below, c.mediaLines(s, width, max(1, height/4))...)
	below = append(below, c.accountLines(f, s, width, max(1, height/3))...)
	below = append(below, c.timeLines(f, width)...)
	below = append(below, c.settingsLine(theme(f), width)...)
	below = append(below, c.messages(f, width, max(2, height/4))...)
	rows := max(1, height-len(below)-1)
	drawn := strings.Split(c.drawText(width, rows), "\n")
	lines := append([]string{screen.Clip(c.label(c.title(s), fieldText), width)}, screen.FitLines(drawn, width, rows)...)
	return append(lines, below...)
}

// drawText renders the lines of the text near its cursor.
func (c *composer) drawText(width, height int) string {
	text := c.text
	text.SetWidth(screen.TextWidth(width))
	text.SetHeight(height)
	drawn := screen.Own(text.View())
	if text.Length() == 0 {
		return drawn
	}
	text.Focus() // a text without the focus does not scroll
	text, _ = text.Update(nil)
	if c.field != fieldText {
		text.Blur()
	}
	return screen.Own(text.View())
}

// title names the text in the field, and the part with the cursor.
func (c *composer) title(s postlist.Scene) string {
	part := ""
	if n := len(c.fieldParts()); n > 1 {
		part = fmt.Sprintf(", part %d of %d", c.cursorPart()+1, n)
	}
	switch {
	case c.texts.shown == commentText:
		return "First comment, a reply to the last part; leave empty for none"
	case c.texts.shown != commonText:
		return "For " + s.Name(c.texts.shown) + " only" + part + "; leave empty to use the common text"
	case c.draft.resends:
		return "Send again with changes" + part
	case c.draft.post.ID != "":
		what := " post"
		if c.draft.post.SeriesID != nil {
			what = " occurrence, apart from its series"
		}
		if postlist.IsPending(c.draft.post) {
			what = " that waits for approval; its editor cannot approve it"
		}
		return "Edit " + string(c.draft.post.Status) + what + part
	}
	return "New post" + part
}

// commentLine renders the start of the first comment, unless it is in the field.
func (c *composer) commentLine(t screen.Theme, width int) []string {
	text := c.comment()
	if c.texts.shown == commentText || strings.TrimSpace(text) == "" {
		return nil
	}
	const label = "  First comment  "
	return []string{label + t.Faint.Render(screen.Excerpt(text, max(1, width-len(label)-1)))}
}

// label renders the name of a field and marks the focused one.
func (c *composer) label(text string, field int) string {
	if c.field != field {
		return c.theme.Mark(false) + text
	}
	return c.theme.Mark(true) + c.theme.Title.Render(text)
}

// accountLines renders the accounts and groups near the cursor.
func (c *composer) accountLines(f Frame, s postlist.Scene, width, room int) []string {
	title, err := "To", f.Current().Accounts.Err
	list, groups := c.narrow.of(f.Current().Accounts.List), c.narrow.groups(f.Groups())
	rows := len(list) + len(groups)
	if n := len(c.accountIDs); n > 0 {
		title = fmt.Sprintf("To, %d chosen", n)
	}
	switch {
	case c.narrow.typing || c.narrow.text != "":
		title += c.narrow.title(rows)
	case err != nil:
		title = "To: " + screen.Explain(err)
	case len(f.Current().Accounts.List) == 0:
		title = "To: no account yet; connect one in the view Accounts"
	case rows > room && len(groups) > 0:
		title += ", " + screen.Plural(len(groups), "group") + ": / and @ show them"
	}
	lines := []string{c.label(title, fieldAccounts)}
	first := max(0, min(c.cursor-room/2, rows-room))
	for i := first; i < min(rows, first+room); i++ {
		here := c.field == fieldAccounts && i == c.cursor
		if i >= len(list) {
			lines = append(lines, c.groupLine(groups[i-len(list)], here, width))
			continue
		}
		a := list[i]
		chosen := slices.Contains(c.accountIDs, a.ID)
		left := c.theme.Mark(here) + screen.Checkbox(screen.Item{Chosen: chosen}) + " " + screen.OneLine(a.Name) + " " + s.Theme.Faint.Render(screen.OneLine(a.Platform))
		if chosen && !c.ownText(a.ID).isZero() {
			left += ", its own text"
		}
		right := ""
		if chosen {
			right = drawClosest(s.Theme, c.counters(a))
		}
		if a.Status == schedctl.AccountError {
			right = s.Theme.Bad.Render("refused by its network")
		}
		const least = 12 // columns for the name
		left = screen.Clip(left, max(least, width-2-ansi.StringWidth(right)))
		lines = append(lines, screen.Justify(left, right, width-1))
	}
	return lines
}

func (c *composer) timeLines(f Frame, width int) []string {
	in := c.timeInput
	in.Width = max(1, width-9)
	lines := []string{c.label("When ", fieldTime) + screen.Own(in.View())}
	text := strings.TrimSpace(in.Value())
	if slot := f.PostScene().SlotText(c.draft.post); slot != "" && in.Value() == c.originalTime {
		lines = append(lines, "  "+theme(f).Faint.Render(screen.Clip(slot, width-2)))
	}
	if c.field == fieldTime && text != "" && in.Value() != c.originalTime && !strings.EqualFold(text, apiv1.PublishNow) {
		echo := f.EchoBooking(text)
		if r, ok := c.repetition(f); ok {
			echo = repeatText(r)
		}
		lines = append(lines, "  "+theme(f).Hint.Render(screen.Clip(echo, width-2)))
	}
	return lines
}

// messages renders the lines at the bottom: the question whether to leave, or a
// conflict, errors, problems and warnings, and the keys.
func (c *composer) messages(f Frame, width, room int) (lines []string) {
	s, t := f.PostScene(), theme(f)
	paint := func(draw func(...string) string, texts ...string) {
		for _, text := range texts {
			for _, l := range screen.Wrap(text, width) {
				lines = append(lines, draw(l))
			}
		}
	}
	bad, warn := c.problems(s)
	switch {
	case c.leaving:
		paint(t.Warn.Render, c.question(keys(f))...)
		return lines
	case c.asking != nil:
		return c.questionLines(t, width)
	case c.conflict != nil:
		paint(t.Warn.Render, "Someone else has changed this post. Your text is above; their text: "+screen.Excerpt(c.conflict.Content, width),
			"ctrl+s overwrite theirs   ctrl+t use theirs")
	}
	if c.fault != "" {
		paint(t.Bad.Render, f.Current().InNames(c.fault))
	}
	if names := c.tooLong(f); len(names) > 0 {
		paint(t.Warn.Render, "The text is too long for "+strings.Join(names, ", ")+": alt+s splits it into parts that fit")
	} else if c.split.after != "" && c.text.Value() == c.split.after {
		paint(t.Warn.Render, "The text is split: alt+s joins it again")
	}
	paint(t.Bad.Render, bad...)
	paint(t.Warn.Render, warn...)
	if len(lines) > room {
		lines = append(lines[:room-1], "…")
	}
	if c.sending {
		return append(lines, t.Hint.Render("saving …"))
	}
	return append(lines, c.keyLines(t, c.mainKeys(), width, height(f))...)
}

// mainKeys returns the most important keys of the focused field.
func (c *composer) mainKeys() []key.Binding {
	switch {
	case c.field == fieldAccounts:
		return c.accountKeys
	case c.field == fieldMedia:
		return c.mediaKeys
	case c.texts.shown == commentText:
		return c.commentKeys
	case len(c.fieldParts()) > 1:
		return c.partKeys
	}
	return c.keys
}

// FootKeys implements [screen.FootKeys].
func (c *composer) FootKeys(_ screen.Frame) []key.Binding {
	f := c.frame
	if c.leaving || c.asking != nil || c.sending || c.settings.open {
		return nil
	}
	if c.snippets != nil {
		return keys(f).MenuKeys()
	}
	keys := c.mainKeys()
	if n := screen.KeysThatFit(keys, width(f)); height(f) >= twoLinesFrom && n < len(keys) {
		return keys[n:]
	}
	return keys
}

// twoLinesFrom is the height from which the keys have two lines.
const twoLinesFrom = 20

// keyLines renders the most important keys, in two lines on a screen with enough space.
func (c *composer) keyLines(t screen.Theme, keys []key.Binding, width, height int) []string {
	lines := []string{screen.ShortHelp(t, keys, width)}
	if n := screen.KeysThatFit(keys, width); height >= twoLinesFrom && n < len(keys) {
		lines = append(lines, screen.ShortHelp(t, keys[n:], width))
	}
	return lines
}
