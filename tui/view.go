package tui

import (
	"fmt"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
	"github.com/schedctl/schedctl/tui/week"
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
	for i, t := range tabOrder {
		text := t.number()
		switch {
		case style == tabsShort:
			text += " " + t.short()
		case style != tabsNumbers || t == m.tab:
			text += " " + t.String()
		}
		if t == tabFailed || t == tabReview {
			text += countLabel(&m.feeds[t], style)
		}
		switch {
		case t == m.tab && m.Theme.Active.Render("x") == "x":
			text = "[" + text + "]"
		case t == m.tab:
			text = m.Theme.Active.Render(" " + text + " ")
		case style == tabsDense || style == tabsShort:
			text = " " + text
			if next := i + 1; next < len(tabOrder) && tabOrder[next] == m.tab {
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
	if r := m.room(); r != nil {
		return r.Lines(width, height)
	}
	f := m.Feed()
	if f == nil {
		return m.queues.Lines(width, height)
	}
	p, ok := m.CurrentPost()
	switch {
	case m.tab == tabMonth && !(m.detail.Open && ok):
		if f.Err != nil && f.Size() == 0 {
			return screen.EmptyMessage(s.Scene, false, f.Err, "", width)
		}
		return m.month.Lines(width, height)
	case f.Size() == 0 && m.isEmpty():
		return append(m.listTitle(width), screen.EmptyMessage(s.Scene, f.Loaded && f.Next == "", f.Err, m.tab.emptyText(f.Query), width)...)
	case m.detail.Open && ok:
		return postlist.DetailPane(s, p, &m.detail, width, height)
	case m.isSplit() && ok:
		return m.splitView(postlist.DetailPane(s, p, &m.detail, width-m.listWidth()-3, height), width, height)
	case m.isSplit():
		return m.splitView(screen.FitLines(m.ghostPane(width-m.listWidth()-3), width-m.listWidth()-3, height), width, height)
	}
	return m.list(width, height)
}

// isEmpty reports whether a view without posts has nothing else to show.
func (m *Model) isEmpty() bool {
	return len(m.ghosts()) == 0 && (m.tab != tabWeek || !m.weekView().IsShaded())
}

// isSplit reports whether list and details are shown next to each other.
func (m *Model) isSplit() bool {
	return m.width >= postlist.MinSplitWidth && !m.Theme.Plain && !m.tab.isCalendar()
}

// isGrid reports whether the days of the week are shown next to each other.
func (m *Model) isGrid() bool { return m.tab == tabWeek && m.width >= week.MinWidth && !m.Theme.Plain }

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
	list := screen.FitLines(m.list(left, height), left, height)
	bar := m.Theme.Faint.Render("│")
	lines := make([]string, height)
	for i := range lines {
		lines[i] = screen.PadRight(list[i], left) + " " + bar + " " + pane[i]
	}
	return lines
}

// list renders the posts of the tab.
func (m *Model) list(width, height int) []string {
	f := m.Feed()
	switch {
	case m.isGrid():
		return m.weekView().Lines(width, height)
	case m.listsEntries():
		return m.drawEntries(width, height).lines
	}
	return m.draw(f, width, height).Lines
}

func (m *Model) draw(f *postlist.Feed, width, height int) postlist.DrawnList {
	rows, byDay := m.rowLayout(f)
	return postlist.PostRows(m.PostScene(), f, rows, byDay, width, height)
}

// scrollToSelected scrolls the list so that the selected post is visible, and limits
// the scroll position of the details.
func (m *Model) scrollToSelected() {
	f := m.Feed()
	if f == nil {
		return
	}
	height := m.BodyHeight()
	if p, ok := m.CurrentPost(); ok && m.detail.Open {
		lines := postlist.DetailLines(m.PostScene(), p, &m.detail, m.width)
		m.detail.Top = min(m.detail.Top, max(0, len(lines)-height))
	}
	if m.listsEntries() || m.tab == tabMonth {
		f.Top = f.Selected
		return
	}
	first := max(0, f.Selected-max(0, height))
	first = max(first, min(f.Top, f.Selected))
	seen := func(i int) bool {
		f.Top = first + i
		return i >= f.Selected-first || f.Top+m.draw(f, m.listWidth(), height).Whole > f.Selected
	}
	if m.isGrid() || seen(0) || seen(1) {
		return // rendering is slow and most steps are small
	}
	f.Top = first + sort.Search(f.Selected-first, seen)
}

// rowLayout returns how the posts of the tab are rendered. They are grouped by day
// only if that is their order.
func (m *Model) rowLayout(f *postlist.Feed) (rows postlist.RowsFunc, byDay bool) {
	rows, byDay = m.tab.defaultLayout()
	return rows, byDay && strings.HasSuffix(f.Query.Sort, "publish_at")
}

// weekView returns the displayed week.
func (m *Model) weekView() week.View {
	v := week.View{Scene: m.PostScene(), Feed: &m.feeds[tabWeek], Monday: m.week, Ghosts: m.ghosts()}
	if g, ok := m.selectedGhost(); ok {
		v.Chosen = &g
	}
	return v
}
