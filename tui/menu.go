package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// item is a line of a menu. In a group exactly one item is selected; items without a
// group are independent.
type item struct {
	label  string
	group  string
	chosen bool
}

// menu lets the user select items.
type menu struct {
	title  string
	items  []item
	cursor int
	accept func(m *Model, chosen []int) tea.Cmd
}

func (d *menu) fullScreen() bool { return true }

func (d *menu) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case key.Matches(k, m.keys.Back, m.keys.Quit):
		m.dialog = nil
	case key.Matches(k, m.keys.Up):
		d.cursor = clamp(d.cursor-1, len(d.items))
	case key.Matches(k, m.keys.Down):
		d.cursor = clamp(d.cursor+1, len(d.items))
	case key.Matches(k, m.keys.Toggle):
		d.choose(d.cursor)
	case key.Matches(k, m.keys.Open):
		m.dialog = nil
		if at := d.items[d.cursor]; at.group != "" {
			d.set(d.cursor)
		}
		return d.accept(m, d.chosen())
	}
	return nil
}

func (d *menu) choose(i int) {
	if d.items[i].group == "" {
		d.items[i].chosen = !d.items[i].chosen
		return
	}
	d.set(i)
}

// set selects one item of a group.
func (d *menu) set(i int) {
	for j := range d.items {
		if d.items[j].group == d.items[i].group {
			d.items[j].chosen = j == i
		}
	}
}

func (d *menu) chosen() (out []int) {
	for i, it := range d.items {
		if it.chosen {
			out = append(out, i)
		}
	}
	return out
}

func (d *menu) lines(m *Model, width, height int) []string {
	lines := []string{m.theme.title.Render(d.title), ""}
	room := max(1, height-len(lines)-2)
	first := max(0, min(d.cursor-room/2, len(d.items)-room))
	for i := first; i < min(len(d.items), first+room); i++ {
		it := d.items[i]
		lines = append(lines, m.theme.mark(i == d.cursor)+m.theme.row(clip(checkbox(it)+" "+it.label, width-2), i == d.cursor))
	}
	return append(lines, "", m.theme.faint.Render(clip("space select   enter apply   esc cancel", width)))
}

// checkbox renders whether an item is selected.
func checkbox(it item) string {
	switch {
	case it.group != "" && it.chosen:
		return "(x)"
	case it.group != "":
		return "( )"
	case it.chosen:
		return "[x]"
	}
	return "[ ]"
}

// labels returns the labels of all loaded posts and the label of the query.
func (m *Model) labels(q Query) (list []string) {
	if q.Label != "" {
		list = append(list, q.Label)
	}
	for t := range m.feeds {
		for _, page := range m.feeds[t].pages {
			for i := range page.posts {
				list = append(list, page.posts[i].Labels...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// newFilter returns the menu that filters a tab by status, account and label.
func (m *Model) newFilter(q Query) *menu {
	statuses := m.tab.statuses()
	var items []item
	for _, s := range statuses {
		items = append(items, item{label: string(s), chosen: slices.Contains(q.Statuses, s)})
	}
	items = append(items, item{label: "all accounts", group: "account", chosen: q.AccountID == ""})
	ids := []string{""}
	for _, a := range m.accounts.list {
		ids = append(ids, a.ID)
		items = append(items, item{label: oneLine(a.Name) + " (" + oneLine(a.Platform) + ")", group: "account", chosen: q.AccountID == a.ID})
	}
	labels := m.labels(q)
	if len(labels) > 0 {
		labels = append([]string{""}, labels...)
		items = append(items, item{label: "all labels", group: "label", chosen: q.Label == ""})
	}
	for _, l := range labels[min(1, len(labels)):] {
		items = append(items, item{label: "label " + oneLine(l), group: "label", chosen: q.Label == l})
	}
	return &menu{title: "Show only", items: items, accept: func(m *Model, chosen []int) tea.Cmd {
		m.requery(func(q *Query) {
			q.Statuses = nil
			for _, i := range chosen {
				switch account := i - len(statuses); {
				case account < 0:
					q.Statuses = append(q.Statuses, statuses[i])
				case account < len(ids):
					q.AccountID = ids[account]
				default:
					q.Label = labels[account-len(ids)]
				}
			}
			if len(q.Statuses) == 0 {
				q.Statuses = append([]schedctl.Status{}, statuses...)
			}
		})
		return nil
	}}
}
