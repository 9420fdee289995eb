package tui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// handleMouse handles the mouse: the wheel scrolls, a click selects a tab or a post,
// and a click on the selected post opens its details.
func (m *Model) handleMouse(e tea.MouseMsg) {
	const wheel = 3 // rows
	m.unsettled = false
	switch {
	case m.dialog != nil:
	case e.Button == tea.MouseButtonWheelUp:
		m.moveSelection(-wheel)
	case e.Button == tea.MouseButtonWheelDown:
		m.moveSelection(wheel)
	case e.Button == tea.MouseButtonLeft && e.Action == tea.MouseActionPress:
		m.click(e.X, e.Y)
	}
}

func (m *Model) click(x, y int) {
	head := headLines(m, m.width)
	if y == 0 {
		m.clickTab(x)
		return
	}
	f, row := m.feed(), y-len(head)
	if f == nil || m.detail.open || m.isGrid() || row < 0 || x >= m.listWidth() {
		return
	}
	if m.listsEntries() {
		m.clickEntry(row)
		return
	}
	rows := m.draw(f, m.listWidth(), m.bodyHeight())
	if row >= len(rows.posts) || rows.posts[row] == noPost {
		return
	}
	if f.selected == rows.posts[row] {
		m.openSelected()
	}
	f.move(rows.posts[row] - f.selected)
}

func (m *Model) clickTab(x int) {
	end := 0
	for i, label := range tabLabels(m, m.tabStyle()) {
		if end += ansi.StringWidth(label); x < end {
			m.showTab(tabOrder[i])
			return
		}
	}
}
