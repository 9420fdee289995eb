package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// hasSeveralParts reports whether the post has a thread or a first comment.
func (c *composer) hasSeveralParts() bool { return len(c.commonParts()) > 1 || c.hasComment() }

// hasComment reports whether the post has a first comment.
func (c *composer) hasComment() bool {
	return strings.TrimSpace(c.comment()) != "" || c.hasMedia(postlist.CommentPart)
}

// isEmpty reports whether the post has neither text nor files.
func (c *composer) isEmpty() bool {
	return strings.TrimSpace(strings.Join(c.commonParts(), "")) == "" && len(c.media.list) == 0
}

// emptyPart says which part has neither text nor files, or returns the empty string.
func (c *composer) emptyPart() string {
	parts := c.commonParts()
	for i, text := range parts {
		if strings.TrimSpace(text) == "" && !c.hasMedia(i) {
			if len(parts) == 1 {
				return "the text is empty"
			}
			return postlist.PartName(i) + " is empty: write its text, attach a file, or remove the line " + threadtext.Separator
		}
	}
	return ""
}

// thread returns the parts after the first one.
func (c *composer) thread() []apiv1.Part {
	parts := []apiv1.Part{}
	for i, text := range c.commonParts() {
		if i > 0 {
			parts = append(parts, apiv1.Part{Content: text, Media: c.mediaBody(i)})
		}
	}
	return parts
}

// firstComment returns the first comment, or nil.
func (c *composer) firstComment() *apiv1.Part {
	if !c.hasComment() {
		return nil
	}
	text := c.comment()
	if strings.TrimSpace(text) == "" {
		text = ""
	}
	return &apiv1.Part{Content: text, Media: c.mediaBody(postlist.CommentPart)}
}

// partsChanged reports whether the text or the files of a part have changed.
func (c *composer) partsChanged() bool {
	return c.commonParts()[0] != c.draft.From.Content || c.mediaChanged(0) || c.threadChanged()
}

// threadChanged reports whether a part after the first one has changed.
func (c *composer) threadChanged() bool {
	before, parts := partTexts("", c.draft.From.Thread)[1:], c.commonParts()[1:]
	if !slices.Equal(before, parts) {
		return true
	}
	for i := range parts {
		if c.mediaChanged(i + 1) {
			return true
		}
	}
	return false
}

// commentChanged reports whether the text or the files of the first comment have changed.
func (c *composer) commentChanged() bool {
	before := ""
	if comment := c.draft.From.FirstComment; comment != nil {
		before = comment.Content
	}
	return c.comment() != before || c.mediaChanged(postlist.CommentPart)
}

// isSeparator reports whether a line of the field separates parts.
func isSeparator(line string) bool { return len(threadtext.Split(line)) > 1 }

// cursorPart returns the part in which the cursor of the field is.
func (c *composer) cursorPart() (part int) {
	if c.texts.shown == commentText {
		return postlist.CommentPart
	}
	for i, line := range strings.Split(c.text.Value(), "\n") {
		if i < c.text.Line() && isSeparator(line) {
			part++
		}
	}
	return part
}

// moveToPart moves the cursor of the field to the first line of a part.
func (c *composer) moveToPart(part int) {
	row := 0
	for i, line := range strings.Split(c.text.Value(), "\n") {
		if part > 0 && isSeparator(line) {
			part--
			row = i + 1
		}
	}
	for c.text.Line() > row {
		c.text.CursorUp()
	}
	for before := -1; c.text.Line() < row && before < c.text.LineCount()*1000; before++ {
		c.text.CursorDown()
	}
	c.text.CursorStart()
}

// handleTextKey handles a key in the text field.
func (c *composer) handleTextKey(f Frame, k tea.KeyMsg) tea.Cmd {
	c.text.SetWidth(screen.TextWidth(width(f))) // up and down move by lines of the screen
	part, last := c.cursorPart(), len(c.fieldParts())-1
	switch {
	case key.Matches(k, keys(f).NewPart):
		if part == postlist.CommentPart {
			c.fault = "a first comment has one part: press " + keys(f).BackToText.Help().Key + " to go back to the text"
			return nil
		}
		return c.changeText(func() { c.text.InsertString("\n" + threadtext.Separator + "\n") })
	case key.Matches(k, keys(f).NextPart):
		c.moveToPart(min(part+1, last))
	case key.Matches(k, keys(f).PartBefore):
		c.moveToPart(max(part-1, 0))
	case key.Matches(k, keys(f).PartDown) && part >= 0 && part < last:
		return c.swapParts(part, part+1)
	case key.Matches(k, keys(f).PartUp) && part > 0:
		return c.swapParts(part, part-1)
	case key.Matches(k, keys(f).PartDown, keys(f).PartUp):
	default:
		return c.changeText(func() { c.text, _ = c.text.Update(k) })
	}
	return nil
}

// changeText changes the field. Files stay with their parts.
func (c *composer) changeText(change func()) tea.Cmd {
	text, before := c.text.Value(), c.fieldParts()
	change()
	if c.text.Value() == text {
		return nil
	}
	if c.texts.shown == commonText {
		c.moveMedia(partMap(before, c.fieldParts()))
	}
	return c.check()
}

// swapParts exchanges the part with the cursor and another part, with their files. The
// cursor follows.
func (c *composer) swapParts(part, other int) tea.Cmd {
	parts := slices.Clone(c.fieldParts())
	parts[part], parts[other] = parts[other], parts[part]
	c.text.SetValue(threadtext.Join(parts))
	if c.texts.shown == commonText {
		c.moveMedia(func(i int) int {
			switch i {
			case part:
				return other
			case other:
				return part
			}
			return i
		})
	}
	c.moveToPart(other)
	return c.check()
}

// partMap returns the function that maps the parts before a change of the text to those
// after it. Parts at the start and at the end that did not change keep their files. Files
// of removed parts move to a part next to them.
func partMap(before, after []string) func(int) int {
	n := min(len(before), len(after))
	start := 0
	for start < n && before[start] == after[start] {
		start++
	}
	end := 0
	for end < n-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return func(part int) int {
		switch {
		case part < start:
			return part
		case part >= len(before)-end:
			return part + len(after) - len(before)
		}
		return max(0, min(part, len(after)-end-1))
	}
}

// countLines renders the counters of a post with several parts or a first comment. Each
// counter is that of the account with the least space left.
func (c *composer) countLines(t screen.Theme, accounts []apiv1.Account, width int) (lines []string) {
	list := c.strictest(accounts)
	if len(list) < 2 {
		return nil
	}
	const most = 2 // lines
	current, name, atCurrent := c.cursorPart(), "  Parts", 0
	if current == postlist.CommentPart {
		current = len(list) - 1
	}
	line := name
	for i, n := range list {
		number := fmt.Sprint(i + 1)
		if n.part == postlist.PartName(postlist.CommentPart) {
			number = n.part
		}
		text := number + " " + n.text()
		cell := number + " " + n.draw(t)
		if i == current && c.field == fieldText {
			cell = t.Title.Render(number) + " " + n.draw(t)
		}
		if ansi.StringWidth(line)+2+len(text) > width && line != name {
			lines, line = append(lines, line), strings.Repeat(" ", len(name))
		}
		if line += "  " + cell; i == current {
			atCurrent = len(lines)
		}
	}
	lines = append(lines, line)
	first := max(0, min(atCurrent, len(lines)-most))
	lines = lines[first:min(len(lines), first+most)]
	for i := range lines {
		lines[i] = screen.Clip(lines[i], width)
	}
	return lines
}

// strictest returns for each part of the text in the field the count that is closest to
// the limit of an account.
func (c *composer) strictest(accounts []apiv1.Account) (list []counter) {
	for _, a := range accounts {
		own := c.texts.shown != commonText && c.texts.shown != commentText
		switch {
		case own && a.ID != c.texts.shown, !own && !slices.Contains(c.accountIDs, a.ID), !own && c.ownText(a.ID).thread != nil:
			continue
		}
		for i, n := range c.counters(a) {
			if i == len(list) {
				list = append(list, n)
			} else if n.over() > list[i].over() {
				list[i] = n
			}
		}
	}
	if list == nil {
		return c.counters(apiv1.Account{})
	}
	return list
}
