package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// The fields of the composer.
const (
	fieldText  = iota
	fieldMedia // skipped if the post has no media
	fieldAccounts
	fieldTime
	fieldCount
)

// draft is the initial content of a composer.
type draft struct {
	post apiv1.Post      // the edited post; without an id the composer creates one
	from apiv1.Post      // the source of text, accounts and overrides
	slot *postlist.Ghost // the slot for which a post is written, or nil
	time string          // the initial time of a new post

	resends bool // saving makes a new post for the failed targets of post
}

func newDraft() draft              { return draft{} }
func editDraft(p apiv1.Post) draft { return draft{post: p, from: p} }
func copyDraft(p apiv1.Post) draft { return draft{from: p} }

// resendDraft returns a draft for the failed targets of a post that published nothing.
func resendDraft(p apiv1.Post) draft {
	from := p
	from.SocialAccountIDs, from.TargetOverrides = nil, nil
	for _, t := range postlist.FailedTargets(p) {
		if !postlist.OutcomeUnknown(t) && !slices.ContainsFunc(t.Parts, func(p apiv1.TargetPart) bool { return p.Status == schedctl.Published }) {
			from.SocialAccountIDs = append(from.SocialAccountIDs, t.SocialAccountID)
		}
	}
	for _, o := range p.TargetOverrides {
		if slices.Contains(from.SocialAccountIDs, o.SocialAccountID) {
			from.TargetOverrides = append(from.TargetOverrides, o)
		}
	}
	return draft{post: p, from: from, resends: true}
}

// queueDraft returns a draft for the next free slot of a queue, for the accounts that it
// names.
func queueDraft(q apiv1.Queue) draft {
	return draft{from: apiv1.Post{SocialAccountIDs: q.SocialAccountIDs}, time: apiv1.PublishNextSlot + " in " + screen.OneLine(q.Name)}
}

// slotDraft returns a draft for a free slot, for the accounts that its queue names.
func slotDraft(g postlist.Ghost, q apiv1.Queue) draft {
	return draft{from: apiv1.Post{SocialAccountIDs: q.SocialAccountIDs}, slot: &g}
}

// composer edits a new or existing post. It keeps what was typed until the daemon
// has saved it or the user discards it.
type composer struct {
	id    string // identifies this composer, to ignore late responses
	theme screen.Theme
	draft draft

	keys, partKeys, commentKeys, accountKeys, mediaKeys []key.Binding // the most important keys, for the help lines

	text         textarea.Model
	texts        texts
	media        media
	accountIDs   []string
	cursor       int
	narrow       accountFilter
	timeInput    textinput.Model
	originalTime string
	slotText     string // the text of the time field for draft.slot
	field        int

	validation validation
	sending    bool
	sent       sentPost
	fault      string
	conflict   *apiv1.Post // the version that someone else has saved
	leaving    bool        // the question whether to save is open
	submits    bool        // the request that was sent last asks for an approval
	asking     *question   // for a file or an alt text, or nil
	settings   settings
	split      splitText
	snippets   *snippetChooser // the open chooser, or nil

	keptReferences string // the references to snippets of which the last save warned

	preview preview
}

func (m *Model) compose(d draft) tea.Cmd {
	c := &composer{
		id: schedctl.NewULID(m.Now).String(), theme: m.Theme, draft: d,
		keys:        []key.Binding{m.Keys.Save, m.Keys.Field, m.Keys.Leave, m.Keys.Ask, m.Keys.Attach, m.Keys.NewPart, m.Keys.Comment, m.Keys.Settings, m.Keys.Preview, m.Keys.Snippet, m.Keys.Outside},
		partKeys:    []key.Binding{m.Keys.Save, m.Keys.Field, m.Keys.Leave, m.Keys.Ask, m.Keys.Attach, m.Keys.NewPart, m.Keys.NextPart, m.Keys.PartDown, m.Keys.Comment, m.Keys.Settings, m.Keys.Preview, m.Keys.Snippet, m.Keys.Outside},
		commentKeys: []key.Binding{m.Keys.Save, m.Keys.BackToText, m.Keys.Field, m.Keys.Leave, m.Keys.Attach, m.Keys.Snippet, m.Keys.Outside},
		accountKeys: []key.Binding{m.Keys.Save, m.Keys.Toggle, m.Keys.Own, m.Keys.Narrow, m.Keys.Field, m.Keys.Leave, m.Keys.Submit},
		mediaKeys:   []key.Binding{m.Keys.Save, m.Keys.AltText, m.Keys.Remove, m.Keys.OtherPart, m.Keys.Attach, m.Keys.Field, m.Keys.Leave, m.Keys.Submit},
		text:        screen.NewText(m.Theme), timeInput: screen.NewInput(m.Theme, "empty for a draft, or tomorrow 9am, every monday 9am, next-slot, now"),
		accountIDs: slices.Clone(d.from.SocialAccountIDs),
	}
	c.setTexts(d.from)
	c.setMedia(d.from)
	c.settings = newSettings(m.Theme, d.from)
	if d.post.ID != "" && d.post.PublishAt != nil && !d.resends {
		c.timeInput.SetValue(strings.TrimSuffix(d.post.PublishAt.In(m.Zone).Format(screen.LocalTime), ":00"))
	}
	if d.time != "" {
		c.timeInput.SetValue(d.time)
	}
	if g := d.slot; g != nil {
		c.slotText = "slot " + g.At.In(m.Zone).Format("Mon 2 Jan 2006 15:04") + " in " + screen.OneLine(g.Queue)
		c.timeInput.SetValue(c.slotText)
	}
	c.timeInput.Blur()
	c.originalTime = c.timeInput.Value()
	m.dialog = c
	m.groups.wanted = true
	return c.check()
}

// FullScreen implements [screen.Dialog].
func (c *composer) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (c *composer) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	if c.narrow.typing && c.field == fieldAccounts && !key.Matches(k, m.Keys.Kill, m.Keys.Field, m.Keys.FieldBack, m.Keys.Save) {
		return c.handleAccountKey(m, k)
	}
	if c.leaving {
		return c.handleLeaveKey(m, k)
	}
	if c.asking != nil {
		return c.handleQuestionKey(m, k)
	}
	if c.sending && !key.Matches(k, m.Keys.Kill, m.Keys.Leave) {
		return nil // changes now would not be part of the request
	}
	c.fault = ""
	if c.settings.open {
		return c.handleSettingsKey(m, k)
	}
	if c.preview.open {
		return c.handlePreviewKey(m, k)
	}
	if c.snippets != nil {
		return c.handleSnippetKey(m, k)
	}
	switch {
	case key.Matches(k, m.Keys.Snippet):
		return c.askSnippet(m)
	case key.Matches(k, m.Keys.Preview):
		c.preview = preview{open: true}
	case key.Matches(k, m.Keys.Split):
		return c.splitText(m)
	case key.Matches(k, m.Keys.Settings):
		c.settings.open = true
		c.settings.Focus(0)
	case key.Matches(k, m.Keys.Kill), key.Matches(k, m.Keys.Leave):
		return c.askToLeave(m)
	case key.Matches(k, m.Keys.Save):
		return c.save(m, false)
	case key.Matches(k, m.Keys.Ask), key.Matches(k, m.Keys.Submit) && (c.field == fieldAccounts || c.field == fieldMedia):
		return c.save(m, true)
	case key.Matches(k, m.Keys.Field):
		return c.focus(c.nextField(1))
	case key.Matches(k, m.Keys.FieldBack):
		return c.focus(c.nextField(fieldCount - 1))
	case key.Matches(k, m.Keys.Attach):
		return c.askFile(m)
	case key.Matches(k, m.Keys.Comment):
		return c.switchText(commentText)
	case key.Matches(k, m.Keys.Theirs) && c.conflict != nil:
		c.discard(m)
		return m.compose(editDraft(*c.conflict))
	case key.Matches(k, m.Keys.Outside):
		return m.openEditor()
	default:
		return c.handleFieldKey(m, k)
	}
	return nil
}

// handleFieldKey passes a key to the focused field.
func (c *composer) handleFieldKey(m *Model, k tea.KeyMsg) tea.Cmd {
	switch c.field {
	case fieldText:
		return c.handleTextKey(m, k)
	case fieldTime:
		c.timeInput, _ = c.timeInput.Update(k)
	case fieldAccounts:
		return c.handleAccountKey(m, k)
	case fieldMedia:
		return c.handleMediaKey(m, k)
	}
	return nil
}

// nextField returns the field that is steps after the focused one.
func (c *composer) nextField(steps int) int {
	field := (c.field + steps) % fieldCount
	if field == fieldMedia && len(c.media.list) == 0 {
		field = (field + steps) % fieldCount
	}
	return field
}

// handleAccountKey changes the selected accounts.
func (c *composer) handleAccountKey(m *Model, k tea.KeyMsg) tea.Cmd {
	list, groups := c.narrow.of(m.Accounts.List), c.narrow.groups(m.groups.list)
	rows := len(list) + len(groups)
	switch {
	case c.narrow.typing:
		c.cursor = 0
		c.narrow.key(k)
	case key.Matches(k, m.Keys.Narrow):
		c.narrow = accountFilter{typing: true}
		c.cursor = 0
	case key.Matches(k, m.Keys.Up):
		c.cursor = screen.Clamp(c.cursor-1, rows)
	case key.Matches(k, m.Keys.Down):
		c.cursor = screen.Clamp(c.cursor+1, rows)
	case key.Matches(k, m.Keys.Toggle, m.Keys.Open) && c.cursor < len(list):
		id := list[c.cursor].ID
		if i := slices.Index(c.accountIDs, id); i >= 0 {
			c.accountIDs = slices.Delete(c.accountIDs, i, i+1)
		} else {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.check()
	case key.Matches(k, m.Keys.Own) && c.cursor < len(list):
		id := list[c.cursor].ID
		if !slices.Contains(c.accountIDs, id) {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.switchText(id)
	case key.Matches(k, m.Keys.Toggle, m.Keys.Open) && c.cursor < rows:
		return c.toggleGroup(groups[c.cursor-len(list)])
	case key.Matches(k, m.Keys.Own) && c.cursor < rows:
		c.fault = "a group has no text of its own: choose one of its accounts"
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
		return true // a copy is not saved yet
	}
	return c.partsChanged() || c.commentChanged() || c.timeInput.Value() != c.originalTime || c.accountsChanged() || c.ownTextsChanged() || c.settings.changed()
}

// accountsChanged reports whether the selected accounts have changed.
func (c *composer) accountsChanged() bool {
	return !slices.Equal(c.accountIDs, c.draft.from.SocialAccountIDs)
}
