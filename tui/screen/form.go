package screen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// Field is one field of a form.
type Field struct {
	Name     string // the field's name in errors, for example credentials.token
	Label    string
	About    string
	Required bool
	Original string
	Input    textinput.Model
	Fault    string

	Choices []string                  // the only values; empty for any text
	Check   func(value string) string // returns what is wrong with a value that is not empty; nil for nothing
}

// Changed reports whether the value differs from the original.
func (f *Field) Changed() bool { return f.Value() != f.Original }

// Value returns the typed text without surrounding white space, such as a line break
// after a pasted secret.
func (f *Field) Value() string { return strings.TrimSpace(f.Input.Value()) }

// choose handles a key in a field with choices: arrows and space go to the next one, and a letter
// to the first choice that starts with it.
func (f *Field) choose(k tea.KeyMsg) {
	at, n := slices.Index(f.Choices, f.Value()), len(f.Choices)
	switch {
	case k.Type == tea.KeyRight, k.Type == tea.KeySpace:
		at = (at + 1) % n
	case k.Type == tea.KeyLeft:
		at = (max(at, 0) + n - 1) % n
	default:
		text := strings.ToLower(k.String())
		at = slices.IndexFunc(f.Choices, func(c string) bool { return text != "" && strings.HasPrefix(c, text) })
	}
	if at >= 0 {
		f.Input.SetValue(f.Choices[at])
	}
}

// fault returns what is wrong with the value, or nothing.
func (f *Field) fault() string {
	switch value := f.Value(); {
	case value == "" && f.Required:
		return "required"
	case value != "" && f.Check != nil:
		return f.Check(value)
	}
	return ""
}

// Form asks for several values. It keeps what was typed until the daemon has
// accepted it or the user leaves.
type Form struct {
	Title   string
	Fields  []Field
	Focused int
	sending bool
	leaving bool
	Fault   string
	// Send sends the values. Its command returns a message of the screen that opened the
	// form, which closes the form or calls Refuse.
	Send func() tea.Cmd
}

// NewField returns a field with an initial value.
func NewField(t Theme, name, label, about, value string) Field {
	f := Field{Name: name, Label: label, About: about, Original: value, Input: NewInput(t, "")}
	f.Input.SetValue(value)
	f.Input.Blur()
	return f
}

// Conceal makes a field secret: the text is shown as dots.
func (f *Field) Conceal() {
	f.Input.EchoMode, f.Input.EchoCharacter = textinput.EchoPassword, '•'
}

// OpenForm shows a form with the cursor in its first field.
func OpenForm(f Frame, d *Form) {
	d.Focus(0)
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
	case key.Matches(k, s.Keys.Save), k.Type == tea.KeyEnter && d.Focused == len(d.Fields)-1:
		return d.submit()
	case key.Matches(k, s.Keys.Field), k.Type == tea.KeyEnter, k.Type == tea.KeyDown:
		d.Focus((d.Focused + 1) % len(d.Fields))
	case key.Matches(k, s.Keys.FieldBack), k.Type == tea.KeyUp:
		d.Focus((d.Focused + len(d.Fields) - 1) % len(d.Fields))
	default:
		d.Fault, d.Fields[d.Focused].Fault = "", ""
		if field := &d.Fields[d.Focused]; len(field.Choices) > 0 {
			field.choose(k)
		} else {
			field.Input, _ = field.Input.Update(k)
		}
	}
	return nil
}

// Focus moves the cursor to the field with an index.
func (d *Form) Focus(i int) {
	d.Fields[d.Focused].Input.Blur()
	d.Focused = i
	d.Fields[i].Input.Focus()
}

// submit sends the form, unless something is wrong with a field. It shows all that is.
func (d *Form) submit() tea.Cmd {
	first := -1
	for i := range d.Fields {
		if d.Fields[i].Fault = d.Fields[i].fault(); d.Fields[i].Fault != "" && first < 0 {
			first = i
		}
	}
	if first >= 0 {
		d.Focus(first)
		return nil
	}
	d.sending, d.Fault = true, ""
	return d.Send()
}

// askToLeave closes the form. If something was typed, it asks first.
func (d *Form) askToLeave(f Frame) {
	for i := range d.Fields {
		if d.Fields[i].Changed() {
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
	if AsError(err, &refused) && d.ShowFieldError(refused.Field, d.inLabels(Explain(err))) {
		d.sending = false
		return
	}
	d.Fail(d.inLabels(Explain(err)))
}

// inLabels replaces the names of fields for programs, and the flags for them, by their labels.
func (d *Form) inLabels(text string) string {
	words := strings.Fields(text)
	for i := range d.Fields {
		f := &d.Fields[i]
		for j, word := range words {
			bare := strings.TrimRight(word, ",.;:")
			if flag := strings.ReplaceAll(f.Name, "_", "-"); f.Name != "" && (bare == "--"+flag || bare == "--"+strings.TrimSuffix(flag, "-at") || bare == f.Name && strings.Contains(bare, "_")) {
				words[j] = strconv.Quote(f.Label) + word[len(bare):]
			}
		}
	}
	return strings.Join(words, " ")
}

// Fail shows what went wrong below the fields. The form keeps its values.
func (d *Form) Fail(fault string) { d.sending, d.Fault = false, fault }

// ShowFieldError shows an error next to the named field and reports whether there is
// such a field.
func (d *Form) ShowFieldError(name, fault string) bool {
	for i := range d.Fields {
		if name != "" && d.Fields[i].Name == name {
			d.Fields[i].Fault = fault
			d.Focus(i)
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
		if i == d.Focused {
			at = len(lines)
		}
		lines = append(lines, d.fieldLines(t, i, width)...)
	}
	room := max(1, height-len(below)-2)
	lines = append([]string{t.Title.Render(Clip(d.Title, width)), ""}, FitLines(LinesAround(lines, at, room), width, room)...)
	return append(lines, below...)
}

// fieldLines renders a field, and its description if it is focused.
func (d *Form) fieldLines(t Theme, i, width int) []string {
	const most = 20
	field := &d.Fields[i]
	here := i == d.Focused
	label := PadRight(field.Label, min(most, width/3))
	if here {
		label = t.Title.Render(label)
	}
	in := field.Input
	in.Width = max(1, width-min(most, width/3)-5)
	lines := []string{t.Mark(here) + label + " " + Own(in.View())}
	if field.Fault != "" {
		for _, l := range Wrap(field.Fault, width-4) {
			lines = append(lines, "    "+t.Bad.Render(l))
		}
	}
	if here && field.About != "" {
		for _, l := range Wrap(field.About, width-4) {
			lines = append(lines, "    "+t.Hint.Render(l))
		}
	}
	return lines
}

// messages renders the question whether to leave, or errors and the keys.
func (d *Form) messages(f Frame, width int) (lines []string) {
	t := f.Current().Theme
	if d.leaving {
		for _, l := range append(Wrap("Leave? Your changes are not saved.", width), Wrap(LeaveKeys(&f.Current().Keys), width)...) {
			lines = append(lines, t.Warn.Render(l))
		}
		return lines
	}
	for _, l := range Wrap(f.Current().InNames(d.Fault), width) {
		if l != "" {
			lines = append(lines, t.Bad.Render(l))
		}
	}
	if d.sending {
		return append(lines, t.Hint.Render("contacting the network …"))
	}
	return append(lines, ShortHelp(t, d.FootKeys(f), width))
}

// FootKeys implements [FootKeys].
func (d *Form) FootKeys(f Frame) []key.Binding {
	if d.leaving || d.sending {
		return nil
	}
	k := &f.Current().Keys
	return []key.Binding{k.Save, k.Field, k.FieldBack, k.Leave}
}
