package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// The minimum size at which anything is readable.
const (
	minWidth  = 20
	minHeight = 6
)

// View renders the screen. It never exceeds the size of the terminal.
func (m *Model) View() string {
	if m.cfg.ASCII {
		return screen.ASCII.Replace(m.screen())
	}
	return m.screen()
}

// screen renders the screen with all its signs.
func (m *Model) screen() string {
	w, h := m.width, m.height
	if w <= 0 || h <= 0 {
		return ""
	}
	if w < minWidth || h < minHeight {
		return screen.Finish([]string{"too small"}, w, h)
	}
	head := headLines(m, w)
	foot := footLines(m, w)
	body := m.body(w, h-len(head)-len(foot))
	lines := append(head, screen.FitLines(body, w, h-len(head)-len(foot))...)
	return screen.Finish(append(lines, foot...), w, h)
}

// BodyHeight returns the number of lines between head and foot.
func (m *Model) BodyHeight() int {
	return m.height - len(headLines(m, m.width)) - len(footLines(m, m.width))
}

// headLines renders the tabs and the state of the connection.
func headLines(m *Model, width int) []string {
	lines := []string{screen.Clip(tabLine(m, m.tabStyle()), width), m.linkLine(width)}
	if warning := m.warningText(); m.Theme.Plain && warning != "" {
		lines = append(lines, screen.Clip(warning, width))
	}
	return lines
}

// tabStyle is how much of the tabs fits.
type tabStyle int

const (
	tabsSpaced  tabStyle = iota // all names, with space around them
	tabsDense                   // all names
	tabsShort                   // all names, abbreviated
	tabsNumbers                 // the name of the current tab only
)

// tabStyle returns the first style that fits.
func (m *Model) tabStyle() tabStyle {
	style := tabsSpaced
	for style < tabsNumbers && ansi.StringWidth(tabLine(m, style)) > m.width {
		style++
	}
	return style
}

func (m *Model) linkLine(width int) string {
	const after = 2 // length of the line after the state
	state := m.link.text(m.PostScene())
	before := width - ansi.StringWidth(state) - after - 2
	if m.Theme.Plain {
		return screen.Clip("connection: "+state, width)
	}
	if before < 0 {
		return screen.Clip(state, width)
	}
	const least = 8 // columns for the warning
	left := ""
	if warning := m.warningText(); warning != "" && before > least {
		left = m.Theme.RuleLine(after) + " " + m.Theme.Warn.Render(screen.Clip(warning, before-after-3)) + " "
	}
	return left + m.Theme.RuleLine(before-ansi.StringWidth(left)) + " " + state + " " + m.Theme.RuleLine(after)
}

// tabLine renders the tabs.
func tabLine(m *Model, style tabStyle) string { return strings.Join(tabLabels(m, style), "") }

func tabLabels(m *Model, style tabStyle) (parts []string) {
	for i, r := range m.rooms {
		t := tab(i)
		text := t.number()
		switch {
		case style == tabsShort:
			text += " " + t.short()
		case style != tabsNumbers || t == m.tab:
			text += " " + t.String()
		}
		if h, ok := r.(postlist.Holder); ok && h.Traits().Counted && h.Feed() != nil {
			text += countLabel(h.Feed(), style)
		}
		switch {
		case t == m.tab && m.Theme.Active.Render("x") == "x":
			text = "[" + text + "]"
		case t == m.tab:
			text = m.Theme.Active.Render(" " + text + " ")
		case style == tabsDense || style == tabsShort:
			text = " " + text
			if t+1 == m.tab {
				text += " "
			}
		default:
			text = " " + text + " "
		}
		parts = append(parts, text)
	}
	return parts
}

// countLabel formats the number of posts of a tab.
func countLabel(f *postlist.Feed, style tabStyle) string {
	separator, more := " ", ""
	if style == tabsDense || style == tabsShort {
		separator = ":" // another number follows closely
	}
	if f.Next != "" {
		more = "+"
	}
	if f.Size() == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d%s", separator, f.Size(), more)
}

// body renders the lines between head and foot.
func (m *Model) body(width, height int) []string {
	s := m.PostScene()
	if m.dialog != nil && m.dialog.FullScreen() {
		return m.dialog.Lines(m, width, height)
	}
	h := m.holder()
	if h == nil {
		return m.room().Lines(width, height)
	}
	p, ok := h.CurrentPost()
	if h.Detail().Open && ok {
		return postlist.DetailPane(s, p, h.Detail(), width, height)
	}
	if !m.isSplit() || h.IsEmpty() {
		return h.Lines(width, height)
	}
	right := width - m.listWidth() - 3
	if ok {
		return m.splitView(postlist.DetailPane(s, p, h.Detail(), right, height), width, height)
	}
	var pane []string
	if g, ok := h.SelectedGhost(); ok {
		pane = postlist.GhostPane(s, g, right)
	}
	return m.splitView(screen.FitLines(pane, right, height), width, height)
}

// isSplit reports whether list and details are shown next to each other.
func (m *Model) isSplit() bool {
	return m.width >= postlist.MinSplitWidth && !m.Theme.Plain && !m.traits().Wide
}

// listWidth returns the width of the list.
func (m *Model) listWidth() int {
	if m.isSplit() {
		return m.width * 3 / 5
	}
	return m.width
}

// splitView renders the list and, next to it, the pane with the details.
func (m *Model) splitView(pane []string, width, height int) []string {
	left := m.listWidth()
	list := screen.FitLines(m.room().Lines(left, height), left, height)
	bar := m.Theme.Faint.Render("│")
	lines := make([]string, height)
	for i := range lines {
		lines[i] = screen.PadRight(list[i], left) + " " + bar + " " + pane[i]
	}
	return lines
}

// scrollToSelected scrolls the list so that the selected post is visible, and limits
// the scroll position of the details.
func (m *Model) scrollToSelected() {
	h := m.holder()
	if h == nil {
		return
	}
	height := m.BodyHeight()
	if p, ok := h.CurrentPost(); ok && h.Detail().Open {
		lines := postlist.DetailLines(m.PostScene(), p, h.Detail(), m.width)
		h.Detail().Top = min(h.Detail().Top, max(0, len(lines)-height))
	}
	h.Scroll(m.listWidth(), height)
}
