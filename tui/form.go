package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// FormField is one field of a form.
type FormField struct {
	name     string // the field's name in errors, for example credentials.token
	label    string
	about    string
	required bool
	original string
	input    textinput.Model
	fault    string
}

// changed reports whether the value differs from the original.
func (f *FormField) changed() bool { return f.value() != f.original }

// value returns the typed text without surrounding white space, such as a line break
// after a pasted secret.
func (f *FormField) value() string { return strings.TrimSpace(f.input.Value()) }

// Form asks for several values. It keeps what was typed until the daemon has
// accepted it or the user leaves.
type Form struct {
	Title   string
	Fields  []FormField
	focused int
	sending bool
	leaving bool
	fault   string
	// Send sends the values. Its command returns a message of the screen that opened the
	// form, which closes the form or calls Refuse.
	Send func() tea.Cmd
}

// newField returns a field with an initial value.
func newField(t theme, name, label, about, value string) FormField {
	f := FormField{name: name, label: label, about: about, original: value, input: newInput(t, "")}
	f.input.SetValue(value)
	f.input.Blur()
	return f
}

// conceal makes a field secret: the text is shown as dots.
func (f *FormField) conceal() {
	f.input.EchoMode, f.input.EchoCharacter = textinput.EchoPassword, '•'
}

// OpenForm shows a form with the cursor in its first field.
func OpenForm(f Frame, d *Form) {
	d.focus(0)
	f.ClearNotice()
	f.Open(d)
}

// FullScreen implements [Dialog].
func (d *Form) FullScreen() bool { return true }

// Key implements [Dialog].
func (d *Form) Key(f Frame, k tea.KeyMsg) tea.Cmd {
	if d.leaving {
		return d.handleLeaveKey(f, k)
	}
	switch s := f.Current(); {
	case key.Matches(k, s.Keys.Kill), key.Matches(k, s.Keys.Leave):
		d.askToLeave(f)
	case d.sending:
	case key.Matches(k, s.Keys.Save), k.Type == tea.KeyEnter && d.focused == len(d.Fields)-1:
		return d.submit()
	case key.Matches(k, s.Keys.Field), k.Type == tea.KeyEnter, k.Type == tea.KeyDown:
		d.focus((d.focused + 1) % len(d.Fields))
	case key.Matches(k, s.Keys.FieldBack), k.Type == tea.KeyUp:
		d.focus((d.focused + len(d.Fields) - 1) % len(d.Fields))
	default:
		d.fault, d.Fields[d.focused].fault = "", ""
		d.Fields[d.focused].input, _ = d.Fields[d.focused].input.Update(k)
	}
	return nil
}

func (d *Form) focus(i int) {
	d.Fields[d.focused].input.Blur()
	d.focused = i
	d.Fields[i].input.Focus()
}

// submit sends the form unless a required field is empty.
func (d *Form) submit() tea.Cmd {
	for i := range d.Fields {
		if field := &d.Fields[i]; field.required && field.value() == "" {
			field.fault = "required"
			d.focus(i)
			return nil
		}
	}
	d.sending, d.fault = true, ""
	return d.Send()
}

// askToLeave closes the form. If something was typed, it asks first.
func (d *Form) askToLeave(f Frame) {
	for i := range d.Fields {
		if d.Fields[i].changed() {
			d.leaving = true
			return
		}
	}
	f.Close()
}

func (d *Form) handleLeaveKey(f Frame, k tea.KeyMsg) tea.Cmd {
	switch s := f.Current(); {
	case key.Matches(k, s.Keys.Kill):
		return tea.Quit
	case key.Matches(k, s.Keys.Discard):
		f.Close()
		f.ShowNotice("discarded")
	case key.Matches(k, s.Keys.Keep):
		d.leaving = false
	}
	return nil
}

// Refuse shows why the values were not accepted, next to the field that the error names if
// the form has it. The form keeps its values.
func (d *Form) Refuse(err error) {
	var refused *schedctl.Error
	if asError(err, &refused) && d.showFieldError(refused.Field, explain(err)) {
		d.sending = false
		return
	}
	d.Fail(explain(err))
}

// Fail shows what went wrong below the fields. The form keeps its values.
func (d *Form) Fail(fault string) { d.sending, d.fault = false, fault }

// showFieldError shows an error next to the named field and reports whether there is
// such a field.
func (d *Form) showFieldError(name, fault string) bool {
	for i := range d.Fields {
		if name != "" && d.Fields[i].name == name {
			d.Fields[i].fault = fault
			d.focus(i)
			return true
		}
	}
	return false
}

// Lines implements [Dialog].
func (d *Form) Lines(f Frame, width, height int) []string {
	t := f.Current().Theme
	below := d.messages(f, width)
	lines, at := []string{}, 0
	for i := range d.Fields {
		if i == d.focused {
			at = len(lines)
		}
		lines = append(lines, d.fieldLines(t, i, width)...)
	}
	room := max(1, height-len(below)-2)
	lines = append([]string{t.title.Render(clip(d.Title, width)), ""}, fitLines(linesAround(lines, at, room), width, room)...)
	return append(lines, below...)
}

// fieldLines renders a field, and its description if it is focused.
func (d *Form) fieldLines(t theme, i, width int) []string {
	const most = 20
	field := &d.Fields[i]
	here := i == d.focused
	label := padRight(field.label, min(most, width/3))
	if here {
		label = t.title.Render(label)
	}
	in := field.input
	in.Width = max(1, width-min(most, width/3)-5)
	lines := []string{t.mark(here) + label + " " + own(in.View())}
	if field.fault != "" {
		for _, l := range wrap(field.fault, width-4) {
			lines = append(lines, "    "+t.bad.Render(l))
		}
	}
	if here && field.about != "" {
		for _, l := range wrap(field.about, width-4) {
			lines = append(lines, "    "+t.hint.Render(l))
		}
	}
	return lines
}

// messages renders the question whether to leave, or errors and the keys.
func (d *Form) messages(f Frame, width int) (lines []string) {
	t := f.Current().Theme
	if d.leaving {
		for _, l := range append(wrap("Leave? Your changes are not saved.", width), wrap(leaveKeys(f.Current().Keys), width)...) {
			lines = append(lines, t.warn.Render(l))
		}
		return lines
	}
	for _, l := range wrap(f.Current().InNames(d.fault), width) {
		if l != "" {
			lines = append(lines, t.bad.Render(l))
		}
	}
	if d.sending {
		return append(lines, t.hint.Render("contacting the network …"))
	}
	return append(lines, shortHelp(t, d.FootKeys(f), width))
}

// FootKeys implements [FootKeys].
func (d *Form) FootKeys(f Frame) []key.Binding {
	if d.leaving || d.sending {
		return nil
	}
	k := &f.Current().Keys
	return []key.Binding{k.Save, k.Field, k.FieldBack, k.Leave}
}
