package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// item is a line of a menu. In a group exactly one item is selected; items without a
// group are independent.
type item struct {
	label  string
	group  string
	chosen bool
	partly bool // some of the posts have it; it stays so unless it is selected or not
}

// menu lets the user select items. What is typed filters them.
type menu struct {
	title  string
	items  []item
	cursor int // in the items that match the filter
	filter textinput.Model
	accept func(m *Model, chosen []int) tea.Cmd

	add  func(text string) string // says what is wrong with a text as a new item; nil if none can be added
	noun string                   // of what is counted, for example: label
	what string                   // on how many posts the choice acts; may be empty

	empty string // said while there are no items; empty if there are some
}

// newMenu returns a menu.
func newMenu(t theme, title string, items []item, accept func(m *Model, chosen []int) tea.Cmd) *menu {
	return &menu{title: title, items: items, accept: accept, filter: newInput(t, "type to filter")}
}

func (d *menu) fullScreen() bool { return true }

// visible returns the indexes of the items that match the filter.
func (d *menu) visible() (list []int) {
	text := strings.ToLower(strings.TrimSpace(d.filter.Value()))
	for i, it := range d.items {
		if strings.Contains(strings.ToLower(it.label), text) {
			list = append(list, i)
		}
	}
	return list
}

func (d *menu) key(m *Model, k tea.KeyMsg) tea.Cmd {
	list := d.visible()
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc && d.filter.Value() != "":
		d.filter.SetValue("")
		d.cursor = 0
	case k.Type == tea.KeyEsc:
		m.dialog = nil
	case k.Type == tea.KeyUp, k.Type == tea.KeyPgUp:
		d.cursor = clamp(d.cursor-d.step(m, k), len(list))
	case k.Type == tea.KeyDown, k.Type == tea.KeyPgDown:
		d.cursor = clamp(d.cursor+d.step(m, k), len(list))
	case k.Type == tea.KeySpace:
		if d.cursor < len(list) {
			d.choose(list[d.cursor])
		} else {
			d.addTyped()
		}
	case k.Type == tea.KeyEnter:
		return d.enter(m, list)
	default:
		d.filter, _ = d.filter.Update(k)
		d.cursor = clamp(d.cursor, len(d.visible()))
	}
	return nil
}

// step returns how far a key moves.
func (d *menu) step(m *Model, k tea.KeyMsg) int {
	if k.Type == tea.KeyPgUp || k.Type == tea.KeyPgDown {
		return max(1, m.bodyHeight()-6)
	}
	return 1
}

// enter applies the choice. Without a choice of one item yet, that is the one with the
// cursor.
func (d *menu) enter(m *Model, list []int) tea.Cmd {
	if len(list) == 0 {
		d.addTyped() // enter again applies it
		return nil
	}
	if at := list[d.cursor]; d.items[at].group != "" {
		d.set(at)
	}
	m.dialog = nil
	return d.accept(m, d.chosen())
}

// addTyped adds what was typed as a chosen item, and reports whether that is possible.
func (d *menu) addTyped() bool {
	text := strings.TrimSpace(d.filter.Value())
	if d.add == nil || text == "" || d.add(text) != "" {
		return false
	}
	d.items = append(d.items, item{label: text, chosen: true})
	d.filter.SetValue("")
	d.cursor = len(d.items) - 1
	return true
}

func (d *menu) choose(i int) {
	if d.items[i].group == "" {
		d.items[i].chosen = !d.items[i].chosen || d.items[i].partly
		d.items[i].partly = false
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

// countText describes how much is chosen.
func (d *menu) countText() string {
	n, single := 0, true
	for _, it := range d.items {
		single = single && it.group != ""
		if it.chosen && it.group == "" {
			n++
		}
	}
	if single && d.add == nil {
		return d.what
	}
	text := fmt.Sprintf("%d chosen", n)
	if d.noun != "" {
		text = plural(n, d.noun) + " chosen"
	}
	if d.what != "" {
		text += ", for " + d.what
	}
	return text
}

func (d *menu) lines(m *Model, width, height int) []string {
	t, list := m.theme, d.visible()
	in := d.filter
	in.Width = max(1, width-4)
	lines := []string{justify(t.title.Render(clip(d.title, width)), d.countText(), width), "/ " + own(in.View())}
	room := max(1, height-len(lines)-2)
	first := max(0, min(d.cursor-room/2, len(list)-room))
	for i := first; i < min(len(list), first+room); i++ {
		it := d.items[list[i]]
		lines = append(lines, t.mark(i == d.cursor)+t.row(clip(checkbox(it)+" "+it.label, width-2), i == d.cursor))
	}
	if len(list) == 0 {
		lines = append(lines, wrap("  "+d.emptyText(), width)...)
	}
	return append(fitLines(lines, width, height-1), shortHelp(t, m.menuKeys(), width))
}

// menuKeys returns the keys of a menu.
func (m *Model) menuKeys() []key.Binding {
	return []key.Binding{m.keys.Toggle, m.keys.Apply, m.keys.Abandon}
}

// emptyText says why no item is shown, and what to do.
func (d *menu) emptyText() string {
	text := oneLine(d.filter.Value())
	switch {
	case d.empty != "":
		return d.empty
	case d.add == nil:
		return "nothing matches “" + text + "”: press esc to see all"
	case d.add(text) != "":
		return d.add(text)
	}
	return "press space to add “" + text + "”"
}

// checkbox renders whether an item is selected.
func checkbox(it item) string {
	switch {
	case it.group != "" && it.chosen:
		return "(x)"
	case it.group != "":
		return "( )"
	case it.partly:
		return "[-]"
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
	return newMenu(m.theme, "Show only", items, func(m *Model, chosen []int) tea.Cmd {
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
	})
}
