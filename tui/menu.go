package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

)

// Item is a line of a menu. In a group exactly one item is selected; items without a
// group are independent.
type Item struct {
	Label  string
	Group  string
	Chosen bool
	Partly bool // some of the posts have it; it stays so unless it is selected or not
}

// Menu lets the user select items. What is typed filters them.
type Menu struct {
	Title  string
	Items  []Item
	cursor int // in the items that match the filter
	filter textinput.Model
	Accept func(chosen []int) tea.Cmd // receives the indexes of the chosen items

	Add  func(text string) string // says what is wrong with a text as a new item; nil if none can be added
	Noun string                   // of what is counted, for example: label
	What string                   // on how many posts the choice acts; may be empty

	Empty string // said while there are no items; empty if there are some
}

// NewMenu returns a menu.
func NewMenu(t theme, title string, items []Item, accept func(chosen []int) tea.Cmd) *Menu {
	return &Menu{Title: title, Items: items, Accept: accept, filter: newInput(t, "type to filter")}
}

// FullScreen implements [Dialog].
func (d *Menu) FullScreen() bool { return true }

// visible returns the indexes of the items that match the filter.
func (d *Menu) visible() (list []int) {
	text := strings.ToLower(strings.TrimSpace(d.filter.Value()))
	for i, it := range d.Items {
		if strings.Contains(strings.ToLower(it.Label), text) {
			list = append(list, i)
		}
	}
	return list
}

// Key implements [Dialog].
func (d *Menu) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	list := d.visible()
	switch {
	case key.Matches(k, f.Current().Keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc && d.filter.Value() != "":
		d.filter.SetValue("")
		d.cursor = 0
	case k.Type == tea.KeyEsc:
		f.Close()
	case k.Type == tea.KeyUp, k.Type == tea.KeyPgUp:
		d.cursor = clamp(d.cursor-d.step(f, k), len(list))
	case k.Type == tea.KeyDown, k.Type == tea.KeyPgDown:
		d.cursor = clamp(d.cursor+d.step(f, k), len(list))
	case k.Type == tea.KeySpace:
		if d.cursor < len(list) {
			d.choose(list[d.cursor])
		} else {
			d.addTyped()
		}
	case k.Type == tea.KeyEnter:
		return d.enter(f, list)
	default:
		d.filter, _ = d.filter.Update(k)
		d.cursor = clamp(d.cursor, len(d.visible()))
	}
	return nil
}

// step returns how far a key moves.
func (d *Menu) step(f Frame, k tea.KeyMsg) int {
	if k.Type == tea.KeyPgUp || k.Type == tea.KeyPgDown {
		return max(1, f.BodyHeight()-6)
	}
	return 1
}

// enter applies the choice. Without a choice of one item yet, that is the one with the
// cursor.
func (d *Menu) enter(f Frame, list []int) tea.Cmd {
	if len(list) == 0 {
		d.addTyped() // enter again applies it
		return nil
	}
	if at := list[d.cursor]; d.Items[at].Group != "" {
		d.set(at)
	}
	f.Close()
	return d.Accept(d.chosen())
}

// addTyped adds what was typed as a chosen item, and reports whether that is possible.
func (d *Menu) addTyped() bool {
	text := strings.TrimSpace(d.filter.Value())
	if d.Add == nil || text == "" || d.Add(text) != "" {
		return false
	}
	d.Items = append(d.Items, Item{Label: text, Chosen: true})
	d.filter.SetValue("")
	d.cursor = len(d.Items) - 1
	return true
}

func (d *Menu) choose(i int) {
	if d.Items[i].Group == "" {
		d.Items[i].Chosen = !d.Items[i].Chosen || d.Items[i].Partly
		d.Items[i].Partly = false
		return
	}
	d.set(i)
}

// set selects one item of a group.
func (d *Menu) set(i int) {
	for j := range d.Items {
		if d.Items[j].Group == d.Items[i].Group {
			d.Items[j].Chosen = j == i
		}
	}
}

func (d *Menu) chosen() (out []int) {
	for i, it := range d.Items {
		if it.Chosen {
			out = append(out, i)
		}
	}
	return out
}

// countText describes how much is chosen.
func (d *Menu) countText() string {
	n, single := 0, true
	for _, it := range d.Items {
		single = single && it.Group != ""
		if it.Chosen && it.Group == "" {
			n++
		}
	}
	if single && d.Add == nil {
		return d.What
	}
	text := fmt.Sprintf("%d chosen", n)
	if d.Noun != "" {
		text = plural(n, d.Noun) + " chosen"
	}
	if d.What != "" {
		text += ", for " + d.What
	}
	return text
}

// Lines implements [Dialog].
func (d *Menu) Lines(f Frame, width, height int) []string {
	t, list := f.Current().Theme, d.visible()
	in := d.filter
	in.Width = max(1, width-4)
	lines := []string{justify(t.title.Render(clip(d.Title, width)), d.countText(), width), "/ " + own(in.View())}
	room := max(1, height-len(lines)-2)
	first := max(0, min(d.cursor-room/2, len(list)-room))
	for i := first; i < min(len(list), first+room); i++ {
		it := d.Items[list[i]]
		lines = append(lines, t.mark(i == d.cursor)+t.row(clip(checkbox(it)+" "+it.Label, width-2), i == d.cursor))
	}
	if len(list) == 0 {
		lines = append(lines, wrap("  "+d.emptyText(), width)...)
	}
	return append(fitLines(lines, width, height-1), shortHelp(t, f.Current().Keys.MenuKeys(), width))
}

// MenuKeys returns the keys of a menu.
func (k *keyMap) MenuKeys() []key.Binding { return []key.Binding{k.Toggle, k.Apply, k.Abandon} }

// FootKeys implements [FootKeys].
func (d *Menu) FootKeys(f Frame) []key.Binding { return f.Current().Keys.MenuKeys() }

// emptyText says why no item is shown, and what to do.
func (d *Menu) emptyText() string {
	text := oneLine(d.filter.Value())
	switch {
	case d.Empty != "":
		return d.Empty
	case d.Add == nil:
		return "nothing matches “" + text + "”: press esc to see all"
	case d.Add(text) != "":
		return d.Add(text)
	}
	return "press space to add “" + text + "”"
}

// checkbox renders whether an item is selected.
func checkbox(it Item) string {
	switch {
	case it.Group != "" && it.Chosen:
		return "(x)"
	case it.Group != "":
		return "( )"
	case it.Partly:
		return "[-]"
	case it.Chosen:
		return "[x]"
	}
	return "[ ]"
}
