package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// commandLine takes a command in words, such as: label launch.
type commandLine struct {
	input textinput.Model
	fault string
}

func (m *Model) openCommandLine() {
	in := screen.NewInput(m.Theme, "goto friday, label launch, move +1 week, help")
	in.ShowSuggestions = true
	m.dialog = &commandLine{input: in}
	m.groups.wanted = true
}

// FullScreen implements [screen.Dialog].
func (d *commandLine) FullScreen() bool { return false }

// Key implements [screen.Dialog].
func (d *commandLine) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case key.Matches(k, m.Keys.Kill):
		return tea.Quit
	case k.Type == tea.KeyEsc, k.Type == tea.KeyBackspace && d.input.Value() == "":
		m.dialog = nil
	case k.Type == tea.KeyTab:
		d.complete()
	case k.Type == tea.KeyEnter:
		return d.run(m)
	default:
		d.fault = ""
		d.input, _ = d.input.Update(k)
	}
	return nil
}

// run carries out the command. A command that is refused stays in the line.
func (d *commandLine) run(m *Model) tea.Cmd {
	name, arg := d.parts()
	if name == "" {
		m.dialog = nil
		return nil
	}
	c, fault := findCommand(name)
	switch {
	case fault != "":
		d.fault = fault
		return nil
	case c.arg == "" && arg != "":
		d.fault = c.name + " takes nothing after it: press enter after “" + c.name + "”"
		return nil
	case c.arg != "" && arg == "" && !c.optional:
		d.fault = c.name + " needs " + c.arg + ", for example: " + c.example
		return nil
	}
	m.dialog = nil
	m.EndNotice()
	cmd, fault := c.run(m, arg)
	if fault != "" {
		d.fault = fault
		m.dialog = d
	}
	return cmd
}

// parts returns the name of the command and the text after it.
func (d *commandLine) parts() (name, arg string) {
	name, arg, _ = strings.Cut(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(d.input.Value()), ":")), " ")
	return strings.ToLower(name), strings.TrimSpace(arg)
}

// complete completes the name of the command as far as it is certain.
func (d *commandLine) complete() {
	name, arg := d.parts()
	list := commandsWith(name)
	if len(list) == 0 || arg != "" {
		return
	}
	common := list[0].name
	for _, c := range list[1:] {
		for !strings.HasPrefix(c.name, common) {
			common = common[:len(common)-1]
		}
	}
	if len(list) == 1 && list[0].arg != "" {
		common += " "
	}
	d.input.SetValue(common)
	d.input.CursorEnd()
}

// Lines implements [screen.Dialog].
func (d *commandLine) Lines(f screen.Frame, width, _ int) []string {
	m := f.(*Model)
	in := d.input
	in.Width = max(1, width-4)
	lines := []string{m.Theme.Title.Render(":") + screen.Own(in.View())}
	if d.fault != "" {
		for _, l := range screen.Wrap(d.fault, width) {
			lines = append(lines, m.Theme.Bad.Render(l))
		}
		return lines
	}
	return append(lines, screen.Wrap(d.help(m), width)...)
}

// help describes the typed command, or lists those that it can become.
func (d *commandLine) help(m *Model) string {
	name, _ := d.parts()
	list := commandsWith(name)
	if i := slices.IndexFunc(list, func(c command) bool { return c.name == name }); i >= 0 {
		list = list[i : i+1]
	}
	if len(list) == 1 {
		c := list[0]
		text := strings.TrimSpace(c.name+" "+c.arg) + ": " + c.about
		if c.posts {
			text += ", on " + m.chosenText()
		}
		return text
	}
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.name
	}
	if len(names) == 0 {
		return "no command starts with “" + screen.OneLine(name) + "”"
	}
	return strings.Join(names, "  ")
}

// chosenText describes the posts that an action changes.
func (m *Model) chosenText() string {
	if n := len(m.marks.Order); n > 0 {
		return screen.Plural(n, "marked post")
	}
	if p, ok := m.CurrentPost(); ok {
		return postlist.Quoted(p)
	}
	return "no post"
}

// findCommand returns the command with a name, or with the only one that starts with it.
// Otherwise it says what is wrong.
func findCommand(name string) (command, string) {
	list := commandsWith(name)
	if i := slices.IndexFunc(list, func(c command) bool { return c.name == name || slices.Contains(c.aliases, name) }); i >= 0 {
		return list[i], ""
	}
	if len(list) == 1 {
		return list[0], ""
	}
	if len(list) > 1 {
		names := make([]string, len(list))
		for i, c := range list {
			names[i] = c.name
		}
		return command{}, "“" + screen.OneLine(name) + "” can be " + strings.Join(names, ", ") + ": type more of it"
	}
	const most = 32 // bytes of a name that are compared
	best, distance := "", 3
	for _, c := range commands() {
		for _, other := range append([]string{c.name}, c.aliases...) {
			if d := schedctl.EditDistance(name[:min(len(name), most)], other); d < distance {
				best, distance = c.name, d
			}
		}
	}
	if best != "" {
		return command{}, "there is no command “" + screen.OneLine(name) + "”: did you mean " + best + "?"
	}
	return command{}, "there is no command “" + screen.OneLine(name) + "”: empty the line to see all commands"
}

// commandsWith returns the commands whose name or alias starts with a text.
func commandsWith(start string) (list []command) {
	for _, c := range commands() {
		if strings.HasPrefix(c.name, start) || start != "" && slices.ContainsFunc(c.aliases, func(a string) bool { return strings.HasPrefix(a, start) }) {
			list = append(list, c)
		}
	}
	return list
}
