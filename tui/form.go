package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// formField is one field of a form.
type formField struct {
	name     string // the field's name in errors, for example credentials.token
	label    string
	about    string
	required bool
	original string
	input    textinput.Model
	fault    string
}

// changed reports whether the value differs from the original.
func (f *formField) changed() bool { return f.value() != f.original }

// value returns the typed text without surrounding white space, such as a line break
// after a pasted secret.
func (f *formField) value() string { return strings.TrimSpace(f.input.Value()) }

// form asks for several values. It keeps what was typed until the daemon has
// accepted it or the user leaves.
type form struct {
	seq     int // identifies this form, to ignore late responses
	title   string
	fields  []formField
	focused int
	sending bool
	leaving bool
	fault   string
	send    func(m *Model, f *form) tea.Cmd // its result is a formMsg with the form's seq
}

// formMsg is the result of submitting a form.
type formMsg struct {
	seq  int
	done string
	id   string // the account that was changed
	bad  bool   // show done as a warning
	err  error
}

// newField returns a field with an initial value.
func newField(t theme, name, label, about, value string) formField {
	f := formField{name: name, label: label, about: about, original: value, input: newInput(t, "")}
	f.input.SetValue(value)
	f.input.Blur()
	return f
}

// conceal makes a field secret: the text is shown as dots.
func (f *formField) conceal() {
	f.input.EchoMode, f.input.EchoCharacter = textinput.EchoPassword, '•'
}

// openForm shows a form.
func (m *Model) openForm(f *form) {
	m.forms++
	f.seq = m.forms
	f.focus(0)
	m.dialog, m.notice = f, notice{}
}

func (f *form) fullScreen() bool { return true }

func (f *form) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if f.leaving {
		return f.handleLeaveKey(m, k)
	}
	switch {
	case key.Matches(k, m.keys.Kill), key.Matches(k, m.keys.Leave):
		f.askToLeave(m)
	case f.sending:
	case key.Matches(k, m.keys.Save), k.Type == tea.KeyEnter && f.focused == len(f.fields)-1:
		return f.submit(m)
	case key.Matches(k, m.keys.Field), k.Type == tea.KeyEnter, k.Type == tea.KeyDown:
		f.focus((f.focused + 1) % len(f.fields))
	case key.Matches(k, m.keys.FieldBack), k.Type == tea.KeyUp:
		f.focus((f.focused + len(f.fields) - 1) % len(f.fields))
	default:
		f.fault, f.fields[f.focused].fault = "", ""
		f.fields[f.focused].input, _ = f.fields[f.focused].input.Update(k)
	}
	return nil
}

func (f *form) focus(i int) {
	f.fields[f.focused].input.Blur()
	f.focused = i
	f.fields[i].input.Focus()
}

// submit sends the form unless a required field is empty.
func (f *form) submit(m *Model) tea.Cmd {
	for i := range f.fields {
		if field := &f.fields[i]; field.required && field.value() == "" {
			field.fault = "required"
			f.focus(i)
			return nil
		}
	}
	f.sending, f.fault = true, ""
	return f.send(m, f)
}

// askToLeave closes the form. If something was typed, it asks first.
func (f *form) askToLeave(m *Model) {
	for i := range f.fields {
		if f.fields[i].changed() {
			f.leaving = true
			return
		}
	}
	m.dialog = nil
}

func (f *form) handleLeaveKey(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.keys.Kill):
		return tea.Quit
	case key.Matches(k, m.keys.Discard):
		m.dialog = nil
		m.showNotice("discarded")
	case key.Matches(k, m.keys.Keep):
		f.leaving = false
	}
	return nil
}

// handleResult shows the result. A refused form keeps its fields.
func (f *form) handleResult(m *Model, msg formMsg) {
	f.sending = false
	if msg.err == nil {
		m.dialog = nil
		m.accounts.loaded, m.accounts.anchor = false, msg.id
		if m.showNotice(msg.done); msg.bad {
			m.showError(msg.done)
		}
		return
	}
	if noResponse(msg.err) {
		m.accounts.loaded = false
		f.fault = "no response: the account may be saved. Leave and check the list before you try again. " + explain(msg.err)
		return
	}
	var refused *schedctl.Error
	if asError(msg.err, &refused) && f.showFieldError(refused.Field, explain(msg.err)) {
		return
	}
	f.fault = explain(msg.err)
}

// showFieldError shows an error next to the named field and reports whether there is
// such a field.
func (f *form) showFieldError(name, fault string) bool {
	for i := range f.fields {
		if name != "" && f.fields[i].name == name {
			f.fields[i].fault = fault
			f.focus(i)
			return true
		}
	}
	return false
}

func (f *form) lines(m *Model, width, height int) []string {
	t := m.theme
	below := f.messages(m, width)
	lines, at := []string{}, 0
	for i := range f.fields {
		if i == f.focused {
			at = len(lines)
		}
		lines = append(lines, f.fieldLines(t, i, width)...)
	}
	room := max(1, height-len(below)-2)
	lines = append([]string{t.title.Render(clip(f.title, width)), ""}, fitLines(linesAround(lines, at, room), width, room)...)
	return append(lines, below...)
}

// fieldLines renders a field, and its description if it is focused.
func (f *form) fieldLines(t theme, i, width int) []string {
	const most = 20
	field := &f.fields[i]
	here := i == f.focused
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
func (f *form) messages(m *Model, width int) (lines []string) {
	t := m.theme
	if f.leaving {
		for _, l := range append(wrap("Leave? Your changes are not saved.", width), wrap(leaveKeys(m.keys), width)...) {
			lines = append(lines, t.warn.Render(l))
		}
		return lines
	}
	for _, l := range wrap(m.inNames(f.fault), width) {
		if l != "" {
			lines = append(lines, t.bad.Render(l))
		}
	}
	if f.sending {
		return append(lines, t.hint.Render("contacting the network …"))
	}
	return append(lines, shortHelp(t, []key.Binding{m.keys.Save, m.keys.Field, m.keys.FieldBack, m.keys.Leave}, width))
}
