package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// handleMouse handles the mouse: the wheel scrolls, and a click selects a view, a day or a
// post, or presses a key of the last line. A click on the selected post opens its details.
// A post of the week that is dragged to another day is taken there.
func (m *Model) handleMouse(e tea.MouseMsg) tea.Cmd {
	const wheel = 3 // rows
	m.unsettled = false
	pressed := e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress
	if pressed && e.Y == m.keyRow() {
		return m.clickKey(e.X)
	}
	switch {
	case m.dialog != nil:
	case e.Button == tea.MouseButtonWheelUp:
		m.moveSelection(-wheel)
	case e.Button == tea.MouseButtonWheelDown:
		m.moveSelection(wheel)
	case pressed:
		m.drop(e.X)
		m.click(e.X, e.Y)
	case e.Action == tea.MouseActionRelease:
		return m.release(e.X)
	}
	return nil
}

func (m *Model) click(x, y int) {
	if y == 0 {
		m.clickTab(x)
		return
	}
	h, row := m.holder(), y-len(headLines(m, m.width))
	if h == nil || m.detail().Open || row < 0 || x >= m.listWidth() {
		return
	}
	if h.Click(x, row, m.listWidth(), m.BodyHeight()) {
		m.openSelected()
	}
}

func (m *Model) clickTab(x int) {
	end := 0
	for i, label := range tabLabels(m, m.tabStyle()) {
		if end += ansi.StringWidth(label); x < end {
			m.showTab(tab(i))
			return
		}
	}
}

// drop ends what a press of the button has started. It returns by how many days the mouse has
// dragged a post, and reports whether the post was clicked again instead.
func (m *Model) drop(x int) (days int, again bool) {
	if d, ok := m.room().(postlist.Dragger); ok {
		return d.Release(x)
	}
	return 0, false
}

// release opens the post on which the button was pressed, if it was selected before. If the
// mouse has dragged it, release takes it to the other day.
func (m *Model) release(x int) tea.Cmd {
	days, again := m.drop(x)
	switch {
	case m.detail().Open:
		return nil
	case again:
		m.openSelected()
		return nil
	case days == 0:
		return nil
	}
	cmd := m.grabPosts()
	if g, ok := m.dialog.(*grab); ok {
		g.days = days
		g.show(m)
	}
	return cmd
}

// clickKey presses the key of the last line that is at a column.
func (m *Model) clickKey(x int) tea.Cmd {
	for _, b := range m.footKeys() {
		label := screen.KeyText(b)
		if width := ansi.StringWidth(label); x < width {
			return m.handleKey(keyMsg(keyAt(b, x)))
		} else if x -= width + len(screen.KeyGap); x < 0 {
			return nil
		}
	}
	return nil
}

// keyAt returns the name of the key at a column of its label: of two, the one that is there.
func keyAt(b key.Binding, x int) string {
	names := b.Keys()
	first, _, two := strings.Cut(b.Help().Key, " ")
	if two && len(names) == 2 && x > ansi.StringWidth(first) {
		return names[1]
	}
	return names[0]
}

// keyRow returns the line of the screen with the keys.
func (m *Model) keyRow() int {
	if m.dialog != nil && m.dialog.FullScreen() {
		return m.height - len(footLines(m, m.width)) - 1
	}
	return m.height - 1
}

// footKeys returns the keys that this line shows.
func (m *Model) footKeys() []key.Binding {
	if m.dialog == nil {
		return m.shortKeys()
	}
	if d, ok := m.dialog.(screen.FootKeys); ok {
		return d.FootKeys(m)
	}
	return nil
}

// keyMsg returns the message of a key with a name.
func keyMsg(name string) tea.KeyMsg {
	base, alt := strings.CutPrefix(name, "alt+")
	if base == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(base), Alt: alt}
	}
	const first, last = -200, 127 // the numbers of the keys that are not characters
	for t := tea.KeyType(first); t <= last; t++ {
		if t != tea.KeyRunes && t.String() == base && base != "" {
			return tea.KeyMsg{Type: t, Alt: alt}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(base), Alt: alt}
}
