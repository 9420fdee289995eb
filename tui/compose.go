package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// localTime is how the time of a post is written for a person to change.
const localTime = "2006-01-02 15:04:05"

// The fields of the composer.
const (
	fieldText = iota
	fieldAccounts
	fieldTime
	fields
)

// draft is what a composer begins with.
type draft struct {
	post apiv1.Post // that is edited; without an id a new one is written
	from apiv1.Post // whose text, accounts and overrides it begins with
}

func newDraft() draft              { return draft{} }
func editDraft(p apiv1.Post) draft { return draft{post: p, from: p} }
func copyDraft(p apiv1.Post) draft { return draft{from: p} }

// composer writes a post, a new one or another version of one. What was typed
// stays until the daemon has it or the person says that it may go.
type composer struct {
	id    string // of this composer, so that late answers are known
	theme theme
	draft draft

	keys, accountKeys []key.Binding // that matter most

	text         textarea.Model
	texts        texts
	accountIDs   []string
	cursor       int
	timeInput    textinput.Model
	originalTime string
	field        int

	validation validation
	sending    bool
	sent       sentPost
	fault      string
	conflict   *apiv1.Post // what somebody else has made of it meanwhile
	leaving    bool        // asked what to do with what was typed
}

func (m *Model) compose(d draft) tea.Cmd {
	c := &composer{
		id: schedctl.NewULID(m.now).String(), theme: m.theme, draft: d,
		keys:        []key.Binding{m.keys.Save, m.keys.Field, m.keys.Leave, m.keys.Outside},
		accountKeys: []key.Binding{m.keys.Save, m.keys.Toggle, m.keys.Own, m.keys.Field, m.keys.Leave},
		text:        newText(m.theme), timeInput: newInput(m.theme, "a draft; or a time such as tomorrow 9am, or now"),
		accountIDs: slices.Clone(d.from.SocialAccountIDs),
	}
	c.texts.own = map[string]string{}
	for _, id := range c.accountIDs {
		c.texts.own[id] = c.originalText(id)
	}
	c.setText(d.from.Content)
	if d.post.ID != "" && d.post.PublishAt != nil {
		c.timeInput.SetValue(strings.TrimSuffix(d.post.PublishAt.In(m.zone).Format(localTime), ":00"))
	}
	c.timeInput.Blur()
	c.originalTime = c.timeInput.Value()
	m.dialog = c
	return c.check()
}

// newText returns the field for the text. Nothing of it is drawn with colours of
// its own.
func newText(t theme) textarea.Model {
	in := textarea.New()
	in.ShowLineNumbers, in.Prompt, in.CharLimit, in.MaxHeight = false, "", 0, 0
	in.Placeholder = "What shall be published?"
	style := textarea.Style{
		Base: t.cursor.UnsetTransform(), CursorLine: t.cursor.UnsetTransform(), Text: t.cursor.UnsetTransform(),
		Placeholder: t.faint, Prompt: t.faint, EndOfBuffer: t.faint, LineNumber: t.faint, CursorLineNumber: t.faint,
	}
	in.FocusedStyle, in.BlurredStyle = style, style
	in.Cursor.Style, in.Cursor.TextStyle = t.cursor, t.cursor.UnsetTransform()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Focus()
	return in
}

func (c *composer) fullScreen() bool { return true }

func (c *composer) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if c.leaving {
		return c.handleLeaveKey(m, k)
	}
	if c.sending && !key.Matches(k, m.keys.Kill, m.keys.Leave) {
		return nil // what was typed now would not be in what is sent
	}
	c.fault = ""
	switch {
	case key.Matches(k, m.keys.Kill), key.Matches(k, m.keys.Leave):
		return c.askToLeave(m)
	case key.Matches(k, m.keys.Save):
		return c.save(m)
	case key.Matches(k, m.keys.Field):
		return c.focus((c.field + 1) % fields)
	case key.Matches(k, m.keys.FieldBack):
		return c.focus((c.field + fields - 1) % fields)
	case key.Matches(k, m.keys.Theirs) && c.conflict != nil:
		c.discard(m)
		return m.compose(editDraft(*c.conflict))
	case key.Matches(k, m.keys.Outside):
		return m.openEditor()
	}
	return c.handleFieldKey(m, k)
}

// handleFieldKey gives a key to the field that has the keys.
func (c *composer) handleFieldKey(m *Model, k tea.KeyMsg) tea.Cmd {
	switch c.field {
	case fieldText:
		before := c.text.Value()
		c.text, _ = c.text.Update(k)
		if c.text.Value() != before {
			return c.check()
		}
	case fieldTime:
		c.timeInput, _ = c.timeInput.Update(k)
	case fieldAccounts:
		return c.handleAccountKey(m, k)
	}
	return nil
}

// handleAccountKey changes the accounts.
func (c *composer) handleAccountKey(m *Model, k tea.KeyMsg) tea.Cmd {
	list := m.accounts.list
	switch {
	case key.Matches(k, m.keys.Up):
		c.cursor = clamp(c.cursor-1, len(list))
	case key.Matches(k, m.keys.Down):
		c.cursor = clamp(c.cursor+1, len(list))
	case key.Matches(k, m.keys.Toggle, m.keys.Open) && c.cursor < len(list):
		id := list[c.cursor].ID
		if i := slices.Index(c.accountIDs, id); i >= 0 {
			c.accountIDs = slices.Delete(c.accountIDs, i, i+1)
		} else {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.check()
	case key.Matches(k, m.keys.Own) && c.cursor < len(list):
		id := list[c.cursor].ID
		if !slices.Contains(c.accountIDs, id) {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.switchText(id)
	}
	return nil
}

func (c *composer) focus(field int) tea.Cmd {
	c.field = field
	c.text.Blur()
	c.timeInput.Blur()
	switch field {
	case fieldText:
		c.text.Focus()
	case fieldTime:
		c.timeInput.Focus()
	}
	return nil
}

// changed reports whether something was typed that the daemon does not have.
func (c *composer) changed() bool {
	if c.draft.post.ID == "" && c.draft.from.ID != "" {
		return true // a copy is nowhere yet
	}
	return c.commonText() != c.draft.from.Content || c.timeInput.Value() != c.originalTime || c.accountsChanged() || c.textsChanged()
}

// accountsChanged reports whether other accounts were chosen.
func (c *composer) accountsChanged() bool {
	return !slices.Equal(c.accountIDs, c.draft.from.SocialAccountIDs)
}
