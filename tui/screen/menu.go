package screen

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
	Cursor int // in the items that match the filter
	Filter textinput.Model
	Accept func(chosen []int) tea.Cmd // receives the indexes of the chosen items

	Add  func(text string) string // says what is wrong with a text as a new item; nil if none can be added
	Noun string                   // of what is counted, for example: label
	What string                   // on how many posts the choice acts; may be empty

	Empty string // said while there are no items; empty if there are some
}

// NewMenu returns a menu.
func NewMenu(t Theme, title string, items []Item, accept func(chosen []int) tea.Cmd) *Menu {
	return &Menu{Title: title, Items: items, Accept: accept, Filter: NewInput(t, "type to filter")}
}

// FullScreen implements [Dialog].
func (d *Menu) FullScreen() bool { return true }

// Visible returns the indexes of the items that match the filter.
func (d *Menu) Visible() (list []int) {
	text := strings.ToLower(strings.TrimSpace(d.Filter.Value()))
	for i, it := range d.Items {
		if strings.Contains(strings.ToLower(it.Label), text) {
			list = append(list, i)
		}
	}
	return list
}

// Key implements [Dialog].
func (d *Menu) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	list := d.Visible()
	switch {
	case key.Matches(k, f.Current().Keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc && d.Filter.Value() != "":
		d.Filter.SetValue("")
		d.Cursor = 0
	case k.Type == tea.KeyEsc:
		f.Close()
	case k.Type == tea.KeyUp, k.Type == tea.KeyPgUp:
		d.Cursor = Clamp(d.Cursor-d.step(f, k), len(list))
	case k.Type == tea.KeyDown, k.Type == tea.KeyPgDown:
		d.Cursor = Clamp(d.Cursor+d.step(f, k), len(list))
	case k.Type == tea.KeySpace:
		if d.Cursor < len(list) {
			d.choose(list[d.Cursor])
		} else {
			d.addTyped()
		}
	case k.Type == tea.KeyEnter:
		return d.enter(f, list)
	default:
		d.Filter, _ = d.Filter.Update(k)
		d.Cursor = Clamp(d.Cursor, len(d.Visible()))
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
	if at := list[d.Cursor]; d.Items[at].Group != "" {
		d.set(at)
	}
	f.Close()
	return d.Accept(d.chosen())
}

// addTyped adds what was typed as a chosen item, and reports whether that is possible.
func (d *Menu) addTyped() bool {
	text := strings.TrimSpace(d.Filter.Value())
	if d.Add == nil || text == "" || d.Add(text) != "" {
		return false
	}
	d.Items = append(d.Items, Item{Label: text, Chosen: true})
	d.Filter.SetValue("")
	d.Cursor = len(d.Items) - 1
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
		text = Plural(n, d.Noun) + " chosen"
	}
	if d.What != "" {
		text += ", for " + d.What
	}
	return text
}

// Lines implements [Dialog].
func (d *Menu) Lines(f Frame, width, height int) []string {
	t, list := f.Current().Theme, d.Visible()
	in := d.Filter
	in.Width = max(1, width-4)
	lines := []string{Justify(t.Title.Render(Clip(d.Title, width)), d.countText(), width), "/ " + Own(in.View())}
	room := max(1, height-len(lines)-2)
	first := max(0, min(d.Cursor-room/2, len(list)-room))
	for i := first; i < min(len(list), first+room); i++ {
		it := d.Items[list[i]]
		lines = append(lines, t.Mark(i == d.Cursor)+t.Row(Clip(Checkbox(it)+" "+it.Label, width-2), i == d.Cursor))
	}
	if len(list) == 0 {
		lines = append(lines, Wrap("  "+d.emptyText(), width)...)
	}
	return append(FitLines(lines, width, height-1), ShortHelp(t, f.Current().Keys.MenuKeys(), width))
}

// MenuKeys returns the keys of a menu.
func (k *KeyMap) MenuKeys() []key.Binding { return []key.Binding{k.Toggle, k.Apply, k.Abandon} }

// FootKeys implements [FootKeys].
func (d *Menu) FootKeys(f Frame) []key.Binding { return f.Current().Keys.MenuKeys() }

// emptyText says why no item is shown, and what to do.
func (d *Menu) emptyText() string {
	text := OneLine(d.Filter.Value())
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

// Checkbox renders whether an item is selected.
func Checkbox(it Item) string {
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
